"""Find the exercises that words name, the files for them, and the folder that a learner works in."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..base import UserError, did_you_mean, readable
from ..course import Course, Exercise, packaged_course
from ..words import practice as said

_NOTEBOOK = ".ipynb"


def find_exercise(course: Course, word: str) -> Exercise:
    """Return the exercise with a given number, id, file, stem of a file, or beginning of an id.

    Raises `UserError`.
    """
    word = Path(word).name if is_file(word) else word
    if not word:
        raise UserError(said.nothing_named(course.exercises[0].id, [one.number for one in course.exercises]))
    for exercise in course.exercises:
        if word in exercise.names:
            return exercise
    begun = [exercise for exercise in course.exercises if exercise.id.startswith(word)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise UserError(said.several_exercises(word, [exercise.id for exercise in begun]))
    near = did_you_mean(word, [exercise.id for exercise in course.exercises], cutoff=0.5)
    raise UserError(said.no_exercise(word, [exercise.number for exercise in course.exercises], near))


def find_exercises(course: Course, word: str) -> list[Exercise]:
    """Return the exercises that a word names: `all`, a list such as `3,4`, a range such as `3-5`, or one exercise.

    Raises `UserError`.
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
        raise UserError(said.backward_range(word, first, last))
    return list(course.exercises[begin : end + 1])


def files_to_grade(course: Course, words: Sequence[str], folder: Path) -> dict[str, Path]:
    """Return the path of each exercise that the words name, by exercise id. Without words, return all exercises.

    A word that is a file belongs to the exercise before it, or else to the exercise in its name. A notebook may also
    belong to the exercises that its cells name. Raises `UserError`.
    """
    chosen: dict[str, Path] = {}
    last: Exercise | None = None
    for word in words:
        if not is_file(word):
            meant = find_exercises(course, word)
            for exercise in meant:
                if exercise.id in chosen:
                    raise UserError(said.named_twice(exercise.id))
                chosen[exercise.id] = exercise_path(folder, exercise)
            last = meant[0] if len(meant) == 1 else None
            continue
        named = next((e for e in course.exercises if e.stem == Path(word).stem), None)
        target = last or named
        if target is None and word.endswith(_NOTEBOOK):
            chosen.update((exercise.id, Path(word)) for exercise in _graded_in(course, word))
            continue
        if target is None:
            raise UserError(said.whose_file(word))
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
    """Return the path of an exercise's file in a folder: the notebook if only that exists, or else the Python file."""
    path = folder / exercise.filename
    notebook = path.with_suffix(_NOTEBOOK)
    return notebook if os.path.lexists(notebook) and not os.path.lexists(path) else path


def _graded_in(course: Course, word: str) -> list[Exercise]:
    """Return the exercises that a notebook's cells name. Raises `UserError` if they name none."""
    from ..client import NotebookError, graded_in
    from ..words.practice import unread_text

    try:
        found = graded_in(Path(word), course.exercises)
    except NotebookError as error:
        raise UserError(unread_text(error.reason, readable(Path(word)).name)) from None
    if not found:
        raise UserError(said.whose_file(word, notebook=True))
    return found


def folder_named(course: Course, words: Sequence[str]) -> tuple[Path | None, tuple[str, ...]]:
    """Return the folder among the words, or None, and the other words. The name of an exercise is not a folder.

    Raises `UserError` for a second folder.
    """
    names = {name for exercise in course.exercises for name in exercise.names}
    folders = [word for word in words if word not in names and Path(word).is_dir()]
    if len(folders) > 1:
        raise UserError(said.folder_and_more(folders[1]))
    return Path(folders[0]) if folders else None, tuple(word for word in words if word not in folders)


def holds_exercises(course: Course, folder: Path) -> bool:
    """Return whether a folder contains an exercise file, or a notebook in place of one."""
    return any(os.path.lexists(exercise_path(folder, exercise)) for exercise in course.exercises)


def learner_folders(course: Course, *, upward: bool = True) -> tuple[Path, Path]:
    """Return the folder that a learner works in, and the folder with the exercise files. The two may be the same.

    If the current folder has no exercise files, the folders above are searched, unless `upward` is false.
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
    """Return the folder of the learner's exercise files. Raises `UserError` if it contains none."""
    folder = named or learner_folders(course)[1]
    if not holds_exercises(course, folder):
        raise UserError(said.no_files(str(folder), above=named is None))
    return folder
