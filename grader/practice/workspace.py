"""A learner's folder: which exercises and files words name, and the files beside the exercises.

The files beside the exercises are backups, the last report and the last replay.
"""

import os
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from ..base.files import UserError, plain_folder, read_plain, write_atomically
from ..base.text import did_you_mean, readable
from ..course.load import Course, Exercise, packaged_course
from ..words import author as for_ci
from ..words import practice

_NOTEBOOK = ".ipynb"


def find_exercise(course: Course, word: str) -> Exercise:
    """Return the exercise with a given number, id, file, stem of a file, or beginning of an id.

    Raises `UserError`.
    """
    word = Path(word).name if is_file(word) else word
    if not word:
        raise UserError(practice.nothing_named(course.exercises[0].id, [one.number for one in course.exercises]))
    for exercise in course.exercises:
        if word in exercise.names:
            return exercise
    # a full id was found above, even if another exercise's id begins with it
    begun = [exercise for exercise in course.exercises if exercise.id.startswith(word)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise UserError(practice.several_exercises(word, [exercise.id for exercise in begun]))
    near = did_you_mean(word, [exercise.id for exercise in course.exercises], cutoff=0.5)
    raise UserError(practice.no_exercise(word, [exercise.number for exercise in course.exercises], near))


def next_exercise(course: Course, passed: Collection[str], after: str = "") -> Exercise | None:
    """Return the first exercise after the id `after` that is not passed, continuing from the start; None if all are.

    Args:
        passed: the ids of the passed exercises.
    """
    ids = [exercise.id for exercise in course.exercises]
    begin = ids.index(after) + 1 if after else 0
    ordered = (*course.exercises[begin:], *course.exercises[:begin])
    return next((exercise for exercise in ordered if exercise.id not in passed), None)


def find_exercises(course: Course, word: str) -> list[Exercise]:
    """Return the exercises that a word names: `all`, a list such as `3,4`, a range such as `3-5`, or one exercise.

    Raises `UserError`.
    """
    if word == "all":
        return list(course.exercises)
    # before the range, because the parts of a list may be ranges
    if "," in word:
        return [exercise for part in word.split(",") if part for exercise in find_exercises(course, part)]
    first, dash, last = word.partition("-")
    if not (dash and first and last):
        return [find_exercise(course, word)]
    begin, end = (course.exercises.index(find_exercise(course, part)) for part in (first, last))
    if end < begin:
        raise UserError(practice.backward_range(word, first, last))
    return list(course.exercises[begin : end + 1])


def files_to_grade(course: Course, words: Sequence[str], folder: Path) -> dict[str, Path]:
    """Return the path of each exercise that the words name, by exercise id. Without words, return all exercises.

    A word that is a file belongs to the exercise before it, or else to the exercise in its name. A notebook may also
    belong to the exercises that its cells name. Raises `UserError`.
    """
    chosen: dict[str, Path] = {}
    last: Exercise | None = None
    for word in words:
        # exercises: a file after a single one is its file
        if not is_file(word):
            meant = find_exercises(course, word)
            for exercise in meant:
                if exercise.id in chosen:
                    raise UserError(practice.named_twice(exercise.id))
                chosen[exercise.id] = exercise_path(folder, exercise)
            last = meant[0] if len(meant) == 1 else None
            continue
        # a file: for the exercise before it, or the one in its name, or those that its cells name
        named = next((e for e in course.exercises if e.stem == Path(word).stem), None)
        target = last or named
        if target is None and not word.endswith(_NOTEBOOK):
            raise UserError(practice.whose_file(word))
        for exercise in [target] if target else _graded_in(course, word):
            if exercise is not last and exercise.id in chosen:
                raise UserError(practice.named_twice(exercise.id))
            chosen[exercise.id] = Path(word)
        last = None
    # reports list exercises in the order of the course, whatever the order of the words
    order = [exercise.id for exercise in course.exercises]
    if not chosen:
        return {exercise.id: exercise_path(folder, exercise) for exercise in course.exercises}
    return dict(sorted(chosen.items(), key=lambda item: order.index(item[0])))


def is_file(word: str) -> bool:
    """Return whether a word is the path of a file, and not the name of an exercise."""
    return "/" in word or "\\" in word or word.endswith((".py", _NOTEBOOK))


def exercise_path(folder: Path, exercise: Exercise) -> Path:
    """Return the path of an exercise's file in a folder: the notebook if only that exists, or else the Python file."""
    # `lexists`, so that a link that leads nowhere is reported and does not look like a missing file
    path = folder / exercise.filename
    notebook = path.with_suffix(_NOTEBOOK)
    return notebook if os.path.lexists(notebook) and not os.path.lexists(path) else path


def _graded_in(course: Course, word: str) -> list[Exercise]:
    """Return the exercises that a notebook's cells name. Raises `UserError` if they name none."""
    from ..runner.client import NotebookError, graded_in

    try:
        exercises = graded_in(Path(word), course.exercises)
    except NotebookError as error:
        raise UserError(practice.unread_text(error.reason, readable(Path(word)).name)) from None
    if not exercises:
        raise UserError(practice.whose_file(word, notebook=True))
    return exercises


def holds_exercises(course: Course, folder: Path) -> bool:
    """Return whether a folder contains an exercise file, or a notebook in place of one."""
    return any(os.path.lexists(exercise_path(folder, exercise)) for exercise in course.exercises)


def learner_folders(course: Course, *, upward: bool = True) -> tuple[Path, Path]:
    """Return the folder that a learner works in, and the folder with the exercise files. The two may be the same.

    If the current folder has no exercise files, the folders above are searched, unless `upward` is false.
    """
    here = Path.cwd()
    # an author has the exercise files beside `course.yaml`; a learner may have them anywhere
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
        raise UserError(practice.no_files(str(folder), above=named is None))
    return folder


class Chosen(NamedTuple):
    """The exercise files that a command names.

    Attributes:
        root: the folder above which no file is looked for.
        folder: the folder with the exercise files.
        given: the folder that the command names, unless it is the learner's own.
        files: the path of each exercise, by its id.
        own: `folder`, if it has exercise files, and if the command is run in it or names it. Otherwise None.
    """

    root: Path
    folder: Path
    given: Path | None
    files: dict[str, Path]
    own: Path | None


def choose(course: Course, words: Sequence[str], given: Path | None, *, official: bool, required: bool) -> Chosen:
    """Return the files that a command names. Raises `UserError`.

    Args:
        words: exercises, files, or a folder.
        given: the folder that an option names.
        official: whether a submission is graded. Then no file is looked for above the current folder, because it is
            not part of the submission, and no given path may lead through a symbolic link.
        required: whether a file must exist.
    """
    if given is not None and not given.is_dir():
        raise UserError(practice.no_folder("--from", str(given)))
    # a folder among the words; the name of an exercise is not a folder
    names = {name for exercise in course.exercises for name in exercise.names}
    folders = [word for word in words if word not in names and Path(word).is_dir()]
    if len(several := [str(given)] * (given is not None) + folders) > 1:
        raise UserError(practice.folder_and_more(several[1]))
    words = [word for word in words if word not in folders]
    root, folder = learner_folders(course, upward=not official)
    # the learner's own folder is the default, so naming it changes nothing, not even the next step
    own = [] if official else [os.path.realpath(root), os.path.realpath(folder)]
    given = next((Path(word) for word in folders if os.path.realpath(word) not in own), given)
    if official:
        _refuse_links([*(Path(word).parent for word in words if is_file(word)), *filter(None, [given])])
    if given is not None:
        inner = given / "exercises"
        folder = inner if inner.is_dir() and not holds_exercises(course, given) else given
    files = files_to_grade(course, words, folder)
    holds = holds_exercises(course, folder)
    if required:
        _refuse_absent(course, files, words, elsewhere=official or given is not None)
    here = given is not None or Path.cwd().is_relative_to(root)
    return Chosen(root, folder, given, files, folder if here and holds else None)


def _refuse_links(folders: Iterable[Path]) -> None:
    """Raise `UserError` if a folder is or lies in a symbolic link, which may be a part of the submission.

    Reading refuses links below the submission's folder. These are the links that lead to it.
    """
    for folder in folders:
        for part in (*reversed(folder.parents), folder):
            if part.is_symlink():
                raise UserError(for_ci.symbolic_link(str(part)))


def _refuse_absent(course: Course, files: Mapping[str, Path], words: Sequence[str], *, elsewhere: bool) -> None:
    """Raise `UserError` if none of the files exists.

    The file of a named exercise may be missing in an official run, in a folder that the command names, and beside other
    exercise files. Then the report says that it is missing.
    """
    if any(path.exists() or path.is_symlink() for path in files.values()):
        return
    named = [path for path in files.values() if str(path) in words]
    if named:
        raise UserError(practice.no_file(str(named[0])))
    # with other exercises in the folder, a missing file is a result and not an error
    looked = next(iter(files.values())).parent
    if not (words and elsewhere) and not holds_exercises(course, looked):
        raise UserError(practice.no_files(str(looked), above=not elsewhere))


# -- The folder beside the exercise files for everything that is not the learner's own work

FOLDER = ".backward"
REPORT = "report.json"


def own_folder(exercises: Path) -> Path:
    """Return the folder `.backward` in a folder of exercise files. Make it if it does not exist.

    The folder contains a `.gitignore`, so that git ignores it. Raises `OSError`, also if a link has the folder's name.
    """
    folder = exercises / FOLDER
    plain_folder(folder)
    # an existing file is kept, because the learner may have changed it
    with suppress(FileExistsError), (folder / ".gitignore").open("x", encoding="utf-8") as file:
        file.write("*\n")
    return folder


# -- Reset an exercise without losing the learner's file

_BACKUPS = "backup"


class Reset(Struct, frozen=True):
    """The outcome of a reset.

    Attributes:
        written: whether the stub was written. It is not written if the file already was the stub.
        copy: the path of the copy of the old file; None if no copy was made.
    """

    written: bool
    copy: Path | None = None


def reset(path: Path, stub: str) -> Reset:
    """Replace an exercise file with the stub, unless it is the stub already. Keep a copy of an existing file.

    Raises `OSError`; then the file is unchanged. If the file is a link, its target is unchanged too.
    """
    data = stub.encode()
    content = _content(path)
    if content == data:
        return Reset(written=False)
    copy = None if content is None else _write_copy(path, content)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)
    return Reset(written=True, copy=copy)


