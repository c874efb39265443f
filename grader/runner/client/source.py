"""Read a learner's file, or the Python code of a Jupyter notebook, without running it and without trusting its path.

The format of notebooks is that of https://nbformat.readthedocs.io/en/latest/format_description.html, major version 4.
Only the fields declared here are read from a notebook. The decoder skips outputs.
"""

import errno
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from ...base.text import printable, readable
from ...course.load import Exercise
from ...course.remarks import CellStart, Reason
from . import bounds

# -- Notebooks

NOTEBOOK = ".ipynb"
GRADED = "grade"  # the cell magic that names the exercise of a cell: `%%grade distribute`

_MAJOR = 4
_PYTHON = ("python", "ipython", "python3")
# cell magics whose cells IPython runs as Python; cells with other magics are left out
_RUN_AS_PYTHON = ("capture", "prun", "time", GRADED)
_CELL_MAGIC = re.compile(r"\s*%%(\S*)[ \t]*([^\n]*)")
_MAGIC = re.compile(r"\s*(?:[%!]|\?{1,2}\w|[\w.]+\?{1,2}\s*$|[\w*][\w.,*\[\] \t]*=\s*(?:!|%[A-Za-z]))")
_INDENT = re.compile(r"[ \t]*")
_QUOTE = re.compile(r"\"\"\"|'''|[\"']|[#()\[\]{}]")
_ENDS = {quote: re.compile(r"\\.|" + quote) for quote in ('"""', "'''", '"', "'")}


