"""A correct pass forward and backward over a program, computed from the table of operations, without torch.

If an operation is undefined or overflows, its value or its local derivative is nan or an infinity. The numbers of a
node are one number, or an array: both are computed in the same way.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...course.program import OPERATIONS, Leaf, Op, Program, arrays
from .amounts import Amount, amount_of, finite, number, numbers_of, shape_of
from .model import Contribution, RightVisit


@dataclass(frozen=True)
class RightPass:
    """A value and a gradient for each node, and the visits of a correct backward pass.

    Attributes:
        before: the gradients before the pass. The root has the gradient with which the pass begins.
    """

    values: tuple[Amount, ...]
    grads: tuple[Amount, ...]
    visits: tuple[RightVisit, ...]
    before: tuple[Amount, ...]


def right_pass(program: Program, upstream: float = 1.0, before: Mapping[int, float] | None = None) -> RightPass:
    """Return a correct pass over a program.

    Args:
        upstream: the gradient that the root is given.
        before: gradients that exist before the pass, by index; all others are 0.
    """
    values = forward(program)
    grads = [(before or {}).get(index, _all(0.0, shape)) for index, shape in enumerate(program.shapes)]
    # also if a gradient exists there: a pass sets the root's gradient, and does not add to it
    grads[program.root] = _all(upstream, program.shapes[program.root])
    at_first = tuple(grads)
    visits = []
    for index in reversed(program.reachable):
        node = program.nodes[index]
        # users come first in this order, so a node's gradient is complete when its rule runs
        if isinstance(node, Op):
            given = contributions(node, values, values[index], grads[index])
            for one in given:
                grads[one.node] = grads[one.node] + number(one.amount)
            visits.append(RightVisit(index, finite(grads[index]), given))
    return RightPass(values, tuple(grads), tuple(visits), at_first)


def _all(one: float, shape: arrays.Shape) -> Amount:
    """Return an amount of a shape whose numbers are all equal."""
    return amount_of([one] * math.prod(shape), shape)


def forward(program: Program) -> tuple[Amount, ...]:
    """Return the value of each node."""
    values: list[Amount] = []
    for node, shape in zip(program.nodes, program.shapes, strict=True):
        if isinstance(node, Leaf):
            values.append(amount_of(node.numbers, shape))
            continue
        try:
            values.append(amount_of(_applied(node, values).value(), shape))
        except (ArithmeticError, ValueError):
            values.append(_all(math.nan, shape))
    return tuple(values)


def _applied(node: Op, values: Sequence[Amount], out: Amount | None = None) -> arrays.Applied:
    """Return an operation with its operands, and with its value if it is known."""
    operands = [values[one] if isinstance(one, int) else float(one.value) for one in node.operands]
    return arrays.Applied(
        OPERATIONS[node.op].whole,
        lambda *x: value(node.op, x),
        lambda x, out: local_derivatives(node.op, x, out),
        [list(numbers_of(one)) for one in operands],
        [shape_of(one) for one in operands],
        node.arguments,
        None if out is None else list(numbers_of(out)),
    )


def contributions(node: Op, values: Sequence[Amount], out: Amount, upstream: Amount) -> tuple[Contribution, ...]:
    """Return the contributions of a correct rule, in the order of the operands that are nodes.

    Args:
        values: the values of all nodes before this one.
        out: the value of this node.
        upstream: the gradient of this node, which has the same shape.
    """
    applied, numbers = _applied(node, values, out), list(numbers_of(upstream))
    # each with its numbers before they are summed over the axes along which the operand is repeated
    try:
        terms = applied.terms(numbers) or [([], shape) for shape in applied.shapes]
        local = [] if applied.whole else [*zip(*applied.local_derivatives(), strict=True)]
        sums = applied.contributions(numbers)
    except (ArithmeticError, ValueError):
        return ()
    found = []
    for slot, (one, given) in enumerate(zip(node.operands, sums, strict=True)):
        if isinstance(one, int):
            (term, whole), shape = terms[slot], applied.shapes[slot]
            axes = arrays.broadcast_axes(shape, whole)
            found.append(
                Contribution(
                    slot,
                    one,
                    finite(amount_of(local[slot], whole)) if local else None,
                    finite(amount_of(given, shape)),
                    finite(amount_of(term, whole)) if axes else None,
                    axes,
                )
            )
    return tuple(found)


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
