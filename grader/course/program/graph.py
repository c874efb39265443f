"""Programs as data: leaves with values, and operations on earlier nodes or plain numbers. Their text is parsed here."""

import ast
import contextlib
import hashlib
import itertools
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias, TypeVar

import msgspec

from ...base.text import did_you_mean
from . import arrays
from .arrays import Arguments, Flat, Shape, ShapeError
from .operations import BINARY, ELEMENTWISE, FUNCTIONS, METHODS, OPERATIONS, REFLECTED


class ProgramError(ValueError):
    """An expression is not a program, or the arguments of `draw` are wrong. The message says why."""


class Leaf(msgspec.Struct, frozen=True):
    """A leaf: its name and its numbers.

    Attributes:
        value: its value, or the first number of an array.
        more: the other numbers of an array, in row-major order.
        shape: its shape; `()` for a scalar.
    """

    name: str
    value: float
    more: tuple[float, ...] = ()
    shape: Shape = ()

    @property
    def numbers(self) -> tuple[float, ...]:
        """Return all numbers."""
        return (self.value, *self.more)

    def with_numbers(self, numbers: Sequence[float]) -> "Leaf":
        """Return the leaf with other numbers."""
        first, *more = numbers
        return Leaf(self.name, first, tuple(more), self.shape)


class Number(msgspec.Struct, frozen=True):
    """A plain number as an operand. It is not a node and has no gradient."""

    value: int | float


Operand: TypeAlias = int | Number
T = TypeVar("T")


class Made(msgspec.Struct, frozen=True):
    """A call of a function of the learner's file, which makes nodes.

    Attributes:
        first: the name of the first node that the call makes.
        arguments: `["node", i]`, `["nodes", [i, ...]]`, `["number", x]`, `["text", "..."]` or `["list", [argument,
            ...]]` for each argument. In place of indices of nodes, `i` counts the operands of the node.
        place: the place of the node among the results; None if the result is not a list.
        count: the number of results.
    """

    first: str
    arguments: tuple[tuple[str, Any], ...]
    place: int | None = None
    count: int = 1


class Op(msgspec.Struct, frozen=True):
    """An operation. Its operands are indices of earlier nodes, or plain numbers.

    If `made` is given, `op` is the name of a function of the learner's file. `arguments` has those besides the
    operands, such as the axis of a sum.
    """

    name: str
    op: str
    operands: tuple[Operand, ...]
    made: Made | None = None
    arguments: Arguments = ()

    @property
    def inputs(self) -> tuple[int, ...]:
        """Return the indices of the node's inputs, one for each use."""
        return _indices(self.operands)


def _indices(operands: tuple[Operand, ...]) -> tuple[int, ...]:
    # a loop and `type`, because a graph may have very many nodes, most of which have no number as operand
    for operand in operands:
        if type(operand) is not int:
            return tuple([one for one in operands if type(one) is int])
    return operands  # type: ignore[return-value]  # mypy follows no loop


Node: TypeAlias = Leaf | Op


