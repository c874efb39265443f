"""The table of operations in programs."""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

_LARGEST = 50.0
_FROM_KINK = 0.05
_SMALLEST_DIVISOR = 0.3


class Operation(Struct, frozen=True):
    """One operation.

    Args:
        name: its name in programs. A function has this name in an engine and in torch as well.
        compute: computes the value. For an operator it takes any objects that support it, for a function floats.
        bounds: returns upper bounds of the absolute local derivatives with respect to each operand, from the
            operands and the value.
        local: returns the local derivatives with respect to each operand, from the operands and the value. They are
            those of torch, with 0 for relu at 0. It may raise an error of float arithmetic.
        symbol: the Python symbol of an operator with two operands, else None.
        method: the special method of an operator in Python; None for a function.
        tame: returns whether the operands suit a random program. Value and derivatives must be defined and moderate,
            and away from kinks and poles.
        optional: whether an engine may lack it.
    """

    name: str
    compute: Callable[..., Any]
    bounds: Callable[[Sequence[float], float], tuple[float, ...]]
    local: Callable[[Sequence[float], float], tuple[float, ...]]
    symbol: str | None = None
    method: str | None = None
    tame: Callable[[Sequence[float]], bool] = lambda x: True
    optional: bool = False

    @property
    def is_function(self) -> bool:
        """Return whether the operation is called by its name, and is not an operator."""
        return self.method is None


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _tame_power(x: Sequence[float]) -> bool:
    base, exponent = x
    return abs(base) >= _SMALLEST_DIVISOR and abs(exponent) <= 4 and (base > 0 or exponent == int(exponent))


def _one(x: Sequence[float], out: float) -> tuple[float, ...]:
    return (1.0,) * len(x)


def _local_power(x: Sequence[float], out: float) -> tuple[float, ...]:
    base, exponent = x
    by_base = exponent * base ** (exponent - 1) if exponent else 0.0
    by_exponent = out * math.log(base) if base > 0 else 0.0 if base == 0 <= exponent else math.nan
    return by_base, by_exponent


_TABLE = (
    Operation("add", operator.add, _one, _one, "+", "__add__"),
    Operation("sub", operator.sub, _one, lambda x, out: (1.0, -1.0), "-", "__sub__"),
    Operation("mul", operator.mul, lambda x, out: (abs(x[1]), abs(x[0])), lambda x, out: (x[1], x[0]), "*", "__mul__"),
    Operation(
        "div",
        operator.truediv,
        lambda x, out: (1 / abs(x[1]), abs(out / x[1])),
        lambda x, out: (1 / x[1], -out / x[1]),
        "/",
        "__truediv__",
        tame=lambda x: abs(x[1]) >= _SMALLEST_DIVISOR,
    ),
    Operation(
        "pow",
        operator.pow,
        lambda x, out: (abs(x[1] * out / x[0]), abs(out * math.log(abs(x[0])))),
        _local_power,
        "**",
        "__pow__",
        tame=_tame_power,
    ),
    Operation("neg", operator.neg, _one, lambda x, out: (-1.0,), method="__neg__"),
    Operation(
        "relu",
        lambda x: max(0.0, x),
        _one,
        lambda x, out: (1.0 if x[0] > 0 else 0.0,),
        tame=lambda x: abs(x[0]) >= _FROM_KINK,
    ),
    Operation("tanh", math.tanh, _one, lambda x, out: (1 - out * out,), optional=True),
    Operation("exp", math.exp, lambda x, out: (out,), lambda x, out: (out,), tame=lambda x: x[0] <= 3, optional=True),
    Operation(
        "log",
        math.log,
        lambda x, out: (1 / x[0],),
        lambda x, out: (1 / x[0],),
        tame=lambda x: x[0] >= _SMALLEST_DIVISOR,
        optional=True,
    ),
    Operation(
        "sigmoid", _sigmoid, _one, lambda x, out: (out * (1 - out),), tame=lambda x: abs(x[0]) <= 20, optional=True
    ),
)
OPERATIONS = {operation.name: operation for operation in _TABLE}
BINARY = {operation.name: operation.symbol for operation in _TABLE if operation.symbol is not None}
METHODS = {operation.name: operation.method for operation in _TABLE if operation.method is not None}
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
