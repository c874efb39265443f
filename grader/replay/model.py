"""A replay as data: how a learner's engine ran forward and backward on one program, step by step.

Nodes are named by their index in `Replay.nodes`. Lines are those of the learner's file, from 1; 0 where no line is
known. A number that JSON does not know (nan, an infinity), or something that is no number, is None, and the field
whose name ends in `_text` says what it was.
"""

from typing import Literal, TypeAlias

import msgspec

Fault: TypeAlias = Literal["", "contribution", "lost", "order", "twice", "never", "forward", "seed"]
Where: TypeAlias = Literal["load", "build", "backward", "read"]


class Source(msgspec.Struct, frozen=True):
    """The learner's file: its name, relative where it can be, and its lines, of which long ones are cut."""

    file: str
    lines: tuple[str, ...] = ()


class Input(msgspec.Struct, frozen=True):
    """One operand of an operation: a node, or a plain number. The other one is None."""

    node: int | None = None
    number: float | None = None


class Seen(msgspec.Struct, frozen=True):
    """The learner's value and gradient of a node after the backward pass, as numbers and as text."""

    data: float | None
    data_text: str
    grad: float | None
    grad_text: str


class Expected(msgspec.Struct, frozen=True):
    """The value and gradient of a node after a right backward pass; None where one is not finite."""

    data: float | None
    grad: float | None


class Node(msgspec.Struct, frozen=True):
    """A node of the program. `op` is `leaf` or an operation of `grader.program.OPERATIONS`."""

    name: str
    op: str
    inputs: tuple[Input, ...]
    leaf_value: float | None
    yours: Seen
    expected: Expected


class Forward(msgspec.Struct, frozen=True):
    """A node was made, by this line of the learner's code; 0 for a leaf."""

    node: int
    line: int


class Change(msgspec.Struct, frozen=True):
    """A gradient was written: of which node, what it was and became, and by which line.

    `outside` says that the line does not belong to the rule: the pass itself wrote it, after the rule had run.
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
    """The amount that a right rule adds for one operand: upstream times `local`. `slot` is the operand's position."""

    slot: int
    node: int
    local: float | None
    amount: float | None


class Visit(msgspec.Struct, frozen=True):
    """One run of a local rule of the learner's.

    `line` is the first line of the rule. `expected` is what a right rule adds for the upstream gradient that the node
    had at that moment. It is empty where the learner's code makes the operation of others (`a - b` of `a + (-b)`):
    there `inner` marks the runs of the rules of nodes in it that the program has no name for, `node` being the
    operation that they belong to.
    """

    node: int
    inner: bool
    upstream: float | None
    upstream_text: str
    line: int
    changes: tuple[Change, ...]
    expected: tuple[Contribution, ...]


class RightVisit(msgspec.Struct, frozen=True):
    """One run of a local rule in a right backward pass."""

    node: int
    upstream: float | None
    contributions: tuple[Contribution, ...]


class Problem(msgspec.Struct, frozen=True):
    """Why the replay ends early or shows less: a sentence, the learner's line (0 for none), and where it arose.

    `where`: `load` (the file could not be run), `build`, `backward`, or `read` (the engine does not show it).
    """

    text: str
    line: int
    where: Where


class Replay(msgspec.Struct, frozen=True):
    """One program on the learner's engine, beside a correct pass.

    Attributes:
        title: what the page calls it: an expression, or a preset's name.
        program: the program as text, `c = a + b; L = c * c`.
        preset: the id of a preset; empty for none.
        exercise: the id of the exercise whose file ran.
        nodes: in a topological order.
        root: the node from which the backward pass starts.
        forward: the nodes in the order in which they were made.
        backward: the runs of the learner's rules, in their order.
        reference: those of a correct pass.
        first_difference: the index in `backward` of the first run after which something is not as a correct rule in a
            correct order leaves it, or None.
        fault: what differs there. `contribution`: a rule adds a wrong amount. `lost`: a write does away with what
            was there. `order`: a rule ran before that of one of its users. `twice`: a rule ran again. `never`: a rule
            did not run. `forward`: a value is wrong already. `seed`: the pass begins at the root with another gradient
            than it should, which is 1 unless a check asks otherwise.
        fault_node: the node that the fault is about; None for no fault.
        asked: whose numbers `expected` has: `torch`, or `expected` for those of the grader's own table.
    """

    title: str
    program: str
    preset: str
    exercise: str
    source: Source
    nodes: tuple[Node, ...]
    root: int
    forward: tuple[Forward, ...]
    backward: tuple[Visit, ...]
    reference: tuple[RightVisit, ...]
    first_difference: int | None
    fault: Fault
    fault_node: int | None
    problem: Problem | None
    asked: Literal["torch", "expected"]


class Step(msgspec.Struct, frozen=True):
    """The parameters before a step of gradient descent, and the loss there."""

    values: tuple[float | None, ...]
    loss: float | None


class Grid(msgspec.Struct, frozen=True):
    """The loss over two parameters, all others fixed: `loss[row][column]` at `x[column]`, `y[row]`."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    loss: tuple[tuple[float | None, ...], ...]


class Landscape(msgspec.Struct, frozen=True):
    """A training run of the learner's, over the loss.

    Attributes:
        title: what the page calls it.
        program: the loss as text.
        source: the learner's file.
        parameters: the names of the parameters.
        rate: the learning rate.
        steps: the learner's own steps: the parameters before each, and after the last.
        reference: the same for right gradient descent from the same start.
        curve: for one parameter: values of it and the loss there.
        grid: for two parameters: the loss around the steps.
        problem: why there are fewer steps, or none.
        asked: as in `Replay`.
    """

    title: str
    program: str
    source: Source
    parameters: tuple[str, ...]
    rate: float
    steps: tuple[Step, ...]
    reference: tuple[Step, ...]
    curve: tuple[tuple[float, float | None], ...]
    grid: Grid | None
    problem: Problem | None
    asked: Literal["torch", "expected"]