@dataclass(frozen=True)
class Program:
    """An expression graph.

    Attributes:
        nodes: the nodes in a topological order.
        root: the index of the node to differentiate.
        text: the expression as a learner reads it.
        truth: a program for torch that has every node of this one, by name, and equal leaves. It is needed if a
            function of the learner's file makes nodes.
        short: the wire form in which a sequence of equal operations is one item, `["repeat", n, op, operand, ...]`.
            An operand is an index, `["number", x]`, or `["back", k]` for the node k places earlier.
    """

    nodes: tuple[Node, ...]
    root: int
    text: str
    short: list[list[object]] | None = field(default=None, compare=False)
    truth: "Program | None" = None

    def __post_init__(self) -> None:
        for index, inputs in enumerate(self.inputs):
            for source in inputs:
                if not 0 <= source < index:
                    raise ProgramError(f"{self.text}: {self.nodes[index].name} uses a node that comes after it")
        if len({node.name for node in self.nodes}) < len(self.nodes):
            raise ProgramError(f"{self.text}: two nodes share a name")
        # the answers to this program are read from those to `truth`, by name
        if self.truth and (lacking := [node.name for node in self.nodes if node.name not in self.truth.index]):
            raise ProgramError(f"{self.text}: `truth` has no node {', '.join(lacking)}")

    def rooted_at(self, name: str) -> "Program":
        """Return the same nodes with the root `name`. Nodes from which it was not computed have the gradient 0."""
        return replace(self, root=self.index[name], text=f"{self.text}; from {name}", short=None)

    def with_leaves(self, values: Sequence[float]) -> "Program":
        """Return the same operations with other leaf values: the numbers of all leaves, in their order."""
        nodes, given = list(self.nodes), iter(values)
        for index, node in enumerate(nodes):
            if isinstance(node, Leaf):
                nodes[index] = node.with_numbers([next(given) for _ in node.numbers])
        given = iter(values)
        short = self.short and [["leaf", next(given)] if op == "leaf" else [op, *rest] for op, *rest in self.short]
        return replace(self, nodes=tuple(nodes), short=short)

    def following(self, truth: "Program") -> "Program":
        """Return the same nodes with another `truth`, and with its leaf values."""
        values = [number for leaf in self.leaves for number in truth.numbers_of(leaf.name, truth.values)]
        return replace(self.with_leaves(values), truth=truth)

    def of_truth(self, numbers: Sequence[float]) -> tuple[float, ...]:
        """Return the numbers of this program's nodes, from those of the nodes of `truth`."""
        if self.truth is None:
            return tuple(numbers)
        return tuple([number for node in self.nodes for number in self.truth.numbers_of(node.name, numbers)])

    # -- the numbers of all nodes are one flat sequence, of which a node owns a slice with a shape

    @cached_property
    def has_arrays(self) -> bool:
        """Return whether a leaf has a shape other than `()`. In all other programs, each node has one number."""
        if self.truth:
            return self.truth.has_arrays
        # `short` first, because such a program has very many nodes, and none is an array
        return not self.short and any(node.shape for node in self.nodes if type(node) is Leaf)

    @cached_property
    def shapes(self) -> list[Shape]:
        """Return the shape of each node. Raises `ProgramError` if shapes do not fit."""
        if not self.has_arrays:
            return [()] * len(self.nodes)
        if truth := self.truth:
            return [truth.shapes[truth.index[node.name]] for node in self.nodes]
        shapes: list[Shape] = []
        for node in self.nodes:
            if isinstance(node, Leaf):
                shapes.append(node.shape)
                continue
            given = [shapes[operand] if isinstance(operand, int) else () for operand in node.operands]
            whole, (args, named) = OPERATIONS[node.op].whole, arrays.called_with(node.arguments)
            try:
                shapes.append(whole.shape(given, *args, **named) if whole else arrays.broadcast(*given))
            except (TypeError, ValueError) as error:
                why = error if isinstance(error, ShapeError) else f"`{node.op}` does not take these arguments"
                raise ProgramError(f"{self.text}: {node.name}: {why}") from None
        return shapes

    @cached_property
    def slices(self) -> list[slice]:
        """Return the place of each node's numbers in the flat sequence."""
        ends = list(itertools.accumulate(map(math.prod, self.shapes)))
        return list(map(slice, [0, *ends], ends))

    @cached_property
    def owners(self) -> Sequence[Node]:
        """Return the node that owns each number."""
        if not self.has_arrays:
            return self.nodes
        return [node for node, shape in zip(self.nodes, self.shapes, strict=True) for _ in range(math.prod(shape))]

    @cached_property
    def names(self) -> list[str]:
        """Return the name of each number: that of its node, or with an index, such as `a[0, 1]`."""
        if not self.has_arrays:
            return [node.name for node in self.nodes]
        return [
            f"{_in_parentheses(node.name)}[{', '.join(map(str, index))}]" if index else node.name
            for node, shape in zip(self.nodes, self.shapes, strict=True)
            for index in arrays.indices(shape)
        ]

    def numbers_of(self, name: str, numbers: Sequence[T]) -> Sequence[T]:
        """Return the numbers of one node, from those of all nodes."""
        at = self.index[name]
        return numbers[self.slices[at]] if self.has_arrays else numbers[at : at + 1]

    @property
    def root_name(self) -> str:
        return self.nodes[self.root].name

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(node for node in self.nodes if isinstance(node, Leaf))

    @property
    def leaf_numbers(self) -> tuple[float, ...]:
        """Return the numbers of all leaves, in their order."""
        return tuple([number for leaf in self.leaves for number in leaf.numbers])

    @property
    def operations(self) -> frozenset[str]:
        """Return the names of the operations. One whose left operand is a plain number begins with r: `rsub`."""
        ops = (node for node in self.nodes if isinstance(node, Op))
        return frozenset(f"r{op.op}" if isinstance(op.operands[0], Number) else op.op for op in ops)

    @cached_property
    def index(self) -> dict[str, int]:
        """Return the index of each node, by name."""
        return {node.name: i for i, node in enumerate(self.nodes)}

    @cached_property
    def inputs(self) -> list[tuple[int, ...]]:
        """Return the indices of each node's inputs, one for each use."""
        return [_indices(node.operands) if isinstance(node, Op) else () for node in self.nodes]

    @cached_property
    def users(self) -> list[list[int]]:
        """Return the indices of the nodes computed from each node, each once and in the program's order."""
        users: list[list[int]] = [[] for _ in self.nodes]
        for index, inputs in enumerate(self.inputs):
            for source in set(inputs):
                users[source].append(index)
        return users

    @cached_property
    def calls(self) -> frozenset[tuple[str, bool]]:
        """Return the methods that the program calls on the nodes of an engine, each with whether it gets a number."""
        calls = set()
        for node in self.nodes:
            if isinstance(node, Op):
                method = METHODS.get(node.op, node.op) if isinstance(node.operands[0], int) else REFLECTED[node.op]
                calls.add((method, any(isinstance(operand, Number) for operand in node.operands)))
        return frozenset(calls)

    @cached_property
    def methods(self) -> frozenset[str]:
        """Return the methods that the program calls on the nodes of an engine."""
        return frozenset(method for method, _ in self.calls)

    @cached_property
    def reachable(self) -> list[int]:
        """Return the indices of the root and of all nodes from which it was computed, in the program's order."""
        wanted = [False] * len(self.nodes)
        for index in range(self.root, -1, -1):
            # inputs have lower indices, so one pass down from the root reaches all
            wanted[index] = wanted[index] or index == self.root
            if wanted[index]:
                for source in self.inputs[index]:
                    wanted[source] = True
        return [index for index, want in enumerate(wanted) if want]

    @cached_property
    def edges(self) -> tuple[list[int], list[int]]:
        """Return the uses of the reachable nodes: a list of inputs, and a list with the user of each."""
        used = [i for index in self.reachable for i in self.inputs[index]]
        return used, [index for index in self.reachable for _ in self.inputs[index]]

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Return the value of each node, or nan if it is not defined."""
        if self.truth:
            return self.of_truth(self.truth.values)
        if self.has_arrays:
            return tuple(itertools.chain.from_iterable(self._arrays))
        values: list[float] = []
        for node in self.nodes:
            if isinstance(node, Leaf):
                values.append(node.value)
                continue
            try:
                values.append(float(OPERATIONS[node.op].compute(*_operands(node, values))))
            except (ArithmeticError, TypeError, ValueError):
                values.append(math.nan)
        return tuple(values)

    @cached_property
    def _arrays(self) -> list[Flat]:
        """Return the numbers of each node; nan if they are not defined."""
        if truth := self.truth:
            return [list(truth.numbers_of(node.name, truth.values)) for node in self.nodes]
        found: list[Flat] = []
        for node, shape in zip(self.nodes, self.shapes, strict=True):
            if isinstance(node, Leaf):
                found.append(list(node.numbers))
                continue
            try:
                found.append(self._operation(node, found).value())
            except (ArithmeticError, ValueError):
                found.append([math.nan] * math.prod(shape))
        return found

    def _operation(self, node: Op, found: Sequence[Flat]) -> "arrays.Applied":
        """Return an operation with its operands."""
        row = OPERATIONS[node.op]
        given = [found[o] if isinstance(o, int) else [float(o.value)] for o in node.operands]
        shapes = [self.shapes[o] if isinstance(o, int) else () for o in node.operands]
        return arrays.Applied(row.whole, row.compute, row.local, given, shapes, node.arguments)

    def contributions(self, index: int, upstream: Flat) -> list[Flat]:
        """Return what an operation gives back to each operand, from the upstream gradient of its result."""
        node = self.nodes[index]
        assert isinstance(node, Op)
        if node.made:
            return self._contributions_of_call(node, upstream)
        try:
            return self._operation(node, self._arrays).contributions(upstream)
        except (ArithmeticError, ValueError):
            return [[math.nan] * math.prod(self.shapes[o]) if isinstance(o, int) else [] for o in node.operands]

    def _contributions_of_call(self, node: Op, upstream: Flat) -> list[Flat]:
        """Return what a node that a function of the file makes gives back to each operand, by the nodes of `truth`.

        An operand that is there several times receives all at its first place.
        """
        truth = self.truth
        assert truth
        start, places = truth.index[node.name], [truth.index[self.nodes[i].name] for i in node.inputs]
        grads = [[0.0] * math.prod(shape) for shape in truth.shapes]
        grads[start] = upstream
        for index in range(start, -1, -1):
            # what lies behind an operand is no part of the call
            if index not in places and any(grads[index]):
                truth.add_contributions(index, grads)
        return [grads[at] if at not in places[:i] else [0.0] * len(grads[at]) for i, at in enumerate(places)]

    def add_contributions(self, index: int, grads: list[Flat]) -> None:
        """Add what a node gives back to the gradients of its operands. A leaf gives back nothing."""
        node = self.nodes[index]
        if isinstance(node, Op):
            for operand, given in zip(node.operands, self.contributions(index, grads[index]), strict=True):
                if isinstance(operand, int):
                    grads[operand] = [old + new for old, new in zip(grads[operand], given, strict=True)]

    def terms(self, index: int, upstream: Flat) -> list[tuple[Flat, Shape]]:
        """Return what an operation gives back to each operand before it is summed over broadcast axes, with its shape.

        Return nothing for an operation that does not broadcast, and for a call.
        """
        node = self.nodes[index]
        assert isinstance(node, Op)
        if node.made:
            return []
        with contextlib.suppress(ArithmeticError, ValueError):
            return self._operation(node, self._arrays).terms(upstream)
        return []

    def _gradients_of_arrays(self, at_first: float) -> tuple[float, ...]:
        grads = [[at_first] * math.prod(shape) for shape in self.shapes]
        grads[self.root] = [1.0] * len(grads[self.root])
        for index in range(self.root, -1, -1):
            self.add_contributions(index, grads)
        return tuple(itertools.chain.from_iterable(grads))

    def gradients(self, at_first: float = 0.0) -> tuple[float, ...]:
        """Return the gradient of each node after a backward pass, or nan if it is not defined.

        Args:
            at_first: the gradient of every node except the root before the backward pass.
        """
        if self.truth:
            return self.of_truth(self.truth.gradients(at_first))
        if self.has_arrays:
            return self._gradients_of_arrays(at_first)
        grads = [at_first] * len(self.nodes)
        grads[self.root] = 1.0
        # the nodes are in a topological order, so users come before inputs from the end
        for index in range(self.root, -1, -1):
            node = self.nodes[index]
            if isinstance(node, Op):
                try:
                    local = OPERATIONS[node.op].local(_operands(node, self.values), self.values[index])
                except (ArithmeticError, TypeError, ValueError):
                    local = (math.nan,) * len(node.operands)
                for operand, derivative in zip(node.operands, local, strict=True):
                    if isinstance(operand, int):
                        grads[operand] += derivative * grads[index]
        return tuple(grads)

    @property
    def shown(self) -> str:
        """Return the program as a learner reads it: `L = a * a    with a = 3`."""
        lists: dict[str, list[str]] = {}  # by name; a leaf that is in no list is a list of its own
        for leaf in self.leaves:
            lists.setdefault(leaf.name.partition("[")[0], []).append(_leaf_text(leaf))
        values = ", ".join(
            f"{name} = {numbers[0] if name in self.index else _beginning(numbers)}" for name, numbers in lists.items()
        )
        return f"{self.text}    with {values}" if values else self.text

    @cached_property
    def wire(self) -> list[list[object]]:
        """Return the program as plain lists without names: `["leaf", x]` or `[op, operand, ...]` for each node.

        An operand is an index or `["number", x]`; other arguments follow as `["named", [name, argument], ...]` (see
        `arrays.Arguments`). A leaf that is an array has a nested list. A node that a function of the file makes is
        `["made", [first, function, arguments, place, count], operand, ...]` (see `Made`).
        """
        return [_wire_of(node) for node in self.nodes]

    @cached_property
    def shape(self) -> str:
        """Return the operations of the wire form as text, which is the same for other leaf values."""
        return str([node for node in self.wire if node[0] != "leaf"])

    @property
    def sent(self) -> list[list[object]]:
        """Return the form that is sent to a worker: `short` if there is one, else `wire`."""
        return self.short or self.wire

    @property
    def sizes(self) -> tuple[int, int]:
        """Return the number of values and of gradients in an answer."""
        numbers = sum(map(math.prod, self.shapes)) if self.has_arrays else len(self.nodes)
        return numbers, numbers

    @property
    def question(self) -> list[object]:
        """Return the question to the oracle: the wire form and the root."""
        return [self.wire, self.root]

    @cached_property
    def key(self) -> str:
        """Return the key of the question, which does not depend on the names of nodes."""
        return key_of(self.question)


def _beginning(numbers: list[str]) -> str:
    """Return the beginning of a list of leaves, as a learner reads it."""
    return f"[{', '.join(numbers[:_FIRST])}, …]" if len(numbers) > _FIRST else f"[{', '.join(numbers)}]"


def _wire_of(node: Node) -> list[object]:
    if isinstance(node, Leaf):
        return ["leaf", arrays.nested(node.numbers, node.shape) if node.shape else node.value]
    if made := node.made:
        return ["made", [made.first, node.op, made.arguments, made.place, made.count], *node.operands]
    arguments = [["named", *node.arguments]] if node.arguments else []
    return [node.op, *(o if isinstance(o, int) else ["number", o.value] for o in node.operands), *arguments]


def _operands(node: Op, values: Sequence[float]) -> list[float]:
    return [values[operand] if isinstance(operand, int) else operand.value for operand in node.operands]


def key_of(question: list[object]) -> str:
    """Return the key of a question to the oracle: SHA-256 in hexadecimal."""
    # answer books and memos have keys of this text, so its form must not change
    text = json.dumps(question, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def number_text(value: float) -> str:
    """Return a number as a learner would write it: 3, 0.5, -2.25."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _in_parentheses(name: str) -> str:
    return name if name.isidentifier() else f"({name})"


