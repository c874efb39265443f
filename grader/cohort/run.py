"""Grade every submission of a folder: what is there already is kept, what is graded is written at once."""

import contextlib
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import UNSET

from .. import __version__
from ..course import Course
from ..grading import Submission, digest, plan
from ..oracle import Answer, AnswerBook, Oracle
from ..report import Report, read_report, write_atomically, write_report
from ..report.model import CourseStamp, SubmissionStamp
from .intake import Ended, Entry, Intake, Readers, Stopped, unread
from .intake.files import readable
from .job import Faulted, Graded, Job, Outcome, Settings

RUN = "run.json"
REPORTS = "reports"
SUMMARY = "cohort.json"  # there only while it is true of the reports


class ResultsError(ValueError):
    """The folder of results cannot be used; says what to do."""


class RunFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a folder of results was made with; the same seed is used when the run is taken up again."""

    course: CourseStamp
    grader_version: str
    seed: str
    isolation: str


@dataclass
class Standing:
    """How far a run has come."""

    total: int
    kept: int = 0
    graded: int = 0
    faults: dict[str, str] = field(default_factory=dict)

    @property
    def done(self) -> int:
        return self.kept + self.graded + len(self.faults)


class Lanes(Protocol):
    """Where jobs are graded: on this machine, or on many."""

    def start(self) -> str:
        """Start; which tier of isolation was reached."""

    def grade(self, jobs: Iterator[Job]) -> Iterator[Outcome]:
        """An outcome for each job, in any order."""

    def close(self) -> None:
        """End everything that was started."""


class Results:
    """A folder of results, held by one run at a time. A context manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reports = folder / REPORTS
        self.summary = folder / SUMMARY
        self._lock = -1

    def __enter__(self) -> "Results":
        try:
            self.reports.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise ResultsError(f"{self.folder} cannot be written: {error.strerror}") from None
        with contextlib.suppress(ImportError):  # Windows has no such lock
            import fcntl

            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                busy = f"another run is writing to {self.folder}; wait for it, or name another --out"
                raise ResultsError(busy) from None
        for left in (*self.folder.glob(".*.json.*"), *self.reports.glob(".*.json.*")):  # of a run that was killed
            left.unlink(missing_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def write(self, report: Report) -> None:
        """Write a report, atomically; a summary that is there was not of this one. Raises `OSError`."""
        self.summary.unlink(missing_ok=True)
        write_report(report, self.path(report.submission.id))

    def forget(self, entry_id: str) -> None:
        """Remove a report that is no longer true, if there is one."""
        self.summary.unlink(missing_ok=True)
        self.path(entry_id).unlink(missing_ok=True)

    def path(self, entry_id: str) -> Path:
        return self.reports / f"{entry_id}.json"

    def set_aside(self, entries: Sequence[Entry]) -> list[str]:
        """Move reports of submissions that are gone to `gone/`, so that nothing counts them; their names."""
        known = {f"{entry.id}.json" for entry in entries}
        stale = [path for path in sorted(self.reports.glob("*.json")) if path.name not in known]
        for path in stale:
            self.summary.unlink(missing_ok=True)
            (self.folder / "gone").mkdir(exist_ok=True)
            path.replace(self.folder / "gone" / path.name)
        return [path.stem for path in stale]

    def report(self, entry_id: str) -> Report | None:
        """The report that is there already, if it can be read."""
        try:
            return read_report(self.path(entry_id).read_bytes())
        except (OSError, ValueError):
            return None

    def seed(self, course: Course, given: str | None) -> str:
        """The seed given, else the one that was used here before, else a new and secret one; noted in the folder."""
        try:
            before: RunFile | None = msgspec.json.decode((self.folder / RUN).read_bytes(), type=RunFile)
        except FileNotFoundError:
            before = None
        except (OSError, msgspec.MsgspecError) as error:
            raise ResultsError(f"{self.folder / RUN} cannot be read ({error}); name another --out") from None
        return given or (before.seed if before else secrets.token_hex(16))

    def note(self, run: RunFile) -> None:
        """Write down what the reports here are made with. Raises `OSError`."""
        write_atomically(self.folder / RUN, msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n")


def fresh_answers(course: Course, book: AnswerBook, seed: str, memo: Path | None) -> dict[str, Answer]:
    """The oracle's answers to the programs that the checks draw from a seed; its process has ended then."""
    if seed == course.seed:  # they stand in the answer book
        return {}
    with Oracle(book, memo) as oracle:
        plan(course, oracle, seed)
        return {key: answer for key, answer in oracle.known.items() if key not in book.answers}


def grade_entries(
    course: Course, entries: Sequence[Entry], results: Results, seed: str, lanes: Lanes, readers: int = 1
) -> Iterator[Standing]:
    """Grade what has no report yet for the same files, course, seed and grader; a standing after each submission.

    So many `readers` read submissions side by side. Raises `OSError` where a report cannot be written, `LaneError`
    where nothing can be graded, `IntakeError` where nothing can be read.
    """
    standing = Standing(len(entries))
    stamp = CourseStamp(course.id, course.version, course.hash)

    exercises = {exercise.id: exercise.filename for exercise in course.exercises}

    def faulted(name: str, message: str) -> None:
        results.forget(name)  # a report of other files, if any
        standing.faults[name] = message

    def jobs(reading: Readers) -> Iterator[Job]:
        for entry, read in reading.read(entries):
            if isinstance(read, Ended):
                faulted(entry.id, f"the process that read it ended with status {read.status}")
                continue
            intake = unread(read, entry, exercises) if isinstance(read, Stopped) else read
            submission = submission_of(entry, intake)
            there = results.report(entry.id)
            if there is not None and _made_from(there, submission, stamp, seed, course):
                standing.kept += 1
            else:
                yield Job.of(submission)

    with Readers(exercises, readers) as reading:
        for outcome in lanes.grade(jobs(reading)):
            match outcome:
                case Graded(_, report):
                    results.write(report)
                    standing.graded += 1
                case Faulted(name, message):
                    faulted(name, message)
            yield standing
    yield standing


def submission_of(entry: Entry, intake: Intake) -> Submission:
    """Return a submission as it is graded: its sources, and what its report will say of where they came from."""
    stamp = SubmissionStamp(
        id=entry.id,
        sha256=digest(intake.sources),
        origin=str(readable(Path(entry.origin))),
        submitters=entry.submitters or UNSET,
        submitted_at=intake.submitted_at or UNSET,
        commit=intake.commit or UNSET,
    )
    return Submission(intake.sources, stamp, intake.notes)


def _made_from(report: Report, submission: Submission, course: CourseStamp, seed: str, settings: Course) -> bool:
    return (
        (report.submission, report.notes, report.course) == (submission.stamp, submission.notes, course)
        and report.grader_version == __version__
        and (report.seed if report.seed is not UNSET else settings.seed) == seed
    )


def settings(course: Course, seed: str, answers: dict[str, Answer], *, isolation: str, official: bool) -> Settings:
    """What the lanes of a run are started with; where there is no fork, they take the slower path."""
    return Settings(str(course.folder), course.hash, seed, isolation, official, hasattr(os, "fork"), answers)
