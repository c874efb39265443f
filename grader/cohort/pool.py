"""Pools of processes that grade submissions, and the one on this machine. A process that dies is started again."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from ..base.service import TRIES, NotStarted, Service
from ..grading import Submission
from ..oracle.answer_book import Answer
from ..report import Report
from ..words import instructor as said
from .side_by_side import Crew, Done

# -- The messages between the process that runs a cohort and its grading processes


class Drawn(msgspec.Struct, frozen=True):
    """The data drawn from the seed of a run: answers by program key, and new leaf values for fixed programs."""

    answers: dict[str, Answer] = {}
    redrawn: dict[str, tuple[float, ...]] = {}


class Settings(msgspec.Struct, frozen=True):
    """The settings of a run, which are the same for every submission.

    `course` is the path of the course's folder, in the file system's bytes.
    """

    course: bytes
    course_hash: str
    seed: str
    isolation: str
    official: bool
    drawn: Drawn


class Job(msgspec.Struct, frozen=True):
    """One submission to grade. If `seed` is empty, the seed of the run counts."""

    submission: Submission
    seed: str = ""

    @property
    def id(self) -> str:
        """Return the id of the submission."""
        return self.submission.stamp.id


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """The process accepts jobs. `tier` is the tier of isolation in use."""

    tier: str


class Graded(msgspec.Struct, frozen=True, tag="graded"):
    """The instructor's report."""

    id: str
    report: Report


class Faulted(msgspec.Struct, frozen=True, tag="faulted"):
    """A fault of the grader, so there is no report. An empty `id` means that nothing can be graded at all."""

    id: str
    message: str


Outcome: TypeAlias = Graded | Faulted
Reply: TypeAlias = Ready | Graded | Faulted


# -- The processes


class Pool(Protocol):
    """The processes that grade jobs, on one machine or on many."""

    def start(self) -> str:
        """Start, and return the tier of isolation that was reached."""

    @property
    def room(self) -> int:
        """Return how many jobs may be begun at a time, so that no process has to wait for one."""

    def begin(self, job: Job, done: Done) -> None:
        """Grade a job as soon as a process is free. `done` gets the outcome, or a `PoolError`."""

    def close(self) -> None:
        """End all processes."""


class PoolError(RuntimeError):
    """Nothing can be graded: the course, the checks or the sandbox cannot be loaded here."""


class GradingProcess:
    """A context manager that runs one grading process. `grade` never raises because of a submission."""

    def __init__(self, settings: Settings) -> None:
        self._service = Service("grader.cohort.grading_process", Reply, settings, Ready)

    @property
    def settings(self) -> Settings:
        """Return the settings with which the next process starts."""
        settings: Settings = self._service.setup  # type: ignore[assignment]
        return settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._service.setup = settings

    @property
    def pid(self) -> int | None:
        """Return the number of the process, or None if it does not run."""
        return self._service.pid

    def start(self) -> None:
        """Start the process and wait until it can grade. Raises `PoolError`."""
        try:
            ready = self._service.start()
        except NotStarted as failure:
            refusal = failure.reply
            raise PoolError(
                refusal.message if isinstance(refusal, Faulted) else "a grading process did not start"
            ) from None
        if isinstance(ready, Ready):  # a process that replaces this one must not use a weaker tier
            self.settings = replace(self.settings, isolation=ready.tier)

    def grade(self, job: Job) -> Outcome:
        """Grade a submission. Raises `PoolError`."""
        message = ""
        for _ in range(TRIES):
            self.start()
            reply = self._service.ask(job)
            if isinstance(reply, Graded) and reply.id == job.id:
                return reply
            self._service.end()  # the next attempt starts another process
            message = reply.message if isinstance(reply, Faulted) else said.grading_killed()
            if isinstance(reply, Faulted) and not reply.id:
                raise PoolError(message)
        return Faulted(job.id, message)

    def close(self) -> None:
        """End the process, and prevent it from starting again."""
        self._service.close()

    def __enter__(self) -> "GradingProcess":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class LocalPool:
    """Grading processes on this machine. A free process takes the next job."""

    def __init__(self, settings: Settings, count: int) -> None:
        self._crew = Crew(GradingProcess(settings) for _ in range(count))
        self.room = 2 * count  # so that each process has a job waiting

    @property
    def members(self) -> Sequence[GradingProcess]:
        """Return the processes."""
        return self._crew.members

    def start(self) -> str:
        """Start the first process and return its tier, which the others will also use. Raises `PoolError`."""
        first, *others = self.members
        first.start()
        for process in others:
            process.settings = first.settings
        return first.settings.isolation

    def begin(self, job: Job, done: Done) -> None:
        """Grade a job as soon as a process is free. `done` gets the outcome, or a `PoolError`."""
        self._crew.begin(partial(GradingProcess.grade, job=job), done)

    def close(self) -> None:
        self._crew.close()
