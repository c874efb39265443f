"""A submission as it was read, the report on it, and what a search adds to the report. No learner code is run."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import UNSET, Struct
from msgspec.structs import replace

from .. import __version__
from ..base.text import json_text, readable, relative_to, text_digest
from ..course.load import Course
from ..runner.client import NOTEBOOK, Source, read_exercise
from .report.model import (
    SCHEMA,
    CourseStamp,
    ExerciseResult,
    Isolation,
    Repairs,
    Report,
    SubmissionStamp,
    overall,
    part_results,
)


class Submission(Struct, frozen=True):
    """A submission to be graded: a source for each exercise, its identity for the report, and notes for the report."""

    sources: Mapping[str, Source]
    stamp: SubmissionStamp
    notes: tuple[str, ...] = ()


def read_submission(
    course: Course,
    files: Mapping[str, Path],
    *,
    root: Path | None = None,
    here: Path | None = None,
    notes: tuple[str, ...] = (),
) -> Submission:
    """Read `files`, a path for each exercise to be graded.

    Args:
        root: A folder. No folder between it and a file may be a symbolic link.
        here: The folder to which the report's paths are relative. By default, they are as given.
        notes: Notes for the report.
    """
    exercises = [exercise for exercise in course.exercises if exercise.id in files]
    sources = {exercise.id: read_exercise(exercise, files[exercise.id], root) for exercise in exercises}
    if here is not None:
        read = {name: _read_from(files[name], source) for name, source in sources.items()}
        sources = {name: replace(source, path=relative_path(read[name], here)) for name, source in sources.items()}
    return Submission(sources, stamp_of("local", sources), notes)


def report_on(
    course: Course, submission: Submission, results: Sequence[ExerciseResult], *, tier: str, seed: str
) -> Report:
    """Return the report on a submission, from the results of its exercises in the order of the course.

    Args:
        tier: The tier of isolation in which the files ran.
        seed: What random programs were drawn from.
    """
    return Report(
        schema=SCHEMA,
        grader_version=__version__,
        course=CourseStamp.of(course),
        submission=submission.stamp,
        graded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        isolation=Isolation(tier, course.limits),
        status=overall(results),
        score=sum(result.score for result in results),
        max_score=sum(result.max_score for result in results),
        bonus=sum(result.bonus for result in results),
        notes=submission.notes,
        exercises=tuple(results),
        parts=part_results(course.parts, results),
        seed=seed if seed != course.seed else UNSET,
    )


class Addition(Struct, frozen=True):
    """The result of the search of one exercise, by its id. A search can say nothing else about a report."""

    exercise: str
    repairs: Repairs

    def to(self, report: Report) -> Report:
        """Return a report with this result."""
        results = [replace(one, repairs=self.repairs) if one.id == self.exercise else one for one in report.exercises]
        return replace(report, exercises=tuple(results))


def is_searched(result: ExerciseResult) -> bool:
    """Return whether a file can be searched for the line that must change: whether begun code fails a check."""
    return any(check.status not in ("passed", "skipped", "not_started") and not check.bonus for check in result.checks)


def is_run(source: Source, stub: str | None) -> bool:
    """Return whether a source is run: it could be read, and differs from the file as it was given out."""
    return source.problem is None and source.text != stub


def _read_from(path: Path, source: Source) -> Path:
    """Return the path from which a source was read: the given path, or that of the notebook beside it."""
    return path.with_suffix(NOTEBOOK) if source.path.suffix == NOTEBOOK else path


def relative_path(path: Path, here: Path) -> Path:
    """Return a path relative to a folder, in a form that can be shown."""
    return readable(relative_to(path, here))


def stamp_of(name: str, sources: Mapping[str, Source]) -> SubmissionStamp:
    """Return the stamp of a submission with this name."""
    files = {exercise: text_digest(source.text) for exercise, source in sources.items() if source.problem is None}
    return SubmissionStamp(name, digest_of(sources), files=files)


def digest_of(sources: Mapping[str, Source]) -> str:
    """Return the SHA-256 of all data that decides a verdict: every exercise's text, or why there is no text."""
    sha = hashlib.sha256()
    for name, source in sorted(sources.items()):
        text = source.text if source.unread is None else json_text(source.unread)
        # lengths separate the parts, so that no two submissions have the same data
        data = text.encode("utf-8", "surrogatepass")
        sha.update(f"{name}:{source.problem or 'text'}:{len(data)}\n".encode() + data)
        sha.update("".join(f"{start.cell}:{start.line}\n" for start in source.cells).encode())
    return sha.hexdigest()
