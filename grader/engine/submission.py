"""Drive one submission's process: load its file, run batches, tell each way of dying apart.

The process may die, hang, flood or lie at any time. Whatever it does costs the batch at hand; for the
next one a new process is made.
"""

import os
import re
import selectors
import signal
import socket
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from ..course import Limits
from ..sandbox import Warm
from ..worker import frames
from . import bounds, protocol
from .protocol import Batch, Problem, Read, Refused

_BACKSTOP = 10  # the wall clock's limit is this many times that of the CPU, so that a busy machine changes no score
_STEP_S = 1.0
_UNANSWERED = 2  # batches; whoever leaves so many without an answer, hostile or hopeless, is asked no more
_FLOOD = 64  # a process that prints this many times what a course keeps is stopped
_CHUNK = 1 << 16
_ADDRESS = re.compile(r"\b0x[0-9a-f]{8,16}\b")  # of objects that a learner prints: they differ from run to run


@dataclass(frozen=True)
class Loaded:
    """The file was loaded; `output` is what it printed meanwhile."""

    output: str = ""


@dataclass(frozen=True)
class NotStarted:
    """The file's syntax tree is the stub's."""


@dataclass(frozen=True)
class LoadFailed:
    """The file could not be loaded: the learner's problem, or how the process died."""

    cause: "Problem | Died"
    output: str = ""


@dataclass(frozen=True)
class Died:
    """No usable answer. `status` is a check's: `timeout`, `crashed` or `error`; `message` says what happened."""

    status: str
    message: str


@dataclass(frozen=True)
class Ran:
    """A batch's answer, or how it failed to come, and what the learner's code printed meanwhile."""

    answer: Read | Problem | Died
    output: str
    seconds: float


class _Collected(NamedTuple):
    """What came back for a request: the answer's frame, or how it failed to come, what was printed, and the process's
    exit status (None if it is gone with the one that served it)."""

    frame: bytes
    died: Died | None
    output: str
    code: int | None


class _Stream:
    """Output as it comes, of which a course keeps `output_kb` KB: kept up to a cap, counted beyond it."""

    def __init__(self, output_kb: int) -> None:
        self.output_kb = output_kb
        self.cap = bounds.kept_bytes(output_kb)
        self.flood = _FLOOD * (output_kb << 10)
        self.kept = bytearray()
        self.size = 0

    def take(self, data: bytes) -> None:
        self.size += len(data)
        self.kept += data[: max(0, self.cap - len(self.kept))]

    def text(self) -> str:
        text = _ADDRESS.sub("0x…", self.kept.decode("utf-8", "replace"))
        return bounds.cut_output(text, self.output_kb, self.size - len(self.kept))


