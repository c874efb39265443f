"""A notebook is loaded cell by cell, as Jupyter runs it."""

from collections.abc import Sequence
from types import ModuleType

import pytest

from grader.worker.adapter import load
from grader.worker.adapter.load import OutOfCalls

NAME = "work.ipynb"


def loaded(*cells: str, budget: int | None = None) -> ModuleType:
    """Return the module of a notebook with these cells."""
    source, starts = joined(cells)
    parsed = load.parse(source, NAME, starts)
    return load.execute(parsed, load.builtins_for(parsed, {}), budget)


def joined(cells: Sequence[str]) -> tuple[str, list[int]]:
    """Return the cells one after the other, and the lines in which they begin."""
    starts, line = [], 1
    for cell in cells:
        starts.append(line)
        line += cell.count("\n") + 1
    return "\n".join(cells), starts


def test_cells_share_their_names() -> None:
    """A cell can use and redefine names of earlier cells."""
    assert 3 == loaded("x = 1", "y = x + 1", "x = y + 1").x


def test_a_cell_that_raises_is_left_there() -> None:
    """The cells after it run, and the names that it defined before are kept."""
    module = loaded("x = 1\n1 / 0\nx = 2", "y = x")
    assert (1, 1) == (module.x, module.y)


def test_a_cell_with_a_syntax_error_is_left_out() -> None:
    """As in Jupyter, only that cell does not run."""
    assert 1 == loaded("x = 1", "x = = 2", "y = x").y


@pytest.mark.parametrize(
    ("expected", "cell"),
    [
        (["raised", "ZeroDivisionError", "division by zero", [3]], "1 / 0\ndef train(): pass"),
        (["raised", "ZeroDivisionError", "division by zero", [4]], "\ntrain = 1 / 0"),
        (["syntax", "SyntaxError", "invalid syntax", [4]], "\nclass train(: pass"),
    ],
)
def test_a_missing_name_is_explained_by_its_cell(expected: list[object], cell: str) -> None:
    """The error is that of the cell that would have defined the name. Its line is counted through all cells."""
    module = loaded("x = 1\ny = 2", cell)
    with pytest.raises((ZeroDivisionError, SyntaxError)) as raised:
        load.need(module, "train")
    assert expected == load.describe(raised.value, NAME)


def test_another_cell_explains_nothing() -> None:
    """If no failed cell would have defined a name, the error is the missing name."""
    assert None is load.need(loaded("x = 1", "retrain = 1 / 0\ntrain(x)"), "train")


def test_a_name_that_is_there_needs_no_explanation() -> None:
    """If a later definition fails, an earlier one counts."""
    assert 1 == load.need(loaded("train = 1", "train = 1 / 0"), "train")


def test_a_future_holds_in_the_cells_after_it() -> None:
    """A `from __future__` import also applies to later cells, as in Jupyter."""
    module = loaded("from __future__ import annotations", "def f(x: Missing) -> None: pass")
    assert {"x": "Missing", "return": "None"} == module.f.__annotations__


def test_imports_in_a_try_are_found_in_every_cell() -> None:
    """Inside `try`, a missing module raises an error. Elsewhere it is a placeholder."""
    module = loaded("try:\n    import nowhere\nexcept ImportError:\n    x = 1", "import nowhere.else_")
    assert 1 == module.x


def test_limits_end_all_cells() -> None:
    """If a cell runs out of a limit, the cells after it do not run."""
    with pytest.raises(OutOfCalls):
        loaded("def f(): f()", "f()", "x = 1", budget=10)
