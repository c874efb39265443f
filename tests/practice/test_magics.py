"""`%%grade`, with a shell of the tests in place of IPython."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.practice.magics import _Magics

ROOT = Path(__file__).resolve().parents[2]
OVERWRITES = (ROOT / "solutions" / "03_accumulate.py").read_text(encoding="utf-8").replace("+= other.d", "= other.d")
RAISES = "class Value:\n    def __init__(self, data):\n        raise ValueError('<b>&')"
Run = Callable[[str, str], tuple[list[Any], list[str]]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Return a function that grades a cell, and returns what is displayed and the cells that IPython runs."""
    displayed: list[Any] = []
    ran: list[str] = []
    shell = SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=["", *"abc"]), run_cell=ran.append)
    magics = _Magics(shell)

    def graded(line: str, cell: str) -> tuple[list[Any], list[str]]:
        displayed.clear()
        ran.clear()
        magics.grade(line, cell)
        return [*displayed], [*ran]

    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(ROOT)
        patched.setitem(sys.modules, "IPython", SimpleNamespace())
        module = SimpleNamespace(display=lambda *shown: displayed.extend(shown))
        patched.setitem(sys.modules, "IPython.display", module)
        yield graded
    magics.close()


def test_a_failure_is_told_as_text_and_as_html(run: Run) -> None:
    """The text has the cell and its lines, and the commands for a notebook. The HTML has a row for each check."""
    (verdict, replay), ran = run("3 --play", OVERWRITES)
    plain, html = repr(verdict), verdict._repr_html_()
    assert "(cell 3, lines" in plain
    assert "see it           %%grade accumulate --play" in plain
    assert re.search(r"hint +!.*grade.* hint accumulate 3", plain)
    assert "<strong>PARTIAL: 03 Every use adds up, " in html
    assert 6 == html.count("<tr>")
    assert "L = (a * b) + a    with a = 2, b = -3" in html
    assert "Replay: L = (a * b) + a" in repr(replay)
    assert replay._repr_html_().startswith('<iframe title="Replay of L = (a * b) + a')
    assert "<script" not in replay._repr_html_()  # all of the page is text in an attribute
    assert [OVERWRITES] == ran


@pytest.mark.parametrize(
    ("cell", "text", "html", "runs"),
    [
        (RAISES, "cell 3, line 4: raise ValueError(", "raised ValueError: &lt;b&gt;&amp;", True),
        ("class Value(", "notebook could not be loaded", "because Python cannot parse the file", False),
    ],
    ids=["an error", "a file that cannot be loaded"],
)
def test_a_cell_that_can_be_loaded_is_run(run: Run, cell: str, text: str, html: str, runs: bool) -> None:
    """Text of the learner is escaped in HTML. Without `--play` there is no replay."""
    (verdict,), ran = run("swap", cell)
    assert (text in repr(verdict), html in verdict._repr_html_()) == (True, True)
    assert runs == bool(ran)


def test_wrong_words_give_a_line(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is graded or run."""
    for line, text in {
        "nothing": "there is no exercise `nothing`; the exercises are 1 to",
        "": "name an exercise",
    }.items():
        assert ([], []) == run(line, "x")
        assert capsys.readouterr().out.startswith(f"grade: {text}")
