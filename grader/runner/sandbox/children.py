"""The tier `child`, where the system cannot fork: programs of their own, without limits of the system."""

import contextlib
import os
import queue
import subprocess
import sys
import threading
from typing import NamedTuple

from ...base import processes
from ..worker.confine import framing
from .connection import WorkerGone
from .tiers import ENVIRONMENT, WORKER, Started

CHILD = "child"
_START_S = 60.0  # in which a process has to start, also on a busy machine
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); sys.argv[:] = ['']; "
    "from worker.adapter.traces import leaves_traces; from worker.adapter.trials import open_file; "
    "from worker.confine import child; del sys.path[0]; child.main(open_file, leaves_traces)"
)


class ChildMessage(NamedTuple):
    """A message of a process. Without a kind, it has ended, or has announced more bytes than it may send at once."""

    kind: bytes
    data: bytes = b""


class Child:
    """A process that runs one learner file after another.

    Attributes:
        spent: Whether its next file has to run in another process.
        cap: The largest number of bytes that it may send at once.
        cpu_s: The CPU time that it has used, as far as it has said.
    """

    def __init__(self) -> None:
        self.spent = False
        self.cap = 1 << 20
        self.cpu_s = 0.0
        self._messages: queue.SimpleQueue[ChildMessage] = queue.SimpleQueue()
        # the interpreter itself: in a virtual environment of Windows, `sys.executable` only starts it
        python = getattr(sys, "_base_executable", None) or sys.executable
        # a DLL of Windows is found with this variable
        system = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        self._process = processes.start(
            [python, "-s", "-S", "-P", "-c", _BOOT, str(WORKER.parent)],
            {**ENVIRONMENT, **system},
            pipes=True,
            errors=bool(os.environ.get("GRADE_DEBUG")),
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def ended(self) -> bool:
        """Return whether the process has ended by itself."""
        return self._process.poll() is not None

    def wait_until_ready(self) -> None:
        """Wait until it can take an order. Raises `WorkerGone`."""
        message = self.receive(_START_S)
        if message is None or message.kind != framing.READY:
            self.end()
            raise WorkerGone("the worker process did not start")

    def send(self, request: bytes) -> None:
        """Send a request. A process that has ended gets nothing."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(framing.HEADER.pack(len(request)) + request)
            self._process.stdin.flush()

    def receive(self, seconds: float) -> ChildMessage | None:
        """Return the next message, or None if there is none within the seconds."""
        try:
            message = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        if message.kind == framing.CPU:
            self.cpu_s = int.from_bytes(message.data, "big") / 1e9
        elif message.kind == framing.TRACES:
            self.spent = True
        return message

    def end(self, by_itself: bool = False) -> int:
        """Kill the process, and return its exit status. With `by_itself`, first wait up to a second for it to exit."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            if by_itself:
                process.wait(timeout=1)
        process.kill()
        status = process.wait()
        self._reader.join()
        process.stdout.close()
        return status

    def _read(self) -> None:
        """Put what the process sends into the queue. A thread runs this, because Windows cannot wait for a pipe."""
        stream = self._process.stdout
        assert stream is not None
        while len(head := stream.read(framing.KIND.size)) == framing.KIND.size:
            kind, size = framing.KIND.unpack(head)
            if size > self.cap:
                self._messages.put(ChildMessage(b"", head))
                return
            self._messages.put(ChildMessage(kind, stream.read(size)))
        self._messages.put(ChildMessage(b""))


class Children(Started):
    """The processes that run learner files in the tier `child`.

    Args:
        allow: The folder of each module, by name, that learner code may import.
    """

    tier = CHILD
    detail = "separate process, no limits of the system"
    ended = False  # a process that has ended is replaced

    def __init__(self, allow: dict[str, str]) -> None:
        self.allow = allow
        self._ready: list[Child] = []
        self.prepare()

    def prepare(self) -> None:
        """Start a process, unless one waits for a file."""
        if not self._ready:
            self._ready.append(Child())

    def take(self) -> Child:
        """Return a process that runs no file. Raises `WorkerGone`."""
        self.prepare()
        child = self._ready.pop()
        if child.cpu_s == 0.0:  # it has run nothing so far
            child.wait_until_ready()
        return child

    def give_back(self, child: Child) -> None:
        """Let another file run in a process, or end it."""
        if child.spent or child.ended:
            child.end()
        else:
            self._ready.append(child)

    def close(self) -> None:
        """End the processes."""
        while self._ready:
            self._ready.pop().end()