def _leaf_text(leaf: Leaf) -> str:
    """Return the value of a leaf as a learner would write it: 3, or [[2, -3], [1, 4]]. A large array is cut."""
    nested = arrays.nested(leaf.numbers, leaf.shape)
    return nested_text(nested) if len(leaf.numbers) <= _MOST else _first_text(nested)


def _first_text(value: Any) -> str:
    """Return the beginning of a large array: its first row, or the first numbers of that: [[2, -3], …]."""
    if not isinstance(value[0], list):
        return _beginning(list(map(number_text, value)))
    return f"[{_first_text(value[0])}, …]" if len(value) > 1 else f"[{_first_text(value[0])}]"


def nested_text(value: Any) -> str:
    """Return a nested list of numbers, or a number, as a learner would write it."""
    return f"[{', '.join(map(nested_text, value))}]" if isinstance(value, list) else number_text(value)


# -- Large programs of regular shape, described by a short text instead of their full expression

NOTHING = Program((), 0, "")
_FIRST = 4  # the most numbers of a list that are shown
_MOST = 30  # the most numbers of an array that are all shown


def leaf(value: float) -> Program:
    """Return a program of one leaf and no operation."""
    return Program((Leaf("a", value),), 0, "a")


@lru_cache(maxsize=8)
def chain(length: int) -> Program:
    """Return a chain of `length` nodes, each of which is the sum of the previous one and b."""
    nodes: list[Node] = [Leaf("a", 1.0), Leaf("b", 0.5)]
    nodes += [Op(f"x{i}", "add", (i - 1 if i > 2 else 0, 1)) for i in range(2, length)]
    short: list[list[object]] = [["leaf", 1.0], ["leaf", 0.5], ["add", 0, 1]]
    short.append(["repeat", length - 3, "add", ["back", 1], 1])
    return Program(tuple(nodes), len(nodes) - 1, f"x = a; x = x + b, {length - 2:,} times", short)


