"""A learner's folder: which exercises and files words name, and the files beside the exercises.

The files beside the exercises are backups, the last report, the last replay, and the learner's progress.
"""

import os
import tempfile
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

import msgspec
from msgspec import Struct

from ..base.files import UserError, plain_folder, read_plain, write_atomically
from ..base.text import did_you_mean, readable
from ..course.load import Course, Exercise, packaged_course
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


def folder_named(course: Course, words: Sequence[str]) -> tuple[Path | None, tuple[str, ...]]:
    """Return the folder among the words, or None, and the other words. The name of an exercise is not a folder.

    Raises `UserError` for a second folder.
    """
    names = {name for exercise in course.exercises for name in exercise.names}
    folders = [word for word in words if word not in names and Path(word).is_dir()]
    if len(folders) > 1:
        raise UserError(practice.folder_and_more(folders[1]))
    return Path(folders[0]) if folders else None, tuple(word for word in words if word not in folders)


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


# -- The progress of a learner: the passed exercises, the current exercise, and the hints that were shown for it

_FILE = "progress.json"
_MOST = 1 << 20  # bytes of the file


class SearchResult(Struct, frozen=True):
    """The result of a search for the line that must change in an exercise's file.

    Attributes:
        exercise: the id of the exercise.
        course: the digest of the course.
        sha256: the digest of the file's text.
        repairs: the result, as in a report.
    """

    exercise: str
    course: str
    sha256: str
    # The result is decoded only when it is needed. One from another version, which cannot be
    # decoded, does not make the rest of the progress unreadable.
    repairs: msgspec.Raw


class Progress(Struct):
    """The data that is kept between two runs.

    Attributes:
        passed: the ids of the exercises that were passed when they were last graded.
        at: the id of the exercise whose failure was last explained, or an empty text.
        check: the id of the check that failed there; empty if the file could not be loaded.
        hint: the number of the hint for that failure, or 0 if no hint fits.
        shown: the number of the last hint that was shown for this failure, or 0.
        found: the result of the last search for the line that must change.
        begun: the id of the exercise that was graded alone last, if it has not been started; else an empty text.
    """

    passed: list[str] = []
    at: str = ""
    check: str = ""
    hint: int = 1
    shown: int = 0
    found: SearchResult | None = None
    begun: str = ""

    def graded(self, passed: Iterable[str], others: Iterable[str]) -> None:
        """Record the result of a run.

        Args:
            passed: the ids of the exercises that passed.
            others: the ids of the other exercises in the run.
        """
        now = set(passed)
        # an exercise that was passed, and then graded without passing, is no longer passed
        self.passed = sorted((set(self.passed) | now) - (set(others) - now))
        if self.at in now:
            self.failed("", "", 1)

    def failed(self, exercise: str, check: str, hint: int) -> None:
        """Record the failure that was explained. If it is a new one, no hint has been shown for it."""
        if (exercise, check) != (self.at, self.check):
            self.shown = 0
        self.at, self.check, self.hint, self.begun = exercise, check, hint, ""

    def not_started(self, exercise: str) -> None:
        """Record that an exercise was graded alone and has not been started. An earlier failure is no longer shown."""
        self.failed("", "", 1)
        self.begun = exercise

    def show_next(self, numbers: Sequence[int]) -> None:
        """Record that the next hint is shown.

        The next hint is the one after the hint that was shown last, or the first one if none was shown. After the last
        hint, the last one is shown again.

        Args:
            numbers: the numbers of the hints, in ascending order.
        """
        # A hint that is not in the list was shown for another failure, so the list begins again. A
        # number beyond the list is that of a hint from a search whose result no longer holds.
        later = self.shown in numbers or self.shown > numbers[-1]
        self.shown = next((number for number in numbers if number > self.shown), numbers[-1]) if later else numbers[0]


def progress_of(exercises: Path) -> Progress:
    """Return the progress in a folder of exercise files, or no progress if it cannot be read."""
    try:
        return msgspec.json.decode(read_plain(exercises / FOLDER / _FILE, _MOST), type=Progress)
    except (OSError, msgspec.MsgspecError):
        return Progress()


def remember(exercises: Path, progress: Progress) -> None:
    """Save progress for the next run. Raises `OSError`."""
    write_atomically(own_folder(exercises) / _FILE, msgspec.json.format(msgspec.json.encode(progress)) + b"\n")
