"""Read a learner's file from disk without trusting anything at its path."""

import errno
import os
import stat
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ..base import printable, readable
from ..course import Exercise
from ..remarks import CellStart, Reason
from . import bounds, notebook

MAX_BYTES = bounds.SOURCE

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOSE = getattr(os, "O_CLOEXEC", 0)
_FILE = os.O_RDONLY | _NO_FOLLOW | _CLOSE | getattr(os, "O_NONBLOCK", 0)
_FOLDER = os.O_RDONLY | _NO_FOLLOW | _CLOSE | getattr(os, "O_DIRECTORY", 0)


class Source(Struct, frozen=True):
    """The text of a file, or the reason why there is none.

    Attributes:
        path: The path, in a form that can be shown.
        text: The text. For a notebook, it is the text of its code cells, one after the other.
        unread: Why there is no text. `Reason` has the kinds.
        cells: The beginnings of a notebook's cells.
    """

    path: Path
    text: str = ""
    unread: Reason | None = None
    cells: tuple[CellStart, ...] = ()

    @property
    def problem(self) -> Literal["missing", "unreadable"] | None:
        """Return the status of an exercise without a text, or None if there is a text."""
        if self.unread is None:
            return None
        return "missing" if self.unread.kind in ("missing", "near_name") else "unreadable"

    @property
    def names(self) -> tuple[str, ...]:
        """Return the files that may be meant: files with a similar name, or with this name and different contents."""
        return self.unread.names if self.unread and self.unread.kind in ("near_name", "several_files") else ()


def read_exercise(exercise: Exercise, path: Path, root: Path | None = None) -> Source:
    """Read the file of an exercise: `path`, or the notebook of the same name in its place.

    If both exist, neither is graded. The code of a notebook is that of `notebook_source`.
    """
    beside = path.with_suffix(notebook.SUFFIX)
    if path.suffix == notebook.SUFFIX or not os.path.lexists(beside):
        return read_source(path, root, exercise.names)
    if not os.path.lexists(path):
        return read_source(beside, root, exercise.names)
    return Source(readable(path), unread=Reason("both", names=(printable(path.name), printable(beside.name))))


def notebook_source(path: Path, data: bytes, names: Collection[str]) -> Source:
    """Return the source of an exercise from the content of a notebook.

    Args:
        names: the names of the exercise.
    """
    try:
        return joined(path, notebook.code_cells(data), names)
    except notebook.NotebookError as error:
        return Source(path, unread=error.reason)


def joined(path: Path, cells: Sequence[notebook.Cell], names: Collection[str]) -> Source:
    """Return the source of an exercise from the cells of a notebook.

    If cells begin with `%%grade` and a name of the exercise, the source is the last one of them. Otherwise it
    consists of all cells that do not begin with `%%grade` and a name.

    Args:
        names: the names of the exercise.
    """
    graded = [cell for cell in cells if cell.is_of(names)]
    chosen = graded[-1:] or [cell for cell in cells if not cell.exercise]
    starts, line = [], 1
    for cell in chosen:
        starts.append(CellStart(cell.number, line))
        line += cell.text.count("\n") + 1
    return Source(path, "\n".join(cell.text for cell in chosen), cells=tuple(starts))


def read_source(path: Path, root: Path | None = None, names: Collection[str] | None = None) -> Source:
    """Read a regular file of UTF-8 text of at most 256 KB. Line ends become `\\n`.

    Reading never waits for a pipe. Symbolic links and files with a second name (hard links) are refused, because they
    may lead to a file that is not part of the submission.

    Args:
        root: a folder. If the file is below it, no folder between them may be a symbolic link.
        names: the names of an exercise. If they are given, a file that ends in `.ipynb` is read as a notebook.
    """
    is_notebook = names is not None and path.suffix == notebook.SUFFIX
    content = read_content(path, root, notebook.MAX_BYTES if is_notebook else MAX_BYTES)
    if isinstance(content, Reason):
        return Source(readable(path), unread=content)
    if names is not None and is_notebook:
        return notebook_source(readable(path), content, names)
    return decode_source(readable(path), content)


def graded_in(path: Path, exercises: Iterable[Exercise]) -> list[Exercise]:
    """Return the exercises that the cells of a notebook name with `%%grade`. Raises `NotebookError`."""
    content = read_content(path, None, notebook.MAX_BYTES)
    if isinstance(content, Reason):
        raise notebook.NotebookError(content)
    cells = notebook.code_cells(content)
    return [exercise for exercise in exercises if any(cell.is_of(exercise.names) for cell in cells)]


def read_content(path: Path, root: Path | None, most: int) -> bytes | Reason:
    """Return the content of a regular file, or the reason why there is none.

    At most `most + 1` bytes are returned.
    """
    try:
        handle = _open(path, root)
    except FileNotFoundError:
        return Reason("missing")
    except OSError as error:
        linked = error.errno in (errno.ELOOP, errno.EMLINK) or (root is not None and error.errno == errno.ENOTDIR)
        return Reason("symbolic_link") if linked else Reason("not_opened", detail=error.strerror)
    refusal = _refusal(os.fstat(handle), most)
    if refusal:
        os.close(handle)
        return refusal
    with os.fdopen(handle, "rb") as file:
        return file.read(most + 1)


def decode_source(path: Path, data: bytes) -> Source:
    """Return the source for the content of a file. The first `MAX_BYTES + 1` bytes of it are enough."""
    if len(data) > MAX_BYTES:
        return Source(path, unread=Reason("too_large", limit_kb=MAX_BYTES >> 10))
    if b"\0" in data:
        return Source(path, unread=Reason("nul_bytes"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Source(path, unread=Reason("not_utf8", count=error.start))
    return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"))


def _refusal(found: os.stat_result, most: int) -> Reason | None:
    if not stat.S_ISREG(found.st_mode):
        return Reason("not_regular")
    if found.st_nlink > 1:
        return Reason("hard_link")
    return Reason("too_large", limit_kb=most >> 10) if found.st_size > most else None


def _open(path: Path, root: Path | None) -> int:
    """Open the file. Below `root`, open each folder separately, so that none of them can be a link."""
    if root is None or not path.is_relative_to(root) or os.open not in os.supports_dir_fd:
        return os.open(path, _FILE)
    *folders, name = path.relative_to(root).parts
    at = os.open(root, os.O_RDONLY | _CLOSE)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER, dir_fd=at)
            os.close(at)
            at = inner
        return os.open(name, _FILE, dir_fd=at)
    finally:
        os.close(at)
