"""Explain a wrong gradient of an array, such as one that is not summed over an axis.

Each statement is true of the failing program. It compares the observed gradient with what the users of a node give
back, and with what they would give back with a usual mistake.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from ...course.program import Op, Program, arrays
from ...course.remarks import (
    Averaged,
    Divided,
    IgnoresUpstream,
    IntGradient,
    LargestOfAll,
    NothingReceived,
    NotInPlace,
    NotMovedBack,
    NotSummed,
    OneArray,
    OneOfTwoUses,
    OneSlice,
    OnlyOneUse,
    OtherPart,
    OtherProduct,
    Remark,
    RepeatedIndex,
    Reshaped,
    Scaled,
    SpreadAlong,
    SpreadToAll,
    SummedOverAll,
    Transposed,
)
from ...runner.client import Misshapen, NumbersOfArrays, Observed, Odd
from .conditions import axis_of

Equal: TypeAlias = Callable[[Observed, float], bool]
_Is: TypeAlias = Callable[[Sequence[float]], bool]  # returns whether numbers are those that were observed
_FACTORS = (2.0, 3.0, 4.0)  # a factor that is said of a gradient with equal numbers, or one over it


def shape_remarks(
    program: Program, expected: Sequence[float], observed: Sequence[Observed], equal: Equal, cleared: bool = False
) -> tuple[Remark, ...]:
    """Return a remark on the wrong gradient that is nearest to the root, or nothing if none explains it.

    Args:
        program: any program; one without arrays has no such remarks.
        expected: the right gradients.
        observed: the learner's gradients.
        equal: returns whether an observed number is right.
        cleared: whether the gradients of operations are 0 and count as right.
    """
    if not isinstance(observed, NumbersOfArrays):
        return ()
    for index in range(program.root, -1, -1):
        if cleared and isinstance(program.nodes[index], Op):
            continue
        place = program.slices[index]
        seen = observed[place]
        if not all(map(equal, seen, expected[place])):
            found = _of_one_array(program, index, expected, observed) or _remark(program, index, expected, seen, equal)
            return found or _of_ints(program, index, expected, observed)
    return ()


def _of_ints(program: Program, index: int, expected: Sequence[float], observed: NumbersOfArrays) -> tuple[Remark, ...]:
    """Return a remark if the gradient of a node has integers in place of other numbers."""
    type_name = observed.types[index]
    if type_name.startswith(("int", "uint", "bool")) and any(x != int(x) for x in expected[program.slices[index]]):
        return (IntGradient(program.nodes[index].name, type_name),)
    return ()


def _of_one_array(
    program: Program, index: int, expected: Sequence[float], observed: NumbersOfArrays
) -> tuple[Remark, ...]:
    """Return a remark if the gradient of a node is one array with that of a node that should have other numbers."""
    shared = observed.shared
    right = expected[program.slices[index]]
    for other in range(len(shared)):
        # one array cannot have the numbers of both, so at least one of the gradients is wrong because of it
        if other != index and shared[other] == shared[index] and expected[program.slices[other]] != right:
            return (OneArray(program.nodes[index].name, program.nodes[other].name),)
    return ()


def _remark(
    program: Program, index: int, expected: Sequence[float], observed: Sequence[Observed], equal: Equal
) -> tuple[Remark, ...]:
    """Return a remark on the wrong gradient of a node.

    Args:
        expected: the right gradients of all nodes.
        observed: the gradient of the node.
    """
    node, right = program.nodes[index], program.shapes[index]
    first = observed[0]
    given, shape = (first.numbers, first.shape) if isinstance(first, Misshapen) else (tuple(observed), right)
    numbers = [number for number in given if not isinstance(number, Odd)]
    if not numbers or len(numbers) < len(given):
        return ()
    wanted = list(expected[program.slices[index]])

    def is_(others: Sequence[float]) -> bool:
        return len(numbers) == len(others) and all(map(equal, numbers, others))

    # the shape, and what a broadcast makes of it
    if shape != right and is_(wanted):
        return (Reshaped(node.name, shape, right),)
    uses = list(_uses(program, index, expected, numbers, equal) if shape == right else ())
    users = [user for user in program.users[index] if user <= program.root]
    if len(users) == 1 and (remarks := _of_broadcast(program, index, users[0], expected, shape, is_)):
        return remarks
    # what one of the users contributes
    for use in uses:
        if len(uses) > 1 and is_(use.right):
            return (OnlyOneUse(node.name, use.user),)
        if remarks := _of_use(use, len(uses) == 1):
            return remarks
    # the gradient as a whole
    factor = max(numbers, key=abs) / max(wanted, key=abs) if any(wanted) else 1.0
    # of equal numbers, many formulas are a multiple
    shows = len(set(wanted)) > 1 or (len(wanted) > 1 and max(factor, 1 / factor if factor else 0.0) in _FACTORS)
    if shape == right and shows and is_([factor * one for one in wanted]):
        return (Scaled(node.name, factor),)
    if len(right) == 2 and 1 not in right and shape == right[::-1] and is_(arrays.transposed(wanted, right)):
        return (Transposed(node.name),)
    return ()


class _Use(Struct, frozen=True):
    """The contribution of an operation to one of its operands, if all other users contribute what is right.

    Attributes:
        index: the operand.
        operation: the operation.
        places: the places of the operand among the operands of the operation.
        upstream: the upstream gradient of the operation.
        each: the right contribution for each of these places.
        numbers: the observed contribution.
        equal: returns whether two numbers are equal.
    """

    program: Program
    index: int
    operation: Op
    places: list[int]
    upstream: list[float]
    each: list[list[float]]
    numbers: list[float]
    equal: Equal

    @property
    def right(self) -> list[float]:
        """Return the right contribution."""
        return [math.fsum(row) for row in zip(*self.each, strict=True)]

    @property
    def shape(self) -> arrays.Shape:
        """Return the shape of the operand."""
        return self.program.shapes[self.index]

    @property
    def node(self) -> str:
        """Return the name of the operand."""
        return self.program.nodes[self.index].name

    @property
    def user(self) -> str:
        """Return the name of the operation."""
        return self.operation.name

    def is_(self, others: Sequence[float]) -> bool:
        """Return whether numbers are the observed contribution."""
        return len(others) == len(self.numbers) and all(map(self.equal, self.numbers, others))

    def contributions(self, upstream: list[float]) -> list[list[float]]:
        """Return what the operation should contribute at each of the places, from another upstream gradient."""
        every = self.program.contributions(self.program.index[self.user], upstream)
        return [every[place] for place in self.places]


def _uses(
    program: Program, index: int, expected: Sequence[float], numbers: Sequence[float], equal: Equal
) -> Iterator[_Use]:
    """Yield a use for each user of a node below the root. Each explains the node's wrong gradient alone."""
    wanted = expected[program.slices[index]]
    for user in program.users[index]:
        operation = program.nodes[user]
        assert isinstance(operation, Op)
        if user > program.root:
            continue
        places = [place for place, operand in enumerate(operation.operands) if operand == index]
        upstream = list(expected[program.slices[user]])
        every = program.contributions(user, upstream)
        each = [every[place] for place in places]
        rest = [total - math.fsum(row) for total, *row in zip(wanted, *each, strict=True)]
        seen = [number - other for number, other in zip(numbers, rest, strict=True)]
        yield _Use(program, index, operation, places, upstream, each, seen, equal)


