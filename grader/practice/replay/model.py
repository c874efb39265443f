"""A replay as data: how a learner's engine ran on one program, step by step, and how a correct pass runs.

Nodes are identified by their index in `Replay.nodes`. Lines refer to the learner's file and count from 1; 0 means that
no line is known. A field is None for nan, an infinity, or a value that is not a number. Then the field whose name ends
in `_text` shows the value.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from ...course.program import OPERATIONS, Leaf, Op, Program

ReplayFault: TypeAlias = Literal[
    "", "contribution", "moved", "lost", "order", "twice", "never", "forward", "seed", "held", "graph"
]
Where: TypeAlias = Literal["load", "build", "backward", "read"]


class SourceText(msgspec.Struct, frozen=True):
    """The learner's file. Long lines are cut.

    Attributes:
        file: its name, relative if possible.
        lines: its text.
        repair: the first line of each statement in the only place where an edit was seen to make checks pass.
        about_repair: a sentence about this place, or an empty text if none is known.
    """

    file: str
    lines: tuple[str, ...] = ()
    repair: tuple[int, ...] = ()
    about_repair: str = ""


class Input(msgspec.Struct, frozen=True):
    """One operand of an operation. Either `node` or `number` is set, and the other is None."""

    node: int | None = None
    number: float | None = None

    @classmethod
    def of(cls, node: Leaf | Op) -> "tuple[Input, ...]":
        """Return the operands of a program's node."""
        operands = () if isinstance(node, Leaf) else node.operands
        return tuple(cls(node=one) if isinstance(one, int) else cls(number=float(one.value)) for one in operands)


class Seen(msgspec.Struct, frozen=True):
    """The learner's value and gradient of a node after the backward pass, as numbers and as text."""

    data: float | None
    data_text: str
    grad: float | None
    grad_text: str


class Expected(msgspec.Struct, frozen=True):
    """The value and the gradient of a node after a correct backward pass; None if not finite."""

    data: float | None
    grad: float | None


class GameNode(msgspec.Struct, frozen=True):
    """A node of a program. `op` is `leaf` or an operation of `grader.program.OPERATIONS`."""

    name: str
    op: str
    inputs: tuple[Input, ...]
    leaf_value: float | None


class ReplayNode(GameNode, frozen=True):
    """A node of a program, with the results of an engine.

    If `inner` is true, the learner's code makes the node and the check's program does not name it. Its numbers may be
    far larger than those of the program.
    """

    yours: Seen
    expected: Expected
    inner: bool = False


class Forward(msgspec.Struct, frozen=True):
    """The creation of a node by a line of the learner's code. The line is 0 for a leaf."""

    node: int
    line: int


class Change(msgspec.Struct, frozen=True):
    """A write to a gradient.

    Attributes:
        input: the node whose gradient was written.
        before, after: the gradient before and after the write.
        amount: the difference between the two.
        line: the line that wrote the gradient.
        outside: whether the line belongs to the pass and not to the rule. The pass wrote it after the rule had run.
    """

    input: int
    before: float | None
    before_text: str
    after: float | None
    after_text: str
    amount: float | None
    line: int
    outside: bool = False


class Contribution(msgspec.Struct, frozen=True):
    """The amount that a correct rule adds for one operand: upstream gradient times `local`. `slot` is its position."""

    slot: int
    node: int
    local: float | None
    amount: float | None


class Visit(msgspec.Struct, frozen=True):
    """One run of a local rule in the learner's engine.

    Attributes:
        node: the node whose rule ran. If `inner` is true, this is the operation that the node belongs to.
        inner: whether the rule is that of a node inside an operation, for which the program has no name. Such nodes
            exist if the learner's code composes an operation of others, such as `a - b` of `a + (-b)`.
        line: the first line of the rule.
        expected: the contributions of a correct rule for the upstream gradient that the node had at that moment. Empty
            for an operation composed of others.
    """

    node: int
    inner: bool
    upstream: float | None
    upstream_text: str
    line: int
    changes: tuple[Change, ...]
    expected: tuple[Contribution, ...]


