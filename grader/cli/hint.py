"""Show the next hint for the failure that was explained last, for `grade hint`."""

import contextlib
from pathlib import Path

from ..base import UserError
from ..base.text import Style
from ..client import read_exercise
from ..course import Course, Exercise
from ..report.shown import last_hint
from ..views.practice import Hints, keep_search, kept_search
from ..words import practice as words
from ..workspace import Progress, learner_folders, progress_of, remember
from .options import default_memo
from .streams import StatusLine


def next_hint(course: Course, look: Style) -> list[str] | None:
    """Return the lines of the next hint, or None if no failure is known."""
    folder = learner_folders(course)[1]
    progress = progress_of(folder)
    at = next((one for one in course.exercises if one.id == progress.at), None)
    if at is None:
        return None
    if not progress.check:
        return look.wrap(f"{words.not_loaded(at.filename, at.number.lstrip('0'))} {words.hints_later(at.id)}")
    hints = Hints(at, at.hints_from(progress.hint))
    if hints.end_after(progress.shown):
        source = read_exercise(at, folder / at.filename)
        if kept_search(progress, course, at, source.text) is None:
            _search(course, at, folder, progress)
        found = kept_search(progress, course, at, source.text)
        hints = hints._replace(asked=last_hint(found, progress.check, source.text, source.cells) if found else None)
    if hints.numbers:
        progress.show_next(hints.numbers)
    with contextlib.suppress(OSError):
        remember(folder, progress)
    return hints.lines(progress.shown, words.more_hints("grade hint"), look)


def _search(course: Course, exercise: Exercise, folder: Path, progress: Progress) -> None:
    """Search an exercise's file for the line that must change. The result, if there is one in time, is progress."""
    from ..checks.outcome import GraderFault  # these import pytest, which takes time
    from ..oracle import OracleError
    from ..practice import Practice
    from ..sandbox import WorkerGone

    # the written hints need no grading
    with (
        contextlib.suppress(UserError, GraderFault, OracleError, WorkerGone),
        Practice(course, folder, memo=default_memo()) as practice,
    ):
        keep_search(progress, StatusLine().follow(practice.searched_file(exercise), course))
