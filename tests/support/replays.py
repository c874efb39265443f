"""Replays for the tests of their page, computed here: of a right engine, and of engines with one mistake each."""

from collections.abc import Mapping, Sequence
from typing import Literal

from grader.program import OPERATIONS, Leaf, Number, Op, Program, program
from grader.replay import Landscape, Replay, SourceText
from grader.replay.model import (
    Change,
    Contribution,
    Expected,
    Fault,
    Forward,
    Input,
    Node,
    RightVisit,
    Seen,
    Step,
    Visit,
)

Mistake = Literal["", "assigns", "sign", "order", "twice", "never"]
CODE = '''class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
'''
SOURCE = SourceText("exercises/03_accumulate.py", tuple(CODE.splitlines()))
LANDSCAPE = Landscape(
    title="Your training",
    program="L = (w - 2)**2",
    source=SOURCE,
    parameters=("w",),
    rate=0.25,
    steps=(Step((0.0,), 4.0), Step((1.0,), 1.0)),
    reference=(Step((0.0,), 4.0), Step((1.0,), 1.0)),
    curve=((0.0, 4.0), (1.0, 1.0), (2.0, 0.0)),
    grid=None,
    problem=None,
    asked="torch",
)
# operation: the lines of the value, of the rule, and of the two writes
_LINES = {"add": (11, 13, (14, 15)), "mul": (21, 23, (24, 25))}


class _Pass:
    """A backward pass with right rules, one of which may have a mistake."""

    def __init__(self, graph: Program, data: Sequence[float], mistake: Mistake) -> None:
        self._graph, self._data, self._mistake = graph, data, mistake
        self.grads = [0.0] * len(graph.nodes)
        self.grads[graph.root] = 1.0
        self.visits: list[Visit] = []

    def visit(self, at: int) -> None:
        node = self._graph.nodes[at]
        assert isinstance(node, Op)
        upstream = self.grads[at]
        right = contributions(node, self._data, at, upstream)
        rule, lines = _LINES.get(node.op, (0, 0, (0, 0)))[1:]
        changes = []
        for row in right:
            before, amount = self.grads[row.node], row.amount or 0.0
            match self._mistake if node.op == "mul" else "":
                case "assigns":
                    after = amount
                case "sign":
                    after = before - amount
                case _:
                    after = before + amount
            self.grads[row.node] = after
            changes.append(Change(row.node, before, "", after, "", after - before, lines[row.slot]))
        self.visits.append(Visit(at, False, upstream, "", rule, tuple(changes), right))


def contributions(node: Op, data: Sequence[float], at: int, upstream: float) -> tuple[Contribution, ...]:
    """Return the contributions of a correct rule, for each operand that is a node."""
    x = [o.value if isinstance(o, Number) else data[o] for o in node.operands]
    local = OPERATIONS[node.op].local(x, data[at])
    return tuple(
        Contribution(slot, operand, local[slot], local[slot] * upstream)
        for slot, operand in enumerate(node.operands)
        if isinstance(operand, int)
    )


def values_of(graph: Program) -> list[float]:
    """Return the value of every node."""
    data: list[float] = []
    for node in graph.nodes:
        if isinstance(node, Leaf):
            data.append(node.value)
        else:
            x = [o.value if isinstance(o, Number) else data[o] for o in node.operands]
            data.append(float(OPERATIONS[node.op].compute(*x)))
    return data


def replay(
    text: str,
    mistake: Mistake = "",
    *,
    source: SourceText = SOURCE,
    title: str = "",
    preset: str = "",
    leaves: Mapping[str, float] | None = None,
    **more: float,
) -> Replay:
    """Return the replay of an engine on a program.

    Args:
        text: the program.
        mistake: what `*` does wrong (`assigns`, `sign`), or the pass: it runs forwards (`order`), runs the first rule
            `twice`, or the last one `never`.
        source: the learner's file; the lines fit the default one.
        title: of the replay; the text unless given.
        preset: its id.
        leaves: the values, which may also be given by name.
    """
    graph = program(text, **(leaves or {}), **more)
    data = values_of(graph)
    order = [i for i in reversed(graph.reachable) if isinstance(graph.nodes[i], Op)]
    right, run = _Pass(graph, data, ""), _Pass(graph, data, mistake)
    for at in order:
        right.visit(at)
    match mistake:
        case "order":
            chosen = order[::-1]
        case "twice":
            chosen = [order[0], *order]
        case "never":
            chosen = order[:-1]
        case _:
            chosen = order
    for at in chosen:
        run.visit(at)
    first, fault, about = _first(run, order, chosen, mistake)
    return Replay(
        title=title or text,
        program=graph.text,
        preset=preset,
        exercise="accumulate",
        source=source,
        nodes=tuple(
            _node(node, Seen(data[i], "", run.grads[i], ""), Expected(data[i], right.grads[i]))
            for i, node in enumerate(graph.nodes)
        ),
        root=graph.root,
        forward=tuple(
            Forward(i, 0 if isinstance(node, Leaf) else _LINES.get(node.op, (0,))[0])
            for i, node in enumerate(graph.nodes)
        ),
        backward=tuple(run.visits),
        reference=tuple(RightVisit(v.node, v.upstream, v.expected) for v in right.visits),
        first_difference=first,
        fault=fault,
        fault_node=about,
        problem=None,
        asked="torch",
    )


def _first(
    run: _Pass, order: Sequence[int], chosen: Sequence[int], mistake: Mistake
) -> tuple[int | None, Fault, int | None]:
    """Where the first difference arises, what it is, and which node it is about."""
    for i, visit in enumerate(run.visits):
        if visit.node in chosen[:i]:
            return i, "twice", visit.node
        if set(order[: order.index(visit.node)]) - set(chosen[:i]):
            return i, "order", visit.node
        for node in {change.input for change in visit.changes}:
            changed = sum(change.amount or 0.0 for change in visit.changes if change.input == node)
            right = sum(row.amount or 0.0 for row in visit.expected if row.node == node)
            if abs(changed - right) > 1e-9:
                return i, "lost" if mistake == "assigns" else "contribution", node
    missing = [node for node in order if node not in chosen]
    return (len(run.visits) - 1, "never", missing[0]) if missing else (None, "", None)


def _node(node: Leaf | Op, yours: Seen, expected: Expected) -> Node:
    if isinstance(node, Leaf):
        return Node(node.name, "leaf", (), node.value, yours, expected)
    inputs = tuple(Input(number=o.value) if isinstance(o, Number) else Input(node=o) for o in node.operands)
    return Node(node.name, node.op, inputs, None, yours, expected)