def keep(path: Path) -> Path | None:
    """Copy a file to `.backward/backup` beside it. Return the path of the copy, or None if there is no file.

    Copies are numbered. Raises `OSError`, also for anything but a regular file.
    """
    content = _content(path)
    return None if content is None else _write_copy(path, content)


def _content(path: Path) -> bytes | None:
    try:
        return read_plain(path)
    except FileNotFoundError:
        return None


def _write_copy(path: Path, content: bytes) -> Path:
    folder = own_folder(path.parent) / _BACKUPS
    plain_folder(folder)
    names = (f"{path.stem}.{number}{path.suffix}" for number in count(1))
    while True:
        copy = folder / next(names)
        # never overwrites a copy, also if another process takes the same number meanwhile
        with suppress(FileExistsError), copy.open("xb") as file:
            file.write(content)
            return copy


# -- Save the page of a replay in the learner's folder

_PAGE = "replay.html"


def keep_replay(page: str, exercises: Path) -> Path:
    """Write a page to the folder `.backward` beside the exercise files, and return its path.

    If the exercise folder does not exist or cannot be written, the page goes to the folder for temporary files.
    """
    try:
        if not exercises.is_dir():
            raise FileNotFoundError
        path = own_folder(exercises) / _PAGE
        write_atomically(path, page.encode())
        return path
    except OSError:
        # a random name, because any user can write to that folder
        handle, name = tempfile.mkstemp(prefix="grade-play-", suffix=".html")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
        return readable(Path(name))
