"""What an engine does not have costs it once, where it is asked for."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.slow

FUNCTIONS = ("tanh", "exp", "log", "sigmoid")
OPERATORS = ("__pow__", "__neg__", "__sub__", "__truediv__", "__radd__", "__rsub__", "__rmul__", "__rtruediv__")
BEYOND = (*OPERATORS, "relu", *FUNCTIONS)
# what stores a rule, and the method `backward`
RULES_AND_PASS = re.compile(r"\n        out\._backward = .*|\n    def backward[(](.*\n)*?(?=    def)")


def lacking(base: str, *methods: str) -> str:
    """The engine with some methods under names that nobody asks for."""
    for method in methods:
        assert base.count(f"def {method}(") == 1
        base = base.replace(f"def {method}(", f"def _no_{method.strip('_')}(")
    return base


@pytest.fixture(scope="module")
def results(table: ModuleType, memo: Path) -> dict[str, Any]:
    """The exercise's part of the report for the right engine of the fixtures, without this or that."""
    base = (table.ENGINES / "base.py").read_text(encoding="utf-8")
    texts = {
        "relu": lacking(base, "relu"),
        "__sub__": lacking(base, "__sub__"),
        "__truediv__": lacking(base, "__truediv__"),
        "functions": lacking(base, *FUNCTIONS),
        "everything": lacking(
            base, "__add__", "__mul__", "__pow__", "relu", "__neg__", "__sub__", "__truediv__", *FUNCTIONS
        ),
        "argument": base.replace("def sigmoid(self)", "def sigmoid(self, x)"),
        "beyond + and *": lacking(base, *BEYOND),
        "the backward pass": RULES_AND_PASS.sub("\n", base),
    }
    entries = [table.Entry(table.RIGHT_ENGINE, table.ENGINE, name, text) for name, text in texts.items()]
    return {verdict.entry.name: verdict for verdict in table.grade_all(entries, memo=memo)}


@pytest.mark.parametrize(
    ("method", "check", "said"),
    [
        ("relu", "relu", "your engine has no `relu` that takes a node and returns one: define a method `relu`"),
        ("__sub__", "minus", "your engine has no `-`: define `__sub__`"),
        ("__truediv__", "powers", "your engine has no `/`: define `__truediv__`"),
    ],
)
def test_a_missing_operation_costs_the_check_that_asks_for_it(
    results: dict[str, Any], method: str, check: str, said: str
) -> None:
    """The other checks leave out what contains it, and the reason says what to define."""
    verdict = results[method]
    (failed,) = [result for result in verdict.result["checks"] if result["id"] == check]
    assert {check} == verdict.lost
    assert said == failed["message"]
    assert {"kind": "not_offered", "detail": method} == failed["reason"]


def test_functions_that_are_not_offered_cost_nothing(results: dict[str, Any]) -> None:
    """As the exercise says."""
    assert set() == results["functions"].lost


def test_an_engine_with_plus_and_times_alone_loses_the_other_operations(results: dict[str, Any]) -> None:
    """Its graphs, its local rules and its backward pass count in full."""
    verdict = results["beyond + and *"]
    assert {"minus", "powers", "relu"} == verdict.lost
    assert 7 == verdict.result["score"]


def test_an_engine_without_a_backward_pass_gets_the_point_for_its_values(results: dict[str, Any]) -> None:
    """The first step earns the first point."""
    verdict = results["the backward pass"]
    assert {"forward": 1} == {check: points for check, points in verdict.points.items() if points}


def test_an_engine_that_lacks_everything_passes_nothing(results: dict[str, Any]) -> None:
    """A check of which nothing is left is not passed."""
    assert 0 == results["everything"].result["score"]


def test_a_function_that_takes_an_argument_is_passed_over_and_named(results: dict[str, Any]) -> None:
    """Nobody takes it for checked."""
    verdict = results["argument"]
    assert set() == verdict.lost
    assert "`sigmoid` was not run: it takes an argument besides `self`" in verdict.result["message"]
