"""Read submissions in parallel processes with limits."""

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from ...base.processes import TRIES, Crew, Flow, Service, ServiceEnded, ServiceNotStarted
from ...runner.client import Reason, Source, bounds
from ...words.practice import unread_text
from ..people.decisions import Choice
from .files import MAX_FOUND, MAX_OTHERS, MAX_PATH, Intake
from .platforms import Entry, IntakeError

_SERVER = "grader.classes.intake.server"
_CELL = 32  # bytes of the position where a cell begins
_DIGEST = 80  # bytes of a digest


# -- The messages between a run and the processes that read its submissions


class ReadingLimits(msgspec.Struct, frozen=True):
    """The limits for reading one submission.

    They are the only bounds on what an archive may take. A compressed tar file of 4 GB took 10 s of CPU time on a busy
    machine. The limit in wall time is ten times the limit in CPU time, so that load on the machine changes no result.
    """

    cpu_s: float = 30.0
    wall_s: float = 300.0
    memory_mb: int = 512


class Setup(msgspec.Struct, frozen=True):
    """The settings of a run's readers: file names by exercise id, and limits."""

    exercises: dict[str, str]
    limits: ReadingLimits


class ReadingTask(msgspec.Struct, frozen=True):
    """One submission to read.

    Attributes:
        places: pairs of a path and its original name, in the file system's bytes.
        choices: for some exercises, the decisions about which file counts.
    """

    places: tuple[tuple[bytes, bytes], ...]
    choices: dict[str, tuple[Choice, ...]] = {}


class ReaderReady(msgspec.Struct, frozen=True, tag="ready"):
    """The reader accepts orders."""


class LimitReached(msgspec.Struct, frozen=True, tag="stopped"):
    """A submission reached a limit before it was read completely. `limit` is in seconds or megabytes."""

    reason: Literal["cpu_limit", "wall_limit", "memory_limit"]
    limit: float


ReaderReply: TypeAlias = ReaderReady | Intake | LimitReached


def most(exercises: dict[str, str]) -> int:
    """Return the maximum size of a reply in bytes.

    A reply has a source for each exercise, the files that somebody may choose, and 1 MB of names and notes.
    """
    found = (3 * MAX_FOUND * len(exercises) + MAX_OTHERS) * (4 * MAX_PATH + _DIGEST)
    return (bounds.SOURCE + _CELL * bounds.CELLS) * len(exercises) + found + (1 << 20)


# -- The processes

# `ServiceEnded` after two processes have ended, which does not count against a submission
ReadOutcome: TypeAlias = Intake | LimitReached | ServiceEnded


def unread(stopped: LimitReached, entry: Entry, exercises: Mapping[str, str]) -> Intake:
    """Return the intake of a submission that reached a limit: every file is unreadable, and a note gives the reason."""
    if stopped.reason == "memory_limit":
        reason = Reason("too_much_memory", limit_kb=int(stopped.limit) << 10)
    else:
        reason = Reason("too_slow", seconds=stopped.limit, clock="cpu" if stopped.reason == "cpu_limit" else "wall")
    sources = {name: Source(Path(file), unread=reason) for name, file in exercises.items()}
    return Intake(sources, (unread_text(reason),)).of(entry)


class Reader(Service):
    """A process that reads submissions one after another."""

    def __init__(self, exercises: Mapping[str, str], limits: ReadingLimits) -> None:
        setup = Setup(dict(exercises), limits)
        self._exercises, self._limits = setup.exercises, limits
        super().__init__(_SERVER, ReaderReply, setup, ReaderReady, at_most=most(setup.exercises))

    def read(self, entry: Entry) -> ReadOutcome:
        """Read a submission. Raises `IntakeError` only if no process can be started."""
        places = tuple((os.fsencode(os.path.abspath(place)), os.fsencode(name)) for place, name in entry.named)
        order = ReadingTask(places, dict(entry.choices))
        reply: Any = None
        for _ in range(TRIES):
            try:
                reply = self.ask(order)
            except ServiceNotStarted as failure:
                status = getattr(failure.reply, "status", 0)
                raise IntakeError(f"the process that reads submissions did not start (status {status})") from None
            stopped = None
            match reply:
                case Intake() if reply.sources.keys() == self._exercises.keys():
                    return reply.of(entry)
                case LimitReached():
                    stopped = reply
                case ServiceEnded(status):
                    stopped = self._stopped(status)
            # the next attempt needs another process, and so does the next submission
            self.end()
            if stopped is not None:
                return stopped
        # a process that answers with other exercises than it was asked for counts as ended
        return reply if isinstance(reply, ServiceEnded) else ServiceEnded(0)

    def _stopped(self, status: int) -> LimitReached | None:
        """Return the limit that ended a process with this exit status, or None. Each clock has its own signal."""
        with contextlib.suppress(ValueError):
            match signal.Signals(-status).name:
                case "SIGPROF":
                    return LimitReached("cpu_limit", self._limits.cpu_s)
                case "SIGALRM":
                    return LimitReached("wall_limit", self._limits.wall_s)
        return None


class Readers(Crew[Reader, Entry]):
    """Several reading processes. The result of a task is a pair of the entry and what was read."""

    def __init__(self, exercises: Mapping[str, str], count: int) -> None:
        readers = (Reader(exercises, ReadingLimits()) for _ in range(count))
        super().__init__(readers, lambda reader, entry: (entry, reader.read(entry)))

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, ReadOutcome]]:
        """Yield each entry with its result as it finishes. Raises `IntakeError`, and any error of `entries`."""
        flow = Flow()
        for entry in entries:
            flow.begin(partial(self.begin, entry))
            if flow.running >= self.room:
                yield flow.next()
        while flow.running:
            yield flow.next()
