"""Read submissions in parallel processes with limits."""

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

from ...base.processes import start_module
from ...client import Reason, Source
from ...words.practice import unread_text
from ..side_by_side import side_by_side
from .channel import Limits, Order, Ready, Reply, Setup, Stopped, most, receive, send
from .files import Intake
from .layout import Entry, IntakeError

_TRIES = 2  # retry once, because something else may have killed the process
_AHEAD = 2  # submissions that are read ahead for each process, so that grading does not wait
_SERVER = "grader.cohort.intake.server"


@dataclass(frozen=True)
class Ended:
    """A submission that was not read because the reading process ended twice.

    This does not count against the submission. `status` is the exit status, which is negative for a signal.
    """

    status: int


Read: TypeAlias = Intake | Stopped | Ended


def unread(stopped: Stopped, entry: Entry, exercises: Mapping[str, str]) -> Intake:
    """Return the intake of a submission that reached a limit: every file is unreadable, and a note gives the reason."""
    if stopped.reason == "memory_limit":
        reason = Reason("too_much_memory", limit_kb=int(stopped.limit) << 10)
    else:
        reason = Reason("too_slow", seconds=stopped.limit, clock="cpu" if stopped.reason == "cpu_limit" else "wall")
    sources = {name: Source(Path(file), unread=reason) for name, file in exercises.items()}
    return Intake(sources, (unread_text(reason),)).of(entry)


class Reader:
    """A process that reads submissions one after another. It starts with the first, and restarts if it has ended."""

    def __init__(self, exercises: Mapping[str, str], limits: Limits) -> None:
        self._setup = Setup(dict(exercises), limits)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def read(self, entry: Entry) -> Read:
        """Read a submission. Raises `IntakeError` only if no process can be started."""
        places = tuple((os.fsencode(os.path.abspath(place)), os.fsencode(name)) for place, name in entry.named)
        order = Order(places, dict(entry.choices))
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
        """Send a message and return the reply, or None if the process has ended or the reply is malformed."""
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
        """End the process, and return its exit status."""
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
        """Return the limit that ended a process with this exit status, or None. Each clock has its own signal."""
        limits = self._setup.limits
        with contextlib.suppress(ValueError):
            match signal.Signals(-status).name:
                case "SIGPROF":
                    return Stopped("cpu_limit", limits.cpu_s)
                case "SIGALRM":
                    return Stopped("wall_limit", limits.wall_s)
        return None

    def close(self) -> None:
        """End the process, and prevent it from starting again."""
        self._closed = True
        self._end()


def _read(reader: Reader, entry: Entry) -> tuple[Entry, Read]:
    return entry, reader.read(entry)


class Readers:
    """A context manager with several reading processes that work in parallel."""

    def __init__(self, exercises: Mapping[str, str], count: int, limits: Limits | None = None) -> None:
        self._readers = [Reader(exercises, limits or Limits()) for _ in range(count)]

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Read]]:
        """Yield each entry with its result as it finishes. Raises `IntakeError`, and any error of `entries`."""
        return side_by_side([partial(_read, reader) for reader in self._readers], entries, _AHEAD * len(self._readers))

    def close(self) -> None:
        """End every process. The remaining submissions are not read."""
        for reader in self._readers:
            reader.close()

    def __enter__(self) -> "Readers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
