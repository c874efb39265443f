"""The table of operations. Everything that is known about one operation is in its row.

Codes, fault facts, sentences, the page of a replay and random programs follow from the table. The worker, which imports
nothing of the grader, has names of operators of its own, and a test compares them.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

from msgspec import Struct, structs

from . import arrays
from .arrays import Whole

SampleOperands: TypeAlias = tuple[tuple[float, ...], ...]

_LARGEST = 50.0
_FROM_KINK = 0.05
_SMALLEST_DIVISOR = 0.3

# Each kind has numbers below -1, from -1 to 0, from 0 to 1, and above 1, so that a formula with `abs` or `max` does not
# fit all of them by chance.
_PAIRS: SampleOperands = (
    *((2.0, -3.0), (1.5, 0.7), (-4.0, 2.5), (0.75, -1.25)),
    *((-0.5, 1.75), (0.3, -2.6), (-2.3, -0.4), (-1.4, 3.6)),
)
_WITH_NUMBER: SampleOperands = (
    *((2.0, 3.0), (1.5, 0.7), (-4.0, 2.5), (0.75, 1.25)),
    *((-0.5, 1.75), (0.3, 2.6), (-2.3, 0.4), (-1.4, 3.6)),
)
_POWERS: SampleOperands = (
    *((2.0, 3.0), (1.5, -2.0), (0.7, 2.0), (2.25, 0.5)),
    *((-1.5, -3.0), (-0.7, 2.0), (-2.6, 2.0), (0.4, 3.0)),
)
_SMALL: SampleOperands = ((0.5,), (-0.8,), (1.2,), (0.3,), (-0.35,), (-1.6,), (2.1,), (-2.4,))
_ABOVE_ZERO: SampleOperands = ((2.0,), (0.5,), (3.25,), (1.7,), (0.2,), (0.85,), (1.35,), (2.6,))
_BELOW_ZERO: SampleOperands = tuple((-a,) for (a,) in _ABOVE_ZERO)


def _exp(x: float) -> float:
    return math.exp(x) if x < 709 else math.inf


def _log(x: float) -> float:
    return math.log(x) if x > 0 else math.nan if x < 0 else -math.inf


# What a text of the table may call. It has these names in JavaScript's `Math` too, with the same results.
_CALLABLE: dict[str, Any] = {**vars(math), "exp": _exp, "log": _log, "max": max}


class Operation(Struct, frozen=True):
    """One operation. Its texts are expressions that mean the same in Python and in JavaScript.

    Args:
        name: its name in programs. A function has this name in an engine and in torch as well.
        value: the value, as text. The operands are `a` and `b`. In place of `b`, `n` is an operand that is always a
            plain number in the course's programs.
        derivatives: the local derivative with respect to each operand, as text. `L` is the value. They are those of
            torch.
        method: the special method of an operator in Python; None for a function.
        zero_where: for each operand, a condition under which the local derivative is 0 and its text does not hold.
        made_of: the operations that its method uses in many engines.
        numbers: sets of operands with which its rule is tried alone.
        cases: the cases in which its rule is tried, if it has several: an ending of the name, the condition, and the
            sets of operands.
        tame: returns whether the operands suit a random program. Value and derivatives must be defined and moderate,
            and away from kinks and poles.
        optional: whether an engine may lack it.
        whole: what it does if it is not elementwise. Its texts are for readers only then, and `G` in those of its
            derivatives is the upstream gradient.
    """

    name: str
    value: str
    derivatives: tuple[str, ...]
    method: str | None = None
    zero_where: tuple[str, ...] = ()
    made_of: tuple[str, ...] = ()
    numbers: SampleOperands = _SMALL
    cases: tuple[tuple[str, str, SampleOperands], ...] = ()
    tame: Callable[[Sequence[float]], bool] = lambda x: True
    optional: bool = False
    whole: Whole | None = None

    @property
    def is_function(self) -> bool:
        """Return whether the operation is called by its name, and is not an operator."""
        return self.method is None

    @property
    def symbol(self) -> str | None:
        """Return the Python symbol of an operator with two operands, or None."""
        return None if self.is_function or len(self.derivatives) == 1 else self.value.split()[1]

    @property
    def operands(self) -> str:
        """Return the letters of the operands."""
        return "an" if "n" in self.value.split() else "ab"[: len(self.derivatives)]

    @property
    def text(self) -> str:
        """Return the operation as a program writes it: `a + b`, `relu(a)`."""
        return f"{self.name}(a)" if self.is_function else self.value

    @property
    def compute(self) -> Callable[..., Any]:
        """Return the function that computes the value.

        For an operator it takes any objects that support it, for a function floats.
        """
        return _functions(self.name)[0]

    def local(self, x: Sequence[float], out: float) -> tuple[float, ...]:
        """Return the local derivatives with respect to each operand, from the operands and the value.

        Raises:
            ArithmeticError: a derivative is not defined or too large.
        """
        derivatives: tuple[float, ...] = _functions(self.name)[1](*x, out)
        return derivatives


@cache  # programs call these often
def _functions(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the functions that compute the value of an operation and its local derivatives."""
    row = OPERATIONS[name]
    # times 1.0, because a derivative such as `1` is an int
    zeros = row.zero_where or ("False",) * len(row.derivatives)
    local = [f"0.0 if {zero} else 1.0 * ({text})" for text, zero in zip(row.derivatives, zeros, strict=True)]
    value: Any = _compiled(row.operands, row.value) if row.method is None else getattr(operator, row.method, None)
    return value, _compiled(f"{row.operands}L", f"({', '.join(local)},)")


