"""Start processes, and exchange messages with those of the grader. No other module of the grader starts any.

A process takes no module, program or setting of Python from the current folder or from a `PYTHON*` variable.

A process of the grader beside this one is a `Service`: it answers messages, with one reply for each. A message is a
struct in a frame of bounded length. If a reply does not have exactly the expected type, the process counts as ended. A
process that has ended is replaced by a new one.
"""

import contextlib
import os
import queue
import shutil
import struct
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Generic, Protocol, TypeAlias, TypeVar

import msgspec

from .search_path import search_path

# flags that only Windows has; there, `start_new_session` has no effect
_APART = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)
# the search path is given as arguments, because `-I` ignores `PYTHONPATH`
_MODULE = (
    "import sys; _, name, *sys.path[:] = sys.argv; sys.argv[:] = ['']; "
    "import runpy; runpy.run_module(name, run_name='__main__')"
)


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    pipes: bool = False,
    errors: bool = True,
    pass_fds: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Start a process in the root folder and in a new session; on Windows, in a new group and without a window.

    An interrupt from the terminal does not reach it.

    Args:
        command: the program's absolute path, and its arguments.
        environment: all its environment variables.
        pipes: whether its standard input and output are pipes; otherwise they are the null device.
        errors: whether it shares our standard error; otherwise that is the null device.
        pass_fds: the descriptors that it inherits.

    Raises:
        OSError: the process cannot be started.
    """
    stream = subprocess.PIPE if pipes else subprocess.DEVNULL
    return subprocess.Popen(
        command,
        stdin=stream,
        stdout=stream,
        stderr=None if errors else subprocess.DEVNULL,
        env=environment,
        cwd=Path(sys.executable).anchor,
        pass_fds=pass_fds,
        start_new_session=True,
        creationflags=_APART,
    )


def start_module(name: str, *, errors: bool = True) -> "subprocess.Popen[bytes]":
    """Start a module of the grader as `python -m` does, with pipes and this process's search path.

    Python is isolated (`-I`), so it ignores `PYTHON*` variables. Raises `OSError`.
    """
    # keep two settings that may come from a variable and that `-I` would drop: the encoding of paths, no bytecode
    kept = (*(("-X", "utf8") if sys.flags.utf8_mode else ()), *(("-B",) if sys.dont_write_bytecode else ()))
    command = [sys.executable, "-I", *kept, "-c", _MODULE, name, *search_path()]
    return start(command, _environment(), pipes=True, errors=errors)


def find_program(name: str) -> str | None:
    """Return the absolute path of an installed program, or None. The current folder is not searched."""
    folders = [folder for folder in os.get_exec_path() if os.path.isabs(folder)]
    return shutil.which(name, path=os.pathsep.join(folders))


def cores() -> int:
    """Return on how many cores this process may run; 1 if the system cannot tell."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def open_in_browser(address: str) -> bool:
    """Open an address in the user's browser. Return whether a browser was started.

    No browser is started on a machine without a display.
    """
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    # `webbrowser` looks for browsers in the folders of `PATH`, which must not be relative
    os.environ["PATH"] = os.pathsep.join(folder for folder in os.get_exec_path() if os.path.isabs(folder))
    try:
        return webbrowser.open(address)
    except (OSError, webbrowser.Error):
        return False


def _environment() -> dict[str, str]:
    """Return our environment variables without those of Python, which would affect the processes of the new process."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith("PYTHON")}


# -- Messages

TRIES = 2  # retry once in a fresh process, because something else may have killed the first one
_HEADER = struct.Struct("!I")
_LARGEST = 1 << 30  # bytes of a message, unless its reader names another limit


def encode(message: msgspec.Struct) -> bytes:
    """Return a message as bytes. A path is sent as text."""
    return msgspec.msgpack.encode(message, enc_hook=_text_of)


def decode(data: bytes, kind: Any) -> Any:
    """Return the message of type `kind` that bytes hold. Raises `ValueError`."""
    return msgspec.msgpack.decode(data, type=kind, dec_hook=_path_of)


def send(stream: IO[bytes], message: msgspec.Struct) -> None:
    """Write a message. Raises `OSError`."""
    data = encode(message)
    stream.write(_HEADER.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes], kind: Any, at_most: int = _LARGEST) -> Any:
    """Return the next message of type `kind`, or None at the end. Raises `ValueError` for anything else."""
    header = stream.read(_HEADER.size)
    if not header:
        return None
    length = int.from_bytes(header, "big")
    # checked before the message is read, so that a length cannot claim all memory
    if len(header) < _HEADER.size or length > at_most:
        raise ValueError("a message has an unexpected length")
    return decode(stream.read(length), kind)


def own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return the streams of messages and replies, in a process that is a service.

    Afterwards, standard input is empty and standard output is standard error, so that a stray print does not reach the
    replies.
    """
    # the streams get descriptors of their own, and then 0 and 1 are replaced
    messages, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    return messages, replies


def _text_of(value: Any) -> str:
    if not isinstance(value, Path):
        raise TypeError(f"{type(value).__name__} cannot be sent")
    return str(value)


def _path_of(kind: type, value: Any) -> Path:
    if kind is not Path or not isinstance(value, str):
        raise TypeError(f"expected a string as path, got {value!r}")
    return Path(value)


# -- Services


class ServiceEnded(msgspec.Struct, frozen=True):
    """There is no reply, because the process has ended. `status` is its exit status, negative for a signal."""

    status: int