def diamonds(count: int) -> Program:
    """Return `count` stacked diamonds, each x = (x * a) + (x + b). Each of them doubles the number of paths."""
    nodes: list[Node] = [Leaf("x", 1.0), Leaf("a", 0.25), Leaf("b", 0.5)]
    x = 0
    for i in range(count):
        n = len(nodes)
        nodes += [Op(f"l{i}", "mul", (x, 1)), Op(f"r{i}", "add", (x, 2)), Op(f"x{i}", "add", (n, n + 1))]
        x = n + 2
    return Program(tuple(nodes), x, f"x = (x * a) + (x + b), {count} times")


def tree(levels: int) -> Program:
    """Return a sum of `2**levels` products a * b. The sum of two halves is added, so there are few levels."""
    nodes: list[Node] = [Leaf("a", 2.0), Leaf("b", 0.5)]
    count = 2**levels
    nodes += [Op(f"x{i}", "mul", (0, 1)) for i in range(count)]
    nodes += [Op(f"y{i}", "add", (2 + 2 * i, 3 + 2 * i)) for i in range(count - 1)]
    return Program(tuple(nodes), len(nodes) - 1, f"a tree of sums of {count} products a * b")


def braids() -> list[Program]:
    """Return graphs in which some nodes have three or four users, at different distances from the root.

    Every second order of inputs leads a depth-first search to a node for the third time before its inputs are done.
    """
    back = ((1, 1, 2), (1, 2, 1), (1, 2, 2), (1, 2, 3))
    texts = ("; ".join(f"x{i + 2} = x{i + 1} + x{i + 1 - steps[i % 3]}" for i in range(12)) for steps in back)
    return [program(text, x0=2, x1=3) for text in texts]


