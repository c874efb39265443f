"""Find the learner's file to replay."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ..client import Source, read_exercise
from ..course import Course, Exercise

_PASSES = ("backward", "backprop", "backpropagate", "back")  # the names that the worker accepts for a backward pass
_DEFINITION = re.compile(r"^[ \t]*def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)


class Files:
    """The exercise files in a learner's folder.

    Args:
        course: the course.
        stubs: the files as they were handed out, by exercise id.
        folder: the folder with the exercise files.
    """

    def __init__(self, course: Course, stubs: Mapping[str, str], folder: Path) -> None:
        self._stubs = stubs
        self.sources = {
            exercise.id: read_exercise(exercise, folder / exercise.filename) for exercise in course.exercises
        }
        self._there = [exercise for exercise in course.exercises if self.sources[exercise.id].problem is None]

    def begun(self, exercise: Exercise) -> bool:
        """Return whether an exercise's file differs from the one that was handed out."""
        return self.sources[exercise.id].text != self._stubs.get(exercise.id)

    def at_hand(self) -> Exercise | None:
        """Return the last exercise that the learner has begun, or else the first one, or None if there is no file."""
        return self._last(lambda source: True)

    def with_pass(self) -> Exercise | None:
        """Return the last begun exercise with a backward pass, or else the first exercise, or None without files."""
        return self._last(lambda source: defines(source.text, *_PASSES))

    def with_training(self) -> Exercise | None:
        """Return the last exercise whose file has a function `train`, or None if no file has one."""
        return next((one for one in reversed(self._there) if defines(self.sources[one.id].text, "train")), None)

    def _last(self, fits: Callable[[Source], bool]) -> Exercise | None:
        begun = [one for one in self._there if self.begun(one) and fits(self.sources[one.id])]
        return begun[-1] if begun else next(iter(self._there), None)


def defines(text: str, *names: str) -> bool:
    """Return whether a line of a file begins a function or a method with one of these names.

    The text is not parsed, because Python 3.10's parser crashes the process on some texts.
    """
    return any(found[1] in names for found in _DEFINITION.finditer(text))