class NotebookError(ValueError):
    """A file is not a notebook that can be graded, for the given reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class Cell(NamedTuple):
    """A code cell.

    Attributes:
        number: The number that Jupyter shows beside the cell after "Restart and Run All". Cells without text have
            none.
        text: The code, with `pass` in place of magics and shell lines. It has as many lines as the cell.
        exercise: The word after `%%grade`, or empty.
    """

    number: int
    text: str
    exercise: str = ""

    def is_of(self, names: Collection[str]) -> bool:
        """Return whether the cell names the exercise that has these names."""
        return bool(self.exercise) and self.exercise in names


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str] = ""


class _Language(msgspec.Struct):
    language: str = "python"
    name: str = "python"


class _Metadata(msgspec.Struct):
    kernelspec: _Language | None = None


class _Notebook(msgspec.Struct):
    nbformat: int
    cells: list[_Cell] = []
    metadata: _Metadata | None = None


_DECODER = msgspec.json.Decoder(_Notebook)


def code_cells(data: bytes) -> list[Cell]:
    """Return the code cells of a notebook, in order. Raises `NotebookError`.

    Args:
        data: the content of the file. The first `bounds.NOTEBOOK + 1` bytes are enough.
    """
    if len(data) > bounds.NOTEBOOK:
        raise NotebookError(Reason("notebook_too_large", limit_kb=bounds.NOTEBOOK >> 10))
    notebook = _decoded(data)
    if notebook.nbformat != _MAJOR:
        raise NotebookError(Reason("nbformat", count=notebook.nbformat))
    language = notebook.metadata.kernelspec.language if notebook.metadata and notebook.metadata.kernelspec else "python"
    if language.lower() not in _PYTHON:
        raise NotebookError(Reason("language", detail=printable(bounds.cut(language, bounds.NAME))))
    if len(notebook.cells) > bounds.CELLS:
        raise NotebookError(Reason("too_many_cells", count=bounds.CELLS))
    # cells are numbered as Jupyter runs them: cells without text get no number
    texts = ("".join(cell.source) for cell in notebook.cells if cell.cell_type == "code")
    written = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts if text and not text.isspace()]
    if any("\0" in text for text in written):
        raise NotebookError(Reason("nul_characters"))
    cells = [_cell(number, text) for number, text in enumerate(written, 1)]
    if sum(len(cell.text.encode()) + 1 for cell in cells) > bounds.SOURCE:
        raise NotebookError(Reason("too_much_code", limit_kb=bounds.SOURCE >> 10))
    return cells


def _decoded(data: bytes) -> _Notebook:
    try:
        return _DECODER.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except msgspec.ValidationError as error:
        raise NotebookError(Reason("not_a_notebook", detail=printable(str(error)))) from None
    except UnicodeDecodeError:
        raise NotebookError(Reason("notebook_not_utf8")) from None
    except msgspec.DecodeError as error:
        raise NotebookError(Reason("not_json", detail=printable(str(error)))) from None
    except RecursionError:
        raise NotebookError(Reason("nested")) from None


def _cell(number: int, text: str) -> Cell:
    magic = _CELL_MAGIC.match(text)
    if magic is None:
        return Cell(number, without_magics(text))
    blank = "\n" * text.count("\n")
    # as many lines as before, so that line numbers stay those of the cell
    if magic[1] not in _RUN_AS_PYTHON:
        return Cell(number, blank)
    head = text[: magic.end()].count("\n")
    body = "\n" * head + without_magics(text[magic.end() :])
    return Cell(number, body, magic[2].split()[0] if magic[1] == GRADED and magic[2].split() else "")


def without_magics(text: str) -> str:
    """Return the text of a cell with `pass` in place of each line magic, shell line and help request.

    A line inside a string or brackets, or after a backslash, is kept unchanged.
    """
    return "\n".join(_python_lines(text.split("\n")))


def _python_lines(lines: Sequence[str]) -> Iterator[str]:
    depth, quote, continued, in_magic = 0, "", False, False
    for line in lines:
        begins = not (depth or quote or continued)
        if in_magic or (begins and _MAGIC.match(line)):
            indent = _INDENT.match(line)
            # a magic that continues takes several lines, of which the first one becomes `pass`
            yield "" if in_magic else f"{indent[0] if indent else ''}pass"
            in_magic = line.endswith("\\")
            continue
        depth, quote = _after(line, depth, quote)
        continued = line.endswith("\\") and not quote
        yield line


def _after(line: str, depth: int, quote: str) -> tuple[int, str]:
    """Return the number of open brackets after a line, and the quotes that end a string which continues."""
    at = 0
    while True:
        if quote:
            end = next((match for match in _ENDS[quote].finditer(line, at) if match[0] == quote), None)
            if end is None:
                # only a triple-quoted string goes on by itself; any other needs a backslash
                return depth, quote if len(quote) == 3 or line.endswith("\\") else ""
            at, quote = end.end(), ""
        match = _QUOTE.search(line, at)
        # the rest of the line has no quotes or brackets, or is a comment
        if match is None or match[0] == "#":
            return depth, ""
        at = match.end()
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth = max(0, depth - 1)
        else:
            quote = match[0]


# -- Files

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
    beside = path.with_suffix(NOTEBOOK)
    if path.suffix == NOTEBOOK or not os.path.lexists(beside):
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
        return joined(path, code_cells(data), names)
    except NotebookError as error:
        return Source(path, unread=error.reason)


def joined(path: Path, cells: Sequence[Cell], names: Collection[str]) -> Source:
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
    is_notebook = names is not None and path.suffix == NOTEBOOK
    content = read_content(path, root, bounds.NOTEBOOK if is_notebook else bounds.SOURCE)
    if isinstance(content, Reason):
        return Source(readable(path), unread=content)
    if names is not None and is_notebook:
        return notebook_source(readable(path), content, names)
    return decode_source(readable(path), content)


def graded_in(path: Path, exercises: Iterable[Exercise]) -> list[Exercise]:
    """Return the exercises that the cells of a notebook name with `%%grade`. Raises `NotebookError`."""
    content = read_content(path, None, bounds.NOTEBOOK)
    if isinstance(content, Reason):
        raise NotebookError(content)
    cells = code_cells(content)
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
        # these are the errors of `O_NOFOLLOW`, and of `O_DIRECTORY` for a link in place of a folder
        linked = error.errno in (errno.ELOOP, errno.EMLINK) or (root is not None and error.errno == errno.ENOTDIR)
        return Reason("symbolic_link") if linked else Reason("not_opened", detail=error.strerror)
    # of the open file, because the path may lead to another one by now
    refusal = _refusal(os.fstat(handle), most)
    if refusal:
        os.close(handle)
        return refusal
    with os.fdopen(handle, "rb") as file:
        return file.read(most + 1)  # the file may have grown since; one byte more shows that


def decode_source(path: Path, data: bytes) -> Source:
    """Return the source for the content of a file. The first `bounds.SOURCE + 1` bytes of it are enough."""
    if len(data) > bounds.SOURCE:
        return Source(path, unread=Reason("too_large", limit_kb=bounds.SOURCE >> 10))
    if b"\0" in data:
        return Source(path, unread=Reason("nul_bytes"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Source(path, unread=Reason("not_utf8", count=error.start))
    return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"))


def _refusal(status: os.stat_result, most: int) -> Reason | None:
    if not stat.S_ISREG(status.st_mode):
        return Reason("not_regular")
    if status.st_nlink > 1:
        return Reason("hard_link")
    return Reason("too_large", limit_kb=most >> 10) if status.st_size > most else None


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