# -- A program after some steps of gradient descent, given by the program before the first step


@dataclass(frozen=True)
class Descent:
    """The program `start` after `steps` steps of gradient descent on its root.

    Each step subtracts `rate` times its gradient from every leaf, or changes it as Adam does. The oracle
    computes the steps. The values of the leaves after them may differ in their last digits between
    machines, so no program and no key contains them. The values of an answer are those of the root
    before each step, and the numbers of the leaves after the last one. It has no gradients.

    Attributes:
        adam: whether the steps are those of Adam, with the decays 0.9 and 0.99 and an epsilon of 1e-8.
        fixed: the names of leaves that keep their values.
    """

    start: Program
    rate: float
    steps: int
    adam: bool = False
    fixed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.steps < 1 or not math.isfinite(self.rate):
            raise ProgramError(
                f"{self.start.text}: a descent needs at least 1 step and a finite rate "
                f"(steps: {self.steps}, rate: {self.rate})"
            )

    @property
    def sizes(self) -> tuple[int, int]:
        """Return the number of values and of gradients in an answer."""
        return self.steps + len(self.start.leaf_numbers), 0

    @property
    def shown(self) -> str:
        """Return the program and the steps as a learner reads them."""
        steps = "1 step" if self.steps == 1 else f"{self.steps} steps"
        method = "Adam" if self.adam else "gradient descent"
        return f"{self.start.shown}, after {steps} of {method} at rate {number_text(self.rate)}"

    @property
    def question(self) -> list[object]:
        """Return the question to the oracle: the starting program, the rate and the number of steps.

        Whether Adam takes them, and the indices of the leaves that keep their values, follow if either is needed.
        """
        more = [self.adam, [self.start.index[name] for name in self.fixed]] if self.adam or self.fixed else []
        return [*self.start.question, float(self.rate), self.steps, *more]

    @cached_property
    def key(self) -> str:
        """Return the key of the question, which does not depend on the names of nodes."""
        return key_of(self.question)


Question: TypeAlias = Program | Descent


# -- Parse `L = (a*b + c) * (a + b)`, or a sequence of such assignments, into a program

_SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@"}
_BINDS: dict[type[ast.operator], int] = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.Div: 2, ast.MatMult: 2, ast.Pow: 4}
_SIGN, _ATOM = 3, 6  # a minus binds less tightly than a power
ON_SEVERAL_ARRAYS = ("stack", "concat")
_ON_ONE_ARRAY = tuple(
    name for name, row in OPERATIONS.items() if row.whole and name not in (*BINARY, *ON_SEVERAL_ARRAYS, "T", "getitem")
)
_FUNCTIONS_OF_ARRAYS = (*(name for name, row in OPERATIONS.items() if row.is_function), *ON_SEVERAL_ARRAYS)
_OPERATORS = {kind: name for kind, symbol in _SYMBOLS.items() for name in BINARY if BINARY[name] == symbol}


Rows: TypeAlias = "float | Sequence[Rows]"


def program(text: str, truth: str = "", /, **values: Rows) -> Program:
    """Parse assignments, separated by `;` or newlines, or a single expression, which is named `L`.

    The last node assigned is the root. Functions may be written `relu(x)` or `x.relu()`.

        program("d = double(a); L = d * a", "d = a + a; L = d * a", a=2)

    Args:
        text: the assignments or the expression.
        truth: a program that has the same nodes and the same root, for torch. With it, an assignment may call a
            function of the learner's file with nodes, numbers, texts, and lists of these. The function returns a
            node, or a list with a node for each name on the left.
        values: the value of each leaf of either program, by name. A list is an array, unless `truth`, or else the text,
            has nothing of it but single numbers, such as `row[0]` or `table[1][2]`. Then it makes a leaf for each
            number, and the name of the list stands for the list of these leaves in a call. So does a list that `truth`
            does not name.

    Raises:
        ProgramError: `text` is anything else, or the values are not those of its leaves.
    """
    if not isinstance(text, str):
        raise ProgramError(f"a program is a text such as 'L = a * b', not {text!r}")
    single = {
        key
        for key, value in values.items()
        if isinstance(value, (list, tuple)) and _only_single(key, value, truth or text, idle=bool(truth))
    }
    try:
        leaves = tuple(leaf for key, value in values.items() for leaf in _leaves(key, value, key in single))
    except (TypeError, ValueError, OverflowError) as error:
        raise ProgramError(f"{text!r}: the value of a leaf is not a number: {error}") from None
    return _following(text, truth, leaves) if truth else _parsed(text, leaves)


