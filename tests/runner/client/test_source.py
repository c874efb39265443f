"""Reading a learner's file from disk, for any kind of file."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from every import every
from unread import why_unread

from grader.course.remarks import CellStart, Reason
from grader.runner.client import NotebookError, Source, code_cells, read_source, without_magics
from grader.runner.client.bounds import CELLS, NOTEBOOK, SOURCE
from grader.words.facts import place
from grader.words.practice import unread_text


def read(folder: Path, content: bytes) -> Source:
    path = folder / "01_file.py"
    path.write_bytes(content)
    return read_source(path)


@pytest.mark.parametrize(
    ("expected", "content"),
    [
        ("", b""),
        ("x = 1\n", b"x = 1\n"),
        ("x = 1", b"\xef\xbb\xbfx = 1"),
        ("", b"\xef\xbb\xbf"),
        ("x = 1\ny = 2\n", b"x = 1\r\ny = 2\r\n"),
        ("x = 1\ny = 2\n", b"x = 1\ry = 2\r"),
        ("x = 1\n\ny = 2", b"x = 1\r\n\ry = 2"),
        ("# größe ∂L/∂a 🙂\n", "# größe ∂L/∂a 🙂\n".encode()),
        ("x = 1\n\x0c\ny = 2\n", b"x = 1\n\x0c\ny = 2\n"),
    ],
    ids=["empty", "plain", "BOM", "BOM alone", "CRLF", "CR", "mixed", "beyond ASCII", "form feed"],
)
def test_text_is_read(tmp_path: Path, expected: str, content: bytes) -> None:
    """UTF-8 is read with or without a BOM, and line ends are unified."""
    found = read(tmp_path, content)
    assert (expected, None, None) == (found.text, found.problem, found.unread)


@pytest.mark.parametrize(
    ("expected", "content"),
    [
        (Reason("nul_bytes"), b"x = 1\0\n"),
        (Reason("nul_bytes"), "x = 1\n".encode("utf-16-le")),
        (Reason("nul_bytes"), "x = 1\n".encode("utf-16")),
        (Reason("not_utf8", count=2), b"# \xff\xfe"),
        (Reason("not_utf8", count=7), "x = 'größe'".encode("latin-1")),
        (Reason("not_utf8", count=0), "\ud800".encode("utf-8", "surrogatepass")),
        (Reason("too_large", limit_kb=256), b"#" * (SOURCE + 1)),
    ],
    ids=["NUL", "UTF-16", "UTF-16 with BOM", "bytes", "Latin-1", "surrogate", "large"],
)
def test_what_is_no_text_is_unreadable(tmp_path: Path, expected: Reason, content: bytes) -> None:
    """A file that is not UTF-8 text, or is too large, is unreadable with a reason."""
    found = read(tmp_path, content)
    assert ("", "unreadable", expected) == (found.text, found.problem, found.unread)


def test_a_file_of_just_the_limit_is_read(tmp_path: Path) -> None:
    """256 KB are allowed; the limit is exact."""
    assert len(read(tmp_path, b"#" * SOURCE).text) == SOURCE


@pytest.mark.parametrize("name", ["01_file.py", "no/such/folder/01_file.py"])
def test_a_file_that_is_not_there_is_missing(tmp_path: Path, name: str) -> None:
    """A missing file is distinguished from an unreadable one."""
    found = read_source(tmp_path / name)
    assert ("missing", Reason("missing")) == (found.problem, found.unread)


LINK, NO_FILE = Reason("symbolic_link"), Reason("not_regular")
ODD: dict[str, tuple[Reason, Callable[[Path], Any]]] = {
    "a link": (LINK, lambda path: path.symlink_to("solution.py")),
    "a link to nowhere": (LINK, lambda path: path.symlink_to("nothing")),
    "a link to a device": (LINK, lambda path: path.symlink_to("/dev/zero")),
    "a link to standard input": (LINK, lambda path: path.symlink_to("/dev/stdin")),
    "a link to a folder": (LINK, lambda path: path.symlink_to(".")),
    "a second name": (Reason("hard_link"), lambda path: path.hardlink_to(path.with_name("solution.py"))),
    "a folder": (NO_FILE, Path.mkdir),
    "a pipe": (NO_FILE, os.mkfifo),
}


@pytest.mark.parametrize(("expected", "make"), ODD.values(), ids=ODD)
def test_what_is_no_file_of_its_own_is_not_read(tmp_path: Path, expected: Reason, make: Callable[[Path], Any]) -> None:
    """No link is followed, reading waits for no pipe, and nothing stays open. A hard link may be somebody else's."""
    (tmp_path / "solution.py").write_text("secret = 1\n")
    make(tmp_path / "01_file.py")
    descriptors = len(os.listdir("/proc/self/fd"))
    found = read_source(tmp_path / "01_file.py")
    assert ("", "unreadable", expected) == (found.text, found.problem, found.unread)
    assert descriptors == len(os.listdir("/proc/self/fd"))


