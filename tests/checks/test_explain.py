"""Sentences for the exceptions that Python really raises."""

import pytest

from grader.checks.explain import explain

VALUE = """
class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
    def __add__(self, other):
        return Value(self.data + other.data, (self, other))
    def back(node):
        pass
def nothing(*_):
    pass
a = Value(1.0)
"""


def raised(code: str) -> tuple[str, str]:
    """Type and message of what the code raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        exec(VALUE + code, {})
    return type(caught.value).__name__, str(caught.value)


@pytest.mark.parametrize(
    ("expected", "code"),
    [
        ("what is called here is None", "a.rule = nothing(); a.rule()"),
        ("what stands before .grad is None", "nothing(a).grad"),
        ("one of the two is None", "1.0 + nothing(a)"),
        ("a function gave None where a list is needed", "[x for x in nothing(a)]"),
        ("a plain number has no .data", "a + 2.0"),
        ("a plain number has no .data", "a.data.data"),
        ("the import of math is missing", "math.tanh(1)"),
        ("nothing here is called topo", "topo(a)"),
        ("count is assigned inside this function", "count = 0\ndef f():\n    count += 1\nf()"),
        ("a closure takes no arguments", "def _backward(): pass\n_backward(a)"),
        ("is `__init__` written with two underscores", "class Empty: pass\nEmpty(1.0)"),
        ("is it missing from the `def`", "class B:\n    def back(): pass\nB().back()"),
        ("Python asks the Value for __radd__", "2 + a"),
        ("Python asks the Value for __rpow__", "2 ** a"),
        ("one of one needs its comma", "Value(1.0, (a))"),
        ("does it stop where there is nothing below", "def f(): f()\nf()"),
        ("still to be filled", "raise NotImplementedError('plus: what?')"),
    ],
)
def test_usual_exceptions_are_explained(expected: str, code: str) -> None:
    """What Python says of a usual mistake gets the sentence that belongs to it."""
    assert expected in (explain(*raised(code)) or "")


@pytest.mark.parametrize("code", ["1 / 0", "raise ValueError('x')", "[][1]", "{}['a']"])
def test_what_is_not_usual_is_left_alone(code: str) -> None:
    """Where nothing is known, nothing is said."""
    assert explain(*raised(code)) is None
