"""The words after `grade`: which exercises are meant, and which files belong to them."""

from collections.abc import Sequence
from pathlib import Path

from ..course import Course, Exercise
from ..outside import UserError, did_you_mean


class UsageError(UserError):
    """The command line cannot be understood; the message says what to write instead."""


def find_exercise(course: Course, word: str) -> Exercise:
    """Return the exercise meant by a number, an id, a file stem or the beginning of an id. Raises `UsageError`."""
    for exercise in course.exercises:
        if word in (exercise.id, exercise.number, exercise.number.lstrip("0"), exercise.stem, exercise.filename):
            return exercise
    begun = [exercise for exercise in course.exercises if exercise.id.startswith(word)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise UsageError(f"`{word}` could be {' or '.join(exercise.id for exercise in begun)}")
    names = [exercise.id for exercise in course.exercises]
    suggestion = did_you_mean(word, names, cutoff=0.5) or f"; there are: {', '.join(names)}"
    raise UsageError(f"there is no exercise `{word}`{suggestion}")


def files_to_grade(course: Course, words: Sequence[str], folder: Path) -> dict[str, Path]:
    """Return a path for each exercise that the words name (all of them where there are no words), by exercise id.

    A word that is a file belongs to the exercise before it, or to the one it is called after. Raises `UsageError`.
    """
    chosen: dict[str, Path] = {}
    last: Exercise | None = None
    for word in words:
        if not is_file(word):
            last = find_exercise(course, word)
            if last.id in chosen:
                raise UsageError(f"`{last.id}` is named twice")
            chosen[last.id] = folder / last.filename
            continue
        named = next((e for e in course.exercises if e.filename == Path(word).name), None)
        target = last or named
        if target is None:
            raise UsageError(f"which exercise is {word}? write `grade EXERCISE {word}`")
        chosen[target.id] = Path(word)
        last = None
    order = [exercise.id for exercise in course.exercises]
    if not chosen:
        return {exercise.id: folder / exercise.filename for exercise in course.exercises}
    return dict(sorted(chosen.items(), key=lambda item: order.index(item[0])))


def is_file(word: str) -> bool:
    """Return whether a word is the path of a file, and not the name of an exercise."""
    return "/" in word or "\\" in word or word.endswith(".py")
