"""Search for the line that must change: edit a failing file in one place, run the checks, see whether they pass.

A result is true because it was seen. The search knows nothing of mistakes, and nothing of kinds of engines.
"""

from collections.abc import Collection, Generator, Iterable
from pathlib import Path

from msgspec.structs import replace

from ..checks.session import CheckSession
from ..client import Budget, Source, candidates_of
from ..course import Check, Course, Exercise
from ..oracle import Oracle
from ..oracle.answer_book import AnswerBook
from ..report import Repair, Repairs
from ..sandbox import Warm
from .examination import Grader, checks_pass
from .submissions import own_lines

MOST = 1_500  # candidates that are tried
_HASTE = 8  # divides the limits of a candidate; a right file needs much less than the limits


def repairs(
    course: Course,
    book: AnswerBook,
    exercise: Exercise,
    source: Source,
    failing: str,
    *,
    seed: str,
    memo: Path | None,
    warm: Warm,
) -> Generator[int | Repairs, None, None]:
    """Try the one-place edits of a file that fails. Yield the number of those tried, again and again, and the result.

    There is no result if the edited files take more time than a submission may.

    Args:
        failing: The id of the first check that fails. Each edited file runs this check first.

    Raises the same exceptions as `grade_events`.
    """
    with Oracle(book, memo) as oracle, CheckSession(course, [exercise]) as checks:
        grader = Grader(course, book, checks, oracle, warm, seed)
        needed = sorted((check for check in exercise.checks if not check.bonus), key=lambda check: check.id != failing)
        stub = book.stubs.get(exercise.id, "")
        yield from search(grader, exercise, source, needed, own_lines(source.text, stub), _solution(course, exercise))


def search(
    grader: Grader,
    exercise: Exercise,
    source: Source,
    checks: Iterable[Check],
    editable: Collection[int],
    solution: str = "",
) -> Generator[int | Repairs, None, None]:
    """Try the candidates of a file. Yield the number of those tried so far, again and again, and the result.

    There is no result if the candidates take more time than a submission may, because it would depend on the machine.

    Args:
        checks: The checks that a repaired file passes, in the order in which they are run.
        editable: The lines whose statements may be edited.
        solution: The course's solution, or empty. Of runs with parts of it, only whether checks pass is kept.
    """
    budget = Budget()
    found = candidates_of(grader.warm, source.text, editable, grader.course.limits, budget, solution)
    repaired = []
    for tried, candidate in enumerate(found[:MOST]):
        yield tried
        edited = replace(source, text=candidate.edited(source.text))
        if checks_pass(grader, exercise, edited, checks, budget, limit_divisor=_HASTE):
            repaired.append(Repair(candidate.kind, candidate.lines, candidate.function))
        if budget.exceeded:
            return
    yield Repairs(tuple(repaired), min(len(found), MOST), len(found) <= MOST)


def _solution(course: Course, exercise: Exercise) -> str:
    """Return the solution of an exercise, or an empty text where the course has come without it."""
    try:
        return course.solution(exercise).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