def _of_use(use: _Use, alone: bool) -> tuple[Remark, ...]:
    """Return a remark on the contribution of an operation to one of its operands, if a usual mistake explains it.

    Args:
        alone: whether the operand has no other user.
    """
    node, user, op = use.node, use.user, use.operation.op
    if use.is_([0.0] * len(use.numbers)):
        return (NothingReceived(node, user),)
    if len(use.each) == 2 and any(map(use.is_, use.each)):
        return (OneOfTwoUses(node, user),)
    ones = use.contributions([1.0] * len(use.upstream))
    if use.is_([math.fsum(row) for row in zip(*ones, strict=True)]):
        return (IgnoresUpstream(node, user),)
    if len(use.places) > 1:
        return ()
    if op in ("sum", "mean"):
        return _of_reduction(use)
    if op == "max":
        return _of_max(use)
    if op == "matmul":
        return _of_product(use)
    return _of_places(use, alone)


def _of_reduction(use: _Use) -> tuple[Remark, ...]:
    """Return a remark on what a sum or a mean gives back: spread along another axis, or divided by another number."""
    shape, axis, upstream = use.shape, axis_of(use.operation), use.upstream
    size = math.prod(shape)
    count = size // len(upstream)
    right = count if use.operation.op == "mean" else 1
    if isinstance(axis, int):
        # of a square, the other axis has the same length
        for other in range(len(shape)):
            behind = arrays.reduced_places(shape, other)
            fits = other != axis % len(shape) and len(upstream) * shape[other] == size
            if fits and use.is_([upstream[at] / right for at in behind]):
                return (SpreadAlong(use.node, use.user, other, axis % len(shape)),)
    for by in sorted({1, count, size, len(upstream), *shape} - {right}):
        if use.is_([number * right / by for number in use.right]):
            return (Divided(use.node, use.user, by, right),)
    return ()