class RightVisit(msgspec.Struct, frozen=True):
    """One run of a local rule in a correct backward pass."""

    node: int
    upstream: float | None
    contributions: tuple[Contribution, ...]


class ReplayProblem(msgspec.Struct, frozen=True):
    """The reason why a replay ends early or shows less.

    Attributes:
        text: the reason as a sentence.
        line: the line in the learner's file, or 0.
        where: `load` (the file could not be run), `build`, `backward`, or `read` (the engine does not show its steps).
    """

    text: str
    line: int
    where: Where


class Replay(msgspec.Struct, frozen=True):
    """One program on the learner's engine, together with a correct pass.

    Attributes:
        title: the title on the page: an expression, or the name of a preset.
        program: the program as text, such as `c = a + b; L = c * c`.
        preset: the id of a preset, or an empty text.
        exercise: the id of the exercise whose file ran.
        nodes: the nodes in a topological order.
        root: the node where the backward pass starts.
        forward: the nodes in the order of their creation.
        backward: the runs of the learner's rules, in their order.
        reference: the runs of the rules in a correct pass.
        first_difference: the index in `backward` of the first run after which the state differs from that of a correct
            rule in a correct order, or None.
        fault: the kind of difference. `contribution`: a rule adds a wrong amount. `lost`: a write overwrites an
            existing gradient. `order`: a rule ran before the rule of one of its users. `twice`: a rule ran again.
            `never`: a rule did not run. `forward`: a value is already wrong. `seed`: the pass starts with a wrong
            gradient at the root. The right one is 1 unless a check asks for another. `moved`: a rule is right for a
            value that was changed after the forward pass. `held`: a node had another gradient than in a correct pass
            before any rule wrote it. `graph`: every rule is right for the graph that the learner's function builds,
            but this graph has other gradients than the right one.
        fault_node: the node that the fault is about; None for no fault.
        asked: the source of the numbers in `expected`: `torch`, or `expected` for the grader's own table of operations.
        own_graph: whether functions of the learner's file build the graph, so that `nodes` has every node that they
            make. Then `expected` has torch's numbers for the nodes of the program, and those of a correct pass over
            the learner's graph for the others. `asked` is `expected`.
        aliases: pairs of names in the program: a node, and another one that is the same object in the learner's graph.
    """

    title: str
    program: str
    preset: str
    exercise: str
    source: SourceText
    nodes: tuple[ReplayNode, ...]
    root: int
    forward: tuple[Forward, ...]
    backward: tuple[Visit, ...]
    reference: tuple[RightVisit, ...]
    first_difference: int | None
    fault: ReplayFault
    fault_node: int | None
    problem: ReplayProblem | None
    asked: Literal["torch", "expected"]
    own_graph: bool = False
    aliases: tuple[tuple[str, str], ...] = ()


class Step(msgspec.Struct, frozen=True):
    """The parameters before a step of gradient descent, and the loss there."""

    values: tuple[float | None, ...]
    loss: float | None


