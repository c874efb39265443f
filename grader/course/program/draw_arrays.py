"""Draw random programs with arrays, whose axes have the lengths 2, 3 and 5."""

import itertools
import math
import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from msgspec import structs

from . import arrays
from .arrays import Shape
from .draw import text_of
from .graph import Leaf, Node, Op, Program, ProgramError, program
from .operations import BINARY, OPERATIONS

DRAWN = tuple(op for op in OPERATIONS if op not in ("pow", "log"))  # the operations to draw from

_LENGTHS = (2, 3, 5)
_LEAVES, _STEPS, _WEIGHTS = "abcd", "efghijklm", "nopqrstuvwxyz"
_MOST_STEPS = len(_STEPS)
_TRIES = 400
_LARGEST_VALUE, _LARGEST_GRADIENT = 50.0, 1e4
_APART = 0.05  # how far arguments stay from the kink of relu, from 0 in a division, and from each other in a max
_MOST = 60  # the most numbers of a node
_Arguments: TypeAlias = tuple[tuple[str, Any], ...]


def draw_arrays(seed: str, count: int, *, ops: Sequence[str], sizes: tuple[int, int]) -> list[Program]:
    """Return random programs with arrays, smallest first. The same arguments give the same programs.

    The root is a sum of all nodes that have no other user, each multiplied by other numbers first, so that no upstream
    gradient consists of ones. Lengths that differ tell the axes apart. Arguments stay away from kinks, from poles and
    from ties.

    Args:
        seed: the seed.
        count: the number of programs.
        ops: the operations to draw from.
        sizes: the smallest and the largest number of operations before that sum.

    Raises:
        ProgramError: an operation cannot be drawn, `sizes` are invalid, or no program was found.
    """
    if not ops or not {*ops} <= {*DRAWN}:
        raise ProgramError(f"programs with arrays are drawn from {', '.join(DRAWN)}")
    low, high = sizes
    if not 1 <= low <= high <= _MOST_STEPS:
        raise ProgramError(f"sizes must be between 1 and {_MOST_STEPS}, not {sizes}")
    sizes_of = [low + (high - low) * i // max(1, count - 1) for i in range(count)]
    # each operation in turn is in a program, because some fit fewer nodes than others
    return [_one(f"{seed}:{i}", size, tuple(ops), ops[i % len(ops)]) for i, size in enumerate(sizes_of)]


@lru_cache(maxsize=4096)  # all submissions of a cohort get the same programs
def _one(seed: str, size: int, ops: tuple[str, ...], needed: str) -> Program:
    for attempt in range(_TRIES):
        drawing = _DrawingOfArrays(random.Random(f"{seed}:{attempt}"), ops)
        if drawing.draw(size, needed) and _is_moderate(drawn := _summed(drawing.nodes, drawing.shapes, drawing.rng)):
            return drawn
    raise ProgramError(f"no program of {size} operations out of {', '.join(ops)} was found")


def parts_of_arrays(drawn: Program) -> list[Program]:
    """Return a program for each operation of a drawn program, smallest first: a sum of its numbers.

    They are multiplied by other numbers first.
    """
    programs = []
    for node in drawn.nodes:
        # not the sum at the end, whose nodes have no letter as a name
        if isinstance(node, Op) and node.name in _STEPS:
            kept = drawn.rooted_at(node.name).reachable
            place = {index: i for i, index in enumerate(kept)}
            nodes = [_moved(drawn.nodes[index], place) for index in kept]
            programs.append(_summed(nodes, [drawn.shapes[index] for index in kept], random.Random(node.name)))
    return sorted((part for part in programs if part.text != drawn.text), key=lambda part: len(part.nodes))


def _moved(node: Node, place: dict[int, int]) -> Node:
    """Return a node whose operands have other indices."""
    if isinstance(node, Leaf):
        return node
    return structs.replace(node, operands=tuple(place[o] if isinstance(o, int) else o for o in node.operands))


def _summed(nodes: Sequence[Node], shapes: Sequence[Shape], rng: random.Random) -> Program:
    """Return the program of some nodes whose root is a sum of all those that have no user."""
    used = {operand for node in nodes if isinstance(node, Op) for operand in node.inputs}
    idle = {node.name: shape for i, (node, shape) in enumerate(zip(nodes, shapes, strict=True)) if i not in used}
    weights = [_leaf(name, shape, rng) for name, shape in zip(_WEIGHTS, filter(None, idle.values()), strict=False)]
    others = iter(weights)
    terms = [f"sum({name} * {next(others).name})" if shape else f"{name} * {name}" for name, shape in idle.items()]
    leaves = [node for node in (*nodes, *weights) if isinstance(node, Leaf)]
    text = f"{text_of(nodes)}; L = {' + '.join(terms)}"
    return program(text, **{leaf.name: arrays.nested(leaf.numbers, leaf.shape) for leaf in leaves})


def _leaf(name: str, shape: Shape, rng: random.Random) -> Leaf:
    """Return a leaf whose numbers are all different, by at least 0.01."""
    size = math.prod(shape)
    numbers = [0.3 + 2.2 * (i + rng.random()) / size for i in rng.sample(range(size), size)]
    first, *more = (round(number, 2) * (1 if rng.random() < 0.6 else -1) for number in numbers)
    return Leaf(name, first, tuple(more), shape)


class _DrawingOfArrays:
    def __init__(self, rng: random.Random, ops: Sequence[str]) -> None:
        self.rng = rng
        self.ops = ops
        self.nodes: list[Node] = []
        self.shapes: list[Shape] = []
        # the lengths of the axes of a matrix differ
        self.lengths = rng.sample(_LENGTHS, len(_LENGTHS))

    def draw(self, size: int, needed: str) -> bool:
        """Draw the nodes of a program, except the sum at the end. Return whether enough operations fit.

        Args:
            size: the number of operations.
            needed: the operation that one of them must be.
        """
        self._add(_leaf("a", tuple(self.lengths[: self.rng.choice((1, 2, 2, 2, 3))]), self.rng))
        at = self.rng.randrange(size)
        return all(self._step(name, (needed,) if i == at else self.ops) for i, name in enumerate(_STEPS[:size]))

    def _step(self, name: str, ops: Sequence[str]) -> bool:
        """Add one of some operations, with the leaves that it needs. Return whether one fits."""
        for _ in range(20):
            op = self.rng.choice(ops)
            # the last nodes more often, so that programs are deep
            first = max(self.rng.randrange(len(self.nodes)) for _ in range(2))
            if (made := self._operands(op, first)) is None:
                continue
            operands, arguments = made
            given, whole = [self.shapes[operand] for operand in operands], OPERATIONS[op].whole
            args, named = arrays.called_with(arguments)
            shape = whole.shape(given, *args, **named) if whole else arrays.broadcast(*given)
            if math.prod(shape) <= _MOST:
                self._add(Op(name, op, operands, None, arguments), shape)
                return True
        return False

    def _operands(self, op: str, first: int) -> tuple[tuple[int, ...], _Arguments] | None:
        """Return the operands and the arguments of an operation on a node; None if it does not fit."""
        shape, rng = self.shapes[first], self.rng
        if op == "matmul":
            if len(shape) != 2:  # many engines offer no batches
                return None
            other = self._second((shape[-1], rng.choice([n for n in _LENGTHS if n != shape[-1]])), lambda s: False)
            return None if other is None else ((first, other), ())
        if op in BINARY:
            # `a - a` and `a / a` are constant
            other = self._second(self._fitting(shape), lambda s: _fits(shape, s), op in ("add", "mul"), first)
            if other is None:
                return None
            return ((first, other) if rng.random() < 0.5 else (other, first)), ()
        if op in ("stack", "concat"):
            other = self._second(shape, lambda s: s == shape) if shape else None
            return None if other is None else ((first, other), (("axis", rng.randrange(len(shape))),))
        return _arguments(op, shape, rng, first)

    def _second(
        self, shape: Shape, fits: Callable[[Shape], bool], same: bool = True, first: int | None = None
    ) -> int | None:
        """Return a node that fits, or a new leaf of this shape; None if there is neither.

        Args:
            same: whether it may be the node `first`.
        """
        known = [index for index, other in enumerate(self.shapes) if fits(other) and (same or index != first)]
        names = [name for name in _LEAVES if shape and all(node.name != name for node in self.nodes)]
        if not names or (known and self.rng.random() < 0.5):
            return self.rng.choice(known) if known else None
        self._add(_leaf(names[0], shape, self.rng))
        return len(self.nodes) - 1

    def _fitting(self, shape: Shape) -> Shape:
        """Return a shape that is broadcast with another one, or the same shape."""
        if not shape or self.rng.random() < 0.3:
            return shape
        kept = [1 if self.rng.random() < 0.4 else length for length in shape]
        return tuple(kept[self.rng.randrange(len(kept)) if self.rng.random() < 0.5 else 0 :])

    def _add(self, node: Node, shape: Shape | None = None) -> None:
        self.nodes.append(node)
        self.shapes.append(node.shape if isinstance(node, Leaf) else shape or ())


def _fits(one: Shape, other: Shape) -> bool:
    try:
        arrays.broadcast(one, other)
    except arrays.ShapeError:
        return False
    return True


def _arguments(op: str, shape: Shape, rng: random.Random, first: int) -> tuple[tuple[int, ...], _Arguments] | None:
    """Return the operand and the arguments of an operation with one operand; None if the node has no axis for it."""
    axes = len(shape)
    if OPERATIONS[op].whole and not axes:
        return None
    arguments: _Arguments = ()
    if op in ("sum", "mean", "max"):
        axis = rng.choice([None, *range(-1, axes)])
        arguments = () if axis is None else (("axis", axis), *((("keepdims", True),) if rng.random() < 0.4 else ()))
    elif op == "reshape":
        arguments = tuple(("", length) for length in rng.choice((shape[::-1], (math.prod(shape),))))
    elif op == "transpose":
        arguments = tuple(("", axis) for axis in rng.sample(range(axes), axes))
    elif op == "getitem":
        rows = ("list", *(rng.randrange(shape[0]) for _ in range(3)))
        # `a[1]` of an array with one axis would be a leaf of a list
        one = [rng.randrange(shape[0])] * (axes > 1)
        arguments = (("", rng.choice((*one, ("slice", 1, None, None), rows))),)
        if shape[0] < 2:
            return None
    return (first,), arguments


def _is_moderate(drawn: Program) -> bool:
    """Return whether numbers are not too large, and no argument is near a kink, a pole or a tie."""
    gradients = drawn.gradients()
    if not max(map(abs, drawn.values)) < _LARGEST_VALUE or not max(map(abs, gradients)) < _LARGEST_GRADIENT:
        return False
    for node in drawn.nodes:
        if not isinstance(node, Op) or node.op not in ("relu", "div", "max"):
            continue
        given = drawn.nodes[node.inputs[-1]].name
        numbers = drawn.numbers_of(given, drawn.values)
        if node.op == "max":
            in_order = sorted(numbers)
            if any(high - low < _APART / len(in_order) for low, high in itertools.pairwise(in_order)):
                return False
        elif min(map(abs, numbers)) < _APART:
            return False
    return True
