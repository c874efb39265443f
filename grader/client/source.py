"""Read a learner's file from disk without trusting anything at its path."""

import errno
import os
import stat
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from ..course import Exercise
from ..outside import printable, readable
from ..remarks import CellStart
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
        problem: `missing`, `unreadable` or None.
        cells: The beginnings of a notebook's cells.
        names: The files that may be meant: several with the right name and different contents, or files with a
            similar name.
    """

    path: Path
    text: str = ""
    problem: str | None = None
    message: str | None = None
    cells: tuple[CellStart, ...] = ()
    names: tuple[str, ...] = ()


def read_exercise(exercise: Exercise, path: Path, root: Path | None = None) -> Source:
    """Read the file of an exercise: `path`, or the notebook of the same name in its place.

    If both exist, neither is graded. The code of a notebook is that of `notebook_source`.
    """
    beside = path.with_suffix(notebook.SUFFIX)
    if path.suffix == notebook.SUFFIX or not os.path.lexists(beside):
        return read_source(path, root, exercise.names)
    if not os.path.lexists(path):
        return read_source(beside, root, exercise.names)
    both = f"there are both {printable(path.name)} and {printable(beside.name)}; keep one of them"
    return Source(readable(path), problem="unreadable", message=both)


def notebook_source(path: Path, data: bytes, names: Collection[str]) -> Source:
    """Return the source of an exercise from the content of a notebook.

    Args:
        names: the names of the exercise.
    """
    try:
        return joined(path, notebook.code_cells(data), names)
    except notebook.NotebookError as error:
        return Source(path, problem="unreadable", message=f"{path.name} {printable(str(error))}")


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
    if isinstance(content, Source):
        return content
    if names is not None and is_notebook:
        return notebook_source(readable(path), content, names)
    return decode_source(readable(path), content)


def graded_in(path: Path, exercises: Iterable[Exercise]) -> list[Exercise]:
    """Return the exercises that the cells of a notebook name with `%%grade`. Raises `NotebookError`."""
    content = read_content(path, None, notebook.MAX_BYTES)
    if isinstance(content, Source):
        raise notebook.NotebookError(str(content.message))
    try:
        cells = notebook.code_cells(content)
    except notebook.NotebookError as error:
        raise notebook.NotebookError(f"{readable(path).name} {printable(str(error))}") from None
    return [exercise for exercise in exercises if any(cell.is_of(exercise.names) for cell in cells)]


def read_content(path: Path, root: Path | None, most: int) -> bytes | Source:
    """Return the content of a regular file, or the reason why there is none.

    At most `most + 1` bytes are returned.
    """
    shown = readable(path)
    try:
        handle = _open(path, root)
    except FileNotFoundError:
        return Source(shown, problem="missing", message=f"there is no file {shown.name}")
    except OSError as error:
        linked = error.errno in (errno.ELOOP, errno.EMLINK) or (root is not None and error.errno == errno.ENOTDIR)
        why = "there is a symbolic link in its path" if linked else (error.strerror or "unknown reason")
        return Source(shown, problem="unreadable", message=f"{shown.name} cannot be read: {why}")
    why_not = _refusal(os.fstat(handle), most)
    if why_not:
        os.close(handle)
        return Source(shown, problem="unreadable", message=f"{shown.name} {why_not}")
    with os.fdopen(handle, "rb") as file:
        return file.read(most + 1)


def decode_source(path: Path, data: bytes) -> Source:
    """Return the source for the content of a file. The first `MAX_BYTES + 1` bytes of it are enough."""
    if len(data) > MAX_BYTES:
        return Source(path, problem="unreadable", message=f"{path.name} {_too_large(MAX_BYTES)}")
    if b"\0" in data:
        return Source(path, problem="unreadable", message=f"{path.name} is not text: it has NUL bytes (UTF-16?)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Source(path, problem="unreadable", message=f"{path.name} is not UTF-8 (byte {error.start})")
    return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"))


def _too_large(most: int) -> str:
    return f"is larger than {most >> 10} KB" if most < 1 << 20 else f"is larger than {most >> 20} MB"


def _refusal(found: os.stat_result, most: int) -> str | None:
    if not stat.S_ISREG(found.st_mode):
        return "is not a regular file"
    if found.st_nlink > 1:
        return "is a hard link: the same file has another name elsewhere"
    return _too_large(most) if found.st_size > most else None


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