class Grid(msgspec.Struct, frozen=True):
    """The loss over two parameters, with all others fixed. `loss[row][column]` is the loss at `x[column]`, `y[row]`."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    loss: tuple[tuple[float | None, ...], ...]


class Landscape(msgspec.Struct, frozen=True):
    """A training run of the learner's code, and the loss around its steps.

    Attributes:
        title: the title on the page.
        program: the loss as text.
        source: the learner's file.
        parameters: the names of the parameters.
        rate: the learning rate.
        steps: the learner's own steps: the parameters before each step, and after the last one.
        reference: the steps of correct gradient descent from the same start.
        curve: for a loss of one parameter, pairs of a value and the loss there.
        grid: for a loss of two parameters, the loss around the steps.
        problem: the reason why there are fewer steps, or None.
        asked: as in `Replay`.
    """

    title: str
    program: str
    source: SourceText
    parameters: tuple[str, ...]
    rate: float
    steps: tuple[Step, ...]
    reference: tuple[Step, ...]
    curve: tuple[tuple[float, float | None], ...]
    grid: Grid | None
    problem: ReplayProblem | None
    asked: Literal["torch", "expected"]


class Thermometer(msgspec.Struct, frozen=True):
    """The sizes of the gradients of all layers that one call of the learner's function makes.

    Attributes:
        title: the title on the page.
        function: the function that makes the layers.
        values: the values of the leaves.
        layers: the names of the input and of the layers' outputs, first to last.
        yours: the size of the gradient of each of them after the learner's backward pass; None if it is no number.
        expected: the same after a correct pass.
        asked: as in `Replay`.
    """

    title: str
    function: str
    values: dict[str, float]
    layers: tuple[str, ...]
    yours: tuple[float | None, ...]
    expected: tuple[float | None, ...]
    asked: Literal["torch", "expected"]


class Trained(msgspec.Struct, frozen=True):
    """How training went: the loss before each step, and the time that it took. `problem` says why there is no loss."""

    losses: tuple[float | None, ...]
    seconds: float
    problem: str


class Probabilities(msgspec.Struct, frozen=True):
    """The probabilities of the next letter after a context."""

    context: str
    probabilities: tuple[float, ...]


class Model(msgspec.Struct, frozen=True):
    """A language model that the learner's code has trained.

    Attributes:
        source: the name of the learner's file.
        names: the names in the loss.
        letters: the letters, of which the first stands before and after each name.
        rate: the learning rate.
        guessing: the loss of a model that gives all letters the same probability.
        trained: the training with the engine in the learner's file.
        rows: the probabilities after training, for each context that can occur; empty if training did not end.
        drawn: names that are drawn with these probabilities.
        own: the same training with the learner's engine from another exercise, or None.
    """

    source: str
    names: tuple[str, ...]
    letters: str
    rate: float
    guessing: float
    trained: Trained
    rows: tuple[Probabilities, ...]
    drawn: tuple[str, ...]
    own: Trained | None

    @property
    def about(self) -> str:
        """Return the names that the model learns from, as a list."""
        return ", ".join(self.names)


class Played(msgspec.Struct, frozen=True):
    """Everything that the page of a replay shows. With a training, the first replay is that of its loss.

    Attributes:
        note: what is shown, if that is not what was asked for; else an empty text.
    """

    replays: tuple[Replay, ...]
    landscape: Landscape | None = None
    thermometers: tuple[Thermometer, ...] = ()
    model: Model | None = None
    note: str = ""

    @property
    def about(self) -> str:
        """Return what ran: the text of a program, or the title of a check. Something must have been recorded."""
        if self.model:
            return self.model.about
        if self.landscape:
            return self.landscape.program
        return self.thermometers[0].title if self.thermometers else self.replays[0].program

    @property
    def shows(self) -> bool:
        """Return whether there is anything of the learner's code to show."""
        return bool(self.replays or self.thermometers)


# -- A correct pass forward and backward over a program, computed from the table of operations, without torch
#
# If an operation is undefined or overflows, its value or its local derivative is nan or an infinity.


@dataclass(frozen=True)
class RightPass:
    """A value and a gradient for each node, and the visits of a correct backward pass.

    Attributes:
        before: the gradients before the pass. The root has the gradient with which the pass begins.
    """

    values: tuple[float, ...]
    grads: tuple[float, ...]
    visits: tuple[RightVisit, ...]
    before: tuple[float, ...]