def test_a_link_on_the_way_is_refused_where_a_folder_is_given(tmp_path: Path) -> None:
    """Below a submission's folder, no part of the path may be a link. Links above it belong to the reader."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "01_file.py").write_text("secret = 1\n")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "sub").symlink_to(tmp_path / "secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    found = read_source(tmp_path / "work" / "sub" / "01_file.py", tmp_path / "work")
    assert ("", LINK) == (found.text, found.unread)
    assert read_source(tmp_path / "link" / "01_file.py", tmp_path / "link").text == "secret = 1\n"


@pytest.mark.parametrize("name", ["01_file.py", "a/b/01_file.py"])
def test_a_file_below_a_folder_is_read(tmp_path: Path, name: str) -> None:
    """Real folders in the path are allowed. A missing file is missing."""
    path = tmp_path / name
    assert read_source(path, tmp_path).problem == "missing"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x = 1\n")
    assert read_source(path, tmp_path).text == "x = 1\n"


@pytest.mark.parametrize(
    ("error", "name"), [(errno.ENOTDIR, "file/01_file.py"), (errno.ENAMETOOLONG, f"{'x' * 300}.py")]
)
def test_what_the_system_refuses_is_unreadable(tmp_path: Path, error: int, name: str) -> None:
    """The reason has the system's message, for a path through a file and for a name that is too long."""
    (tmp_path / "file").write_text("")
    assert Reason("not_opened", detail=os.strerror(error)) == read_source(tmp_path / name).unread


