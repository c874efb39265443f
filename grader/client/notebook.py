"""Read the Python code of a Jupyter notebook, without running it and without trusting its file.

The format is that of https://nbformat.readthedocs.io/en/latest/format_description.html, major version 4. Only the
fields declared here are read from the file. The decoder skips outputs.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import msgspec

from ..base import printable
from ..remarks import Reason
from . import bounds

MAX_BYTES = bounds.NOTEBOOK
MAX_CELLS = bounds.CELLS
SUFFIX = ".ipynb"
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
        data: the content of the file. The first `MAX_BYTES + 1` bytes are enough.
    """
    if len(data) > MAX_BYTES:
        raise NotebookError(Reason("notebook_too_large", limit_kb=MAX_BYTES >> 10))
    notebook = _decoded(data)
    if notebook.nbformat != _MAJOR:
        raise NotebookError(Reason("nbformat", count=notebook.nbformat))
    language = notebook.metadata.kernelspec.language if notebook.metadata and notebook.metadata.kernelspec else "python"
    if language.lower() not in _PYTHON:
        raise NotebookError(Reason("language", detail=printable(bounds.cut(language, bounds.NAME))))
    if len(notebook.cells) > MAX_CELLS:
        raise NotebookError(Reason("too_many_cells", count=MAX_CELLS))
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
            end = next((found for found in _ENDS[quote].finditer(line, at) if found[0] == quote), None)
            if end is None:
                return depth, quote if len(quote) == 3 or line.endswith("\\") else ""
            at, quote = end.end(), ""
        found = _QUOTE.search(line, at)
        if found is None or found[0] == "#":
            return depth, ""
        at = found.end()
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth = max(0, depth - 1)
        else:
            quote = found[0]
