"""Grade submissions from end to end, and search them for the lines that must change. Progress comes as events.

A report is final before any search begins. A search returns no report, but an `Addition` to one.
"""

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import UNSET, Struct
from msgspec.structs import replace

from ...course.load import Course, Exercise
from ...course.oracle import AnswerBook, Oracle
from ...runner import sandbox
from ...runner.client import Budget, Source
from ...runner.sandbox import Started
from ..checks.session import CheckSession
from ..report import ExerciseResult, Repairs, Report
from ..submission import Addition, Submission, is_searched, read_submission, report_on
from .examination import Examined, Grader, GradingEvent, Searching, examination, examine, explain, finished
from .repair import search, search_budget
from .scoring import score

if TYPE_CHECKING:
    from .side_by_side import GradeOne, Helpers

Searched: TypeAlias = Callable[[Report], Collection[str]]
Kept: TypeAlias = MutableMapping[str, ExerciseResult]  # results by exercise
GradingProgress: TypeAlias = GradingEvent | Report | Searching | Addition


class _Graded(Struct, frozen=True):
    """A final report, and what is known of the files that failed, by exercise."""

    report: Report
    failed: Mapping[str, Examined]


def _graded(
    grader: Grader,
    submission: Submission,
    exercises: Sequence[Exercise] | None = None,
    budget: Budget | None = None,
    kept: Kept | None = None,
    sandboxes: Sequence[Started] = (),
) -> Generator[GradingEvent, None, _Graded]:
    """Grade exercises of a submission. See `submission_events`."""
    budget = budget or Budget()
    kept = {} if kept is None else kept
    results, failed = [], dict[str, Examined]()
    chosen = grader.checks.exercises if exercises is None else exercises

    def grade_one(
        by: Grader, exercise: Exercise, within: Budget
    ) -> Generator[GradingEvent, None, tuple[ExerciseResult, Examined]]:
        return _exercise(by, exercise, submission.sources[exercise.id], within)

    # each process runs one file at a time, because a file may take as much memory as the limits allow
    with _helpers(grader, grade_one, [one for one in chosen if one.id not in kept], sandboxes) as helpers:
        for exercise in chosen:
            if exercise.id in kept:
                # the search of this run adds its result again
                results.append(replace(kept[exercise.id], repairs=UNSET))
                continue
            helped = (yield from helpers.events(exercise)) if helpers else None
            # the budget is charged in the order of the course, also for what a helper graded
            if helped is not None and budget.has_room_for(helped.used):
                budget.use(helped.used)
                result, limited = helped.result, helped.limited
            else:
                result, examined = yield from grade_one(grader, exercise, budget)
                failed |= {exercise.id: examined} if examined.failures else {}
                limited = examined.limited
            # what a limit ended may end in another way next time
            if not limited:
                kept[exercise.id] = result
            results.append(result)
    report = report_on(grader.course, submission, results, tier=grader.warm.tier, seed=grader.seed)
    return _Graded(report, failed)


def _helpers(
    grader: Grader, grade_one: "GradeOne", exercises: Sequence[Exercise], sandboxes: Sequence[Started]
) -> "AbstractContextManager[Helpers | None]":
    """Return the helpers that grade exercises beside this process; None without a sandbox for them."""
    if not sandboxes:
        return nullcontext()
    from .side_by_side import Helpers  # here, because a browser tab has no processes

    return Helpers(grader, grade_one, exercises, sandboxes)


def grade_submission(grader: Grader, submission: Submission, exercises: Sequence[Exercise] | None = None) -> Report:
    """Return the full report on exercises of a submission, by default all. Raises the same errors as `grade_events`."""
    return finished(_graded)(grader, submission, exercises).report


def submission_events(
    grader: Grader,
    submission: Submission,
    exercises: Sequence[Exercise] | None = None,
    budget: Budget | None = None,
    searched: Searched | None = None,
    kept: Kept | None = None,
    sandboxes: Sequence[Started] = (),
) -> Generator[GradingProgress, None, None]:
    """Grade exercises of a submission (by default all). Yield the progress, and the full report.

    Args:
        budget: The budget of the whole submission, by default a new one.
        kept: Results of earlier runs on the same files. These files are not run, unless one of them is searched and
            its result has no `repairs`. The results of other files are added, unless they came from a limit.
        sandboxes: Server processes beside that of the grader. For each of them, a fork of this process grades some of
            the exercises at the same time. The report is the same as without them.
        searched: Returns, from the report, the ids of the exercises that are searched for the line that must change.
            These searches begin after the report. Each that has a result is followed by an addition.

    Raises the same exceptions as `grade_events`.
    """
    budget = budget or Budget()
    before = dict(kept or {})
    graded = yield from _graded(grader, submission, exercises, budget, kept, sandboxes)
    yield graded.report
    if searched is None:
        return
    chosen = set(searched(graded.report))
    # what an earlier search found, and files of which only the verdict is known: from an earlier run, or from a helper
    known = [before[name] for name in chosen if name in before]
    yield from (Addition(result.id, result.repairs) for result in known if result.repairs)
    again = chosen - graded.failed.keys() - {result.id for result in known if result.repairs}
    again &= {result.id for result in graded.report.exercises if is_searched(result)}
    failed = {**graded.failed, **_failed(grader, submission, again, Budget(withdrawn=budget.withdrawn))}
    # a search may be withdrawn, for example when the file was saved again
    yield from _search(grader, submission, failed, chosen, budget.withdrawn)