def test_a_file_that_may_not_be_read_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason names the missing permission (simulated, because root may read everything)."""
    path = tmp_path / "01_file.py"
    path.write_text("x = 1\n")

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refuse)
    found = read_source(path)
    monkeypatch.undo()
    assert Reason("not_opened", detail="Permission denied") == found.unread


# -- Any notebook becomes the source of an exercise, or an error

NAMES = ("accumulate", "03", "3", "03_accumulate", "03_accumulate.py")


def notebook(*cells: str, **changes: Any) -> bytes:
    """Return a notebook as Jupyter saves it, with these code cells. A cell that begins with `# ` is Markdown."""
    kinds = [{"cell_type": "markdown"} if cell.startswith("# ") else {"cell_type": "code"} for cell in cells]
    written = [kind | {"metadata": {}, "source": cell} for kind, cell in zip(kinds, cells, strict=True)]
    spec = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    content: dict[str, Any] = {"cells": written, "metadata": spec, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content | changes).encode()


def read_notebook(folder: Path, content: bytes) -> Source:
    path = folder / "work.ipynb"
    path.write_bytes(content)
    return read_source(path, names=NAMES)


def test_code_cells_follow_one_another(tmp_path: Path) -> None:
    """Text cells are left out. Cells are numbered as by Jupyter when it runs all of them."""
    found = read_notebook(tmp_path, notebook("# Title", "x = 1\ny = 2", " \n", "z = 3"))
    assert ("x = 1\ny = 2\nz = 3", None) == (found.text, found.problem)
    assert (CellStart(1, 1), CellStart(2, 3)) == found.cells


def test_a_source_may_be_a_list_of_lines(tmp_path: Path) -> None:
    """A source is a list of lines, as from Jupyter, or a string, as from other programs. Line ends are unified."""
    cell = {"cell_type": "code", "source": ["x = 1\r\n", "y = 2"], "outputs": [{"data": {"image/png": "…"}}]}
    assert "x = 1\ny = 2" == read_notebook(tmp_path, notebook(cells=[cell])).text


def test_the_last_cell_for_the_exercise_counts(tmp_path: Path) -> None:
    """`%%grade` with any name of the exercise marks its cell."""
    found = read_notebook(
        tmp_path, notebook("import math", "%%grade 3\nx = 1", "%%grade 03_accumulate\nx = 2", "%%grade swap\n")
    )
    assert ("\nx = 2", (CellStart(3, 1),)) == (found.text, found.cells)


def test_cells_for_other_exercises_are_left_out(tmp_path: Path) -> None:
    """A notebook without a cell for the exercise gives all cells that are for no exercise."""
    assert "x = 1\ny = 2" == read_notebook(tmp_path, notebook("x = 1", "%%grade swap\nx = 3", "y = 2")).text


@every(
    ("expected", "cell"),
    [
        ("pass\nx = 1", "%matplotlib inline\nx = 1"),
        ("pass\npass\npass\npass", "!ls\nfiles = !ls\nspent = %timeit f()\nValue.grad?"),
        ("if x:\n    pass\n\n    y = 1", "if x:\n    !ls \\\n      -l\n    y = 1"),
        ("y = (a\n  % b)", "y = (a\n  % b)"),
        ("y = a \\\n  % b", "y = a \\\n  % b"),
        ('s = """\n%no\n!no (\n"""\npass', 's = """\n%no\n!no (\n"""\n%yes'),
        ("s = 'it\\'s (' # [\npass", "s = 'it\\'s (' # [\n%yes"),
        ("s = f'{d[\"a\"]}'\npass", "s = f'{d[\"a\"]}'\n%yes"),
        ('a %= b\nprint("%d" % a, a != b)', 'a %= b\nprint("%d" % a, a != b)'),
    ],
    ids=["line", "kinds", "indented", "brackets", "continued", "in a string", "quotes", "format", "Python"],
)
def test_magics_and_shell_lines_are_left_out(expected: str, cell: str) -> None:
    """`pass` replaces each of these lines, so that line numbers stay. Lines that Python can read stay."""
    assert expected == without_magics(cell)


@every(
    ("expected", "cell"),
    [("\nx = 1", "%%time\nx = 1"), ("\n", "%%bash\nls"), ("\n\nx = 1", "\n%%grade\nx = 1"), ("\n", "%%html\n<b>")],
)
def test_a_cell_magic_decides_about_its_cell(expected: str, cell: str) -> None:
    """A cell that IPython runs as Python is kept, and a cell in another language is left out."""
    assert [expected] == [cell.text for cell in code_cells(notebook(cell))]


DEEP = b'{"nbformat": 4, "cells": [], "x": ' + b"[" * 200_000
NUMBER = notebook(cells=[{"cell_type": "code", "source": 1}])
OLD = notebook(cells=[], nbformat=3, worksheets=[])
JULIA = notebook("x = 1", metadata={"kernelspec": {"language": "julia", "name": "julia-1.9"}})


@pytest.mark.parametrize(
    ("expected", "content"),
    [
        ("cannot be read: Input data was truncated; clear its outputs", b'{"nbformat": 4, "cells": ['),
        ("cannot be read: JSON is malformed", b"x = 1"),
        ("is not a Jupyter notebook: Expected `object`, got `array`", b"[]"),
        ("missing required field `nbformat`", b"{}"),
        ("Expected `str | array`, got `int` - at `$.cells[0].source`", NUMBER),
        ("its JSON is nested too deeply", DEEP),
        ("cannot be read: JSON is malformed", notebook(cells=[], x=float("nan"))),
        ("cannot be read: it is not UTF-8", b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "\xff"}]}'),
        ("it has NUL characters", notebook("x = '\0'")),
        ("has nbformat 3, and only 4 can be read; open it in Jupyter", OLD),
        ("is a notebook for julia", JULIA),
        (f"has more than {CELLS} cells", notebook(*["x"] * (CELLS + 1))),
        ("has more than 256 KB of code", notebook("#" * SOURCE)),
        ("has more than 256 KB of code", notebook("!\n" * (SOURCE // 3))),
        ("is larger than 16 MB", b" " * (NOTEBOOK + 1)),
    ],
)  # fmt: skip
def test_what_is_no_notebook_is_unreadable(tmp_path: Path, expected: str, content: bytes) -> None:
    """The message names the file and the reason, and says what to do if there is a remedy."""
    found = read_notebook(tmp_path, content)
    assert ("", "unreadable") == (found.text, found.problem)
    assert str(why_unread(found)).startswith("work.ipynb ")
    assert expected in str(why_unread(found))


def test_outputs_are_not_kept() -> None:
    """Megabytes of pictures are skipped, even after a byte order mark."""
    cell = {"cell_type": "code", "source": "x", "outputs": [{"data": {"image/png": "A" * (8 << 20)}}]}
    assert ["x"] == [cell.text for cell in code_cells(b"\xef\xbb\xbf" + notebook(cells=[cell]))]


@pytest.mark.slow
def test_a_magic_cannot_cost_time() -> None:
    """The time to search a quarter of a megabyte of any text grows only with its length."""
    for text in (
        " " * SOURCE,
        "a" * SOURCE,
        '"' * SOURCE,
        "'''" * (SOURCE // 3),
        "[(" * (SOURCE // 2),
        "\\\n" * 99_999,
    ):
        without_magics(text)


def test_lines_are_named_by_their_cell() -> None:
    """A line of a notebook is named by the cell's number and the line in the cell, a line of a file by its number."""
    cells = (CellStart(2, 1), CellStart(5, 4))
    assert ["cell 2, line 3", "cell 5, line 1"] == [place(cells, 3), place(cells, 4)]
    assert ["cell 5, lines 2 to 6", "cell 5, line 2"] == [place(cells, 5, 9), place(cells, 5, 5)]
    assert ["line 3", "lines 3 to 9"] == [place((), 3), place((), 3, 9)]


def test_an_error_is_one_sentence() -> None:
    """Text from the file is cut, and never spans lines."""
    with pytest.raises(NotebookError) as raised:
        code_cells(notebook("x", metadata={"kernelspec": {"language": "R" * 999}}))
    assert len(unread_text(raised.value.reason, "work.ipynb")) < 120
