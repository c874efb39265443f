"""Show a hint, for `grade hint`."""

import contextlib

from ..base.style import hint_lines
from ..course import Course, Exercise
from ..words import practice as said
from ..workspace import progress_of, remember
from .streams import style
from .words import UsageError, learner_folders


def run_hint(course: Course, exercise: Exercise | None, number: int | None) -> int:
    """Print a hint for an exercise, or the next hint for the last explained failure. Return 0.

    If no failure is known, that is the first hint of the next exercise. Raises `UsageError` if there is no such hint.
    """
    drawn = style()
    if exercise is None and (known := _next_hint(course)):
        at, number, more = known
    else:
        exercise = exercise or _following(course)
        at, count = exercise, len(exercise.hints)
        number = 1 if number is None else number
        if not 1 <= number <= count:
            raise UsageError(said.hint_range(at.id, count))
        more = said.more_hints(at.hint_command(number + 1)) if number < count else ""
    lines = []
    if number:
        lines = [*hint_lines(said.hint_head(number, len(at.hints), at.stem), at.hints[number - 1], drawn), ""]
    print("\n".join([*lines, *drawn.wrap(more, drawn.prose)]).rstrip("\n"))
    return 0


def _following(course: Course) -> Exercise:
    """Return the first exercise that has not been passed. Raises `UsageError` if all have been passed."""
    passed = progress_of(learner_folders(course)[1]).passed
    following = next((one for one in course.exercises if one.id not in passed), None)
    if following is None:
        raise UsageError(said.no_failure(course.exercises[0].id))
    return following


def _next_hint(course: Course) -> tuple[Exercise, int, str] | None:
    """Return the current exercise, the number of the next hint for its failure, and a text to show below the hint.

    The number is 0 if the file could not be loaded, or if no hint fits. Return None if no failure is known.
    """
    folder = learner_folders(course)[1]
    progress = progress_of(folder)
    at = next((one for one in course.exercises if one.id == progress.at), None)
    if at is None:
        return None
    if not progress.check:
        return at, 0, f"{said.not_loaded(at.filename, at.number.lstrip('0'))} {said.hints_later(at.id)}"
    numbers = at.hints_from(progress.hint)
    if not numbers:
        return at, 0, said.no_hint(at.id, len(at.hints))
    progress.shown = progress.next_hint(numbers)
    with contextlib.suppress(OSError):
        remember(folder, progress)
    if progress.shown != numbers[-1]:
        return at, progress.shown, said.more_hints("grade hint")
    return at, progress.shown, said.last_hint(at.id, len(at.hints), only=len(numbers) == 1)
