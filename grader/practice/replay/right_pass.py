"""A correct pass forward and backward over a program, computed from the table of operations, without torch.

If an operation is undefined or overflows, its value or its local derivative is nan or an infinity.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...course.program import OPERATIONS, Leaf, Op, Program
from .model import Contribution, RightVisit


@dataclass(frozen=True)
class RightPass:
    """A value and a gradient for each node, and the visits of a correct backward pass.

    Attributes:
        before: the gradients before the pass. The root has the gradient with which the pass begins.
    """

    values: tuple[float, ...]
    grads: tuple[float, ...]
    visits: tuple[RightVisit, ...]
    before: tuple[float, ...]


def right_pass(program: Program, upstream: float = 1.0, before: Mapping[int, float] | None = None) -> RightPass:
    """Return a correct pass over a program.

    Args:
        upstream: the gradient that the root is given.
        before: gradients that exist before the pass, by index; all others are 0.
    """
    values = forward(program)
    grads = [(before or {}).get(index, 0.0) for index in range(len(program.nodes))]
    # also if a gradient exists there: a pass sets the root's gradient, and does not add to it
    grads[program.root] = upstream
    at_first = tuple(grads)
    visits = []
    for index in reversed(program.reachable):
        node = program.nodes[index]
        # users come first in this order, so a node's gradient is complete when its rule runs
        if isinstance(node, Op):
            given = contributions(node, values, values[index], grads[index])
            for one in given:
                grads[one.node] += number(one.amount)
            visits.append(RightVisit(index, finite(grads[index]), given))
    return RightPass(values, tuple(grads), tuple(visits), at_first)


def forward(program: Program) -> tuple[float, ...]:
    """Return the value of each node."""
    values: list[float] = []
    for node in program.nodes:
        values.append(node.value if isinstance(node, Leaf) else value(node.op, operands(node, values)))
    return tuple(values)


def operands(node: Op, values: Sequence[float]) -> tuple[float, ...]:
    """Return the values of an operation's operands."""
    return tuple(values[one] if isinstance(one, int) else float(one.value) for one in node.operands)


def contributions(node: Op, values: Sequence[float], out: float, upstream: float) -> tuple[Contribution, ...]:
    """Return the contributions of a correct rule, in the order of the operands that are nodes.

    Args:
        values: the values of all nodes before this one.
        out: the value of this node.
        upstream: the gradient of this node.
    """
    local = local_derivatives(node.op, operands(node, values), out)
    return tuple(
        Contribution(slot, one, finite(local[slot]), finite(upstream * local[slot]))
        for slot, one in enumerate(node.operands)
        if isinstance(one, int)
    )


def value(op: str, x: Sequence[float]) -> float:
    """Return the value of an operation on floats."""
    result = _computed(OPERATIONS[op].compute, *x)
    return math.nan if isinstance(result, complex) else float(result)


def local_derivatives(op: str, x: Sequence[float], out: float) -> tuple[float, ...]:
    """Return the local derivatives of an operation with respect to each operand."""
    found = _computed(OPERATIONS[op].local, x, out)
    if not isinstance(found, tuple):
        return (math.nan,) * len(x)
    return tuple(math.nan if isinstance(one, complex) else one for one in found)


def _computed(compute: Callable[..., object], *arguments: object) -> Any:
    try:
        return compute(*arguments)
    # too large becomes an infinity, and undefined becomes nan
    except OverflowError:
        return math.inf
    except (ArithmeticError, ValueError):
        return math.nan


def finite(value: float) -> float | None:
    """Return a number in the form for JSON, which is None unless the number is finite."""
    return value if math.isfinite(value) else None


def number(value: float | None) -> float:
    """Return a number from JSON as a float, which is nan for None."""
    return math.nan if value is None else value
