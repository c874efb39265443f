"""Show a hint: what `grade hint` does."""

import contextlib

from ..course import Course, Exercise
from ..style import hint_text
from ..workspace import progress_of, remember
from .streams import style
from .words import UsageError, learner_folders


def run_hint(course: Course, exercise: Exercise | None, number: int | None) -> int:
    """Print a hint: of an exercise, or the next one for the failure that was explained last. Returns 0.

    Raises `UsageError` where no such hint is known.
    """
    folder = learner_folders(course)[1]
    progress = progress_of(folder)
    at = exercise or next((one for one in course.exercises if one.id == progress.at), None)
    if at is None:
        raise UsageError("no exercise has been graded here; run `grade`, or name one: `grade hint distribute`")
    count = len(at.hints)
    if exercise is None:
        number = progress.shown = progress.next_hint(count)
        with contextlib.suppress(OSError):
            remember(folder, progress)
    number = 1 if number is None else number
    if not 1 <= number <= count:
        raise UsageError(f"`{at.id}` has hints 1 to {count}")
    print(hint_text(at.stem, at.hints, number, style()))
    if exercise is None and count > 1:
        print("\nMore: grade hint")
    elif number < count:
        print(f"\nMore: grade hint {at.id} {number + 1}")
    return 0
