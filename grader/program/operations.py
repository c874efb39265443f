"""The table of operations that programs are made of."""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_LARGEST = 50.0
_FROM_KINK = 0.05
_SMALLEST_DIVISOR = 0.3


@dataclass(frozen=True)
class Operation:
    """One operation.

    Args:
        name: Its name in programs. A function has this name in an engine and in torch as well.
        compute: The operation itself. An operator's works on whatever knows the operator, a function's on floats.
        derivatives: Absolute local derivatives with respect to each operand, or bounds of them; given operands, value.
        symbol: How Python spells an operator of two operands; None for an operation of one.
        method: What Python calls for an operator; None for a function.
        tame: Whether value and derivatives are defined for the operands, moderate, and away from a kink or a pole.
        optional: Whether an engine need not offer it.
    """

    name: str
    compute: Callable[..., Any]
    derivatives: Callable[[Sequence[float], float], tuple[float, ...]]
    symbol: str | None = None
    method: str | None = None
    tame: Callable[[Sequence[float]], bool] = lambda x: True
    optional: bool = False

    @property
    def is_function(self) -> bool:
        """Whether it is called by its name, and not spelled with an operator."""
        return self.method is None


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _tame_power(x: Sequence[float]) -> bool:
    base, exponent = x
    return abs(base) >= _SMALLEST_DIVISOR and abs(exponent) <= 4 and (base > 0 or exponent == int(exponent))


def _one(x: Sequence[float], out: float) -> tuple[float, ...]:
    return (1.0,) * len(x)


_TABLE = (
    Operation("add", operator.add, _one, "+", "__add__"),
    Operation("sub", operator.sub, _one, "-", "__sub__"),
    Operation("mul", operator.mul, lambda x, out: (abs(x[1]), abs(x[0])), "*", "__mul__"),
    Operation(
        "div",
        operator.truediv,
        lambda x, out: (1 / abs(x[1]), abs(out / x[1])),
        "/",
        "__truediv__",
        tame=lambda x: abs(x[1]) >= _SMALLEST_DIVISOR,
    ),
    Operation(
        "pow",
        operator.pow,
        lambda x, out: (abs(x[1] * out / x[0]), abs(out * math.log(abs(x[0])))),
        "**",
        "__pow__",
        tame=_tame_power,
    ),
    Operation("neg", operator.neg, _one, method="__neg__"),
    Operation("relu", lambda x: max(0.0, x), _one, tame=lambda x: abs(x[0]) >= _FROM_KINK),
    Operation("tanh", math.tanh, _one, optional=True),
    Operation("exp", math.exp, lambda x, out: (out,), tame=lambda x: x[0] <= 3, optional=True),
    Operation("log", math.log, lambda x, out: (1 / x[0],), tame=lambda x: x[0] >= _SMALLEST_DIVISOR, optional=True),
    Operation("sigmoid", _sigmoid, _one, tame=lambda x: abs(x[0]) <= 20, optional=True),
)
OPERATIONS = {operation.name: operation for operation in _TABLE}
BINARY = {operation.name: operation.symbol for operation in _TABLE if operation.symbol is not None}
METHODS = {operation.name: operation.method for operation in _TABLE if operation.method is not None}
FUNCTIONS = tuple(operation.name for operation in _TABLE if operation.is_function)


def value(op: str, x: Sequence[float]) -> float | None:
    """Return the operation's value in plain floats; None where it, or its derivative, is undefined, huge, or close to a
    kink. It keeps random programs where comparing makes sense; no verdict hangs on it."""
    operation = OPERATIONS[op]
    result = float(operation.compute(*x)) if operation.tame(x) else None
    return result if result is not None and abs(result) <= _LARGEST else None
