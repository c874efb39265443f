"""Notebooks as submissions, and a cell that is graded in a real kernel."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from offline_page import unpack

pytestmark = pytest.mark.slow

Grade = Callable[..., Any]
Solved = Callable[[str], str]


def write(path: Path, *cells: str) -> Path:
    """Save a notebook with these code cells after a text cell."""
    path.parent.mkdir(exist_ok=True)
    written = [nbformat.v4.new_markdown_cell("# Notes"), *map(nbformat.v4.new_code_cell, cells)]
    nbformat.write(nbformat.v4.new_notebook(cells=written), path)
    return path


@pytest.fixture
def wrong(solved: Solved) -> str:
    """Return exercise 03 with a rule of `*` that assigns."""
    text = solved("03_accumulate.py")
    assert 1 == text.count("self.grad += other.data * out.grad")
    return text.replace("self.grad += other.data * out.grad", "self.grad = other.data * out.grad")


def test_a_notebook_is_graded_in_place_of_the_file(grade: Grade, work: Path, solved: Solved, wrong: str) -> None:
    """Magics, failing cells and missing modules do no harm. A fact names the cell and the line."""
    path = work / "exercises" / "03_accumulate.ipynb"
    around = ("%matplotlib inline\nimport torch", "!ls", "torch.tensor(1)", "Value(1) +", "1 / 0")
    write(path, *around, solved("03_accumulate.py"), "assert False")
    assert "Score 10/10" in grade("3").stdout

    write(path, *around, wrong)
    done = grade("3")
    line = wrong[: wrong.index("def _backward", wrong.index("def __mul__"))].count("\n") + 1
    assert f"(cell 6, lines {line} to {line + 3})" in " ".join(done.stdout.split())
    (exercise,) = json.loads((path.parent / ".backward" / "report.json").read_text())["exercises"]
    assert str(Path("exercises", path.name)) == exercise["file"]
    assert {"cell": 6, "line": 7} == exercise["cells"][-1]

    (work / "exercises" / "03_accumulate.py").write_text(wrong)
    assert "there are both 03_accumulate.py and 03_accumulate.ipynb; keep one of them" in " ".join(
        grade("3").stdout.split()
    )


def test_one_notebook_may_hold_several_exercises(grade: Grade, work: Path, solved: Solved) -> None:
    """`%%grade EXERCISE` marks the cell for an exercise. Without it, the command must name the exercise."""
    cells = ("%load_ext grader", f"%%grade 1\n{solved('01_distribute.py')}", f"%%grade swap\n{solved('02_swap.py')}")
    write(work / "homework.ipynb", *cells)
    done = grade("homework.ipynb")
    assert "Score 10/10" in done.stdout
    assert "" == done.stderr

    write(work / "homework.ipynb", "x = 1")
    done = grade("homework.ipynb")
    assert 2 == done.returncode
    assert "which exercise is homework.ipynb for? write `grade EXERCISE homework.ipynb`" in done.stderr


def test_a_cell_is_graded_in_a_kernel(
    work: Path, environment: Mapping[str, str], solved: Solved, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`%%grade` shows the verdict as HTML and as text, then runs the cell. A hint is for the failure of a cell."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    sources = [
        "%load_ext grader",
        f"%%grade distribute\n{solved('01_distribute.py')}",
        "Value(2) + Value(3)",
        f"%%grade 3 --play\n{wrong}",
        "!grade hint accumulate 3",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    # a kernel of this interpreter, whatever kernels the machine has
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernels = work / "jupyter" / "kernels" / "tested"
    kernels.mkdir(parents=True)
    (kernels / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "tested", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(work / "jupyter"))
    NotebookClient(notebook, timeout=240, kernel_name="tested", allow_errors=True).execute(cwd=str(work))

    right, after, failed, hint = (shown(cell) for cell in notebook.cells[1:])
    assert "PASS     01 distribute" in right["text/plain"]
    assert "<strong>PASS: 01 Plus passes its gradient to both inputs, 5/5</strong>" in right["text/html"]
    assert "Value(data=5" in after["text/plain"]
    assert "(cell 4, lines" in failed["text/plain"]
    assert "hint             !grade hint accumulate 3" in failed["text/plain"]
    assert hint["text"].startswith("Hint 3 of 6 for 03_accumulate")
    assert "Replay: L = (a * b) + a" in notebook.cells[3].outputs[1]["data"]["text/plain"]


def shown(cell: Any) -> dict[str, str]:
    """Return the first output of a cell: its representations, or its text."""
    output = cell.outputs[0]
    return dict(output.get("data", output))


def test_play_takes_a_notebook_and_reset_leaves_it(grade: Grade, work: Path, wrong: str) -> None:
    """`grade play` accepts a notebook in place of the file, or one with cells for the exercise."""
    path = work / "exercises" / "03_accumulate.ipynb"
    write(path, "import torch", wrong)
    told = grade("3").stdout
    assert "see it           grade play accumulate 3\n" in told
    assert "then `grade 3`\n" in told
    in_place: tuple[tuple[str, ...], ...] = (("accumulate", "3"), ("exercises/03_accumulate.ipynb", "3"))
    for words in in_place:
        assert "Replayed exercises/03_accumulate.ipynb: L = (a * b) + a" in grade("play", *words, "--no-open").stdout
    page = (path.parent / ".backward" / "replay.html").read_text(encoding="utf-8")
    (replay,) = [one for one in unpack(page)["replays"] if one["title"].startswith("all users")]
    assert ("lost", None) == (replay["fault"], replay["problem"])

    refused = grade("reset", "3")
    assert (2, []) == (refused.returncode, list(path.parent.glob("*.py")))
    assert (
        "there is a notebook, exercises/03_accumulate.ipynb, in place of exercises/03_accumulate.py" in refused.stderr
    )

    path.unlink()
    write(work / "homework.ipynb", f"%%grade 3\n{wrong}", "1 / 0")
    named: tuple[tuple[str, ...], ...] = (("homework.ipynb",), ("accumulate", "homework.ipynb"))
    for words in (*named, ("shared", "homework.ipynb")):
        assert "Replayed homework.ipynb: L = (a * b" in grade("play", *words, "--no-open").stdout
    refused = grade("play", "nowhere.ipynb")
    assert (2, "grade: there is no file nowhere.ipynb\n") == (refused.returncode, refused.stderr)
