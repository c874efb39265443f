"""The words after `grade`: which exercises are meant, and which files belong to them."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..course import Course, Exercise, packaged_course
from ..outside import UserError, did_you_mean
from ..words import practice as said

_NOTEBOOK = ".ipynb"


class UsageError(UserError):
    """The command line cannot be understood; the message says what to write instead."""


def find_exercise(course: Course, word: str) -> Exercise:
    """Return the exercise meant by a number, an id, a file or its stem, or the beginning of an id.

    Raises `UsageError`.
    """
    word = Path(word).name if is_file(word) else word
    for exercise in course.exercises:
        if word in exercise.names:
            return exercise
    begun = [exercise for exercise in course.exercises if exercise.id.startswith(word)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise UsageError(said.several_exercises(word, [exercise.id for exercise in begun]))
    near = did_you_mean(word, [exercise.id for exercise in course.exercises], cutoff=0.5)
    raise UsageError(said.no_exercise(word, [exercise.number for exercise in course.exercises], near))


def find_exercises(course: Course, word: str) -> list[Exercise]:
    """Return the exercises meant by a word: `all`, a list such as `3,4`, a range such as `3-5`, or one exercise.

    Raises `UsageError`.
    """
    if word == "all":
        return list(course.exercises)
    if "," in word:
        return [exercise for part in word.split(",") if part for exercise in find_exercises(course, part)]
    first, dash, last = word.partition("-")
    if not (dash and first and last):
        return [find_exercise(course, word)]
    begin, end = (course.exercises.index(find_exercise(course, part)) for part in (first, last))
    if end < begin:
        raise UsageError(said.backward_range(word, first, last))
    return list(course.exercises[begin : end + 1])


def files_to_grade(course: Course, words: Sequence[str], folder: Path) -> dict[str, Path]:
    """Return a path for each exercise that the words name (all of them where there are no words), by exercise id.

    A word that is a file belongs to the exercise before it, or to the one it is called after. Raises `UsageError`.
    """
    chosen: dict[str, Path] = {}
    last: Exercise | None = None
    for word in words:
        if not is_file(word):
            meant = find_exercises(course, word)
            for exercise in meant:
                if exercise.id in chosen:
                    raise UsageError(said.named_twice(exercise.id))
                chosen[exercise.id] = exercise_path(folder, exercise)
            last = meant[0] if len(meant) == 1 else None
            continue
        named = next((e for e in course.exercises if e.stem == Path(word).stem), None)
        target = last or named
        if target is None and word.endswith(_NOTEBOOK):
            chosen.update((exercise.id, Path(word)) for exercise in _graded_in(course, word))
            continue
        if target is None:
            raise UsageError(said.whose_file(word))
        chosen[target.id] = Path(word)
        last = None
    order = [exercise.id for exercise in course.exercises]
    if not chosen:
        return {exercise.id: exercise_path(folder, exercise) for exercise in course.exercises}
    return dict(sorted(chosen.items(), key=lambda item: order.index(item[0])))


def is_file(word: str) -> bool:
    """Return whether a word is the path of a file, and not the name of an exercise."""
    return "/" in word or "\\" in word or word.endswith((".py", _NOTEBOOK))


def exercise_path(folder: Path, exercise: Exercise) -> Path:
    """Return an exercise's file in a folder: the notebook of that name where there is no Python file, else that."""
    path = folder / exercise.filename
    notebook = path.with_suffix(_NOTEBOOK)
    return notebook if os.path.lexists(notebook) and not os.path.lexists(path) else path


def _graded_in(course: Course, word: str) -> list[Exercise]:
    """Return the exercises that a notebook's cells name. Raises `UsageError` where there are none."""
    from ..client import NotebookError, graded_in

    try:
        found = graded_in(Path(word), course.exercises)
    except NotebookError as error:
        raise UsageError(str(error)) from None
    if not found:
        raise UsageError(said.whose_file(word, notebook=True))
    return found


def folder_named(course: Course, words: Sequence[str]) -> tuple[Path | None, tuple[str, ...]]:
    """Return the folder among the words, if there is one, and the other words. A name of an exercise is no folder.

    Raises `UsageError` for a second folder.
    """
    names = {name for exercise in course.exercises for name in exercise.names}
    folders = [word for word in words if word not in names and Path(word).is_dir()]
    if len(folders) > 1:
        raise UsageError(said.folder_and_more(folders[1]))
    return Path(folders[0]) if folders else None, tuple(word for word in words if word not in folders)


def holds_exercises(course: Course, folder: Path) -> bool:
    """Return whether one of the exercise files, or a notebook in its place, is in a folder."""
    return any(os.path.lexists(exercise_path(folder, exercise)) for exercise in course.exercises)


def learner_folders(course: Course, *, upward: bool = True) -> tuple[Path, Path]:
    """Return the folder that a learner works in, and the one with the exercise files: that, or one in it.

    Where neither holds exercises, the folders above are looked into, unless `upward` is False.
    """
    here = Path.cwd()
    if course.folder != packaged_course() or here.is_relative_to(course.folder):
        return course.folder, course.folder / "exercises"
    for folder in (here, *here.parents) if upward else ():
        for inner in (folder / "exercises", folder):
            if holds_exercises(course, inner):
                return folder, inner
    return here, here / "exercises" if (here / "exercises").is_dir() else here


def exercise_folder(course: Course, named: Path | None) -> Path:
    """Return the folder of the learner's exercise files. Raises `UsageError` where none of them is there."""
    folder = named or learner_folders(course)[1]
    if not holds_exercises(course, folder):
        raise UsageError(said.no_files(str(folder), above=named is None))
    return folder
