"""What an engine does not have costs it once, where it is asked for."""

import re
from collections.abc import Callable
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


def no_neg(base: str) -> str:
    return lacking(base, "__neg__")


def no_pow(base: str) -> str:
    return lacking(base, "__pow__")


def edited(change: Callable[[str], str], old: str, new: str) -> Callable[[str], str]:
    """Return a function that makes one more change of the text."""

    def both(base: str) -> str:
        assert 1 == change(base).count(old), old
        return change(base).replace(old, new)

    return both


ELSEWHERE = {"local_rules", "backward_pass", "random_graphs"}
SIGMOID = "def sigmoid(self):\n"
# engines in which an operation uses a missing one, and the checks that they lose
USES_MISSING: dict[str, tuple[Callable[[str], str], set[str]]] = {
    "no __neg__": (no_neg, {"minus"}),
    "no __pow__": (no_pow, {"powers"}),
    "no __neg__, no __pow__": (lambda base: no_neg(no_pow(base)), {"minus", "powers"}),
    # relu is asked for in one check, and the minus that it uses in another
    "relu by minus": (
        edited(no_neg, "def relu(self):\n", "def relu(self):\n        -self\n"),
        {"minus", "relu"},
    ),
    # what costs more: the cause is not a missing method
    "another refusal": (
        edited(no_neg, "return self + (-other)", "return self + math.floor(other)"),
        {"minus", "optional", *ELSEWHERE},
    ),
    "raised by the engine": (
        edited(
            no_neg,
            "return self + (-other)",
            """raise TypeError("bad operand type for unary -: 'Value'")""",
        ),
        {"minus", "optional", *ELSEWHERE},
    ),
    "sometimes": (
        edited(
            no_neg, "return self + (-other)", "return self + (other * -1 if getattr(other, 'data', 1) < 0 else -other)"
        ),
        {"minus", "local_rules", "random_graphs", "optional"},
    ),
    "+ by minus": (
        edited(
            no_neg,
            "def __radd__(self, other):\n        return",
            "def __radd__(self, other):\n        -self\n        return",
        ),
        {"minus", "optional"},
    ),
    "a function by minus": (
        edited(no_neg, SIGMOID, f"{SIGMOID}        -self\n"),
        {"minus", "optional"},
    ),
    "in a rule": (
        edited(
            no_neg,
            "self.grad += out.grad\n            other.grad += out.grad",
            "(-self).grad += out.grad\n            other.grad += out.grad",
        ),
        {"plus_times", "shared_nodes", "minus", "powers", "relu", "optional", *ELSEWHERE},
    ),
    "a wrong - without __neg__": (
        edited(no_neg, "return self + (-other)", "return other + self * -1"),
        {"minus", "optional", *ELSEWHERE},
    ),
}


def lacking(base: str, *methods: str) -> str:
    """The engine with some methods under names that nobody asks for."""
    for method in methods:
        assert base.count(f"def {method}(") == 1
        base = base.replace(f"def {method}(", f"def _no_{method.strip('_')}(")
    return base


# each run of the tests grades these, and a long run grades the others
SAMPLE = ("no __neg__", "relu by minus", "raised by the engine", "in a rule")
USES = [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.exhaustive) for name in USES_MISSING]


@pytest.fixture(scope="module")
def results(table: ModuleType, memo: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    """The exercise's part of the report for the right engine of the fixtures, without this or that."""
    params = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    asked = {one["uses"] for one in params if "uses" in one}
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
        **{name: change(base) for name, (change, _) in USES_MISSING.items() if name in asked},
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


@pytest.mark.parametrize("uses", USES)
def test_an_operation_that_uses_a_missing_one_costs_the_checks_that_ask_for_the_two(
    results: dict[str, Any], uses: str
) -> None:
    """Only Python's own refusal counts, while a graph is built, and only if it comes each time."""
    _, lost = USES_MISSING[uses]
    assert lost == results[uses].lost, results[uses].explain()


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
