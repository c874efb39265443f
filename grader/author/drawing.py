"""Figures of lessons in characters, as a terminal shows them. Every number is computed."""

import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from ..course.figures import Figure, View
from ..course.program import BINARY, OPERATIONS, Leaf, Number, Op, Program, number_text

COLUMNS = 68  # of a figure; a docstring indents it by 4
NUDGE = 0.1  # of a leaf, in a table
_BAR = 32  # columns of the longest bar of a thermometer


def drawn(figure: Figure) -> list[str]:
    """Return the figure in characters, at most 68 columns wide. An empty line separates what it shows."""
    return list(_drawn(msgspec.json.encode(figure)))


@functools.lru_cache(maxsize=256)  # a stub is made several times by one command
def _drawn(encoded: bytes) -> tuple[str, ...]:
    figure = msgspec.json.decode(encoded, type=Figure)
    views = [_VIEWS[view](figure, figure.parsed) for view in figure.show]
    return tuple(itertools.chain(*(["", *view] if at else view for at, view in enumerate(views))))


def short(number: float) -> str:
    """Return a number with at most 4 significant digits, as a learner would write it."""
    return number_text(float(f"{number:.4g}") + 0.0)  # -0.0 becomes 0.0


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines, with columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["   ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


# -- what a figure shows, without its graph


def _operands(parsed: Program, node: Op) -> list[float]:
    return [parsed.values[one] if isinstance(one, int) else float(one.value) for one in node.operands]


def _written(node: Op, operands: Sequence[str]) -> str:
    """Return an operation on these texts: `a + b`, `tanh(x)`."""
    if node.op in BINARY:
        return f" {BINARY[node.op]} ".join(f"({one})" if " " in one else one for one in operands)
    return f"-{operands[0]}" if node.op == "neg" else f"{node.op}({operands[0]})"


def _named(parsed: Program, at: int) -> str:
    """Return a node as a line of its program: `a`, `b = a + 1`."""
    node = parsed.nodes[at]
    if isinstance(node, Leaf) or not node.name.isidentifier():
        return node.name
    return f"{node.name} = {_written(node, _names(parsed, node))}"


def _names(parsed: Program, node: Op) -> list[str]:
    return [parsed.nodes[one].name if isinstance(one, int) else number_text(one.value) for one in node.operands]


def _steps(figure: Figure, parsed: Program) -> list[str]:
    """Return the forward pass downwards, beside the backward pass upwards."""
    sums = [0.0] * len(parsed.nodes)
    sums[parsed.root] = figure.upstream
    rows = [["", f"{parsed.root_name}.grad = {short(figure.upstream)}"]]
    for at in range(parsed.root, -1, -1):
        node = parsed.nodes[at]
        if isinstance(node, Leaf):
            continue
        # what the node's rule does to each input, in the order of its lines
        given = []
        for local, one in zip(_local(parsed, at), node.inputs, strict=True):
            before, sums[one] = sums[one], sums[one] + local * sums[at]
            kept = f"{short(before)} + " if before else ""
            given.append(
                f"{parsed.nodes[one].name}.grad = {kept}{short(local)} * {short(sums[at])} = {short(sums[one])}"
            )
        call = f"{node.name}._backward():  "
        numbers = _written(node, [short(one) for one in _operands(parsed, node)])
        forward = f"{_named(parsed, at)} = {numbers} = {short(parsed.values[at])}"
        lines = [[forward, call + given[0]], *(["", " " * len(call) + one] for one in given[1:])]
        rows = [*lines, *rows]
    return _table([["forward: read downwards", "backward: read upwards"], *rows])


def _order(figure: Figure, parsed: Program) -> list[str]:
    """Return each order of the calls of `_backward`, with what it leaves in the leaves, and what is lost."""
    calls = [at for at, node in enumerate(parsed.nodes) if isinstance(node, Op)][::-1]
    leaves = [at for at, node in enumerate(parsed.nodes) if isinstance(node, Leaf)]
    rows = [["calls", *(f"{parsed.nodes[at].name}.grad" for at in leaves), ""]]
    for order in itertools.permutations(calls):
        sums, upstream = [0.0] * len(parsed.nodes), {}
        sums[parsed.root] = figure.upstream
        for at in order:
            upstream[at] = sums[at]
            for local, one in zip(_local(parsed, at), parsed.inputs[at], strict=True):
                sums[one] += local * sums[at]
        early = [parsed.nodes[at].name for at in order if upstream[at] != sums[at]]
        note = f"too early: {', '.join(early)}" if early else ""
        rows.append([", ".join(parsed.nodes[at].name for at in order), *(short(sums[at]) for at in leaves), note])
    return _table(rows)


def _nudges(figure: Figure, parsed: Program) -> list[str]:
    """Return what each gradient says about its leaf."""
    name, root = parsed.root_name, parsed.values[parsed.root]
    rows = [["leaf", "gradient", f"when it goes up by {NUDGE}, {name} moves by"]]
    for at, leaf in enumerate(parsed.leaves):
        nudged = [one.value + NUDGE * (one is leaf) for one in parsed.leaves]
        moved = parsed.with_leaves(nudged).values[parsed.root] - root
        rows.append([leaf.name, short(figure.gradients[at]), short(moved)])
    return _table(rows)


def _thermometer(figure: Figure, parsed: Program) -> list[str]:
    """Return the gradient of each node with a name, with its size as a bar."""
    shown = [(node.name, grad) for node, grad in zip(parsed.nodes, figure.gradients, strict=True)]
    shown = [(name, grad) for name, grad in shown if name.isidentifier()]
    most = max(abs(grad) for _, grad in shown) or 1
    bars = [[name, short(grad), "#" * round(_BAR * abs(grad) / most)] for name, grad in shown]
    return _table([["node", "gradient", "its size"], *bars])


def _curve(figure: Figure, parsed: Program) -> list[str]:
    """Return the steps of gradient descent."""
    names = [leaf.name for leaf in parsed.leaves]
    rows = [["step", *names, parsed.root_name, *(f"{name}.grad" for name in names)]]
    for step in range(figure.steps + 1):
        values, grads = parsed.leaf_numbers, parsed.gradients()[: len(names)]
        rows.append([str(step), *map(short, (*values, parsed.values[parsed.root], *grads))])
        parsed = parsed.with_leaves([value - figure.rate * grad for value, grad in zip(values, grads, strict=True)])
    return _table(rows)


# -- a graph: each node is a text in a row, and lines go from it to the right


def _graph(figure: Figure, parsed: Program) -> list[str]:
    head = "value | gradient of each node" + (", [local derivative] of each edge" if figure.edges else "")
    return [head, *(_best(figure, parsed) or _rows(figure, parsed))]


def _rows(figure: Figure, parsed: Program) -> list[str]:
    """Return a line for each node, for graphs that are too wide."""
    numbers = zip(parsed.values, figure.gradients, strict=True)
    return _table([[_named(parsed, at), f"{short(v)} | {short(g)}"] for at, (v, g) in enumerate(numbers)])


_LEFT, _RIGHT, _UP, _DOWN = 1, 2, 4, 8
_BEAM = 8  # drawings that are kept after each node; more gave no better ones
_FURTHER = 24  # columns
_Spot: TypeAlias = tuple[int, int]  # a row and a column


class _Canvas:
    """A drawing of some nodes.

    Attributes:
        texts: the characters of texts, which no line crosses.
        lines: for each place, the directions in which lines go on, by the node from which they come.
        ends: for each node that is drawn, its row and the first column after its text.
        skew: how far operations are from the middle of their inputs, in half rows.
    """

    def __init__(self, other: "_Canvas | None" = None) -> None:
        self.texts: dict[_Spot, str] = dict(other.texts) if other else {}
        self.lines: dict[_Spot, dict[int, int]] = {at: dict(on) for at, on in other.lines.items()} if other else {}
        self.ends: dict[int, _Spot] = dict(other.ends) if other else {}
        self.skew: int = other.skew if other else 0

    def write(self, row: int, column: int, text: str) -> bool:
        """Write a text, and return whether there is room for it."""
        places = [(row, column + at) for at in range(len(text))]
        if any(at in self.texts or at in self.lines for at in places):
            return False
        if (row, column - 1) in self.texts or (row, column + len(text)) in self.texts:
            return False
        self.texts.update(zip(places, text, strict=True))
        return True

    def draw(self, node: int, *stops: _Spot) -> bool:
        """Draw lines from one stop to the next, and return whether they keep away from texts and other lines.

        The last stop is the operation itself.
        """
        entered = 0
        for (row, column), (to_row, to_column) in itertools.pairwise(stops):
            down, right = (to_row > row) - (to_row < row), (to_column > column) - (to_column < column)
            forth, back = ((_DOWN, _UP) if down > 0 else (_UP, _DOWN)) if down else (_RIGHT, _LEFT)
            for step in range(abs(to_row - row) + abs(to_column - column)):
                at = row + step * down, column + step * right
                if not self._mark(node, at, forth | entered):
                    return False
                entered = back
        return True

    def _mark(self, node: int, at: _Spot, directions: int) -> bool:
        row, column = at
        beside = ((row, column - 1), (row, column + 1)) if directions & (_UP | _DOWN) else ()
        if at in self.texts or any(place in self.texts for place in beside):
            return False
        on = self.lines.setdefault(at, {})
        on[node] = on.get(node, 0) | directions
        # lines of different nodes may cross, and nothing else
        return len(on) == 1 or sorted(on.values()) == [_LEFT | _RIGHT, _UP | _DOWN]

    @property
    def cost(self) -> int:
        """Return how hard the drawing is to read."""
        rows = {row for row, _ in (*self.texts, *self.lines)}
        columns = max(column for _, column in self.texts)
        crossings = sum(len(on) > 1 for on in self.lines.values())
        upright = sum(bool(directions & (_UP | _DOWN)) for on in self.lines.values() for directions in on.values())
        return 200 * crossings + 6 * (max(rows) - min(rows)) + columns + upright + 8 * self.skew

    @property
    def drawing(self) -> list[str]:
        """Return the lines of the drawing."""
        characters = {at: _character(on) for at, on in self.lines.items()} | self.texts
        rows, width = [row for row, _ in characters], max(column for _, column in characters) + 1
        return [
            "".join(characters.get((row, column), " ") for column in range(width)).rstrip()
            for row in range(min(rows), max(rows) + 1)
        ]


def _character(on: Mapping[int, int]) -> str:
    """Return the character for the lines in a place."""
    directions = functools.reduce(operator.or_, on.values())
    if directions & _UP and directions & _DOWN:
        return "|"
    return "." if directions & _DOWN else "'" if directions & _UP else "-"


def _best(figure: Figure, parsed: Program, narrow: bool = False) -> list[str]:
    """Return the drawing that reads best; nothing if all are too wide."""
    grads = figure.gradients
    leaves = [at for at, node in enumerate(parsed.nodes) if isinstance(node, Leaf)]
    # each leaf has a row, with an empty one after it
    names = max(len(parsed.nodes[at].name) for at in leaves)
    values = max(len(short(parsed.values[at])) for at in leaves)
    first = _Canvas()
    for row, at in enumerate(leaves):
        text = f"{parsed.nodes[at].name:<{names}}  {short(parsed.values[at]):>{values}} | {short(grads[at])}"
        first.write(2 * row, 0, text)
        first.ends[at] = 2 * row, len(text)
    # one operation after another, in every place; the best drawings are gone on with
    canvases = [first]
    for at, node in enumerate(parsed.nodes):
        if isinstance(node, Op):
            result = _result(parsed, at, f"{short(parsed.values[at])} | {short(grads[at])}", narrow)
            local = [f"[{short(one)}]" if figure.edges else "" for one in _local(parsed, at)]
            placed = (one for canvas in canvases for one in _placed(canvas, at, node, result, local))
            canvases = sorted(placed, key=lambda canvas: canvas.cost)[:_BEAM]
    if canvases:
        return canvases[0].drawing
    return [] if narrow else _best(figure, parsed, True)


def _local(parsed: Program, at: int) -> list[float]:
    """Return the local derivatives of an operation with respect to its inputs."""
    node = parsed.nodes[at]
    assert isinstance(node, Op)
    local = OPERATIONS[node.op].local(_operands(parsed, node), parsed.values[at])
    return [one for one, operand in zip(local, node.operands, strict=True) if isinstance(operand, int)]


def _result(parsed: Program, at: int, numbers: str, narrow: bool) -> str:
    """Return what follows the operator of a node: its numbers, after its name if it has one.

    In a `narrow` drawing, only nodes with a name have numbers.
    """
    name = parsed.nodes[at].name
    return f"--> {name}  {numbers}" if name.isidentifier() else "" if narrow else f"--> {numbers}"


def _operator(node: Op) -> str:
    """Return an operation with its plain number: `(*)`, `(+ 1)`, `(tanh)`."""
    sign = BINARY.get(node.op) or {"neg": "-"}.get(node.op, node.op)
    left, right = (short(one.value) if isinstance(one, Number) else "" for one in (*node.operands, None)[:2])
    return f"({' '.join(filter(None, (left, sign, right)))})"


def _placed(canvas: _Canvas, at: int, node: Op, result: str, local: Sequence[str]) -> Iterator[_Canvas]:
    """Yield the drawings in which an operation is added, one for each row and each way of its lines."""
    sign = _operator(node)
    used = [canvas.ends[one] for one in node.inputs]
    rows = [row for row, _ in used]
    twice = len(rows) == 2 and node.inputs[0] == node.inputs[1]
    # a line runs in the row of its input or in that of the operation; two lines from one input run above and below it
    free = rows[:1] if twice else range(min(rows) - 2, max(rows) + 3)
    for row in free:
        ways = [(row - 1, row + 1)] if twice else itertools.product(*({one, row} for one in rows))
        for way in ways:
            lines = [_Connection(*one) for one in zip(node.inputs, used, way, local, strict=True)]
            first = max(line.shortest(row) for line in lines)
            # a line for which there is no room is drawn further to the right
            for column in range(first, min(first + _FURTHER, COLUMNS - len(sign + result) + 1)):
                drawn = _Canvas(canvas)
                if drawn.write(row, column, sign + result) and all(
                    line.draw(drawn, row, column, len(sign)) for line in lines
                ):
                    drawn.ends[at] = row, column + len(sign + result) - (not result)
                    drawn.skew += abs(2 * row - min(rows) - max(rows))
                    yield drawn
                    break


class _Connection(NamedTuple):
    """A line from a node, whose text ends at `end`, to an operation, through the row `way`."""

    node: int
    end: _Spot
    way: int
    label: str

    @property
    def begins(self) -> int:
        """Return the column in which the line begins to run in the row `way`."""
        return self.end[1] + 1 + 2 * (self.way != self.end[0])

    def shortest(self, row: int) -> int:
        """Return the first column in which the operation can be."""
        return self.begins + 2 + (self.way != self.end[0]) + (len(self.label) + 2 if self.label else 0)

    def draw(self, canvas: _Canvas, row: int, column: int, length: int) -> bool:
        """Draw the line to an operation of some length, and return whether there is room for it."""
        stops = [(self.end[0], self.end[1] + 1)]
        if self.way != self.end[0]:
            stops += [(self.end[0], self.begins), (self.way, self.begins)]
        stops += [(row, column)] if self.way == row else [(self.way, column + length // 2), (row, column + length // 2)]
        if not canvas.draw(self.node, *stops):
            return False
        # two dashes lead to an operation
        before = [canvas.lines[row, column - back][self.node] for back in (1, 2)] if self.way == row else []
        if any(directions & (_UP | _DOWN) for directions in before):
            return False
        labelled = self.begins + 2 + (self.way != self.end[0])
        canvas.texts.update(zip([(self.way, labelled + i) for i in range(len(self.label))], self.label, strict=True))
        return True


_VIEWS: dict[View, Callable[[Figure, Program], list[str]]] = {
    "graph": _graph,
    "steps": _steps,
    "order": _order,
    "table": _nudges,
    "thermometer": _thermometer,
    "curve": _curve,
}
