"""Search for the line that must change, for `grade --line`."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from ..client import read_exercise
from ..course import Course
from ..grading import repairs
from ..oracle.answer_book import AnswerBook
from ..report import Repairs, Report
from ..sandbox import Warm
from ..views.terminal import shown_in_full
from ..words.learner import SEARCH_ENDED, repairs_text, searching
from .options import GradeOptions, default_memo
from .streams import StatusLine, say


def with_repairs(
    course: Course,
    book: AnswerBook,
    report: Report,
    files: Mapping[str, Path],
    seed: str,
    warm: Warm,
    options: GradeOptions,
) -> Report:
    """Search for a repair of the file whose failure is explained, print what was found, and add it to the report.

    Ctrl-C ends the search, and the report stays as it is.
    """
    result, check = shown_in_full(report)
    if result is None or check is None or result.status == "passed":
        return report
    exercise = next(exercise for exercise in course.exercises if exercise.id == result.id)
    source = read_exercise(exercise, files[exercise.id])
    if source.problem is not None:
        return report
    # search
    line = StatusLine(not options.as_json)
    found: int | Repairs = 0
    try:
        for found in repairs(course, book, exercise, source, check.id, seed=seed, memo=default_memo(), warm=warm):
            if isinstance(found, int):
                line.show(searching(found))
    except KeyboardInterrupt:
        found = 0
    line.clear()
    # show the result, and add it to the report
    if not options.as_json:
        text = SEARCH_ENDED
        if isinstance(found, Repairs):
            text = repairs_text(found.places, found.tried, found.moved, result.cells or (), found.functions)
        say(text)
    if isinstance(found, int):
        return report
    exercises = [replace(one, repairs=found) if one is result else one for one in report.exercises]
    return replace(report, exercises=tuple(exercises))
