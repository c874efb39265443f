"""Submissions read in processes of their own, side by side: one that takes too much costs itself alone."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from ...client import Source
from ...processes import start_module
from ..side_by_side import side_by_side
from .channel import Limits, Order, Ready, Reason, Reply, Setup, Stopped, most, receive, send
from .files import Intake
from .layout import Entry, IntakeError

_TRIES = 2  # a process that was ended by somebody else is no fault of the submission's
_AHEAD = 2  # submissions for each process, so that none that is graded has to wait for the next
_SERVER = "grader.cohort.intake.server"
_SAID: Mapping[Reason, str] = {
    "cpu_limit": "{:g} s of CPU time",
    "wall_limit": "{:g} s",
    "memory_limit": "{:g} MB of memory",
}


@dataclass(frozen=True)
class Ended:
    """A submission was not read, because the process that read it ended, twice; that is none of the submission's doing.
    `status` is negative for a signal."""

    status: int


Read: TypeAlias = Intake | Stopped | Ended


def unread(stopped: Stopped, entry: Entry, exercises: Mapping[str, str]) -> Intake:
    """Return the intake of a submission that hit a limit: every file unreadable, and a note that says why."""
    limit = _SAID[stopped.reason].format(stopped.limit)
    message = f"what was handed in cannot be read: it took more than {limit}"
    sources = {name: Source(Path(file), problem="unreadable", message=message) for name, file in exercises.items()}
    return Intake(sources, (message,)).of(entry)


class Reader:
    """A process that reads one submission after another; started with the first, and again after one that ended it."""

    def __init__(self, exercises: Mapping[str, str], limits: Limits) -> None:
        self._setup = Setup(dict(exercises), limits)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def read(self, entry: Entry) -> Read:
        """Read a submission. Raises `IntakeError` where no process can be had; never for what lies in it."""
        order = Order(tuple((os.fsencode(os.path.abspath(place)), os.fsencode(name)) for place, name in entry.named))
        status = 0
        for _ in range(_TRIES):
            if self._process is None:
                self._start()
            reply = self._exchange(order)
            if isinstance(reply, Intake) and reply.sources.keys() == self._setup.exercises.keys():
                return reply.of(entry)
            status = self._end()
            stopped = reply if isinstance(reply, Stopped) else self._stopped(status)
            if stopped is not None:
                return stopped
        return Ended(status)

    def _start(self) -> None:
        status = 0
        for _ in range(_TRIES):
            self._spawn()
            if isinstance(self._exchange(self._setup), Ready):
                return
            status = self._end()
        raise IntakeError(f"the process that reads submissions did not start (status {status})")

    def _spawn(self) -> None:
        with self._lock:
            if self._closed:
                raise IntakeError("no more submissions are read")
            self._process = start_module(_SERVER, errors=bool(os.environ.get("GRADE_DEBUG")))

    def _exchange(self, message: Setup | Order) -> Reply | None:
        """Send a message and read one; None where the process has ended, or says what it never says."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        try:
            send(process.stdin, message)
            reply: Reply | None = receive(process.stdout, Reply, most(self._setup.exercises))
        except (OSError, ValueError):
            return None
        return reply

    def _end(self) -> int:
        """End the process; its exit status, which is that of before if it had ended."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return 0
        process.kill()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        return process.wait()

    def _stopped(self, status: int) -> Stopped | None:
        """Return which limit ended a process that has this exit status: each clock has a signal of its own."""
        limits = self._setup.limits
        with contextlib.suppress(ValueError):
            match signal.Signals(-status).name:
                case "SIGPROF":
                    return Stopped("cpu_limit", limits.cpu_s)
                case "SIGALRM":
                    return Stopped("wall_limit", limits.wall_s)
        return None

    def close(self) -> None:
        """End the process, and start no other."""
        self._closed = True
        self._end()


def _read(reader: Reader, entry: Entry) -> tuple[Entry, Read]:
    return entry, reader.read(entry)


class Readers:
    """Processes side by side that read submissions. A context manager."""

    def __init__(self, exercises: Mapping[str, str], count: int, limits: Limits | None = None) -> None:
        self._readers = [Reader(exercises, limits or Limits()) for _ in range(count)]

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Read]]:
        """Give each entry with what was read, as they are ready. Raises `IntakeError`, and what `entries` raises."""
        return side_by_side([partial(_read, reader) for reader in self._readers], entries, _AHEAD * len(self._readers))

    def close(self) -> None:
        """End every process; what was not read yet stays unread."""
        for reader in self._readers:
            reader.close()

    def __enter__(self) -> "Readers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
