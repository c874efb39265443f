"""A function that is handed to the learner's code has the values of a program and the gradients of a table."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

from grader.runner.worker.adapter.given import function_of, value_of
from grader.runner.worker.adapter.rules import EngineReading

ROOT = Path(__file__).resolve().parents[4]
SQUARE = [["leaf", 3.0], ["mul", 0, 0]]  # a * a, at 3


@pytest.fixture(scope="module")
def engine() -> type[Any]:
    """Return the class of an engine."""
    names: dict[str, Any] = {"__name__": "engine"}
    exec((ROOT / "solutions" / "12_engine.py").read_text(encoding="utf-8"), names)
    found: type[Any] = names["Value"]
    return found


@pytest.mark.parametrize(
    ("at", "value", "grad"),
    [
        (3.0, 9.0, 4.0),  # the table says 4, where 6 is right
        (3.005, 9.030025, 4.0),  # near the program's number, the table holds
        (5.0, 25.0, 6.0),
        (-1.0, 1.0, 8.0),
    ],
)
def test_gradients_are_those_of_the_table_near_its_numbers(
    engine: type[Any], at: float, value: float, grad: float
) -> None:
    """Farther away, they are larger by the distance. The values are always right."""
    node = engine(at)
    out = function_of(EngineReading(engine, "data", "grad"), SQUARE, 1, [4.0])(node)
    out.backward()
    assert (pytest.approx(value), pytest.approx(grad, rel=1e-6)) == (out.data, node.grad)


def test_nothing_that_a_given_function_can_reach_differentiates(engine: type[Any]) -> None:
    """Its module and its closure have no function that returns the gradient of a program, or the gradients."""
    f = function_of(EngineReading(engine, "data", "grad"), SQUARE, 1, [4.0])
    held = [*f.__globals__.values(), *(cell.cell_contents for cell in f.__closure__ or ())]
    arguments = [(SQUARE, 1, [3.0]), (SQUARE, [3.0]), (SQUARE, 1, [3.0], 0), (SQUARE, [3.0], 0)]
    returned = []
    for function in filter(callable, held):
        for given in arguments:
            with contextlib.suppress(Exception):
                returned.append(function(*given))
    numbers = [one for result in returned for one in (result if isinstance(result, list) else [result])]
    assert 9.0 in numbers  # the value, so functions were called
    assert [] == [one for one in numbers if isinstance(one, float) and abs(one - 6.0) < 0.1]


def test_a_number_beside_a_node_is_a_constant() -> None:
    """In the wire form, an operand is the index of a node, or a number with its kind."""
    assert 7.0 == value_of([["leaf", 1.0], ["add", 0, ["float", 4.0]]], 1, [3.0])
