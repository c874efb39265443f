"""Explain a wrong gradient of an array, such as one that is not summed over an axis, and an error at some shapes only.

Each statement is true of the failing program. It compares the observed gradient with what the rule of the only user
gives back, and with what it would give back with a usual mistake.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from ...course.program import ELEMENTWISE, OPERATIONS, Op, Program, arrays
from ...course.remarks import (
    Averaged,
    Divided,
    FailsWhenever,
    IgnoresUpstream,
    IntGradient,
    NothingReceived,
    NotMovedBack,
    NotSummed,
    OneSlice,
    OnlyOneUse,
    Remark,
    RepeatedIndex,
    Reshaped,
    Scaled,
    SpreadAlong,
    SpreadToAll,
    Transposed,
)
from ...runner.client import Misshapen, NumbersOfArrays, Observed, Odd

Equal: TypeAlias = Callable[[Observed, float], bool]
_Is: TypeAlias = Callable[[Sequence[float]], bool]  # returns whether numbers are those that were observed


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
    given, shape = (seen[0].numbers, seen[0].shape) if isinstance(seen[0], Misshapen) else (tuple(seen), right)
    numbers = [number for number in given if not isinstance(number, Odd)]
    if not numbers or len(numbers) < len(given):
        return ()
    wanted = list(expected[program.slices[index]])

    def is_(others: Sequence[float]) -> bool:
        return len(numbers) == len(others) and all(map(equal, numbers, others))

    if shape != right and is_(wanted):
        return (Reshaped(node.name, shape, right),)
    uses = _uses(program, index)
    if len(uses) == 1 and (remarks := _of_broadcast(program, index, uses[0], expected, shape, is_)):
        return remarks
    if shape == right and (remarks := _of_uses(program, index, uses, expected, is_)):
        return remarks
    # a factor is said only if several different numbers show it
    factor = max(numbers, key=abs) / max(wanted, key=abs) if any(wanted) and len(set(wanted)) > 1 else 1.0
    if shape == right and is_([factor * one for one in wanted]):
        return (Scaled(node.name, factor),)
    if len(right) == 2 and 1 not in right and shape == right[::-1] and is_(arrays.transposed(wanted, right)):
        return (Transposed(node.name),)
    if type_name.startswith(("int", "uint", "bool")) and any(number != int(number) for number in wanted):
        return (IntGradient(node.name, type_name),)
    return ()


def _uses(program: Program, index: int) -> list[int]:
    """Return the users of a node below the root; an empty list if one of them uses it twice."""
    users = [user for user in program.users[index] if user <= program.root]
    return users if all(program.inputs[user].count(index) == 1 for user in users) else []


def _of_uses(
    program: Program,
    index: int,
    users: Sequence[int],
    expected: Sequence[float],
    is_: _Is,
) -> tuple[Remark, ...]:
    """Return a remark on the contribution of one of a node's users, if the others contribute what is right."""
    node, wanted = program.nodes[index], expected[program.slices[index]]
    for user in users:
        operation = program.nodes[user]
        assert isinstance(operation, Op)
        place = operation.operands.index(index)
        upstream = list(expected[program.slices[user]])
        right = program.contributions(user, upstream)[place]
        if len(users) > 1 and is_(right):
            return (OnlyOneUse(node.name, operation.name),)

        # a default, because each user has its own
        def is_this(others: Sequence[float], right: Sequence[float] = right) -> bool:
            return is_([total - one + other for total, one, other in zip(wanted, right, others, strict=True)])

        if is_this([0.0] * len(right)):
            return (NothingReceived(node.name, operation.name),)
        if is_this(program.contributions(user, [1.0] * len(upstream))[place]):
            return (IgnoresUpstream(node.name, operation.name),)
        if remarks := _of_operation(program, index, operation, upstream, right, is_this, len(users) == 1):
            return remarks
    return ()


def _of_operation(
    program: Program,
    index: int,
    operation: Op,
    upstream: list[float],
    right: list[float],
    is_: _Is,
    alone: bool,
) -> tuple[Remark, ...]:
    """Return a remark on a contribution that an operation gives back with a usual mistake.

    Args:
        upstream: the upstream gradient of the operation.
        right: the right contribution.
        is_: returns whether numbers are the contribution.
        alone: whether the node has no other user.
    """
    node, shape = program.nodes[index], program.shapes[index]
    if operation.op in ("sum", "mean") and (remarks := _of_reduction(program, index, operation, upstream, right, is_)):
        return remarks
    if operation.op == "max" and is_([upstream[at] for at in arrays.reduced_places(shape, _axis(operation))]):
        return (SpreadToAll(node.name, operation.name),)
    if operation.op in ("transpose", "T", "reshape") and is_(upstream):
        return (NotMovedBack(node.name, operation.name),)
    if operation.op == "getitem" and alone:
        behind = arrays.taken([shape], _axis(operation))[1]
        ways = (dict(zip(behind, upstream, strict=True)), dict(zip(behind[::-1], upstream[::-1], strict=True)))
        if any(is_([way.get(at, 0.0) for at in range(len(right))]) for way in ways):
            return (RepeatedIndex(node.name, operation.name),)
    return ()


