"""A replay as data: how a learner's engine ran on one program, step by step, and how a correct pass runs.

Nodes are identified by their index in `Replay.nodes`. Lines refer to the learner's file and count from 1; 0 means that
no line is known. A field is None for nan, an infinity, or a value that is not a number. Then the field whose name ends
in `_text` shows the value. If a program has arrays, a field of a node that is an array is a `Shaped`.
"""

from typing import Literal, TypeAlias

import msgspec

from ...course.figures import GameNode
from .amounts import Field

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


class Seen(msgspec.Struct, frozen=True):
    """The learner's value and gradient of a node after the backward pass, as numbers and as text."""

    data: Field
    data_text: str
    grad: Field
    grad_text: str


class Expected(msgspec.Struct, frozen=True):
    """The value and the gradient of a node after a correct backward pass; None if not finite."""

    data: Field
    grad: Field


class ReplayNode(GameNode, frozen=True):
    """A node of a program, with the results of an engine.

    Attributes:
        inner: whether the learner's code makes the node and the check's program does not name it. Its numbers may be
            far larger than those of the program.
        shape: its shape.
        arguments: the arguments of its operation besides the operands, as text.
    """

    yours: Seen
    expected: Expected
    inner: bool = False
    shape: tuple[int, ...] = ()
    arguments: str = ""


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
    before: Field
    before_text: str
    after: Field
    after_text: str
    amount: Field
    line: int
    outside: bool = False


class Contribution(msgspec.Struct, frozen=True):
    """The amount that a correct rule adds for one operand.

    Attributes:
        slot: the position of the operand.
        node: the operand.
        local: its local derivative; None if the operation is not elementwise.
        amount: the contribution. For a number, it is the upstream gradient times `local`.
        term: what the rule gives back before it is summed over `axes`; None if there are none.
        axes: the axes along which the operand is repeated, so that the contribution is a sum over them.
    """

    slot: int
    node: int
    local: Field
    amount: Field
    term: Field = None
    axes: tuple[int, ...] = ()


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
    upstream: Field
    upstream_text: str
    line: int
    changes: tuple[Change, ...]
    expected: tuple[Contribution, ...]


class RightVisit(msgspec.Struct, frozen=True):
    """One run of a local rule in a correct backward pass."""

    node: int
    upstream: Field
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
        losses: the loss before each step, if the weights of the layers are trained.
    """

    title: str
    function: str
    values: dict[str, float]
    layers: tuple[str, ...]
    yours: tuple[float | None, ...]
    expected: tuple[float | None, ...]
    asked: Literal["torch", "expected"]
    losses: tuple[float | None, ...] = ()


class Trained(msgspec.Struct, frozen=True):
    """How training went: the loss before each step, and the time that it took. `problem` says why there is no loss."""

    losses: tuple[float | None, ...]
    seconds: float
    problem: str


class Probabilities(msgspec.Struct, frozen=True):
    """The probabilities of the next letter after a context."""

    context: str
    probabilities: tuple[float, ...]


class Attention(msgspec.Struct, frozen=True):
    """How much each letter of a name sees of the letters before it.

    Attributes:
        letters: the dot, and the letters of the name.
        heads: for each head, a row for each letter, with the weight of each letter. A row adds up to 1.
    """

    letters: str
    heads: tuple[tuple[tuple[float, ...], ...], ...]


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
        pairs: the loss of the best bigram model of all names, or None.
        together: how many names each step learns from, one part of them after another; 0 for all names.
        attention: what a model with the trained parameters looks at, or None.
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
    pairs: float | None = None
    together: int = 0
    attention: Attention | None = None

    @property
    def about(self) -> str:
        """Return the names that the model learns from, as a list, or their number."""
        return f"{len(self.names)} words" if self.together else ", ".join(self.names)


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
