"""Find the condition on the operations of programs with arrays that exactly the failing programs of a check meet."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from ...course.program import ELEMENTWISE, OPERATIONS, Op, Program, arrays
from ...course.remarks import Condition, FailsWhenever

_Holds: TypeAlias = Callable[[Op, list[arrays.Shape], arrays.Shape], bool]
_REDUCTIONS = ("sum", "mean", "max")


def fails_whenever(failing: Sequence[Program], others: Sequence[Program], stops: bool) -> tuple[FailsWhenever, ...]:
    """Return the condition that all failing programs of a check meet, and none of the others.

    Return nothing if there is no such condition, or if conditions on several operations are met by these programs: then
    it is not known which of them matters. Return nothing either for a node that a function of the file makes: its
    operations are not in the program.

    Args:
        failing: the failing programs.
        others: those that do not fail.
        stops: whether each of the failing ones raises an exception.
    """
    if not failing or not others or any(map(_has_made_nodes, failing)):
        return ()
    met = {
        condition: frozenset(i for i, program in enumerate(failing) if _some(program, holds))
        for condition, holds in _conditions(stops and len(failing) > 1)
        if not any(_some(program, holds) for program in others)
    }
    everywhere = [condition for condition, where in met.items() if len(where) == len(failing)]
    if len({_family(condition) for condition in everywhere}) > 1:
        return ()
    found: list[tuple[Condition, ...]] = [(condition,) for condition in everywhere]
    if stops and not found:
        # together they are met by every failing program, and neither of them alone is
        found += [pair for pair in combinations(met, 2) if len(met[pair[0]] | met[pair[1]]) == len(failing)]
    return tuple(FailsWhenever(conditions, stops, len(failing) + len(others)) for conditions in found[:1])


def _has_made_nodes(program: Program) -> bool:
    return any(isinstance(node, Op) and node.made for node in program.nodes)


def _some(program: Program, holds: _Holds) -> bool:
    """Return whether a condition holds for an operation of a program."""
    return program.has_arrays and any(
        holds(node, [program.shapes[i] if isinstance(i, int) else () for i in node.operands], program.shapes[at])
        for at, node in enumerate(program.nodes)
        if isinstance(node, Op)
    )


def axis_of(operation: Op) -> Any:
    """Return the axis of a reduction, or the index of `getitem`."""
    args, named = arrays.called_with(operation.arguments)
    return args[0] if args else named.get("axis")


# -- of a broadcast


def _lacks_axes(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op in ELEMENTWISE and any(0 < len(shape) < len(result) for shape in given)


def _stretched(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op in ELEMENTWISE and any(
        length < whole for shape in given for length, whole in zip(shape[::-1], result[::-1], strict=False)
    )


def _broadcast(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op in ELEMENTWISE and any(shape not in ((), result) for shape in given)


# -- of an axis


def _several_axes(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return isinstance(axis_of(op), tuple)


def _negative_axis(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return isinstance(axis_of(op), int) and axis_of(op) < 0


def _keeps_axes(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return 0 < len(result) == len(given[0])


def _drops_axis(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return axis_of(op) is not None and len(result) < len(given[0])


def _has_axis(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return axis_of(op) is not None


# -- of other operations


def _batches(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op == "matmul" and len(result) > 2


def _not_square(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op == "matmul" and any(len(shape) > 1 and shape[-1] != shape[-2] for shape in given)


def _vector(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op == "matmul" and any(len(shape) == 1 for shape in given)


def _repeats(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op == "getitem" and len(set(arrays.taken(given, axis_of(op))[1])) < math.prod(result)


def _cyclic(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    if op.op != "transpose":
        return False
    args, _ = arrays.called_with(op.arguments)
    first, places = arrays.permuted(given, *args)
    second = arrays.permuted([first], *args)
    return second[0] != given[0] or [places[at] for at in second[1]] != list(range(len(places)))


def _unequal_parts(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return op.op == "concat" and len(set(given)) > 1


_OF_AXES: dict[str, _Holds] = {
    "several_axes": _several_axes,
    "negative_axis": _negative_axis,
    "keeps_axes": _keeps_axes,
    "drops_axis": _drops_axis,
    "has_axis": _has_axis,
}
_OF_SHAPES: dict[str, _Holds] = {
    "stretched": _stretched,
    "lacks_axes": _lacks_axes,
    "broadcast": _broadcast,
    "batches": _batches,
    "not_square": _not_square,
    "vector": _vector,
    "repeats": _repeats,
    "cyclic": _cyclic,
    "unequal_parts": _unequal_parts,
}
_FAMILIES = {
    **dict.fromkeys(("stretched", "lacks_axes", "broadcast"), "broadcast"),
    **dict.fromkeys(("batches", "not_square", "vector"), "matmul"),
    "repeats": "getitem",
    "cyclic": "transpose",
    "unequal_parts": "concat",
}


def _conditions(elementwise: bool) -> Iterator[tuple[Condition, _Holds]]:
    """Yield all conditions. Of those that fit, the first one is said.

    Args:
        elementwise: whether it is a condition that a program has an elementwise operation. Facts explain wrong numbers
            of these, and a single program that stops has several.
    """
    for kind, holds in _OF_SHAPES.items():
        yield Condition(kind), holds
    for kind, holds in _OF_AXES.items():
        for op in (*_REDUCTIONS, ""):
            yield Condition(kind, op), _of(holds, *((op,) if op else _REDUCTIONS))
    for op in OPERATIONS if elementwise else [one for one in OPERATIONS if one not in ELEMENTWISE]:
        yield Condition("has", op), _of(_any, op)


def _of(holds: _Holds, *ops: str) -> _Holds:
    """Return a condition that holds only for some operations."""
    return lambda op, given, result: op.op in ops and holds(op, given, result)


def _any(op: Op, given: list[arrays.Shape], result: arrays.Shape) -> bool:
    return True


def _family(condition: Condition) -> str:
    """Return the operation, or the group of operations, that a condition is about."""
    if condition.kind in _OF_AXES or condition.op in _REDUCTIONS:
        return "reduction"
    return _FAMILIES.get(condition.kind) or condition.op