class Submission:
    """One learner file, loaded in a process of its own. A context manager."""

    def __init__(self, warm: Warm, source: str, filename: str, stub: str | None, limits: Limits):
        self._warm = warm
        self._limits = limits
        self._order = msgspec.json.encode(
            {
                "source": source,
                "filename": filename,
                "stub": stub,
                "allow": warm.allow,
                "limits": {"calls": limits.calls, "cpu_s": limits.cpu_s, "memory_mb": limits.memory_mb},
            }
        )
        self._unanswered = 0
        self._number: int | None = None
        self._channel: socket.socket | None = None
        self._first: tuple[int, int] | None = None  # answer and output of the fork that tried the file out and waits

    def load(self) -> Loaded | NotStarted | LoadFailed:
        """Load the file in a fresh process, replacing the one there may be."""
        self.close()
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._number = self._warm.submit(theirs)
        pipes = self._send_pipes(self._order)
        frame, died, output, code = self._collect(*pipes, bounds.LOAD_ANSWER, self._limits.cpu_s, to_the_end=False)
        self._first = pipes
        if died is None:
            try:
                loaded = protocol.decode_load(frame)
            except Refused as refusal:
                died = Died("error", f"the file's process gave no proper answer: {refusal}")
            else:
                if loaded is True and code == 0:
                    return Loaded(output)
                if loaded is not True:
                    self.close()
                    return NotStarted() if loaded is False else LoadFailed(loaded, output)
                died = self._death(code, self._limits.cpu_s)
        self.close()
        return LoadFailed(died, output)

    def run(self, batch: Batch) -> Ran:
        """Run a batch in a fresh fork of the loaded file."""
        started = time.perf_counter()
        if self._unanswered >= _UNANSWERED:
            return Ran(Died("timeout", f"not run: {_UNANSWERED} times before there was no answer in time"), "", 0.0)
        if self._channel is None:
            again = self.load()
            if not isinstance(again, Loaded):
                return Ran(Died("crashed", "the file loaded once, but not a second time"), "", 0.0)
        frame, died, output, _ = self._exchange(batch.encode(), batch.answer_cap, batch.cpu_s)
        result: Read | Problem | Died
        if died is None:
            try:
                result = protocol.decode_batch(frame, batch)
            except Refused as refusal:
                result = Died("error", f"the engine's process gave no proper answer: {refusal}")
        else:
            result = died
        return Ran(result, output, time.perf_counter() - started)

    def _exchange(self, request: bytes, cap: int, cpu_s: float) -> _Collected:
        """Send a batch; give back the answer's frame, how it failed to come, and what was printed meanwhile.

        The fork that tried the file out and waits takes it, if there is one and loading may take as long as the batch.
        """
        pipes, self._first = self._first, None
        if pipes is not None and cpu_s <= self._limits.cpu_s:
            self._send(request, [])
        else:
            _close(pipes or ())
            pipes = self._send_pipes(request)
        try:
            return self._collect(*pipes, cap, cpu_s)
        finally:
            _close(pipes)

    def _send_pipes(self, request: bytes) -> tuple[int, int]:
        """Send a request with pipes for answer and output, held by the fork that runs learner code alone; our ends."""
        answer, answer_end = os.pipe()
        out, out_end = os.pipe()
        self._send(request, [answer_end, out_end])
        _close((answer_end, out_end))
        return answer, out

    def _send(self, body: bytes, fds: list[int]) -> None:
        assert self._channel is not None
        head = protocol.HEADER.pack(len(body))
        try:
            if fds:
                socket.send_fds(self._channel, [head], fds)
            else:
                self._channel.sendall(head)
            self._channel.sendall(body)
        except OSError:
            pass  # it has died: `_collect` finds that out and says how

    def _collect(self, answer: int, out: int, cap: int, cpu_s: float, *, to_the_end: bool = True) -> _Collected:
        """Read the answer, the output and the exit status, until all are there or a limit is hit. Not `to_the_end`:
        the process may go on, and has written what it has to say when its status comes, which is 0 then."""
        assert self._channel is not None
        printed = _Stream(self._limits.output_kb)
        frame = bytearray()
        code: int | None = None
        died: Died | None = None
        # the file is loaded before each batch, in the same process
        left = patience = _BACKSTOP * (cpu_s + self._limits.cpu_s)
        with selectors.DefaultSelector() as selector:
            for source in (answer, out, self._channel):
                selector.register(source, selectors.EVENT_READ)
            waiting: set[Any] = {answer, self._channel} if to_the_end else {self._channel}
            while waiting and died is None:
                asked = time.monotonic()
                events = selector.select(max(0.0, min(left, _STEP_S)))
                left -= min(
                    time.monotonic() - asked, _STEP_S
                )  # no more, where this process was the one that stood still
                if left <= 0 and not events:
                    self._unanswered += 1
                    died = Died("timeout", f"no answer within {patience:g} seconds")
                    break
                for key, _ in events:
                    if key.fileobj is self._channel:
                        code = self._exit_code()
                        selector.unregister(key.fileobj)
                        waiting.discard(key.fileobj)
                        if code is None:
                            waiting.clear()
                        continue
                    data = os.read(key.fd, _CHUNK)
                    if not data:
                        selector.unregister(key.fileobj)
                        waiting.discard(key.fileobj)
                    elif key.fd == answer:
                        frame += data
                        if len(frame) > cap:
                            died = Died("error", f"its answer is larger than the {cap >> 10} KB that this check allows")
                    else:
                        printed.take(data)
                        if printed.size > printed.flood:
                            died = Died("error", f"it printed more than {printed.size >> 20} MB")
        for data in _rest(out, printed.flood):
            printed.take(data)
        for data in _rest(answer, cap):
            frame += data
        if died is None and not frame:
            died = self._death(code, cpu_s)
        if code is None:  # what served this submission is gone, or does not come back
            self.close()
        return _Collected(bytes(frame), died, printed.text(), code)

    def _exit_code(self) -> int | None:
        assert self._channel is not None
        try:
            data = self._channel.recv(frames.PID.size, socket.MSG_WAITALL)
        except OSError:
            return None
        return frames.PID.unpack(data)[0] if len(data) == frames.PID.size else None

    def _death(self, code: int | None, cpu_s: float) -> Died:
        if code in (-signal.SIGXCPU, -signal.SIGPROF):
            return Died("timeout", f"it used more than {cpu_s:g} seconds of CPU time")
        if code is not None and code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"signal {-code}"
            return Died("crashed", f"its process was ended by {name}")
        if code is None:
            return Died("crashed", "its process ended without a word")
        return Died("crashed", "its process was left before it answered (os._exit, or out of memory?)")

    def close(self) -> None:
        """End the process, if there is one."""
        _close(self._first or ())
        self._first = None
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._number is not None:
            self._warm.end(self._number)
            self._number = None

    def __enter__(self) -> "Submission":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _rest(descriptor: int, most: int) -> Iterator[bytes]:
    """What can be read at once, up to about `most` bytes."""
    os.set_blocking(descriptor, False)
    while most > 0:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            return
        most -= len(data)
        yield data


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
