"""Grade submissions from end to end, and search them for the lines that must change. Progress comes as events.

A report is final before any search begins. A search returns no report, but an `Addition` to one.
"""

import hashlib
import os
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeAlias

from msgspec import UNSET, Struct
from msgspec.structs import replace

from ... import __version__
from ...base.text import json_text, readable, text_digest
from ...course.load import Course, Exercise
from ...course.oracle import AnswerBook, Oracle
from ...runner import sandbox
from ...runner.client import NOTEBOOK, Budget, Source, read_exercise
from ...runner.sandbox import Warm
from ..checks.session import CheckSession
from ..report.model import (
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
from .examination import Examined, Grader, GradingEvent, Searching, examination, examine, explain, finished
from .repair import search, search_budget
from .scoring import score

Searched: TypeAlias = Callable[[Report], Collection[str]]


class Addition(Struct, frozen=True):
    """The result of the search of one exercise, by its id. A search can say nothing else about a report."""

    exercise: str
    repairs: Repairs

    def to(self, report: Report) -> Report:
        """Return a report with this result."""
        results = [replace(one, repairs=self.repairs) if one.id == self.exercise else one for one in report.exercises]
        return replace(report, exercises=tuple(results))


GradingProgress: TypeAlias = GradingEvent | Report | Searching | Addition


class Submission(Struct, frozen=True):
    """A submission to be graded: a source for each exercise, its identity for the report, and notes for the report."""

    sources: Mapping[str, Source]
    stamp: SubmissionStamp
    notes: tuple[str, ...] = ()


class _Graded(Struct, frozen=True):
    """A final report, and what is known of the files that failed, by exercise."""

    report: Report
    failed: Mapping[str, Examined]


def _graded(
    grader: Grader, submission: Submission, exercises: Sequence[Exercise] | None = None, budget: Budget | None = None
) -> Generator[GradingEvent, None, _Graded]:
    """Grade exercises of a submission. See `submission_events`."""
    budget = budget or Budget()
    results, failed = [], dict[str, Examined]()
    # one file at a time: each may take as much memory as the limits allow
    for exercise in grader.checks.exercises if exercises is None else exercises:
        result, examined = yield from _exercise(grader, exercise, submission.sources[exercise.id], budget)
        results.append(result)
        failed |= {exercise.id: examined} if examined.failures else {}
    course = grader.course
    report = Report(
        schema=SCHEMA,
        grader_version=__version__,
        course=CourseStamp.of(course),
        submission=submission.stamp,
        graded_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        isolation=Isolation(grader.warm.tier, course.limits),
        status=overall(results),
        score=sum(result.score for result in results),
        max_score=sum(result.max_score for result in results),
        bonus=sum(result.bonus for result in results),
        notes=submission.notes,
        exercises=tuple(results),
        parts=part_results(course.parts, results),
        seed=grader.seed if grader.seed != course.seed else UNSET,
    )
    return _Graded(report, failed)


def grade_submission(grader: Grader, submission: Submission, exercises: Sequence[Exercise] | None = None) -> Report:
    """Return the full report on exercises of a submission, by default all. Raises the same errors as `grade_events`."""
    return finished(_graded)(grader, submission, exercises).report


def submission_events(
    grader: Grader,
    submission: Submission,
    exercises: Sequence[Exercise] | None = None,
    budget: Budget | None = None,
    searched: Searched | None = None,
) -> Generator[GradingProgress, None, None]:
    """Grade exercises of a submission (by default all) one after the other. Yield the progress, and the full report.

    Args:
        budget: The budget of the whole submission, by default a new one.
        searched: Returns, from the report, the ids of the exercises that are searched for the line that must change.
            These searches begin after the report. Each that has a result is followed by an addition.

    Raises the same exceptions as `grade_events`.
    """
    budget = budget or Budget()
    graded = yield from _graded(grader, submission, exercises, budget)
    yield graded.report
    # a search may be withdrawn, for example when the file was saved again
    if searched is not None:
        yield from _search(grader, submission, graded.failed, searched(graded.report), budget.withdrawn)


def search_submission(grader: Grader, submission: Submission, exercises: Collection[str]) -> Iterator[Addition]:
    """Search files whose report is written for the lines that must change. Yield an addition for each search.

    The checks run again, only to find out on which programs the files fail.

    Args:
        exercises: The ids of the exercises whose files are searched.

    Raises the same exceptions as `grade_events`.
    """
    failed, budget = {}, Budget()
    for exercise in grader.checks.exercises:
        if exercise.id in exercises:
            stub = grader.book.stubs.get(exercise.id)
            failed[exercise.id] = examine(grader, exercise, submission.sources[exercise.id], budget, stub=stub)
    for event in _search(grader, submission, failed, exercises):
        if isinstance(event, Addition):
            yield event


def _search(
    grader: Grader,
    submission: Submission,
    failed: Mapping[str, Examined],
    exercises: Collection[str],
    withdrawn: Callable[[], bool] = lambda: False,
) -> Iterator[Searching | Addition]:
    """Search files that fail, within one budget. Yield the progress, and an addition for each search with a result."""
    budget = search_budget(withdrawn)
    for exercise in grader.checks.exercises:
        if exercise.id in exercises and exercise.id in failed:
            source = submission.sources[exercise.id]
            for event in search_file(grader, exercise, source, failed[exercise.id], budget):
                yield Addition(exercise.id, event) if isinstance(event, Repairs) else event


def is_searched(result: ExerciseResult) -> bool:
    """Return whether a file can be searched for the line that must change: whether begun code fails a check."""
    return any(check.status not in ("passed", "skipped", "not_started") and not check.bonus for check in result.checks)


def _exercise(
    grader: Grader, exercise: Exercise, source: Source, budget: Budget
) -> Generator[GradingEvent, None, tuple[ExerciseResult, Examined]]:
    """Grade one exercise: load its file, run the checks and probe it; then match and score without learner code."""
    stub = grader.book.stubs.get(exercise.id)
    examined = yield from examination(grader, exercise, source, budget, stub=stub, facts=True)
    # no learner code runs from here on
    known = grader.book.known.get(exercise.id)
    explained = explain(known, examined) if known else {}
    own = own_lines(source.text, stub or "") if examined.failures else ()
    attempts = sorted(examined.attempts)
    return score(exercise, examined.state, examined.checked, explained, examined.facts, own, attempts), examined


def grade_events(
    course: Course,
    book: AnswerBook,
    files: Mapping[str, Path],
    *,
    seed: str,
    memo: Path | None,
    warm: Warm | None = None,
    root: Path | None = None,
    here: Path | None = None,
    notes: tuple[str, ...] = (),
    budget: Budget | None = None,
    searched: Searched | None = None,
) -> Generator[GradingProgress, None, None]:
    """Grade `files`, a path for each exercise to be graded. Yield the progress, and the full (instructor's) report.

    Args:
        warm: The server process to use. By default, one is started for this submission.
        root: A folder. No folder between it and a file may be a symbolic link.
        here: The folder to which the report's paths are relative. By default, they are as given.
        notes: Notes for the report.
        budget: The budget of the whole submission, by default a new one.
        searched: As for `submission_events`.

    Raises `CourseError`, `GraderFault`, `OracleError` or `WorkerGone`. Learner code never causes an exception.
    """
    exercises = [exercise for exercise in course.exercises if exercise.id in files]
    sources = {exercise.id: read_exercise(exercise, files[exercise.id], root) for exercise in exercises}
    if here is not None:
        read = {name: _read_from(files[name], source) for name, source in sources.items()}
        sources = {name: replace(source, path=relative_path(read[name], here)) for name, source in sources.items()}
    submission = Submission(sources, stamp_of("local", sources), notes)
    with ExitStack() as stack:
        # the worker starts while the hidden tests are collected
        warm = warm or stack.enter_context(sandbox.start(allow_imports=course.allow_imports))
        oracle = stack.enter_context(Oracle(book, memo))
        checks = stack.enter_context(CheckSession(course, exercises))
        grader = Grader(course, book, checks, oracle, warm, seed)
        yield from submission_events(grader, submission, budget=budget, searched=searched)


def grade(
    course: Course,
    book: AnswerBook,
    files: Mapping[str, Path],
    *,
    seed: str,
    memo: Path | None,
    warm: Warm | None = None,
    budget: Budget | None = None,
) -> Report:
    """Grade `files`, and return the full report. Arguments and errors are those of `grade_events`."""
    events = grade_events(course, book, files, seed=seed, memo=memo, warm=warm, budget=budget)
    (report,) = (event for event in events if isinstance(event, Report))
    return report


def _read_from(path: Path, source: Source) -> Path:
    """Return the path from which a source was read: the given path, or that of the notebook beside it."""
    return path.with_suffix(NOTEBOOK) if source.path.suffix == NOTEBOOK else path


def relative_path(path: Path, here: Path) -> Path:
    """Return a path relative to a folder, in a form that can be shown."""
    return readable(Path(os.path.relpath(path, here)))


def search_file(
    grader: Grader, exercise: Exercise, source: Source, examined: Examined, budget: Budget
) -> Iterator[Searching | Repairs]:
    """Search a file that fails for the line that must change, in the lines that the learner wrote. See `search`."""
    own = own_lines(source.text, grader.book.stubs.get(exercise.id, ""))
    yield from search(grader, exercise, source, examined, own, budget)


def own_lines(text: str, stub: str) -> frozenset[int]:
    """Return the numbers of the lines of a file that do not occur in its stub, without blank lines."""
    # without indentation, because learners may indent given code anew
    given = {line.strip() for line in stub.splitlines()} | {""}
    return frozenset(number for number, line in enumerate(text.split("\n"), 1) if line.strip() not in given)


def stamp_of(name: str, sources: Mapping[str, Source]) -> SubmissionStamp:
    """Return the stamp of a submission with this name."""
    files = {exercise: text_digest(source.text) for exercise, source in sources.items() if source.problem is None}
    return SubmissionStamp(name, _digest(sources), files=files)


def _digest(sources: Mapping[str, Source]) -> str:
    """Return the SHA-256 of all data that decides a verdict: every exercise's text, or why there is no text."""
    sha = hashlib.sha256()
    for name, source in sorted(sources.items()):
        text = source.text if source.unread is None else json_text(source.unread)
        # lengths separate the parts, so that no two submissions have the same data
        data = text.encode("utf-8", "surrogatepass")
        sha.update(f"{name}:{source.problem or 'text'}:{len(data)}\n".encode() + data)
        sha.update("".join(f"{start.cell}:{start.line}\n" for start in source.cells).encode())
    return sha.hexdigest()
