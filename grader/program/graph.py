"""Programs as data: leaves with values, then operations, each on nodes before it or on plain numbers."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import msgspec


class ProgramError(ValueError):
    """An expression that is no program, which the message shows, or a wrong request to `draw`."""


class Leaf(msgspec.Struct, frozen=True):
    """A node that is given: its name and its value."""

    name: str
    value: float


class Number(msgspec.Struct, frozen=True):
    """A plain number in an operation: it is no node and has no gradient."""

    value: int | float


Operand: TypeAlias = int | Number


class Op(msgspec.Struct, frozen=True):
    """An operation; operands are indices of earlier nodes or plain numbers."""

    name: str
    op: str
    operands: tuple[Operand, ...]

    @property
    def inputs(self) -> tuple[int, ...]:
        """Indices of the nodes this one was computed from, once for each use."""
        return tuple(operand for operand in self.operands if isinstance(operand, int))


Node: TypeAlias = Leaf | Op


@dataclass(frozen=True)
class Program:
    """Nodes in an order in which inputs come first; `root` is the index of the node to differentiate.

    `short` is the wire form with a row of operations alike in one: `["repeat", n, op, operand, ...]`, an operand being
    an index, `["number", x]`, or `["back", k]` for the node k places before each.
    """

    nodes: tuple[Node, ...]
    root: int
    text: str
    short: list[list[object]] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for index, node in enumerate(self.nodes):
            if isinstance(node, Op):
                for operand in node.operands:
                    if isinstance(operand, int) and not 0 <= operand < index:
                        raise ProgramError(f"{self.text}: {node.name} uses a node that comes after it")
        if len({node.name for node in self.nodes}) < len(self.nodes):
            raise ProgramError(f"{self.text}: two nodes share a name")

    def rooted_at(self, name: str) -> "Program":
        """Return the same nodes with another root: nodes made after it, or from it, have no part in its gradient."""
        return replace(self, root=self.index[name], text=f"{self.text}; from {name}", short=None)

    def with_leaves(self, values: Sequence[float]) -> "Program":
        """Return the same operations on leaves with other values, given in the order of the leaves."""
        nodes, given = list(self.nodes), iter(values)
        for index, node in enumerate(nodes):
            if isinstance(node, Leaf):
                nodes[index] = Leaf(node.name, next(given))
        given = iter(values)
        short = self.short and [["leaf", next(given)] if op == "leaf" else [op, *rest] for op, *rest in self.short]
        return replace(self, nodes=tuple(nodes), short=short)

    @property
    def root_name(self) -> str:
        return self.nodes[self.root].name

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(node for node in self.nodes if isinstance(node, Leaf))

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each named node stands."""
        return {node.name: i for i, node in enumerate(self.nodes)}

    @cached_property
    def reachable(self) -> list[int]:
        """Indices of the nodes that the root was computed from, itself included, in the program's order."""
        wanted = [False] * len(self.nodes)
        for index in range(self.root, -1, -1):
            node = self.nodes[index]
            wanted[index] = wanted[index] or index == self.root
            if wanted[index] and isinstance(node, Op):
                for operand in node.operands:
                    if isinstance(operand, int):
                        wanted[operand] = True
        return [index for index, want in enumerate(wanted) if want]

    @cached_property
    def edges(self) -> tuple[list[int], list[int]]:
        """Every use of a node by one that the root was computed from: the nodes used, and beside them their users."""
        pairs = [(i, index) for index in self.reachable for i in _inputs(self.nodes[index])]
        return [used for used, _ in pairs], [user for _, user in pairs]

    @property
    def shown(self) -> str:
        """The program as a learner reads it: `L = a * a    with a = 3`."""
        values = ", ".join(f"{leaf.name} = {number_text(leaf.value)}" for leaf in self.leaves)
        return f"{self.text}    with {values}" if values else self.text

    @cached_property
    def wire(self) -> list[list[object]]:
        """The program as plain lists: `["leaf", x]` or `[op, operand, ...]`, an operand being an index or
        `["number", x]`. Names stay behind."""
        return [
            ["leaf", node.value]
            if isinstance(node, Leaf)
            else [node.op, *(o if isinstance(o, int) else ["number", o.value] for o in node.operands)]
            for node in self.nodes
        ]

    @property
    def sent(self) -> list[list[object]]:
        """The form that a worker is sent: `short` where there is one, else the wire form."""
        return self.short or self.wire

    @property
    def question(self) -> list[object]:
        """The question to the oracle: the wire form and the root."""
        return [self.wire, self.root]

    @cached_property
    def key(self) -> str:
        """A name for what is computed, whatever its nodes are called."""
        return key_of(self.question)


def key_of(question: list[object]) -> str:
    """Return the key of a question to the oracle: SHA-256 in hexadecimal."""
    text = json.dumps(question, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _inputs(node: Node) -> tuple[int, ...]:
    return node.inputs if isinstance(node, Op) else ()


def number_text(value: float) -> str:
    """Return a number as a learner would write it: 3, 0.5, -2.25."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
