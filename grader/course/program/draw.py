"""Draw random programs: directed acyclic graphs in which nodes are used several times."""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec import structs

from ...base.text import did_you_mean
from .graph import ON_SEVERAL_ARRAYS, Leaf, Node, Number, Op, Operand, Program, ProgramError, number_text
from .operations import BINARY, ELEMENTWISE, OPERATIONS, value

_LEAVES = "abcd"
_STEPS = "efghijklmnopqrstuvwxyz"
_EXPONENTS = (2, 3, -1, 0.5, -2, 1.5)
_TRIES = 400
_LARGEST_GRADIENT = 1e4


def draw(
    seed: str,
    count: int,
    *,
    ops: Sequence[str] = ("add", "mul"),
    sizes: tuple[int, int] = (1, 12),
    numbers: bool = False,
) -> list[Program]:
    """Return random programs, smallest first. The same arguments give the same programs.

    The root depends on every node. Operands repeat (`a * a`), and results are used several times
    (diamonds). Values stay below 50 and gradients below 10,000. Arguments stay away from kinks and
    poles. The exponent of `pow` is a plain number.

    Args:
        seed: the seed.
        count: the number of programs.
        ops: the operations to draw from.
        sizes: the smallest and the largest number of operations.
        numbers: whether other operations sometimes have a plain number as an operand.

    Raises:
        ProgramError: an operation is unknown, `sizes` are invalid, or no program was found. For example, `ops` may
            have no operation of two operands.
    """
    unknown = [op for op in ops if op not in ELEMENTWISE]
    listing = f"; the operations are {', '.join(ELEMENTWISE)}"
    if not ops:
        raise ProgramError(f"there is no operation to draw from{listing}")
    if unknown:
        near = did_you_mean(unknown[0], ELEMENTWISE)
        raise ProgramError(f"unknown operation: {', '.join(unknown)}{near}{listing}")
    low, high = sizes
    if not 1 <= low <= high <= len(_STEPS):
        raise ProgramError(f"sizes must be between 1 and {len(_STEPS)}, not {sizes}")
    # sizes grow evenly, and each program has a seed of its own, whatever the others are
    plans = [(f"{seed}:{i}", low + (high - low) * i // max(1, count - 1)) for i in range(count)]
    return [_one(own_seed, size, tuple(ops), numbers) for own_seed, size in plans]


@lru_cache(maxsize=4096)  # all submissions of a cohort get the same programs
def _one(seed: str, size: int, ops: tuple[str, ...], numbers: bool) -> Program:
    # a drawing fails if a value is huge or some nodes cannot be joined
    for attempt in range(_TRIES):
        nodes = _Drawing(random.Random(f"{seed}:{attempt}"), size, ops, numbers).draw()
        if nodes is not None:
            return Program(tuple(nodes), len(nodes) - 1, text_of(nodes))
    raise ProgramError(f"no program of {size} operations out of {', '.join(ops)} was found")


def parts(drawn: Program) -> list[Program]:
    """Return the subexpressions of a drawn program, smallest first: a program for each operation but the root."""
    programs = [_part(drawn, index) for index in drawn.reachable if index != drawn.root]
    return sorted(filter(None, programs), key=lambda part: len(part.nodes))


def _part(drawn: Program, root: int) -> Program | None:
    if not isinstance(drawn.nodes[root], Op):
        return None
    # the nodes below the root of the part, with the indices that they have there
    kept = drawn.rooted_at(drawn.nodes[root].name).reachable
    place = {index: i for i, index in enumerate(kept)}
    nodes: list[Node] = []
    for index in kept:
        node = drawn.nodes[index]
        if isinstance(node, Op):
            operands = tuple(place[o] if isinstance(o, int) else o for o in node.operands)
            node = Op("L" if index == root else node.name, node.op, operands)
        nodes.append(node)
    return Program(tuple(nodes), len(nodes) - 1, text_of(nodes))


def text_of(nodes: Sequence[Node]) -> str:
    """Return the operations of a program as text."""
    return "; ".join(_statement(node, nodes) for node in nodes if isinstance(node, Op))


class _Drawing:
    def __init__(self, rng: random.Random, size: int, ops: Sequence[str], numbers: bool) -> None:
        self.rng = rng
        self.size = size
        self.joins = [op for op in ops if op in BINARY and op != "pow"]
        self.ops = list(ops)
        self.numbers = numbers
        self.nodes: list[Node] = []
        self.values: list[float] = []
        self.idle: list[int] = []  # nodes without a user yet

    def draw(self) -> list[Node] | None:
        # without an operation of two operands, only a chain from one leaf is possible
        leaves = min(len(_LEAVES), 1 + self._below(1 + self.size // 2)) if self.joins else 1
        for name in _LEAVES[:leaves]:
            self._add(Leaf(name, self._leaf_value()), None)
        for step in range(self.size):
            if not self._step(_STEPS[step], self.size - step):
                return None
        # the root is the only node without a user
        if len(self.idle) > 1 or not _gradients_stay_moderate(self.nodes, self.values):
            return None
        *before, last = self.nodes
        return [*before, structs.replace(last, name="L")]

    def _below(self, n: int) -> int:
        return int(self.rng.random() * n)

    def _pick(self, items: Sequence[int]) -> int:
        return items[self._below(len(items))]

    def _leaf_value(self) -> float:
        while True:
            value = round(0.3 + 2.2 * self.rng.random(), 2) * (1 if self.rng.random() < 0.6 else -1)
            # different enough that no two leaves can be confused
            if all(abs(value - other) > 0.05 for other in self.values):
                return value

    def _step(self, name: str, left: int) -> bool:
        """Add one operation. If there are more idle nodes than steps left, use two of them."""
        # each join leaves one idle node less
        must_join = len(self.idle) > left
        for _ in range(20):
            if must_join and not self.joins:
                return False
            op = self.joins[self._below(len(self.joins))] if must_join else self.ops[self._below(len(self.ops))]
            node = Op(name, op, self._operands(op, must_join))
            result = value(op, _operand_values(node, self.values))
            if result is not None:
                self._add(node, result)
                return True
        return False

    def _operands(self, op: str, must_join: bool) -> tuple[Operand, ...]:
        if must_join:
            first = self._pick(self.idle)
            return first, self._pick([i for i in self.idle if i != first])
        first = self._any()
        if op == "pow":
            return first, Number(_EXPONENTS[self._below(len(_EXPONENTS))])
        if op not in BINARY:
            return (first,)
        if self.numbers and self.rng.random() < 0.3:
            number = Number((2, 3, 0.5, -1.5, 7)[self._below(5)])
            return (number, first) if self.rng.random() < 0.5 else (first, number)
        # only for these, because `a - a` and `a / a` are constant
        if op in ("add", "mul") and self.rng.random() < 0.25:
            return first, first
        return first, self._any()

    def _any(self) -> int:
        # idle nodes more often, so that few have to be joined at the end
        return self._pick(self.idle if self.idle and self.rng.random() < 0.5 else range(len(self.nodes)))

    def _add(self, node: Node, value: float | None) -> None:
        if isinstance(node, Op):
            used = node.inputs
            self.idle = [i for i in self.idle if i not in used]
        self.idle.append(len(self.nodes))
        self.nodes.append(node)
        self.values.append(node.value if isinstance(node, Leaf) else float(value or 0.0))


def _statement(node: Op, nodes: Sequence[Node]) -> str:
    texts = [_operand_text(operand, nodes) for operand in node.operands]
    first, args = texts[0], [argument_text(name, argument) for name, argument in node.arguments]
    if node.op in BINARY:
        text = f"{first} {BINARY[node.op]} {texts[1]}"
    elif node.op in ("neg", "T"):
        text = f"-{first}" if node.op == "neg" else f"{first}.T"
    elif node.op == "getitem":
        text = f"{first}[{args[0].removeprefix('(').removesuffix(')')}]"
    elif node.op in ON_SEVERAL_ARRAYS:
        listed = f"[{', '.join(texts)}]"
        text = f"{node.op}({', '.join([listed, *args])})"
    elif OPERATIONS[node.op].whole:
        text = f"{first}.{node.op}({', '.join(args)})"
    else:
        text = f"{node.op}({first})"
    return f"{node.name} = {text}"


def argument_text(name: str, argument: Any) -> str:
    """Return an argument of an operation as a program writes it. A slice is written so only in an index."""
    match argument:
        case ["slice", start, stop, step]:
            ends = [f"{'' if end is None else end}" for end in (start, stop)]
            return ":".join([*ends, *([] if step is None else [str(step)])])
        case ["list", *items]:
            return str(items)
        case [*items]:
            parts = [argument_text("", item) for item in items]
            argument = f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    return f"{name}={argument}" if name else str(argument)


def _operand_text(operand: Operand, nodes: Sequence[Node]) -> str:
    if isinstance(operand, int):
        return nodes[operand].name
    return f"({number_text(operand.value)})" if operand.value < 0 else number_text(operand.value)


def _gradients_stay_moderate(nodes: Sequence[Node], values: Sequence[float]) -> bool:
    """Return whether every gradient stays below 10,000 even if no contributions cancel."""
    mass = [0.0] * len(nodes)
    mass[-1] = 1.0
    for index in reversed(range(len(nodes))):
        node = nodes[index]
        if isinstance(node, Leaf):
            continue
        local = OPERATIONS[node.op].local(_operand_values(node, values), values[index])
        for operand, derivative in zip(node.operands, local, strict=True):
            if isinstance(operand, int):
                mass[operand] += abs(derivative) * mass[index]
    return max(mass) <= _LARGEST_GRADIENT


def _operand_values(node: Op, values: Sequence[float]) -> list[float]:
    return [float(o.value) if isinstance(o, Number) else values[o] for o in node.operands]