def search_submission(grader: Grader, submission: Submission, exercises: Collection[str]) -> Iterator[Addition]:
    """Search files whose report is written for the lines that must change. Yield an addition for each search.

    The checks run again, only to find out on which programs the files fail.

    Args:
        exercises: The ids of the exercises whose files are searched.

    Raises the same exceptions as `grade_events`.
    """
    failed = _failed(grader, submission, exercises, Budget())
    for event in _search(grader, submission, failed, exercises):
        if isinstance(event, Addition):
            yield event


def _failed(grader: Grader, submission: Submission, exercises: Collection[str], budget: Budget) -> dict[str, Examined]:
    """Run the checks of exercises whose results are known, to find out on which programs the files fail."""
    return {
        exercise.id: examine(
            grader, exercise, submission.sources[exercise.id], budget, stub=grader.book.stubs.get(exercise.id)
        )
        for exercise in grader.checks.exercises
        if exercise.id in exercises
    }


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


def _exercise(
    grader: Grader, exercise: Exercise, source: Source, budget: Budget
) -> Generator[GradingEvent, None, tuple[ExerciseResult, Examined]]:
    """Grade one exercise: load its file, run the checks and probe it; then match and score without learner code."""
    stub = grader.book.stubs.get(exercise.id)
    examined = yield from examination(grader, exercise, source, budget, stub=stub, facts=True)
    # no learner code runs from here on
    known = grader.book.known.get(exercise.id)
    explained = explain(known, examined) if known and examined.failures else {}
    own = own_lines(source.text, stub or "") if examined.failures else ()
    attempts = sorted(examined.attempts)
    return score(exercise, examined.state, examined.checked, explained, examined.facts, own, attempts), examined


def grade_events(
    course: Course,
    book: AnswerBook,
    submission: Submission,
    *,
    seed: str,
    memo: Path | None,
    warm: Started | None = None,
    budget: Budget | None = None,
    searched: Searched | None = None,
    kept: Kept | None = None,
    sandboxes: Sequence[Started] = (),
) -> Generator[GradingProgress, None, None]:
    """Grade the files of a submission. Yield the progress, and the full (instructor's) report.

    Args:
        warm: The server process to use. By default, one is started for this submission.
        budget: The budget of the whole submission, by default a new one.
        searched: As for `submission_events`.
        kept: As for `submission_events`.
        sandboxes: As for `submission_events`.

    Raises `CourseError`, `GraderFault`, `OracleError` or `WorkerGone`. Learner code never causes an exception.
    """
    exercises = [exercise for exercise in course.exercises if exercise.id in submission.sources]
    with ExitStack() as stack:
        # the worker starts while the hidden tests are collected
        warm = warm or stack.enter_context(sandbox.start(allow_imports=course.allow_imports))
        oracle = stack.enter_context(Oracle(book, memo))
        # tests of an exercise that is not run need not be collected, and helpers collect those of theirs
        checks = stack.enter_context(CheckSession(course, exercises, on_demand=bool(kept or sandboxes)))
        grader = Grader(course, book, checks, oracle, warm, seed)
        yield from submission_events(
            grader, submission, budget=budget, searched=searched, kept=kept, sandboxes=sandboxes
        )


def grade(
    course: Course,
    book: AnswerBook,
    files: Mapping[str, Path],
    *,
    seed: str,
    memo: Path | None,
    warm: Started | None = None,
    budget: Budget | None = None,
) -> Report:
    """Grade `files`, a path for each exercise, and return the full report. Errors are those of `grade_events`."""
    submission = read_submission(course, files)
    events = grade_events(course, book, submission, seed=seed, memo=memo, warm=warm, budget=budget)
    (report,) = (event for event in events if isinstance(event, Report))
    return report


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
