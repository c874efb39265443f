"""Explain a wrong gradient of an array: an axis is not summed, the gradient is averaged, or it is transposed.

Each statement is true of the failing program. It compares the observed gradient with the terms of the right one: the
numbers that the rule of the only user gives back, before they are summed over the axes of a broadcast.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...course.program import Op, Program, arrays
from ...course.remarks import Averaged, IntGradient, NotSummed, OneSlice, Remark, Reshaped, Transposed
from ...runner.client import Misshapen, NumbersOfArrays, Observed, Odd

Equal: TypeAlias = Callable[[Observed, float], bool]


def shape_remarks(
    program: Program, expected: Sequence[float], observed: Sequence[Observed], equal: Equal
) -> tuple[Remark, ...]:
    """Return a remark on the wrong gradient that is nearest to the root, or nothing if none explains it.

    Args:
        program: any program; one without arrays has no such remarks.
        expected: the right gradients.
        observed: the learner's gradients.
        equal: returns whether an observed number is right.
    """
    types = observed.types if isinstance(observed, NumbersOfArrays) else ()
    for index in range(program.root if types else -1, -1, -1):
        place = program.slices[index]
        seen = observed[place]
        if not all(map(equal, seen, expected[place])):
            return _remark(program, index, expected, seen, types[index], equal)
    return ()


def _remark(
    program: Program, index: int, expected: Sequence[float], seen: Sequence[Observed], type_name: str, equal: Equal
) -> tuple[Remark, ...]:
    node, right = program.nodes[index], program.shapes[index]
    numbers, shape = (seen[0].numbers, seen[0].shape) if isinstance(seen[0], Misshapen) else (tuple(seen), right)
    if not numbers or any(isinstance(number, Odd) for number in numbers):
        return ()
    wanted = list(expected[program.slices[index]])

    def is_(others: Sequence[float]) -> bool:
        return len(numbers) == len(others) and all(map(equal, numbers, others))

    # the same numbers in another shape, or transposed
    if shape != right and is_(wanted):
        return (Reshaped(node.name, shape, right),)
    if len(right) == 2 and 1 not in right and shape == right[::-1] and is_(arrays.transposed(wanted, right)):
        return (Transposed(node.name),)
    if type_name.startswith(("int", "uint", "bool")) and any(number != int(number) for number in wanted):
        return (IntGradient(node.name, type_name),)
    users = [user for user in program.users[index] if user <= program.root]
    if len(users) != 1:
        return ()
    return _of_broadcast(program, index, users[0], expected, shape, is_)


def _of_broadcast(
    program: Program,
    index: int,
    user: int,
    expected: Sequence[float],
    shape: arrays.Shape,
    is_: Callable[[Sequence[float]], bool],
) -> tuple[Remark, ...]:
    """Return a remark on a node that its only user broadcasts."""
    node, right = program.nodes[index], program.shapes[index]
    operation, whole = program.nodes[user], program.shapes[user]
    axes = arrays.broadcast_axes(right, whole)
    if not isinstance(operation, Op) or operation.inputs.count(index) != 1 or not axes:
        return ()
    each = program.terms(user, list(expected[program.slices[user]]))
    if each is None:
        return ()
    terms = each[operation.operands.index(index)]
    if shape == whole and is_(terms):
        return (NotSummed(node.name, operation.name, shape, right, axes),)
    if shape != right:
        return ()
    count = math.prod(whole[axis] for axis in axes)
    places = arrays.places(right, whole)
    size = math.prod(right)
    if count > 1 and is_([total / count for total in arrays.scattered(terms, places, size)]):
        return (Averaged(node.name, operation.name, axes),)
    # the first or the last of the terms that are to be summed
    first, last = dict(zip(reversed(places), reversed(terms), strict=True)), dict(zip(places, terms, strict=True))
    if any(is_([one[place] for place in range(size)]) for one in (first, last)):
        return (OneSlice(node.name, operation.name, axes),)
    return ()
