"""Find the learner's file that is replayed."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ..client import Source, read_exercise
from ..course import Course, Exercise

_PASSES = ("backward", "backprop", "backpropagate", "back")  # what the worker takes for a backward pass
_DEFINITION = re.compile(r"^[ \t]*def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)


class Files:
    """The exercise files in a learner's folder.

    Args:
        course: The course.
        stubs: The files as they are handed out, by exercise id.
        folder: The folder.
    """

    def __init__(self, course: Course, stubs: Mapping[str, str], folder: Path) -> None:
        self._stubs = stubs
        self.sources = {
            exercise.id: read_exercise(exercise, folder / exercise.filename) for exercise in course.exercises
        }
        self._there = [exercise for exercise in course.exercises if self.sources[exercise.id].problem is None]

    def begun(self, exercise: Exercise) -> bool:
        """Return whether an exercise's file is another than the one that was handed out."""
        return self.sources[exercise.id].text != self._stubs.get(exercise.id)

    def at_hand(self) -> Exercise | None:
        """Return the last exercise that is begun, else the first one; None where there is no file."""
        return self._last(lambda source: True)

    def with_pass(self) -> Exercise | None:
        """Return the last exercise that is begun and has a backward pass, else the first; None where there is none."""
        return self._last(lambda source: defines(source.text, *_PASSES))

    def with_training(self) -> Exercise | None:
        """Return the last exercise whose file has a function `train`; None where none has."""
        return next((one for one in reversed(self._there) if defines(self.sources[one.id].text, "train")), None)

    def _last(self, fits: Callable[[Source], bool]) -> Exercise | None:
        begun = [one for one in self._there if self.begun(one) and fits(self.sources[one.id])]
        return begun[-1] if begun else next(iter(self._there), None)


def defines(text: str, *names: str) -> bool:
    """Return whether a line of a file begins a function or a method with one of these names.

    The text is not parsed: on some texts Python 3.10's parser ends the process.
    """
    return any(found[1] in names for found in _DEFINITION.finditer(text))