# A leaf before it is parsed: its name, its numbers in hexadecimal, which distinguishes 0.0 from -0.0, and its shape.
_Given: TypeAlias = tuple[str, tuple[str, ...], Shape]


def _only_single(name: str, value: Rows, text: str, idle: bool) -> bool:
    """Return whether a text has nothing of a list but single numbers, such as `table[1][2]`.

    Args:
        idle: what to return if the text has nothing of the list at all.
    """
    depth = 0
    while isinstance(value, (list, tuple)) and value:
        value, depth = value[0], depth + 1
    uses = re.findall(rf"\b{re.escape(name)}\b((?:\s*\[[^\[\]]*\])*)", text)
    if not uses:
        return idle
    return any(uses) and all(re.fullmatch(rf"(\s*\[\s*\d+\s*\]){{{depth}}}", use) for use in uses)


@lru_cache(maxsize=256)  # shared by all submissions of a cohort
def _following(text: str, truth: str, leaves: tuple[_Given, ...]) -> Program:
    """Return the program of a text that may call functions of the learner's file, with the program `truth`."""
    # leaves of both are in `truth`, so that its answer has every node
    of_truth = _parsed(truth, _named_in(f"{text} {truth}", leaves), idle=True)
    parsed = replace(_parsed(text, _named_in(text, leaves), calls=True), truth=of_truth)
    if of_truth.root_name != parsed.root_name:
        raise ProgramError(f"{text!r}: its root is {parsed.root_name}, and that of `truth` is {of_truth.root_name}")
    return parsed


def _leaves(name: str, value: Rows, single: bool) -> list[_Given]:
    """Return the leaves that a value makes: one, or one for each number in a list if they are `single`."""
    if not isinstance(value, (list, tuple)):  # the usual case
        return [(name, (float(value).hex(),), ())]  # type: ignore[arg-type]
    if single:
        return [leaf for i, item in enumerate(value) for leaf in _leaves(f"{name}[{i}]", item, single)]
    numbers, shape = arrays.flattened(value)
    return [(name, tuple([number.hex() for number in numbers]), shape)]


def _named_in(text: str, leaves: tuple[_Given, ...]) -> tuple[_Given, ...]:
    names = set(re.findall(r"[A-Za-z_]\w*", text))
    return tuple(leaf for leaf in leaves if leaf[0].partition("[")[0] in names)


@lru_cache(maxsize=4096)  # shared by all submissions of a cohort
def _parsed(text: str, given: tuple[_Given, ...], calls: bool = False, idle: bool = False) -> Program:
    leaves = []
    for name, numbers, shape in given:
        first, *more = map(float.fromhex, numbers)
        leaves.append(Leaf(name, first, tuple(more), shape))
    parser = _Parser(text, leaves, calls, idle)
    try:
        return parser.parse()
    except RecursionError:
        raise ProgramError(f"{text[:60]!r}…: nested too deeply") from None


def _known(expression: ast.expr) -> str:
    """Return the end of an error about an unsupported expression: a suggestion, and the operations of programs."""
    match expression:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            near = did_you_mean(name, FUNCTIONS)
        case _:
            near = ""
    symbols = ", ".join(symbol for op, symbol in BINARY.items() if op in ELEMENTWISE)
    return f"{near}; use -x, {symbols} with two operands, or {', '.join(FUNCTIONS)} with one"


