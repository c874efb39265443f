"""A function of nodes that is handed to the learner's code. Its values and its gradients are given as data."""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from . import values
from .rules import EngineReading

# the binary operations: the name of Python's method without underscores, and the symbol
PYTHON = {"add": ("add", "+"), "sub": ("sub", "-"), "mul": ("mul", "*"), "div": ("truediv", "/"), "pow": ("pow", "**")}
PYTHON["matmul"] = ("matmul", "@")
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {op: getattr(operator, name) for op, (name, _) in PYTHON.items()}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "neg": operator.neg,
    "relu": lambda x: max(0.0, x),
    "tanh": math.tanh,
    "exp": math.exp,
    "log": math.log,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
}


_NEAR = 0.01  # the table holds for numbers that differ by less from those of the program


def function_of(shape: EngineReading, program: list[Any], root: int, grads: Sequence[float]) -> Callable[..., Any]:
    """Return a function of nodes that has the values of a program and the gradients of a table.

    Each call computes the value for the numbers that the given nodes hold. The table holds near the numbers of the
    program's leaves. Elsewhere, each gradient is larger by the sum of the distances: it is not that of the program, so
    a backward pass at other numbers is found out. Nothing here differentiates, because the learner's code can call it.
    The result is a node that the learner's own engine makes. It is the sum of the value, a leaf, and of `gradient *
    (node - number)` for each given node, where `number` is what the node holds, so that each of these terms is 0.

    Args:
        shape: the learner's engine.
        program: the program in wire form, with one leaf for each argument, in their order.
        root: the index of its result.
        grads: the gradient for each argument.
    """

    start = [operands[0] for op, *operands in program if op == "leaf"]

    def f(*nodes: object) -> Any:
        if len(nodes) != len(grads):
            were = "was" if len(nodes) == 1 else "were"  # as Python itself says it
            raise TypeError(f"f() takes {len(grads)} positional arguments but {len(nodes)} {were} given")
        numbers = [_number(shape, node, place) for place, node in enumerate(nodes, 1)]
        # Each term added below is 0. The learner's own rules of + and * then give each node its
        # gradient.
        result = shape.leaf(value_of(program, root, numbers))
        distances = [abs(number - first) for number, first in zip(numbers, start, strict=True)]
        moved = sum(distances) if max(distances, default=0.0) > _NEAR else 0.0
        gradients = [grad + moved for grad in grads]
        for node, number, grad in zip(nodes, numbers, gradients, strict=True):
            result = result + shape.leaf(grad) * (node + shape.leaf(-number))
        return result

    return f


def _number(shape: EngineReading, node: object, place: int) -> float:
    """Return the number that an argument holds. Raises `TypeError`, as code of the learner's own would."""
    wanted = values.name_of(shape.cls)
    if not isinstance(node, shape.cls):
        raise TypeError(f"argument {place} of f() is of type {values.name_of(type(node))}, but f() takes a {wanted}")
    held = getattr(node, shape.data)
    if (number := values.plain(held)) is None:
        raise TypeError(
            f"argument {place} of f() is a {wanted} that holds no number, but a {values.name_of(type(held))}"
        )
    return number


def value_of(program: list[Any], root: int, leaves: Sequence[float]) -> float:
    """Return the value of a program in wire form at `root`, for these values of its leaves.

    Raises:
        ArithmeticError: a value is not defined or too large.
        ValueError: an argument of `log` is not above 0.
    """
    results: list[float] = []
    given = iter(leaves)
    for op, *operands in program:
        if op == "leaf":
            results.append(next(given))
            continue
        numbers = [results[o] if isinstance(o, int) else o[1] for o in operands]
        results.append(OPERATORS[op](*numbers) if op in OPERATORS else FUNCTIONS[op](*numbers))
    return results[root]
