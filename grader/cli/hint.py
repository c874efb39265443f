"""Show the next hint for the failure that was explained last, for `grade hint`.

The last hint is made from an edit of the learner's file with which checks passed, if a search finds one in time.
"""

import contextlib
import math
import time
from pathlib import Path

from ..base import UserError, read_plain
from ..base.style import Style, hint_lines
from ..client import read_exercise
from ..course import Course, Exercise
from ..report import ExerciseResult, Report, read_report
from ..report.shown import LastHint, last_hint
from ..words import practice as words
from ..workspace import FOLDER, REPORT, learner_folders, progress_of, remember
from .options import PATIENCE_S, default_memo
from .streams import StatusLine

_MOST = 1 << 24  # bytes of a report


def next_hint(course: Course, look: Style) -> list[str] | None:
    """Return the lines of the next hint, or None if no failure is known."""
    folder = learner_folders(course)[1]
    progress = progress_of(folder)
    at = next((one for one in course.exercises if one.id == progress.at), None)
    if at is None:
        return None
    if not progress.check:
        return look.wrap(f"{words.not_loaded(at.filename, at.number.lstrip('0'))} {words.hints_later(at.id)}")
    # the written hints, and after them the hint from an edit
    numbers, from_edit = at.hints_from(progress.hint), len(at.hints) + 1
    near_the_end = len(numbers) < 2 or progress.shown in (*numbers[-2:], from_edit)
    asked = _asked(course, at, folder) if near_the_end else None
    if asked:
        numbers = (*numbers, from_edit)
    elif numbers and progress.shown == from_edit:
        progress.shown = numbers[-1]
    if not numbers:
        return look.wrap(words.no_hint(at.id, len(at.hints)))
    progress.shown = progress.next_hint(numbers)
    with contextlib.suppress(OSError):
        remember(folder, progress)
    # show it
    if progress.shown != numbers[-1]:
        more = words.more_hints("grade hint")
    elif asked:
        more = words.hints_by_number(at.id, len(at.hints))
    else:
        more = words.last_hint(at.id, len(at.hints), only=len(numbers) == 1)
    if asked and progress.shown == from_edit:
        code = [f"    {look.cut(look.clean(line), look.width - 4)}" for line in asked.edit]
        shown = [*hint_lines(words.hint_from_search(at.stem), asked.text, look), *code]
    else:
        shown = hint_lines(words.hint_head(progress.shown, len(at.hints), at.stem), at.hints[progress.shown - 1], look)
    return [*shown, "", *look.wrap(more)]


def _asked(course: Course, exercise: Exercise, folder: Path) -> LastHint | None:
    """Return the hint from an edit of an exercise's file, or None if no edit is known after two seconds."""
    source = read_exercise(exercise, folder / exercise.filename)
    result = _reported(course, exercise, folder) or _searched(course, exercise, folder)
    return last_hint(result, source.text) if result else None


def _reported(course: Course, exercise: Exercise, folder: Path) -> ExerciseResult | None:
    """Return the result in the last report, if it is about the files as they are, and has the result of a search."""
    try:
        report = read_report(read_plain(folder / FOLDER / REPORT, _MOST))
    except (OSError, ValueError):
        return None
    result = next((one for one in report.exercises if one.id == exercise.id and one.repairs), None)
    if result is None:
        return None
    from ..grading import digest  # imports pytest, which takes time

    of = [one for one in course.exercises if any(one.id == other.id for other in report.exercises)]
    sources = {one.id: read_exercise(one, folder / one.filename) for one in of}
    return result if digest(sources) == report.submission.sha256 else None


def _searched(course: Course, exercise: Exercise, folder: Path) -> ExerciseResult | None:
    """Grade a file, and then search it for two seconds. Return its result, or None if it cannot be graded."""
    from ..checks.outcome import GraderFault
    from ..oracle import OracleError
    from ..practice import Practice
    from ..sandbox import WorkerGone

    end = math.inf

    def searched(report: Report) -> list[str]:  # is called when the search begins
        nonlocal end
        end = time.monotonic() + PATIENCE_S
        return [exercise.id]

    try:
        with Practice(course, folder, memo=default_memo()) as practice:
            events = practice.events([exercise], lambda: time.monotonic() > end, searched)
            return StatusLine().follow(events, course).exercises[0]
    except (UserError, GraderFault, OracleError, WorkerGone):  # the written hints need no grading
        return None
