"""Sentences for exceptions that Python raises."""

import pytest
from every import every

from grader.words.stopped import explain

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
    """Return the type and the message of the exception that some code raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        exec(VALUE + code, {})
    return type(caught.value).__name__, str(caught.value)


@every(
    ("expected", "code"),
    [
        ("the object that is called here is None", "a.rule = nothing(); a.rule()"),
        ("the object before .grad is None", "nothing(a).grad"),
        ("at least one operand is None", "1.0 + nothing(a)"),
        ("this is None where a list is needed", "[x for x in nothing(a)]"),
        ("the object before .data is a plain number (float)", "a + 2.0"),
        ("the object before .data is a plain number (float)", "a.data.data"),
        ("the import of math is missing", "math.tanh(1)"),
        ("no variable, function or import is called topo here", "topo(a)"),
        ("count is assigned inside this function", "count = 0\ndef f():\n    count += 1\nf()"),
        ("is defined without parameters, but is called with an argument", "def _backward(): pass\n_backward(a)"),
        ("Empty has no `__init__` (two underscores", "class Empty: pass\nEmpty(1.0)"),
        (
            "a method gets the object before the dot as its first argument, self",
            "class B:\n    def back(): pass\nB().back()",
        ),
        ("Python looks for __radd__ in the right operand", "2 + a"),
        ("Python looks for __rpow__ in the right operand", "2 ** a"),
        ("`-` is not defined for Value and Value; is the number inside meant?", "a - a"),
        ("`**` is not defined for Value and int; is the number inside meant?", "a ** 2"),
        ("a single Value is used where a list or a tuple is needed", "Value(1.0, (a))"),
        ("a function calls itself too deeply, directly or through other functions", "def f(): f()\nf()"),
        ("still to be filled in", "raise NotImplementedError('plus: what?')"),
    ],
)
def test_usual_exceptions_are_explained(expected: str, code: str) -> None:
    """Python's message about a common mistake gets the matching sentence."""
    assert expected in (explain(*raised(code)) or "")


@every("code", ["1 / 0", "raise ValueError('x')", "[][1]", "{}['a']"])
def test_what_is_not_usual_is_left_alone(code: str) -> None:
    """An unknown exception gets no sentence."""
    assert explain(*raised(code)) is None


@every(
    ("expected", "code", "line"),
    [
        ("the `_backward` of this node is None", "a._backward = nothing(); a._backward()", "node._backward()"),
        ("a tuple of one element needs a comma: (self,)", "Value(1.0, (a))", "out = Value(t, (self), 'tanh')"),
        (
            "`input()` has nothing to read while your code is graded",
            "raise EOFError('EOF when reading a line')",
            "x = input()",
        ),
        ("a debugger cannot be used while grading", "{}['pdb']", "breakpoint()"),
        (
            "the name Value does not exist before the end of the class",
            "del Value\nclass Value:\n    def f(self, other: Value): pass",
            "class Value:",
        ),
        (
            "exp of a number above 709 is too large",
            "raise OverflowError('math range error')",
            "e = math.exp(self.data)",
        ),
        ("use an `import` statement", "import no_such_module", 'np = importlib.import_module("num" + "py")'),
    ],
)
def test_a_line_makes_a_cause_certain(expected: str, code: str, line: str) -> None:
    """If the learner's line shows the cause, the sentence names it. For another line it does not."""
    assert expected in (explain(*raised(code), [line]) or "")
    assert expected not in (explain(*raised(code), ["topo.append(node)"]) or "")