class _Parser:
    def __init__(self, text: str, leaves: Sequence[Leaf], calls: bool, idle: bool) -> None:
        self.calls = calls  # whether functions of the learner's file may be called
        self.idle = idle  # whether leaves need not be used
        self.text = "; ".join(part.strip() for part in text.replace(";", "\n").splitlines() if part.strip())
        self.nodes: list[Node] = []
        self.names: dict[str, int] = {}
        self.used: set[str] = set()
        self.on_arrays = ""  # an expression with an operation that only arrays have
        # names that no function of the learner's file has in a program
        self.functions = _FUNCTIONS_OF_ARRAYS if any(leaf.shape for leaf in leaves) else FUNCTIONS
        self._texts: dict[ast.expr, tuple[str, int]] = {}  # and how tightly each binds
        for leaf in leaves:
            infinite = next((number for number in leaf.numbers if not math.isfinite(number)), None)
            if infinite is not None:
                raise self._error(f"{leaf.name} = {infinite} is not finite")
            self._add(leaf)

    def _error(self, why: str) -> ProgramError:
        return ProgramError(f"{self.text!r}: {why}")

    def parse(self) -> Program:
        try:
            body = ast.parse(self.text.replace("; ", "\n")).body
        except SyntaxError as error:
            raise self._error(f"not an expression ({error.msg})") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise self._error(f"not an expression ({error})") from None
        if not body:
            raise self._error("it is empty")
        if isinstance(body[0], ast.Expr) and len(body) == 1:
            self._assign("L", body[0].value)
        else:
            for statement in body:
                match statement:
                    case ast.Assign(targets=[target], value=ast.Call(func=ast.Name(id=function)) as call) if (
                        self.calls and function not in self.functions
                    ):
                        self._make(target, function, call)
                    case ast.Assign(targets=[ast.Name(id=name)], value=value):
                        self._assign(name, value)
                    case _:
                        raise self._error("every line must be an assignment such as `b = a + 1`")
        # a leaf without a use is probably a mistake of the test
        idle = [leaf.name for leaf in self.nodes if isinstance(leaf, Leaf) and leaf.name not in self.used]
        if idle and not self.idle:
            raise self._error(f"{', '.join(idle)} has a value but is not used")
        parsed = Program(tuple(self.nodes), len(self.nodes) - 1, self.text)
        if parsed.has_arrays:
            if not self.calls:  # otherwise the shapes are those of the program for torch
                parsed.shapes  # noqa: B018 -- raises an error if they do not fit
        elif self.on_arrays:
            raise self._error(f"`{self.on_arrays}` needs a leaf that is an array")
        return parsed

    def _assign(self, name: str, value: ast.expr) -> None:
        if name in self.names:
            raise self._error(f"{name} is defined twice")
        self._operand(value, name)
        # an operation is added under the name; another name or a number adds nothing
        if name not in self.names:
            raise self._error(f"{name} is not an operation, only another name")

    def _make(self, target: ast.expr, function: str, call: ast.Call) -> None:
        """Add the nodes that a function of the learner's file makes.

        Its arguments are names of nodes, names of lists of leaves, numbers, texts, and lists of these.
        """
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        names = [one.id for one in targets if isinstance(one, ast.Name)]
        if call.keywords or not names or len(names) < len(targets) or not self.names.keys().isdisjoint(names):
            raise self._error(f"`{ast.unparse(call)}` needs a new name on the left for each node that it makes")
        # the operands of all nodes that the call makes, which are the same for each
        used: list[int] = []

        arguments = tuple(self._argument(argument, used) for argument in call.args)
        several = isinstance(target, ast.Tuple)
        for at, name in enumerate(names):
            made = Made(names[0], arguments, at if several else None, len(names))
            self._add(Op(name, function, tuple(used), made))

    def _argument(self, argument: ast.expr, used: list[int]) -> tuple[str, object]:
        """Return an argument of a call as in `Made`, and add the nodes in it to `used`."""
        match argument:
            case ast.List(elts=items):
                given = tuple(self._argument(item, used) for item in items)
                if given and all(kind == "node" for kind, _ in given):
                    return "nodes", tuple(place for _, place in given)
                return "list", given
            case ast.Constant(value=str() as text):
                return "text", text
            case ast.Name(id=name) if name not in self.names and any(n.startswith(f"{name}[") for n in self.names):
                return self._argument(self._rows(name), used)
        operand = self._operand(argument)
        if isinstance(operand, Number):
            return "number", operand.value
        if not isinstance(argument, (ast.Name, ast.Subscript)):
            raise self._error(f"`{ast.unparse(argument)}` is not a name, a number, a text or a list of these")
        used.append(operand)
        return "node", len(used) - 1

    def _rows(self, name: str) -> ast.expr:
        """Return the list of the leaves `name[0]`, `name[1]` and so on, or the leaf of this name."""
        if name in self.names:
            return ast.parse(name, mode="eval").body
        items = itertools.takewhile(
            lambda item: any(n == item or n.startswith(f"{item}[") for n in self.names),
            (f"{name}[{i}]" for i in itertools.count()),
        )
        return ast.List([self._rows(item) for item in items], ast.Load())

    def _operand(self, expression: ast.expr, name: str | None = None) -> Operand:
        match expression:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return self._number(number)
            case ast.Name() | ast.Subscript():
                text = self._text(expression)  # also `row[0]`, which may be the name of a leaf
                known = self.names.get(text)
                if known is not None and (isinstance(expression, ast.Name) or isinstance(self.nodes[known], Leaf)):
                    self.used.add(text)
                    return known
                if isinstance(expression, ast.Name) or not self._is_node(expression.value):
                    raise self._error(f"{text} has no value")
                index = self._argument_of("an index", expression.slice)
                return self._operation("getitem", [expression.value], expression, name, (("", index),))
            # `-2` is a number, and not the operation `neg`
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return self._number(-number)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                # the outermost operation of an assignment gets its name
                return self._operation("neg", [operand], expression, name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return self._operation(_OPERATORS[type(op)], [left, right], expression, name)
            case ast.Call(func=ast.Name(id=function), args=[operand], keywords=[]) if function in FUNCTIONS:
                return self._operation(function, [operand], expression, name)
            case ast.Call(func=ast.Attribute(value=operand, attr=function), args=[], keywords=[]) if (
                function in FUNCTIONS
            ):
                return self._operation(function, [operand], expression, name)
            case ast.Attribute(value=operand, attr="T"):
                return self._operation("T", [operand], expression, name)
            case ast.Call(func=ast.Attribute(value=operand, attr=function), args=args, keywords=named) if (
                function in _ON_ONE_ARRAY
            ):
                return self._operation(function, [operand], expression, name, self._arguments(function, args, named))
            case ast.Call(func=ast.Name(id=function), args=[ast.List(elts=operands), *args], keywords=named) if (
                operands and function in ON_SEVERAL_ARRAYS
            ):
                return self._operation(function, operands, expression, name, self._arguments(function, args, named))
            case ast.Call(func=ast.Name(id=function), args=[operand, *args], keywords=named) if (
                function in _ON_ONE_ARRAY and OPERATIONS[function].is_function
            ):
                return self._operation(function, [operand], expression, name, self._arguments(function, args, named))
            case _:
                raise self._error(f"`{ast.unparse(expression)}` is not supported in programs{_known(expression)}")

    def _is_node(self, expression: ast.expr) -> bool:
        """Return whether an expression without its index is an operation, or the name of a node. No scalar leaf is."""
        while isinstance(expression, ast.Subscript):
            expression = expression.value
        if not isinstance(expression, ast.Name):
            return True
        node = self.nodes[self.names[expression.id]] if expression.id in self.names else Leaf("", 0.0)
        return isinstance(node, Op) or bool(node.shape)

    def _arguments(self, function: str, args: Sequence[ast.expr], named: Sequence[ast.keyword]) -> Arguments:
        """Return the arguments of an operation on arrays besides its operands."""
        whole = OPERATIONS[function].whole
        known = whole.arguments if whole else ()
        for one in named:
            if one.arg not in known:
                raise self._error(f"`{function}` has no argument `{one.arg}`{did_you_mean(one.arg or '', known)}")
        if known and len({*known[: len(args)], *(one.arg for one in named)}) < len(args) + len(named):
            raise self._error(f"`{function}` has an argument twice, or too many of them")
        places = known if function in ON_SEVERAL_ARRAYS else ("",) * len(args)
        given = [*zip(places, args, strict=False), *((one.arg or "", one.value) for one in named)]
        return tuple((name, self._argument_of(f"an argument of `{function}`", one)) for name, one in given)

    def _argument_of(self, what: str, argument: ast.expr | None) -> Any:
        """Return an argument as in `Arguments`. `what` begins an error."""
        match argument:
            case None:
                return None
            case ast.Tuple(elts=items):
                return tuple(self._argument_of(what, item) for item in items)
            case ast.Slice(lower=lower, upper=upper, step=step):
                return "slice", *(self._argument_of(what, part) for part in (lower, upper, step))
            case ast.List(elts=items) if items and what == "an index":
                return "list", *(self._argument_of(what, item) for item in items)
            case ast.Constant(value=int() | None) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
                return ast.literal_eval(argument)
        raise self._error(f"{what} is not a number, a bool or a tuple of numbers: `{ast.unparse(argument)}`")

    def _number(self, number: int | float) -> Number:
        try:
            finite = math.isfinite(number)
        except OverflowError:
            finite = False
        if not finite:
            raise self._error("a number is too large for a float")
        return Number(number)

    def _operation(
        self,
        op: str,
        operands: list[ast.expr],
        expression: ast.expr,
        name: str | None,
        arguments: Arguments = (),
    ) -> int:
        parts = tuple(self._operand(operand) for operand in operands)
        if OPERATIONS[op].whole:
            self.on_arrays = ast.unparse(expression)
        if all(isinstance(part, Number) for part in parts):
            raise self._error(f"`{ast.unparse(expression)}` has only numbers as operands; an operation needs a node")
        return self._add(Op(name or self._unnamed(self._text(expression)), op, parts, arguments=arguments))

    def _text(self, expression: ast.expr, binds: int = 0) -> str:
        """Return the text that `ast.unparse` makes of an expression of a program, in parentheses where it has to be.

        Every operation has the texts of its operands in its own, so a text is made once. `ast.unparse` would make
        each anew for every operation around it, which took a seventh of the time of grading.

        Args:
            binds: how tightly the operation around the expression binds; 0 for none.
        """
        if expression not in self._texts:
            match expression:
                case ast.Name(id=name):
                    self._texts[expression] = name, _ATOM
                case ast.Subscript(value=value, slice=ast.Constant(value=int() as place)):
                    self._texts[expression] = f"{self._text(value, _ATOM)}[{place}]", _ATOM
                case ast.UnaryOp(op=ast.USub(), operand=operand):
                    self._texts[expression] = f"-{self._text(operand, _SIGN)}", _SIGN
                case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINDS:
                    own = _BINDS[type(op)]
                    # a power groups from the right, the others from the left
                    first, second = (own + 1, own) if isinstance(op, ast.Pow) else (own, own + 1)
                    text = f"{self._text(left, first)} {_SYMBOLS[type(op)]} {self._text(right, second)}"
                    self._texts[expression] = text, own
                case ast.Call(func=ast.Name(id=function), args=[operand], keywords=[]):
                    self._texts[expression] = f"{function}({self._text(operand)})", _ATOM
                case _:
                    self._texts[expression] = ast.unparse(expression), _ATOM
        text, own = self._texts[expression]
        return f"({text})" if own < binds else text

    def _unnamed(self, expression: str) -> str:
        # the name is the text, and a number if that is taken
        name, count = expression, 1
        while name in self.names:
            count += 1
            name = f"{expression} #{count}"
        return name

    def _add(self, node: Node) -> int:
        self.nodes.append(node)
        self.names[node.name] = len(self.nodes) - 1
        return len(self.nodes) - 1