def _of_reduction(
    program: Program,
    index: int,
    operation: Op,
    upstream: list[float],
    wanted: list[float],
    is_: _Is,
) -> tuple[Remark, ...]:
    """Return a remark on what a sum or a mean gives back: spread along another axis, or divided by another number."""
    name, shape = program.nodes[index].name, program.shapes[index]
    axis = _axis(operation)
    size = math.prod(shape)
    count = size // len(upstream)
    right = count if operation.op == "mean" else 1
    if isinstance(axis, int):
        # of a square, the other axis has the same length
        for other in range(len(shape)):
            behind = arrays.reduced_places(shape, other)
            fits = other != axis % len(shape) and len(upstream) * shape[other] == size
            if fits and is_([upstream[at] / right for at in behind]):
                return (SpreadAlong(name, operation.name, other, axis % len(shape)),)
    for by in sorted({1, count, size, len(upstream), *shape} - {right}):
        if is_([number * right / by for number in wanted]):
            return (Divided(name, operation.name, by, right),)
    return ()


def _of_broadcast(
    program: Program,
    index: int,
    user: int,
    expected: Sequence[float],
    shape: arrays.Shape,
    is_: _Is,
) -> tuple[Remark, ...]:
    """Return a remark on a node that its only user broadcasts."""
    node, right, operation = program.nodes[index], program.shapes[index], program.nodes[user]
    assert isinstance(operation, Op)
    each = program.terms(user, list(expected[program.slices[user]]))
    if not each:
        return ()
    terms, whole = each[operation.operands.index(index)]
    axes = arrays.broadcast_axes(right, whole)
    if not axes:
        return ()
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


# -- conditions on shapes under which code stops


def fails_whenever(failing: Sequence[Program], others: Sequence[Program], stops: bool) -> tuple[FailsWhenever, ...]:
    """Return the condition that all failing programs of a check meet, and none of the others.

    Return nothing if there is no other program, or no such condition.

    Args:
        stops: whether each of the failing ones raises an exception.
    """
    if not failing or not others:
        return ()
    on_arrays = [name for name in OPERATIONS if name not in ELEMENTWISE]
    operations: dict[str, _Condition] = {name: partial(_is_operation, name) for name in on_arrays}
    for when, holds in {**_CONDITIONS, **operations}.items():
        if all(_some(p, holds) for p in failing) and not any(_some(p, holds) for p in others):
            return (FailsWhenever(when, stops),)
    return ()


def _is_operation(name: str, op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op == name


def _some(program: Program, holds: "_Condition") -> bool:
    """Return whether a condition holds for an operation of a program."""
    return program.has_arrays and any(
        holds(node, [program.shapes[i] if isinstance(i, int) else () for i in node.operands], program.shapes[at])
        for at, node in enumerate(program.nodes)
        if isinstance(node, Op)
    )


_Condition: TypeAlias = Callable[[Op, list[arrays.Shape], arrays.Shape], bool]


def _reduces(operation: Op) -> bool:
    return operation.op in ("sum", "mean", "max")


def _axis(operation: Op) -> Any:
    """Return the axis of a reduction, or the index of `getitem`."""
    args, named = arrays.called_with(operation.arguments)
    return args[0] if args else named.get("axis")


def _is_elementwise(operation: Op) -> bool:
    return operation.op in ELEMENTWISE


def _lacks_axes(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return _is_elementwise(op) and any(0 < len(shape) < len(result) for shape in given)


def _stretched(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return _is_elementwise(op) and any(
        length < whole for shape in given for length, whole in zip(shape[::-1], result[::-1], strict=False)
    )


def _repeats(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op == "getitem" and len(set(arrays.taken(given, _axis(op))[1])) < math.prod(result)


def _cyclic(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    if op.op != "transpose":
        return False
    args, _ = arrays.called_with(op.arguments)
    first, places = arrays.permuted(given, *args)
    second = arrays.permuted([first], *args)
    return second[0] != given[0] or [places[at] for at in second[1]] != list(range(len(places)))


# the first one that fits is said
_CONDITIONS: dict[str, _Condition] = {
    "stretched": _stretched,
    "lacks_axes": _lacks_axes,
    "broadcast": lambda op, given, result: _is_elementwise(op) and any(shape not in ((), result) for shape in given),
    "several_axes": lambda op, given, result: _reduces(op) and isinstance(_axis(op), tuple),
    "negative_axis": lambda op, given, result: _reduces(op) and isinstance(_axis(op), int) and _axis(op) < 0,
    "keeps_axes": lambda op, given, result: _reduces(op) and 0 < len(result) == len(given[0]),
    "one_axis": lambda op, given, result: _reduces(op) and isinstance(_axis(op), int) and len(result) < len(given[0]),
    "batches": lambda op, given, result: op.op == "matmul" and len(result) > 2,
    "not_square": lambda op, given, result: op.op == "matmul" and any(s[-1] != s[-2] for s in given),
    "repeats": _repeats,
    "cyclic": _cyclic,
    "unequal_parts": lambda op, given, result: op.op == "concat" and len(set(given)) > 1,
}