class ServiceNotStarted(RuntimeError):
    """A process did not start.

    Attributes:
        reply: its reply to the setup, or `ServiceEnded`.
    """

    def __init__(self, reply: Any) -> None:
        super().__init__("the process did not start")
        self.reply = reply


class Service:
    """A process that runs a module of the grader. It starts with the first message, and again after it has ended.

    An interrupt from the terminal does not reach it, and it takes nothing from the current folder (`start_module`).

    Args:
        module: The module's full name.
        replies: The type of its replies.
        setup: The message that a new process gets first; None for none.
        ready: The type of its reply to the setup.
        at_most: The largest size of a reply in bytes.
        errors: Whether its standard error is shown. By default, `GRADE_DEBUG` decides.
    """

    def __init__(
        self,
        module: str,
        replies: Any,
        setup: msgspec.Struct | None = None,
        ready: type = object,
        *,
        at_most: int = _LARGEST,
        errors: bool | None = None,
    ) -> None:
        self.setup = setup
        self._module, self._replies, self._ready, self._at_most = module, replies, ready, at_most
        self._errors = bool(os.environ.get("GRADE_DEBUG")) if errors is None else errors
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Return the number of the process, or None if it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> Any:
        """Start the process unless it runs. Return its reply to the setup; None if it ran, or if there is no setup.

        Raises:
            ServiceNotStarted: the process ended twice, or refused the setup.
            OSError: the system cannot start it.
        """
        if self.pid is not None:
            return None
        reply: Any = None
        for _ in range(TRIES):
            self._spawn()
            if self.setup is None:
                return None
            reply = self._exchange(self.setup)
            if isinstance(reply, self._ready):
                return reply
            status = self.end()
            reply = ServiceEnded(status) if reply is None else reply
        raise ServiceNotStarted(reply)

    def ask(self, message: msgspec.Struct) -> Any:
        """Return the reply to a message, or `ServiceEnded`. Raises what `start` raises."""
        self.start()
        reply = self._exchange(message)
        return ServiceEnded(self.end()) if reply is None else reply

    def end(self) -> int:
        """Kill the process, and return its exit status. The next message starts another one."""
        with self._lock:
            # another thread may close the service at the same time
            process, self._process = self._process, None
        if process is None:
            return 0
        process.kill()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        return process.wait()

    def close(self) -> None:
        """End the process, and prevent it from starting again."""
        self._closed = True
        self.end()

    def _spawn(self) -> None:
        self.end()
        with self._lock:
            if self._closed:
                raise ServiceNotStarted(ServiceEnded(0))
            self._process = start_module(self._module, errors=self._errors)

    def _exchange(self, message: msgspec.Struct) -> Any:
        """Send a message and return the reply, or None if the process has ended or the reply is malformed."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        try:
            send(process.stdin, message)
            return receive(process.stdout, self._replies, self._at_most)
        except (OSError, ValueError):
            return None


# -- Several services side by side, and the tasks that they do


class CrewMember(Protocol):
    """An object that works for a crew, such as a service."""

    def close(self) -> None:
        """End the current task."""


_Member = TypeVar("_Member", bound=CrewMember)
_Task = TypeVar("_Task")
OnDone: TypeAlias = Callable[[Any], None]


class Crew(Generic[_Member, _Task]):
    """Members that work side by side. Each has a thread, and does one task at a time.

    Args:
        members: objects such as services.
        work: lets a member do a task, and returns the result.

    Attributes:
        room: how many tasks may be begun at a time, so that each member has one waiting.
    """

    def __init__(self, members: Iterable[_Member], work: Callable[[_Member, _Task], Any]) -> None:
        self.members = list(members)
        self.room = 2 * len(self.members)
        self._do = work
        self._tasks = queue.SimpleQueue[tuple[_Task, OnDone] | None]()
        for member in self.members:
            # a daemon, so that a task which hangs does not keep the program alive
            threading.Thread(target=self._work, args=(member,), daemon=True).start()

    def begin(self, task: _Task, done: OnDone) -> None:
        """Let the next free member do a task. Then call `done` with the result, or with the exception it raised."""
        self._tasks.put((task, done))

    def close(self) -> None:
        """Close every member. Tasks that have not begun are dropped."""
        # first drop the tasks, so that no thread begins another one before its member is closed
        with contextlib.suppress(queue.Empty):
            while True:
                self._tasks.get_nowait()
        for member in self.members:
            self._tasks.put(None)  # the thread that takes it ends
            member.close()

    def _work(self, member: _Member) -> None:
        while (work := self._tasks.get()) is not None:
            task, done = work
            try:
                result = self._do(member, task)
            except BaseException as error:
                result = error
            done(result)


class Flow:
    """Tasks that run side by side. One thread begins them, and gets their results as they finish.

    Attributes:
        running: the number of tasks whose results were not taken yet.
    """

    def __init__(self) -> None:
        self.running = 0
        self._results = queue.SimpleQueue[Any]()

    def begin(self, start: Callable[[OnDone], None]) -> None:
        """Begin a task. `start` gets the function to call with its result."""
        self.running += 1
        start(self._results.put)

    def next(self) -> Any:
        """Return the next result. Raises the exception of a task."""
        result = self._results.get()
        self.running -= 1
        if isinstance(result, BaseException):
            raise result
        return result
