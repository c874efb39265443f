"""What passes between the process that runs a cohort and those that grade: settings, jobs, and what comes back."""

from pathlib import Path
from typing import TypeAlias

import msgspec

from ..engine import Source
from ..grading import Submission
from ..oracle import Answer
from ..report import Report
from ..report.model import SubmissionStamp


class Settings(msgspec.Struct, frozen=True):
    """What every submission of a run is graded with. `answers` are the oracle's to the run's fresh programs; with
    `fork`, each submission is a fork of a session that has collected the checks."""

    course: str
    course_hash: str
    seed: str
    isolation: str
    official: bool
    fork: bool
    answers: dict[str, Answer]


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
