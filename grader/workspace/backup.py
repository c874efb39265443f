"""Reset an exercise without losing the learner's file."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path

import msgspec
from msgspec import Struct

from ..base import plain_folder, read_plain, readable, write_atomically

# -- The folder beside the exercise files for everything that is not the learner's own work

FOLDER = ".backward"


def own_folder(exercises: Path) -> Path:
    """Return the folder `.backward` in a folder of exercise files. Make it if it does not exist.

    The folder contains a `.gitignore`, so that git ignores it. Raises `OSError`, also if a link has the folder's name.
    """
    folder = exercises / FOLDER
    plain_folder(folder)
    ignored = folder / ".gitignore"
    try:
        with ignored.open("x", encoding="utf-8") as file:
            file.write("*\n")
    except FileExistsError:
        pass
    return folder


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
    copy = None if content is None else _copied(path, content)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)
    return Reset(written=True, copy=copy)


def keep(path: Path) -> Path | None:
    """Copy a file to `.backward/backup` beside it. Return the path of the copy, or None if there is no file.

    Copies are numbered. Raises `OSError`, also for anything but a regular file.
    """
    content = _content(path)
    return None if content is None else _copied(path, content)


def _content(path: Path) -> bytes | None:
    try:
        return read_plain(path)
    except FileNotFoundError:
        return None


def _copied(path: Path, content: bytes) -> Path:
    folder = own_folder(path.parent) / _BACKUPS
    plain_folder(folder)
    for number in count(1):
        copy = folder / f"{path.stem}.{number}{path.suffix}"
        try:
            with copy.open("xb") as file:
                file.write(content)
        except FileExistsError:
            continue
        return copy
    raise AssertionError("unreachable")


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
        handle, name = tempfile.mkstemp(prefix="grade-play-", suffix=".html")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
        return readable(Path(name))


# -- The progress of a learner: the passed exercises, the current exercise, and the hints that were shown for it

_FILE = "progress.json"
_MOST = 1 << 20


class Progress(msgspec.Struct):
    """The data that is kept between two runs.

    Attributes:
        passed: the ids of the exercises that were passed when they were last graded.
        at: the id of the exercise whose failure was last explained, or an empty text.
        check: the id of the check that failed there; empty if the file could not be loaded.
        hint: the number of the hint for that failure, or 0 if no hint fits.
        shown: the number of the last hint that was shown for this failure, or 0.
    """

    passed: list[str] = []
    at: str = ""
    check: str = ""
    hint: int = 1
    shown: int = 0

    def graded(self, passed: Iterable[str], others: Iterable[str]) -> None:
        """Record the exercises that were passed in a run, and those that were not."""
        now = set(passed)
        self.passed = sorted((set(self.passed) | now) - (set(others) - now))
        if self.at in now:
            self.failed("", "", 1)

    def failed(self, exercise: str, check: str, hint: int) -> None:
        """Record the failure that was explained. If it is a new one, no hint has been shown for it."""
        if (exercise, check) != (self.at, self.check):
            self.shown = 0
        self.at, self.check, self.hint = exercise, check, hint

    def next_hint(self, numbers: Sequence[int]) -> int:
        """Return the hint to show next from `numbers`.

        This is the first one, or the one after the hint that was shown last. At the end, it is the last one again.
        """
        following = numbers.index(self.shown) + 1 if self.shown in numbers else 0
        return numbers[min(following, len(numbers) - 1)]


def progress_of(exercises: Path) -> Progress:
    """Return the progress in a folder of exercise files, or no progress if it cannot be read."""
    try:
        return msgspec.json.decode(read_plain(exercises / FOLDER / _FILE, _MOST), type=Progress)
    except (OSError, msgspec.MsgspecError):
        return Progress()


def remember(exercises: Path, progress: Progress) -> None:
    """Save progress for the next run. Raises `OSError`."""
    write_atomically(own_folder(exercises) / _FILE, msgspec.json.format(msgspec.json.encode(progress)) + b"\n")
