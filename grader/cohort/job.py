"""The messages between the process that runs a cohort and those that grade: settings, jobs, and what comes back."""

from pathlib import Path
from typing import TypeAlias

import msgspec

from ..answer_book import Answer
from ..client import Source
from ..grading import Submission
from ..report import Report
from ..report.model import SubmissionStamp


class Drawn(msgspec.Struct, frozen=True):
    """Everything drawn from a run's seed: the oracle's answers to its programs, and the leaf values that it puts into
    fixed ones."""

    answers: dict[str, Answer] = {}
    redrawn: dict[str, tuple[float, ...]] = {}


class Settings(msgspec.Struct, frozen=True):
    """The settings that every submission of a run is graded with. `course` is its folder, in the file system's bytes;
    with `fork`, each submission is graded in a fork."""

    course: bytes
    course_hash: str
    seed: str
    isolation: str
    official: bool
    fork: bool
    drawn: Drawn


class Job(msgspec.Struct, frozen=True):
    """One submission to be graded; of each exercise path, text, problem and message of its source."""

    sources: dict[str, tuple[str, str, str | None, str | None]]
    stamp: SubmissionStamp
    notes: tuple[str, ...]

    @classmethod
    def of(cls, submission: Submission) -> "Job":
        sources = {name: (str(s.path), s.text, s.problem, s.message) for name, s in submission.sources.items()}
        return cls(sources, submission.stamp, submission.notes)

    @property
    def submission(self) -> Submission:
        sources = {name: Source(Path(path), text, *why) for name, (path, text, *why) in self.sources.items()}
        return Submission(sources, self.stamp, self.notes)


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """Jobs can come: in which tier they will be graded."""

    tier: str


class Graded(msgspec.Struct, frozen=True, tag="graded"):
    """The instructor's report."""

    id: str
    report: Report


class Faulted(msgspec.Struct, frozen=True, tag="faulted"):
    """No report: the grader's own fault, in words. With an empty `id` nothing can be graded at all."""

    id: str
    message: str


Outcome: TypeAlias = Graded | Faulted
Reply: TypeAlias = Ready | Graded | Faulted