@cache
def _compiled(operands: str, text: str) -> Callable[..., Any]:
    """Return the function of these operands that computes a text of the table."""
    # texts of this table only; none comes from a learner or a course
    function: Callable[..., object] = eval(f"lambda {', '.join(operands)}: {text}", dict(_CALLABLE))
    return function


def _tame_power(x: Sequence[float]) -> bool:
    base, exponent = x
    return abs(base) >= _SMALLEST_DIVISOR and abs(exponent) <= 4 and (base > 0 or exponent == int(exponent))


_TABLE = (
    Operation("add", "a + b", ("1", "1"), "__add__", numbers=_PAIRS),
    Operation("sub", "a - b", ("1", "-1"), "__sub__", made_of=("add", "neg", "mul", "rmul"), numbers=_PAIRS),
    Operation("mul", "a * b", ("b", "a"), "__mul__", numbers=_PAIRS),
    Operation(
        "div",
        "a / b",
        ("1 / b", "-a / b ** 2"),
        "__truediv__",
        made_of=("mul", "pow"),
        numbers=_PAIRS,
        tame=lambda x: abs(x[1]) >= _SMALLEST_DIVISOR,
    ),
    Operation(
        "pow",
        "a ** n",
        ("n * a ** (n - 1)", "L * log(a)"),
        "__pow__",
        zero_where=("n == 0", "a == 0"),
        numbers=_POWERS,
        tame=_tame_power,
    ),
    Operation("neg", "-a", ("-1",), "__neg__", made_of=("mul", "sub", "rsub", "rmul")),
    Operation(
        "relu",
        "max(0, a)",
        ("1",),
        zero_where=("a <= 0",),
        cases=(("", "a > 0", _ABOVE_ZERO), ("_below_zero", "a < 0", _BELOW_ZERO)),
        tame=lambda x: abs(x[0]) >= _FROM_KINK,
    ),
    Operation("tanh", "tanh(a)", ("1 - L ** 2",), optional=True),
    Operation("exp", "exp(a)", ("L",), tame=lambda x: x[0] <= 3, optional=True),
    Operation(
        "log", "log(a)", ("1 / a",), numbers=_ABOVE_ZERO, tame=lambda x: x[0] >= _SMALLEST_DIVISOR, optional=True
    ),
    Operation("sigmoid", "1 / (1 + exp(-a))", ("L * (1 - L)",), tame=lambda x: abs(x[0]) <= 20, optional=True),
)
_ON_ARRAYS = (
    Operation("sum", "sum(a)", ("spread(G)",), whole=arrays.SUM),
    Operation("matmul", "a @ b", ("G @ b.T", "a.T @ G"), "__matmul__", whole=arrays.MATMUL),
    Operation("mean", "mean(a)", ("spread(G) / n",), optional=True, whole=arrays.MEAN),
    Operation("max", "max(a)", ("spread(G) * (a == spread(L))",), optional=True, whole=arrays.MAX),
    Operation("reshape", "a.reshape(shape)", ("G.reshape(a.shape)",), "reshape", optional=True, whole=arrays.RESHAPE),
    Operation(
        "transpose", "a.transpose(axes)", ("G.transpose(inverse)",), "transpose", optional=True, whole=arrays.TRANSPOSE
    ),
    Operation("T", "a.T", ("G.T",), "T", optional=True, whole=arrays.TRANSPOSE),
    Operation("getitem", "a[i]", ("scatter(G, i)",), "__getitem__", optional=True, whole=arrays.TAKE),
    Operation("stack", "stack([a, b])", ("G[i]",), "stack", optional=True, whole=arrays.STACK),
    Operation("concat", "concat([a, b])", ("part(G)",), "concat", optional=True, whole=arrays.CONCAT),
)
ELEMENTWISE = {operation.name: operation for operation in _TABLE}
OPERATIONS = ELEMENTWISE | {operation.name: operation for operation in _ON_ARRAYS}
BINARY = {name: operation.symbol for name, operation in OPERATIONS.items() if operation.symbol is not None}
METHODS = {name: operation.method for name, operation in OPERATIONS.items() if operation.method is not None}
REFLECTED = {op: METHODS[op].replace("__", "__r", 1) for op in BINARY}  # called if a number is on the left
FUNCTIONS = tuple(operation.name for operation in _TABLE if operation.is_function)