def right_pass(program: Program, upstream: float = 1.0, before: Mapping[int, float] | None = None) -> RightPass:
    """Return a correct pass over a program.

    Args:
        upstream: the gradient that the root is given.
        before: gradients that exist before the pass, by index; all others are 0.
    """
    values = forward(program)
    grads = [(before or {}).get(index, 0.0) for index in range(len(program.nodes))]
    # also if a gradient exists there: a pass sets the root's gradient, and does not add to it
    grads[program.root] = upstream
    at_first = tuple(grads)
    visits = []
    for index in reversed(program.reachable):
        node = program.nodes[index]
        # users come first in this order, so a node's gradient is complete when its rule runs
        if isinstance(node, Op):
            given = contributions(node, values, values[index], grads[index])
            for one in given:
                grads[one.node] += number(one.amount)
            visits.append(RightVisit(index, finite(grads[index]), given))
    return RightPass(values, tuple(grads), tuple(visits), at_first)


def forward(program: Program) -> tuple[float, ...]:
    """Return the value of each node."""
    values: list[float] = []
    for node in program.nodes:
        values.append(node.value if isinstance(node, Leaf) else value(node.op, operands(node, values)))
    return tuple(values)


def operands(node: Op, values: Sequence[float]) -> tuple[float, ...]:
    """Return the values of an operation's operands."""
    return tuple(values[one] if isinstance(one, int) else float(one.value) for one in node.operands)


def contributions(node: Op, values: Sequence[float], out: float, upstream: float) -> tuple[Contribution, ...]:
    """Return the contributions of a correct rule, in the order of the operands that are nodes.

    Args:
        values: the values of all nodes before this one.
        out: the value of this node.
        upstream: the gradient of this node.
    """
    local = local_derivatives(node.op, operands(node, values), out)
    return tuple(
        Contribution(slot, one, finite(local[slot]), finite(upstream * local[slot]))
        for slot, one in enumerate(node.operands)
        if isinstance(one, int)
    )


def value(op: str, x: Sequence[float]) -> float:
    """Return the value of an operation on floats."""
    result = _computed(OPERATIONS[op].compute, *x)
    return math.nan if isinstance(result, complex) else float(result)


def local_derivatives(op: str, x: Sequence[float], out: float) -> tuple[float, ...]:
    """Return the local derivatives of an operation with respect to each operand."""
    found = _computed(OPERATIONS[op].local, x, out)
    if not isinstance(found, tuple):
        return (math.nan,) * len(x)
    return tuple(math.nan if isinstance(one, complex) else one for one in found)


def _computed(compute: Callable[..., object], *arguments: object) -> Any:
    try:
        return compute(*arguments)
    # too large becomes an infinity, and undefined becomes nan
    except OverflowError:
        return math.inf
    except (ArithmeticError, ValueError):
        return math.nan


def finite(value: float) -> float | None:
    """Return a number in the form for JSON, which is None unless the number is finite."""
    return value if math.isfinite(value) else None


def number(value: float | None) -> float:
    """Return a number from JSON as a float, which is nan for None."""
    return math.nan if value is None else value


# -- Find the point where a recorded pass first differs from a correct one, and the kind of difference

_TOLERANCE = 1e-9  # relative to the largest number of the program, or to 1 if that is larger, as in a check


@dataclass(frozen=True)
class Difference:
    """A fault, the node that it is about, and the visit after which it shows. All are empty if there is no fault."""

    fault: ReplayFault = ""
    node: int | None = None
    visit: int | None = None


NOTHING = Difference()


def first_difference(
    program: Program,
    nodes: Sequence[ReplayNode],
    visits: Sequence[Visit],
    right: RightPass,
    *,
    whole: bool = True,
    own: bool = False,
    later: Sequence[float | None] = (),
) -> Difference:
    """Return the first difference between the learner's pass and a correct one.

    There is no fault if every gradient is right at the end. A pass may also set the gradients of operations back to 0
    after their rules have run.

    Args:
        whole: whether the pass ran to its end and every visit was recorded.
        own: whether the learner's code built the graph, so that the graph itself may be wrong.
        later: the value of each node after the pass; empty if no value changed.
    """
    return _Comparison(program, nodes, visits, right, later).first(whole, own)


