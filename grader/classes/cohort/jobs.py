"""The messages between the process that runs a cohort and its grading processes."""

from typing import TypeAlias

import msgspec

from ...course.oracle import Answer
from ...verdict.grading import Addition, Submission
from ...verdict.report import Report


class Drawn(msgspec.Struct, frozen=True):
    """The data drawn from the seed of a run: answers by program key, and new leaf values for fixed programs."""

    answers: dict[str, Answer] = {}
    redrawn: dict[str, tuple[float, ...]] = {}


class Settings(msgspec.Struct, frozen=True):
    """The settings of a run, which are the same for every submission.

    Attributes:
        course: the path of the course's folder, in the file system's bytes.
    """

    course: bytes
    course_hash: str
    seed: str
    isolation: str
    official: bool
    drawn: Drawn


class _OfSubmission(msgspec.Struct, frozen=True):
    submission: Submission

    @property
    def id(self) -> str:
        """Return the id of the submission."""
        return self.submission.stamp.id


class Job(_OfSubmission, frozen=True, tag="job"):
    """One submission to grade. If `seed` is empty, the seed of the run counts."""

    seed: str = ""

    def failed(self, message: str) -> "Faulted":
        """Return the outcome if the grader fails."""
        return Faulted(self.id, message)


class SearchJob(_OfSubmission, frozen=True, tag="search"):
    """A submission whose report is written, to be searched for the lines that must change.

    Attributes:
        exercises: the ids of the exercises whose files are searched.
        seed: the seed of the report. If it is empty, the seed of the run counts.
    """

    exercises: tuple[str, ...]
    seed: str = ""

    def failed(self, message: str) -> "Unsearched":
        """Return the outcome if the grader fails."""
        return Unsearched(self.id, message)


class GradingReady(msgspec.Struct, frozen=True, tag="ready"):
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


class SearchAdditions(msgspec.Struct, frozen=True, tag="searched"):
    """The results of the searches of a submission, which are added to its report."""

    id: str
    found: tuple[Addition, ...]


class Unsearched(msgspec.Struct, frozen=True, tag="unsearched"):
    """A fault of the grader in a search. The report stays as it is, and its searches are still pending."""

    id: str
    message: str


Task: TypeAlias = Job | SearchJob
Outcome: TypeAlias = Graded | Faulted | SearchAdditions | Unsearched
GradingReply: TypeAlias = GradingReady | Outcome
