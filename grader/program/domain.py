"""Values and sizes of gradients in plain floats, to keep random programs where comparing makes sense.

Never used for a verdict: the truth is the oracle's.
"""

import math
from collections.abc import Sequence

from .graph import Leaf, Node, Number, Op

_LARGEST = 50.0
_LARGEST_GRADIENT = 1e4
_FROM_KINK = 0.05
_SMALLEST_DIVISOR = 0.3


def value(op: str, x: Sequence[float]) -> float | None:
    """The operation's value, or None where it, or its slope, is undefined, huge, or close to a kink."""
    result = _value(op, x)
    return result if result is not None and abs(result) <= _LARGEST else None


def _value(op: str, x: Sequence[float]) -> float | None:
    match op:
        case "add":
            return x[0] + x[1]
        case "sub":
            return x[0] - x[1]
        case "mul":
            return x[0] * x[1]
        case "div":
            return x[0] / x[1] if abs(x[1]) >= _SMALLEST_DIVISOR else None
        case "pow":
            return _power(x[0], x[1])
        case "neg":
            return -x[0]
        case "relu":
            return max(0.0, x[0]) if abs(x[0]) >= _FROM_KINK else None
        case "tanh":
            return math.tanh(x[0])
        case "exp":
            return math.exp(x[0]) if x[0] <= 3 else None
        case "log":
            return math.log(x[0]) if x[0] >= _SMALLEST_DIVISOR else None
        case "sigmoid":
            return 1 / (1 + math.exp(-x[0])) if abs(x[0]) <= 20 else None
    raise ValueError(op)


def _power(base: float, exponent: float) -> float | None:
    if abs(base) < _SMALLEST_DIVISOR or abs(exponent) > 4:
        return None
    if base < 0 and exponent != int(exponent):
        return None
    return float(base**exponent)


def slopes(op: str, x: Sequence[float], out: float) -> tuple[float, ...]:
    """Absolute local derivatives by each operand, enough to bound how large gradients become."""
    match op:
        case "add" | "sub":
            return (1.0, 1.0)
        case "mul":
            return (abs(x[1]), abs(x[0]))
        case "div":
            return (1 / abs(x[1]), abs(out / x[1]))
        case "pow":
            return (abs(x[1] * out / x[0]), abs(out * math.log(abs(x[0]))))
        case "exp":
            return (out,)
        case "log":
            return (1 / x[0],)
        case _:
            return (1.0,)


def gradients_stay_moderate(nodes: Sequence[Node], values: Sequence[float]) -> bool:
    """Whether even without any cancellation every gradient of the last node stays below 10,000."""
    mass = [0.0] * len(nodes)
    mass[-1] = 1.0
    for index in reversed(range(len(nodes))):
        node = nodes[index]
        if isinstance(node, Leaf):
            continue
        local = slopes(node.op, operand_values(node, values), values[index])
        for operand, slope in zip(node.operands, local, strict=True):
            if isinstance(operand, int):
                mass[operand] += slope * mass[index]
    return max(mass) <= _LARGEST_GRADIENT


def operand_values(node: Op, values: Sequence[float]) -> list[float]:
    return [float(o.value) if isinstance(o, Number) else values[o] for o in node.operands]
