"""The messages between the process that runs a cohort and its grading processes."""

from pathlib import Path
from typing import TypeAlias

import msgspec

from ..answer_book import Answer
from ..client import Reason, Source
from ..grading import Submission
from ..remarks import CellStart
from ..report import Report
from ..report.model import SubmissionStamp


class Drawn(msgspec.Struct, frozen=True):
    """The data drawn from the seed of a run: answers by program key, and new leaf values for fixed programs."""

    answers: dict[str, Answer] = {}
    redrawn: dict[str, tuple[float, ...]] = {}


class Settings(msgspec.Struct, frozen=True):
    """The settings of a run, which are the same for every submission.

    `course` is the path of the course's folder, in the file system's bytes. If `fork` is true, each
    submission is graded in a fork.
    """

    course: bytes
    course_hash: str
    seed: str
    isolation: str
    official: bool
    fork: bool
    drawn: Drawn


class Job(msgspec.Struct, frozen=True):
    """One submission to grade. `sources` holds path, text, why there is no text, and cells, by exercise id.

    `seed` is the seed of this submission. If it is empty, the seed of the run counts.
    """

    sources: dict[str, tuple[str, str, Reason | None, tuple[CellStart, ...]]]
    stamp: SubmissionStamp
    notes: tuple[str, ...]
    seed: str = ""

    @classmethod
    def of(cls, submission: Submission, seed: str = "") -> "Job":
        sources = {name: (str(s.path), s.text, s.unread, s.cells) for name, s in submission.sources.items()}
        return cls(sources, submission.stamp, submission.notes, seed)

    @property
    def submission(self) -> Submission:
        sources = {
            name: Source(Path(path), text, unread, cells) for name, (path, text, unread, cells) in self.sources.items()
        }
        return Submission(sources, self.stamp, self.notes)


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