@dataclass
class _Comparison:
    program: Program
    nodes: Sequence[ReplayNode]
    visits: Sequence[Visit]
    right: RightPass
    later: Sequence[float | None]

    def __post_init__(self) -> None:
        nodes, visits, right = self.nodes, self.visits, self.right
        # errors of rounding grow with the largest numbers that were added
        scale = max([1.0, *(abs(x) for x in (*right.values, *right.grads) if math.isfinite(x))])
        self.tolerance = _TOLERANCE * scale
        # inner nodes may have far larger numbers, which must not hide a wrong gradient of another
        named = [x for node in nodes if not node.inner for x in (node.expected.data, node.expected.grad)]
        self.of_named = _TOLERANCE * max([1.0, *(abs(x) for x in named if x is not None)])
        self.own = [visit for visit in visits if not visit.inner]

    def first(self, whole: bool, own_graph: bool) -> Difference:
        # a wrong value explains every gradient that follows from it, so values come first
        for index in self.program.reachable:
            node = self.nodes[index]
            if not self.close(node.yours.data, node.expected.data, node):
                return Difference("forward", index)
        if whole and all(self.is_right(index) for index in range(len(self.nodes))):
            return NOTHING
        # a wrong gradient at the root explains those of all other nodes
        first, root = next(iter(self.visits), None), self.program.root
        if first is not None and first.node == root and not self.close(first.upstream, self.right.grads[root]):
            return Difference("seed", root, 0)
        # what a single rule did, and what only shows when all rules have run
        found = next(self.of_visits(), None)
        if found or not whole:
            return found or NOTHING
        return self.of_compounds() or self.missing() or self.held() or (self.of_graph() if own_graph else NOTHING)

    def close(self, one: float | None, other: float | None, of: ReplayNode | None = None) -> bool:
        """Return whether two numbers are equal, up to rounding in the graph, or in the program for a node of it."""
        if one is None or other is None or not math.isfinite(other):
            return one is None and (other is None or not math.isfinite(other))
        return abs(one - other) <= (self.tolerance if of is None or of.inner else self.of_named)

    def is_right(self, index: int) -> bool:
        """Return whether a node's gradient is right at the end, or was set back to 0 for an operation."""
        node, operation = self.nodes[index], isinstance(self.program.nodes[index], Op)
        # a pass may set gradients of operations back to 0, but not that of the root
        cleared = operation and node.yours.grad == 0 and index != self.program.root
        return self.close(node.yours.grad, node.expected.grad, node) or cleared

    # -- single visits --------------------------------------------------------------------------

    def of_visits(self) -> Iterator[Difference]:
        """Yield the differences that single visits show, in the order of the visits."""
        users = [set(users).intersection(self.program.reachable) for users in self.program.users]
        ran: set[int] = set()
        later = [visit.node for visit in self.own]
        for at, visit in enumerate(self.visits):
            # rules inside of an operation are judged together with it, in `of_compounds`
            if visit.inner:
                continue
            later.pop(0)
            # the rule may be right for a value that was changed after the forward pass
            if visit.expected and (fault := self.of_changes(visit, visit.expected)):
                moved = self.moved(visit)
                yield Difference(fault, visit.node, at) if moved is None else Difference("moved", moved, at)
            if visit.node in ran and self.adds(visit):
                yield Difference("twice", visit.node, at)
            # a user whose rule runs only later has not made its contribution yet
            if users[visit.node] & set(later) - ran - {visit.node}:
                yield Difference("order", visit.node, at)
            ran.add(visit.node)

    def adds(self, visit: Visit) -> bool:
        return any(not self.close(change.before, change.after) for change in visit.changes)

    def moved(self, visit: Visit) -> int | None:
        """Return an input whose value changed before a visit whose rule is right for the new value; None for none."""
        node, upstream = self.program.nodes[visit.node], visit.upstream
        changed = [
            index
            for index in self.program.inputs[visit.node]
            if self.later and not self.close(self.nodes[index].yours.data, self.later[index])
        ]
        if not changed or not isinstance(node, Op) or upstream is None:
            return None
        values = tuple(map(number, self.later))
        fault = self.of_changes(visit, contributions(node, values, values[visit.node], upstream))
        return None if fault else changed[0]

    def of_changes(self, visit: Visit, expected: Sequence[Contribution]) -> ReplayFault:
        """Return the fault of a visit, or an empty text if it adds these contributions, which are a correct rule's."""
        # an input may be written though nothing is due to it, and due though it is not written
        for target in dict.fromkeys([*(one.node for one in expected), *(one.input for one in visit.changes)]):
            given = [one for one in expected if one.node == target]
            changes = [change for change in visit.changes if change.input == target]
            if target == visit.node and all(change.after == 0 for change in changes):
                continue  # the node has made its contributions, so its gradient may be set back to 0
            if not self.agree(given, changes):
                return "lost" if any(self.overwrites(given, change) for change in changes) else "contribution"
        return ""

    def agree(self, given: Sequence[Contribution], changes: Sequence[Change]) -> bool:
        """Return whether changes add up to the contributions."""
        amount = sum(number(one.amount) for one in given)
        if not changes:
            return self.close(amount, 0.0)
        before, after = changes[0].before, changes[-1].after
        return self.close(after, number(before) + amount)

    def overwrites(self, given: Sequence[Contribution], change: Change) -> bool:
        """Return whether a write replaces an existing gradient with a contribution or with 0."""
        # one contribution, or the sum of those to an input that is used twice
        left = [*(one.amount for one in given), sum(number(one.amount) for one in given), 0.0]
        return not self.close(change.before, 0.0) and any(self.close(change.after, one) for one in left)

    # -- several visits -------------------------------------------------------------------------

    def of_compounds(self) -> Difference | None:
        """Return the fault of an operation that is composed of others, or None. All of its visits count together."""
        # visits with expected contributions were judged one by one
        for visit in self.own:
            if visit.expected or visit.upstream is None:
                continue
            places = [at for at, other in enumerate(self.visits) if other.node == visit.node]
            # an inner rule ran before the rule of the operation itself
            if self.visits[places[0]].inner:
                return Difference("order", visit.node, places[0])
            for given in self.contributions(visit.node):
                changes = [c for at in places for c in self.visits[at].changes if c.input == given.node]
                of_node = [one for one in self.contributions(visit.node) if one.node == given.node]
                wanted = visit.upstream * sum(number(one.local) for one in of_node)
                if not self.close(sum(number(change.amount) for change in changes), wanted):
                    lost = any(not self.close(c.before, 0.0) and self.close(c.after, wanted) for c in changes)
                    return Difference("lost" if lost else "contribution", visit.node, places[-1])
        return None

    def contributions(self, index: int) -> Sequence[Contribution]:
        """Return the contributions of a node in a correct pass."""
        return next((one.contributions for one in self.right.visits if one.node == index), ())

    def missing(self) -> Difference | None:
        """Return the operation nearest to the root whose rule did not run although it has something to add, or None."""
        ran = {visit.node for visit in self.visits}
        for one in self.right.visits:
            if one.node not in ran and any(number(given.amount) != 0 for given in one.contributions):
                return Difference("never", one.node)
        return None

    # -- what no visit shows --------------------------------------------------------------------

    def held(self) -> Difference | None:
        """Return the first node that had another gradient than in a correct pass before any rule wrote it, or None."""
        seen = {self.program.root}
        for at, visit in enumerate(self.visits):
            for change in visit.changes:
                if change.input not in seen and not self.close(change.before, self.right.before[change.input]):
                    return Difference("held", change.input, at)
                seen.add(change.input)
        return None

    def of_graph(self) -> Difference:
        """Return the wrong node nearest to the root, in a graph whose rules all ran as they should."""
        wrong = [index for index in range(len(self.nodes)) if index != self.program.root and not self.is_right(index)]
        # nodes are in a topological order, so the last one is nearest to the root
        return Difference("graph", wrong[-1]) if wrong else NOTHING