def _of_max(use: _Use) -> tuple[Remark, ...]:
    """Return a remark on what a `max` gives back: to every number, or only to the largest number of all."""
    spread = [use.upstream[at] for at in arrays.reduced_places(use.shape, axis_of(use.operation))]
    if use.is_(spread):
        return (SpreadToAll(use.node, use.user),)
    values = use.program.numbers_of(use.node, use.program.values)
    if use.is_([number * (value == max(values)) for number, value in zip(spread, values, strict=True)]):
        return (LargestOfAll(use.node, use.user),)
    return ()


def _of_product(use: _Use) -> tuple[Remark, ...]:
    """Return a remark on what `@` gives back to a matrix: the product of other matrices, or of transposed ones."""
    program = use.program
    user = program.index[use.user]
    names = {user: "G"} | {at: _factor(program.nodes[at].name) for at in use.operation.inputs}
    if any(len(program.shapes[at]) != 2 for at in names):
        return ()
    matrices: dict[str, tuple[list[float], arrays.Shape]] = {}
    for at, name in names.items():
        flat, shape = use.upstream if at == user else list(program.values[program.slices[at]]), program.shapes[at]
        matrices |= {name: (flat, shape), f"{name}.T": (arrays.transposed(flat, shape), shape[::-1])}
    first, second = (names[at] for at in use.operation.inputs)
    right = f"G @ {second}.T" if use.places == [0] else f"{first}.T @ G"
    for (one, (a, (n, k))), (two, (b, (j, m))) in itertools.product(matrices.items(), repeat=2):
        if k == j and (n, m) == use.shape and use.is_(arrays.product(a, b, n, k, m)):
            return (OtherProduct(use.node, use.user, f"{one} @ {two}", right),)
    return ()


def _factor(name: str) -> str:
    return name if name.isidentifier() else f"({name})"


def _of_places(use: _Use, alone: bool) -> tuple[Remark, ...]:
    """Return a remark on what an operation gives back that moves numbers to other places."""
    op, node, user, upstream = use.operation.op, use.node, use.user, use.upstream
    if op in ("transpose", "T", "reshape") and use.is_(upstream):
        return (NotMovedBack(node, user),)
    if op == "getitem" and alone:
        behind = arrays.taken([use.shape], axis_of(use.operation))[1]
        ways = (dict(zip(behind, upstream, strict=True)), dict(zip(behind[::-1], upstream[::-1], strict=True)))
        if any(use.is_([way.get(at, 0.0) for at in range(len(use.numbers))]) for way in ways):
            return (RepeatedIndex(node, user),)
    if op in ("stack", "concat"):
        every = use.program.contributions(use.program.index[user], upstream)
        for part, numbers in enumerate(every):
            if part not in use.places and use.is_(numbers):
                return (OtherPart(node, user, part, use.places[0]),)
    if op in ("transpose", "T", "reshape", "getitem", "stack", "concat"):
        moved = zip(sorted(use.numbers), sorted(use.right), strict=True)
        if all(use.equal(number, right) for number, right in moved):
            return (NotInPlace(node, user),)
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
    if not each or operation.operands.count(index) > 1:
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
    if size > 1 and is_([math.fsum(terms)] * size):
        return (SummedOverAll(node.name, operation.name, axes),)
    # the first or the last of the terms that are to be summed
    first, last = dict(zip(reversed(places), reversed(terms), strict=True)), dict(zip(places, terms, strict=True))
    if any(is_([one[place] for place in range(size)]) for one in (first, last)):
        return (OneSlice(node.name, operation.name, axes),)
    return ()