def value(op: str, x: Sequence[float]) -> float | None:
    """Return the value of an operation on floats; None if it is unsuitable for a random program.

    It is unsuitable if it or a derivative is undefined or huge, or if an operand is close to a kink. No verdict
    depends on this.
    """
    operation = OPERATIONS[op]
    result = float(operation.compute(*x)) if operation.tame(x) else None
    return result if result is not None and abs(result) <= _LARGEST else None


def functions_called(operands: int) -> dict[str, Callable[..., float]]:
    """Return the functions of so many operands that the texts of the table call, by name."""
    texts = [text for operation in _TABLE for text in (operation.value, *operation.derivatives)]
    calls = [node for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    names = [call.func.id for call in calls if isinstance(call.func, ast.Name) and len(call.args) == operands]
    return {name: _CALLABLE[name] for name in names}


# -- The forms in which the rule of an operation is tried alone


class Form(Struct, frozen=True):
    """An operation in one form: with two nodes, or with a node and a number; for positive operands, or negative ones.

    Attributes:
        name: the name of the operation; it begins with `r` if a plain number is on the left.
        operation: the row of the table.
        text: the operation as a program writes it. In it, `n` is a plain number, the last one of each set.
        derivatives: the local derivatives with respect to the nodes `a` and `b`, as text.
        numbers: the sets of numbers.
        condition: the condition that the numbers fulfil, or an empty text.
        reflected: whether the plain number is on the left.
        made_of: the forms that its method uses in many engines.
    """

    name: str
    operation: Operation
    text: str
    derivatives: tuple[str, ...]
    numbers: SampleOperands
    condition: str = ""
    reflected: bool = False
    made_of: tuple[str, ...] = ()

    @property
    def op(self) -> str:
        """Return the operation's name in programs, with `r` before it if a plain number is on the left."""
        return self.name if self.reflected else self.operation.name

    @property
    def letters(self) -> str:
        """Return the letters of the numbers in each set."""
        return "ab" if len(self.derivatives) == 2 else "an"[: len(self.numbers[0])]

    def value(self, x: Sequence[float]) -> float:
        """Return the value for a set of numbers."""
        return float(self.operation.compute(*self._operands(x)))

    def local(self, x: Sequence[float], out: float) -> tuple[float, ...]:
        """Return the local derivatives with respect to the nodes, from a set of numbers and the value."""
        every = self.operation.local(self._operands(x), out)
        return every[-1:] if self.reflected else every[: len(self.derivatives)]

    def without_parentheses(self, node: int, x: Sequence[float], out: float, upstream: float) -> float:
        """Return the text of a local derivative times the upstream gradient, without parentheses around the text."""
        text = f"{self.derivatives[node]} * G"
        return float(_compiled(f"{self.letters}LG", text)(*x, out, upstream))

    def _operands(self, x: Sequence[float]) -> Sequence[float]:
        return x[::-1] if self.reflected else x


def _forms(operation: Operation) -> Iterator[Form]:
    """Yield the forms of an operation: one for each case, and one with a plain number on the left."""
    letters, name = operation.operands, operation.name
    for ending, condition, numbers in operation.cases or (("", "", operation.numbers),):
        form = Form(name + ending, operation, operation.text, operation.derivatives, numbers, condition)
        # the number is no node, so it needs no derivative
        if "n" in letters:
            form = structs.replace(form, derivatives=operation.derivatives[:1])
        # a case in which every derivative is 0, such as relu below 0, has this text
        elif condition and not any(form.local(x, form.value(x))[0] for x in numbers):
            form = structs.replace(form, derivatives=("0",))
        yield structs.replace(form, made_of=operation.made_of)
    if letters == "ab":
        # with the number on the left, the node is the right operand
        text, derivative = (_reflected(one) for one in (operation.text, operation.derivatives[1]))
        reflected = (f"r{one}" for one in operation.made_of if one in OPERATIONS and OPERATIONS[one].operands == "ab")
        yield Form(f"r{name}", operation, text, (derivative,), _WITH_NUMBER, "", True, (name, *reflected))


def _reflected(text: str) -> str:
    """Return a text with `n` in place of the left operand, and `a` in place of the right one."""
    return re.sub(r"\bb\b", "a", re.sub(r"\ba\b", "n", text))


# simple forms first: fault facts are looked for in this order
FORMS = {
    form.name: form
    for form in sorted(
        (form for operation in _TABLE for form in _forms(operation)),
        key=lambda form: (form.operation.is_function, form.reflected, len(form.derivatives) if form.made_of else 0),
    )
}
