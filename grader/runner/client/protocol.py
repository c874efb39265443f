"""The messages to the worker and back, and the strict decoding of its answers.

Everything from the worker is a claim. Answers are JSON arrays in ASCII, with known tags and lengths. Floats are
written by `float.hex()`, and any other object as `!` and its type's name. An answer that does not fit exactly is
`Refused`: nothing is guessed, and only plain data is built. The request determines how large an answer may be, in
bytes and in values. This is checked before any of the answer is decoded.
"""

import math
import re
from abc import ABC
from collections.abc import Sequence
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ...course.program import BINARY, ELEMENTWISE, Arrangement, Program, arrange
from ..worker.adapter.ask import (
    EVENTS,
    RAN_OUT,
    TRACED,
    Argument,
    CallFunction,
    Look,
    Preload,
    Record,
    RuleKind,
    RunStep,
    Train,
)
from ..worker.confine.framing import HEADER
from . import bounds

_Item = TypeVar("_Item")

# -- requests -------------------------------------------------------------------------------------


class Run(Struct, frozen=True):
    """A program, and the steps to take on it once it is built.

    Attributes:
        whole: Whether leaves that are whole numbers are ints, as in `Value(2)`.
        in_place: Whether `x + y` is built as `x += y`, and other operations of two operands likewise.
    """

    program: Program
    steps: tuple[RunStep, ...]
    whole: bool = False
    in_place: bool = False

    @property
    def records(self) -> bool:
        """Return whether the run is recorded."""
        return any(isinstance(step, Record) for step in self.steps[:1])

    @property
    def trained_steps(self) -> int:
        """Return how many steps the run's trainings take together."""
        return sum(step.steps for step in self.steps if isinstance(step, Train))

    @property
    def calls(self) -> tuple[str, ...]:
        """Return the functions of the file that the steps call, each once."""
        called = (step for step in self.steps if isinstance(step, CallFunction | Train))
        return tuple(dict.fromkeys(step.function if isinstance(step, CallFunction) else step.name for step in called))

    def spell(self, wire: list[list[object]]) -> list[list[object]]:
        """Return a wire form of the program with the changes for `whole` and `in_place`."""
        return [self._spelled(*node) for node in wire] if self.whole or self.in_place else wire

    def _spelled(self, op: Any, *operands: Any) -> list[object]:
        if op == "leaf" and self.whole:
            return [op, _whole(operands[0])]
        if op in BINARY and self.in_place and isinstance(operands[0], int):
            return [f"i{op}", *operands]
        return [op, *operands]


def _whole(value: Any) -> Any:
    """Return a whole number as an int, and any other number as it is, also in a nested list."""
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if value == int(value) else value


_OF_A_RUN, _NODES = 20, 4  # the steps of a run of its own, and the nodes that take as long as a step
_TRAINED = 100  # the same for the nodes of a training


def _steps(run: Run) -> int:
    nodes = len(run.program.nodes)
    return _OF_A_RUN + len(run.steps) + nodes // _NODES + nodes * run.trained_steps // _TRAINED


class Batch(Struct, frozen=True, dict=True):
    """Runs that are executed after the file was run again, all of them once under each order seed.

    Attributes:
        calls: The limit of calls in each run; None for no limit besides CPU time.
        cpu_s: The CPU time of the whole batch, in seconds.
        order_seeds: The order seeds.
        engine: Whether the file needs an engine. Otherwise the runs only call functions of the file.
        measured: Whether `cpu_s` comes from a measurement on this machine.
    """

    runs: tuple[Run, ...]
    calls: int | None
    cpu_s: float
    order_seeds: tuple[int, ...] = (0, 1, 2, 3)
    engine: bool = True
    measured: bool = False

    def encode(self, **more: object) -> bytes:
        """Return the request as JSON.

        `rearranged` holds the runs of each order seed after the first. An entry is null if the run is the same as
        under the first order seed.

        Args:
            more: further entries, which replace those of the same name.
        """
        if self.largest:
            more["most"] = self.largest
        return msgspec.json.encode(
            {
                "runs": [[run.spell(run.program.sent), run.steps] for run in self.runs],
                "order_seeds": self.order_seeds,
                "rearranged": [[*map(_rearranged, self.runs, later)] for later in self.arrangements[1:]],
                "calls": self.calls,
                "cpu_s": self.cpu_s,
                "engine": self.engine,
                **more,
            }
        )

    @cached_property
    def arrangements(self) -> list[list[Arrangement | None]]:
        """Return how the programs are arranged under each order seed. The first order seed does not change them.

        Only the request and the answer have this arrangement. Decoded observations are in the program's own order.
        """
        later = [[arrange(run.program, seed) for run in self.runs] for seed in self.order_seeds[1:]]
        return [[None] * len(self.runs), *later]

    @cached_property
    def largest(self) -> int:
        """Return the most numbers of one node, if a program has arrays; otherwise 0.

        A wrong gradient has the size of another node, so this bounds those as well.
        """
        sizes = [math.prod(shape) for run in self.runs if run.program.has_arrays for shape in run.program.shapes]
        return max(sizes, default=0)

    @property
    def steps(self) -> int:
        """Return how much there is to do, as a count: the nodes and the steps of all runs, under each order seed."""
        return len(self.order_seeds) * sum(map(_steps, self.runs))

    def tightened(self, factor: int) -> "Batch":
        """Return the same batch with its limits divided by `factor`, or a measured one at most by 4.

        A measured limit follows the machine, so it needs no room for slower ones.
        """
        calls = None if self.calls is None else self.calls // factor
        return replace(self, calls=calls, cpu_s=self.cpu_s / (min(factor, 4) if self.measured else factor))

    @property
    def answer_cap(self) -> int:
        """Return a size in bytes that no honest answer to this batch exceeds."""
        return min(bounds.ANSWER, 65_536 + len(self.order_seeds) * 64 * self._numbers)

    @property
    def most_values(self) -> int:
        """Return a number of JSON values that no honest answer to this batch exceeds.

        A comma in a message counts as a value.
        """
        # two for each number, because a list of nodes may be longer than the program, and a trace consists of pairs
        of_a_seed = 2 * self._numbers + bounds.MESSAGE * len(self.runs)
        return min(bounds.ANSWER_VALUES, 10_000 + len(self.order_seeds) * of_a_seed)

    @cached_property
    def _numbers(self) -> int:
        """Return how many numbers an answer holds for each order seed, with room for the data around them."""
        # each step may return a number for each node
        each = 1 + (self.largest and self.largest + 2 * bounds.AXES)  # an array has a shape and a type besides
        size = sum((len(run.program.nodes) * each + 8) * (len(run.steps) + 2) for run in self.runs)
        # the arrays in the changes of a recording
        size += sum(bounds.PARTS for run in self.runs if run.records and self.largest)
        # each rule may change every gradient
        size += sum(len(run.program.nodes) ** 2 for run in self.runs if TRACED in run.steps)
        # an event has three values
        size += sum(3 * bounds.EVENTS for run in self.runs if EVENTS in run.steps)
        return size + sum(4 * (bounds.VISITS + bounds.CHANGES) for run in self.runs if run.records)


# -- observations -----------------------------------------------------------------------------------
#
# Each of these types is both what the worker sends, as an array with a tag, and what the grader compares.


_NAME = f"[A-Za-z_][A-Za-z0-9_]{{0,{bounds.NAME - 1}}}"
_NUMBER = re.compile(rf"-?0x[01]\.[0-9a-f]{{1,13}}p[+-][0-9]{{1,4}}|-?inf|nan|!{_NAME}", re.ASCII)
_Name: TypeAlias = Annotated[str, Meta(pattern=rf"\A{_NAME}\Z")]
_NameOrNone: TypeAlias = Annotated[str, Meta(pattern=rf"\A({_NAME})?\Z")]
_Index: TypeAlias = Annotated[int, Meta(ge=-1, le=10_000_000)]
_Line: TypeAlias = Annotated[int, Meta(ge=1, le=10_000_000)]
_Lines: TypeAlias = Annotated[list[_Line], Meta(max_length=bounds.TRACEBACK)]
_Count: TypeAlias = Annotated[int, Meta(ge=0, le=10_000_000)]
_Message: TypeAlias = Annotated[str, Meta(max_length=bounds.MESSAGE)]


class Odd(Struct, frozen=True):
    """An object in place of a number, by its type's name."""

    type: str


if TYPE_CHECKING:
    Observed: TypeAlias = float | Odd
else:

    class Observed(ABC):  # noqa: B024
        """A number, or an object in place of one. The decoder reads it with `_observed`."""

    Observed.register(float)
    Observed.register(Odd)


class Misshapen(Odd, frozen=True):
    """A number of an array that has a wrong shape.

    Attributes:
        type: the type of the array's numbers.
        shape: the shape of the array.
        numbers: all numbers of the array; none if there are too many.
    """

    shape: tuple[int, ...] = ()
    numbers: tuple["Observed", ...] = ()


class Numbers(tuple[Observed, ...]):
    """A number for each node, in the program's order, or the numbers that a function returned."""

    __slots__ = ()


class NumbersOfArrays(Numbers):
    """The numbers of all nodes of a program with arrays.

    Attributes:
        types: the type of each node's numbers.
        shared: for each node, the first one whose array is the same object; empty if all arrays differ.
    """

    types: tuple[str, ...] = ()
    shared: tuple[int, ...] = ()


class _Wire(Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    pass


class Array(_Wire, frozen=True):
    """An array, or a number: its shape, the type of its numbers, and the numbers.

    `shape` is None for an object that is neither; then `type` is the type of the object. An array that is too large has
    no numbers.
    """

    shape: Annotated[tuple[_Count, ...], Meta(max_length=bounds.AXES)] | None
    type: _Name
    numbers: Numbers

    def __post_init__(self) -> None:
        """Refuse numbers that do not fill the shape."""
        if self.numbers and (self.shape is None or len(self.numbers) != math.prod(self.shape)):
            raise ValueError("an array has another number of numbers than its shape")

    def as_shape(self, shape: tuple[int, ...]) -> Sequence[Observed]:
        """Return the numbers of a node that should have a shape. If it has another one, each of them says so."""
        if self.shape == shape and self.numbers:
            return self.numbers
        odd = Odd(self.type) if self.shape is None else Misshapen(self.type, self.shape, self.numbers)
        return (odd,) * math.prod(shape)


if TYPE_CHECKING:
    Held: TypeAlias = float | Odd | Array
else:

    class Held(Observed):
        """The content of a node: a number, or an array if the program has arrays. `_observed` decodes it."""

    for _kind in (float, Odd, Array):
        Held.register(_kind)


class Values(_Wire, tag="values", frozen=True):
    """The `data` of each node: its numbers. If the program has arrays, they are the numbers of `arrays`."""

    numbers: Numbers
    arrays: tuple[Array, ...] | None = None


class Grads(_Wire, tag="grads", frozen=True):
    """The gradient of each node, like `Values`.

    `shared` has for each node the first one whose gradient is the same array. It is empty if all of them differ.
    """

    numbers: Numbers
    arrays: tuple[Array, ...] | None = None
    shared: tuple[_Index, ...] = ()


class Inputs(_Wire, tag="inputs", frozen=True):
    """The inputs of each node in ascending order, in the program's order."""

    of_nodes: tuple[tuple[_Index, ...], ...]


class Nothing(_Wire, tag="nothing", frozen=True):
    """The result of a step that returns nothing."""


class Called(_Wire, tag="called", frozen=True):
    """The result of a learner's function. One of the fields is set, or none if it returned None."""

    numbers: Numbers | None = None
    nodes: tuple[_Index, ...] | None = None
    other: _Name | None = None
    truth: bool | None = None
    array: Array | None = None

    def __post_init__(self) -> None:
        """Refuse a result of two kinds."""
        if sum(field is not None for field in (self.numbers, self.nodes, self.other, self.truth, self.array)) > 1:
            raise ValueError("a result has several kinds")


class Traced(_Wire, tag="trace", frozen=True):
    """The closures that ran, in order: the node of each, and its contributions."""

    calls: tuple[tuple[_Index, tuple[tuple[_Index, Observed], ...]], ...]


class TrainingEvent(_Wire, frozen=True):
    """An event in a call of a function that trains. `grader.runner.worker.adapter.log` describes the kinds.

    Attributes:
        place: A leaf, which loss it is, or -1.
    """

    kind: Literal["loss", "pass", "left", "grad", "data", "made"]
    place: _Index
    number: Observed


class Logged(_Wire, tag="log", frozen=True):
    """The events since a log was begun, in order. `complete` says that none is left out."""

    events: Annotated[tuple[TrainingEvent, ...], Meta(max_length=bounds.EVENTS)]
    complete: bool


class Ruled(_Wire, tag="rule", frozen=True):
    """A node's rule.

    Attributes:
        state: `own`, `default` (the same as a leaf's), `none` (it is None), or `input` (the operation returned one of
            its inputs, so there is no rule).
        alone: Whether the operation made no other node with inputs.
        first: The rule's first line in the learner's file; 0 if it is not there.
        last: The rule's last line in the learner's file; 0 if it is not there.
    """

    state: Literal["own", "default", "none", "input"]
    alone: bool
    first: _Count
    last: _Count


class GradientChange(_Wire, frozen=True):
    """A change of a gradient.

    Attributes:
        node: The node with the gradient.
        before: The gradient before the change.
        after: The gradient after the change.
        line: The line of the learner's file that made the change; 0 if it is not known.
        outside: Whether the change was made after the rule ran, and not by the rule.
    """

    node: _Count
    before: Held
    after: Held
    line: _Count
    outside: bool


class RuleVisit(_Wire, frozen=True):
    """A run of a local rule.

    Attributes:
        node: The node whose rule ran.
        inner: Whether the rule is that of an additional node, which the engine made for the operation `node`.
        upstream: The upstream gradient.
        line: The line in which the rule begins.
        changes: The changes of gradients.
    """

    node: _Count
    inner: bool
    upstream: Held
    line: _Count
    changes: Annotated[tuple[GradientChange, ...], Meta(max_length=bounds.CHANGES)]


class TracedNode(_Wire, frozen=True):
    """A node of the graph that the learner's code builds.

    Attributes:
        names: The nodes of the program that are this node.
        op: The operation, or `leaf`.
        operands: The indices of nodes in this graph; -1 for the next one of `numbers`.
        numbers: The operands that are plain numbers, or the value of a leaf.
    """

    names: tuple[_Count, ...]
    op: _Name
    operands: Annotated[tuple[_Index, ...], Meta(max_length=2)]
    numbers: Numbers

    def fits(self, place: int, count: int) -> bool:
        """Return whether this can be the node at `place`, if the program has `count` nodes."""
        if self.op == "leaf":
            fits = not self.operands and len(self.numbers) == 1
        else:
            known = self.op in ELEMENTWISE and len(self.operands) == len(ELEMENTWISE[self.op].operands)
            fits = known and len(self.numbers) == self.operands.count(-1)
        # operands are earlier nodes, and names are nodes of the program
        return fits and max((*self.operands, -1)) < place and max((*self.names, -1)) < count


class Recorded(_Wire, tag="record", frozen=True):
    """The recording of a run.

    Attributes:
        made: the nodes in the order in which they were made, each with its line in the learner's file (0 for none).
        visits: the runs of local rules, in order.
        values: the `data` of each node at the end; None for a node that was not made.
        grads: the gradient of each node at the end; None for a node that was not made.
        left_out: how many visits and changes were omitted because there were too many.
        elsewhere: whether the pass keeps gradients elsewhere than on the nodes. The changes then do not show the
            contributions of a rule.
        at_first: the `data` of each node when the recorded steps began; empty if they did not begin.
        traced: the graph that the learner's code builds, if functions of the file make nodes of the program. The nodes
            above are then those of this graph. None if the graph was not read, or is that of the program.
    """

    made: tuple[tuple[_Count, _Count], ...]
    visits: Annotated[tuple[RuleVisit, ...], Meta(max_length=bounds.VISITS)]
    values: tuple[Held | None, ...]
    grads: tuple[Held | None, ...]
    left_out: Annotated[int, Meta(ge=0)]
    elsewhere: bool
    at_first: tuple[Held, ...]
    traced: Annotated[tuple[TracedNode, ...], Meta(max_length=bounds.TRACED)] | None


Result: TypeAlias = Values | Grads | Inputs | Nothing | Called | Traced | Logged | Ruled | Recorded
# the results of steps by their names; any other step returns `Nothing`
_ANSWERS: dict[str, type[Result]] = {
    "values": Values,
    "grads": Grads,
    "inputs": Inputs,
    "traced": Traced,
    "events": Logged,
    "record": Recorded,
    "rule": Ruled,
    "train": Called,
    "call": Called,
    "given_list": Called,
    "given_numbers": Called,
}


def _rearranged(run: Run, arrangement: Arrangement | None) -> list[object] | None:
    """Return a run on an arranged program as it is sent; None if the program keeps its order."""
    if arrangement is None:
        return None
    return [run.spell(arrangement.wire), [_arranged(step, arrangement.places) for step in run.steps]]


def _arranged(step: RunStep, places: tuple[int, ...]) -> RunStep:
    """Return a step on an arranged program: the index of each node is replaced by its place there."""
    match step:
        case Look() | Record():
            return step
        case Preload(grads):
            return Preload([(places[index], grad) for index, grad in grads])
        case CallFunction(function, arguments):
            return CallFunction(function, [_arranged_argument(argument, places) for argument in arguments])
        case _:
            return step._replace(root=places[step.root])


def _arranged_argument(argument: Argument, places: tuple[int, ...]) -> Argument:
    if argument[0] == "node":
        return "node", places[argument[1]]
    return ("nodes", [places[index] for index in argument[1]]) if argument[0] == "nodes" else argument


SHAPES: dict[str, tuple[range, int]] = {
    "no_class": (range(1), 0),
    "several_classes": (range(2, 5), 0),
    "no_value": (range(1), 0),
    "several_values": (range(2, 5), 0),
    "no_gradient": (range(1), 0),
    "several_gradients": (range(2, 5), 0),
    "gradient_not_set": (range(1, 2), 0),
    "gradient_is": (range(2, 3), 0),
    "no_backward": (range(1), 0),
    "several_passes": (range(2, 5), 0),
    "backward_is_rule": (range(1, 2), 0),
    "no_function": (range(1, 2), 0),
    "no_node": (range(2, 3), 0),
    "makes_no_list": (range(2, 3), 0),
    "makes_others": (range(1, 2), 2),
    "changes_list": (range(1, 2), 0),
    "nothing_to_call": (range(1, 2), 0),
    "rule_is_none": (range(1), 0),
    "no_rule": (range(9), 0),
    "pass_stops": (range(1), 2),
    "contributions": (range(1), 2),
    "derivatives": (range(1, 2), 2),
    "no_derivatives": (range(2, 3), 0),
    "no_pairs": (range(1, 2), 0),
    "no_row": (range(2, 3), 0),
    "unclear_writes": (range(1), 0),
    "no_number": (range(1), 0),
}
"""What can be missing from a file that is read as an engine: how many names and numbers each code comes with."""


class Problem(_Wire, frozen=True):
    """The problem that stopped a run: the step, the kind, and the place in the learner's file.

    Attributes:
        kind: `raised`, `syntax`, `exit`, `module`, `calls`, `cpu`, `stalled`, `shape`, `not_offered` or
            `wants_argument`.
        type_name: For `shape`, one of `SHAPES`.
        names: For `not_offered`, the method that the engine lacks, and the engine's own method that uses it, if the
            operation that the program asks for is defined. For `wants_argument`, the method that needs an argument
            besides `self`.
    """

    where: _Name
    kind: _Name
    type_name: _Name
    message: _Message
    lines: _Lines
    names: Annotated[list[_Name], Meta(max_length=bounds.NAMES)] = []
    counts: Annotated[list[_Count], Meta(max_length=2)] = []

    def __post_init__(self) -> None:
        """Refuse names and counts that do not belong to the kind."""
        if self.kind == "shape" and self.type_name not in SHAPES:
            raise ValueError(f"nothing is called {self.type_name}")
        method = range(1, 3 if self.kind == "not_offered" else 2) if self.absent else range(1)
        named, counted = SHAPES[self.type_name] if self.kind == "shape" else (method, 0)
        # a sentence is made of these, and has a place for each
        if len(self.names) not in named or len(self.counts) != counted:
            raise ValueError("a problem has another number of names or numbers than its kind has")

    @property
    def absent(self) -> bool:
        """Return whether the engine does not offer an operation."""
        return self.kind in ("not_offered", "wants_argument")

    @property
    def method(self) -> str | None:
        """Return the method that the engine does not offer; None for any other problem."""
        return self.names[0] if self.absent else None

    @property
    def user(self) -> str | None:
        """Return the engine's own method that uses the missing one; None if the program itself calls that one."""
        return self.names[1] if self.absent and len(self.names) > 1 else None

    @property
    def ran_out(self) -> bool:
        """Return whether a limit was reached."""
        return self.kind in RAN_OUT or self.type_name == "MemoryError"

    @property
    def ends_batch(self) -> bool:
        """Return whether the later runs are skipped: after a limit, and after calls that are nested too deeply."""
        return self.ran_out or self.type_name == "RecursionError"

    @property
    def unfilled(self) -> bool:
        """Return whether the exception is the one that a stub raises in place of a solution."""
        return self.kind == "raised" and self.type_name == "NotImplementedError"


class _Outcome(_Wire, frozen=True):
    """The results of the steps that were taken.

    Each property returns the results of one kind, in the order of their steps.
    """

    results: tuple[Result, ...]

    @property
    def values(self) -> tuple[Numbers, ...]:
        return tuple(result.numbers for result in self.results if isinstance(result, Values))

    @property
    def grads(self) -> tuple[Numbers, ...]:
        return tuple(result.numbers for result in self.results if isinstance(result, Grads))

    @property
    def inputs(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        return tuple(result.of_nodes for result in self.results if isinstance(result, Inputs))

    @property
    def called(self) -> tuple[Called, ...]:
        return tuple(result for result in self.results if isinstance(result, Called))

    @property
    def traced(self) -> tuple[Traced, ...]:
        return tuple(result for result in self.results if isinstance(result, Traced))

    @property
    def logged(self) -> tuple[Logged, ...]:
        return tuple(result for result in self.results if isinstance(result, Logged))

    @property
    def ruled(self) -> tuple[Ruled, ...]:
        return tuple(result for result in self.results if isinstance(result, Ruled))

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        return tuple(result for result in self.results if isinstance(result, Recorded))


class Done(_Outcome, tag="done", frozen=True):
    """A run that took all its steps, with one result for each."""


class Broke(_Outcome, tag="broke", frozen=True):
    """A run that stopped at step `len(results)`, or while building. In the second case, only `record` has a result."""

    problem: Problem


class Reading(_Wire, frozen=True):
    """The worker's reading of the learner's engine."""

    cls: _Name
    data: _Name
    grad: _Name
    inputs: _NameOrNone
    rule: RuleKind
    rule_name: _NameOrNone
    grad_starts_as_none: bool


class Read(Struct, frozen=True):
    """A batch's outcomes, by order seed and run; None for a run after the budget was used up."""

    reading: Reading
    seeds: tuple[tuple[Done | Broke | None, ...], ...]


# -- decoding ---------------------------------------------------------------------------------------


class Refused(Exception):
    """The worker's answer violates the protocol. The message says how."""


class _Same(_Wire, tag="same", frozen=True):
    """An outcome that is equal to that of the run under the first order seed."""


_WireOutcome: TypeAlias = Done | Broke | _Same | None


class _ReadAnswer(_Wire, tag="read", frozen=True):
    reading: Reading
    seeds: list[list[_WireOutcome]]


class _UnreadAnswer(_Wire, tag="unread", frozen=True):
    problem: Problem


class _TriedAnswer(_Wire, tag="tried", frozen=True):
    answers: list[_ReadAnswer | _UnreadAnswer]


class _ExecutedAnswer(_Wire, tag="executed", frozen=True):
    lines: list[int] | None


class _LoadedAnswer(_Wire, tag="loaded", frozen=True):
    pass


class _NotStartedAnswer(_Wire, tag="not_started", frozen=True):
    pass


class _FailedAnswer(_Wire, tag="failed", frozen=True):
    problem: Problem


@lru_cache(maxsize=1 << 14)
def _number(token: str) -> Observed:
    if not _NUMBER.fullmatch(token):
        raise ValueError("expected a number as `float.hex()` writes it")
    try:
        return Odd(token[1:]) if token.startswith("!") else float.fromhex(token)
    except OverflowError:
        raise ValueError("a number is too large") from None


def _observed(kind: type, wire: Any) -> Any:
    """Return the numbers, the array or the number for a part of an answer.

    Raises `ValueError`, `TypeError` or `msgspec.ValidationError`.
    """
    if kind is Held and type(wire) is list:  # type: ignore[comparison-overlap]
        return msgspec.convert(wire, Array, dec_hook=_observed)
    if kind is not Numbers:
        return _number(wire)
    if type(wire) is not list:
        raise ValueError("expected a list of numbers")
    return Numbers(map(_number, wire))


_batch_answers = msgspec.json.Decoder(_ReadAnswer | _UnreadAnswer, dec_hook=_observed)
_tried_answers = msgspec.json.Decoder(_TriedAnswer, dec_hook=_observed)
_executed_answers = msgspec.json.Decoder(_ExecutedAnswer)
_load_answers = msgspec.json.Decoder(_LoadedAnswer | _NotStartedAnswer | _FailedAnswer)


def decode_load(frame: bytes) -> Problem | bool:
    """Return True for a loaded file, False for a file that was not started, else the problem. Raises `Refused`."""
    answer = decode(_load_answers, frame, bounds.LOAD_ANSWER, bounds.LOAD_VALUES)
    if isinstance(answer, _FailedAnswer):
        return answer.problem
    return isinstance(answer, _LoadedAnswer)


def decode_batch(frame: bytes, batch: Batch) -> Read | Problem:
    """Return the outcomes of `batch`, which must have exactly the requested shape. Raises `Refused`."""
    return _decoded(decode(_batch_answers, frame, batch.answer_cap, batch.most_values), batch)


def decode_tried(frame: bytes, batch: Batch, count: int) -> list[Read | Problem]:
    """Return the outcomes of `batch` for each of `count` edited files. Raises `Refused`."""
    most_values = min(bounds.ANSWER_VALUES, count * batch.most_values)
    answer = decode(_tried_answers, frame, tried_cap(batch, count), most_values)
    if len(answer.answers) != count:
        raise Refused("the answer is about another number of files than was asked for")
    return [_decoded(one, batch) for one in answer.answers]


def decode_executed(frame: bytes) -> frozenset[int] | None:
    """Return the lines that were executed, or None if a limit was reached. Raises `Refused`."""
    lines = decode(_executed_answers, frame, bounds.EXECUTED_ANSWER, bounds.SOURCE).lines
    return None if lines is None else frozenset(lines)


def tried_cap(batch: Batch, count: int) -> int:
    """Return a size in bytes that no honest answer about `count` edited files exceeds."""
    return min(bounds.ANSWER, count * batch.answer_cap)


def _decoded(answer: "_ReadAnswer | _UnreadAnswer", batch: Batch) -> Read | Problem:
    """Return the outcomes in an answer. Raises `Refused`."""
    if isinstance(answer, _UnreadAnswer):
        return answer.problem
    if len(answer.seeds) != len(batch.order_seeds) or any(len(s) != len(batch.runs) for s in answer.seeds):
        raise Refused("the answer has another number of outcomes than was asked for")
    # the first order seed, to which the outcomes of the others may refer
    sent = [outcome for outcome in answer.seeds[0] if not isinstance(outcome, _Same)]
    if len(sent) != len(batch.runs):
        raise Refused("the outcome under the first order seed refers to itself")
    firsts = [_outcome(outcome, run, None) for outcome, run in zip(sent, batch.runs, strict=True)]
    # the other order seeds, each with the program arranged in its own way
    seeds = [tuple(firsts)]
    for outcomes, arrangements in zip(answer.seeds[1:], batch.arrangements[1:], strict=True):
        seeds.append(tuple(map(_later_outcome, outcomes, sent, firsts, batch.runs, arrangements)))
    return Read(answer.reading, tuple(seeds))


def _later_outcome(
    outcome: _WireOutcome,
    first_sent: Done | Broke | None,
    first: Done | Broke | None,
    run: Run,
    arrangement: Arrangement | None,
) -> Done | Broke | None:
    """Return an outcome under a later order seed.

    If it is equal to `first`, the outcome under the first order seed, return that object, so that it is judged once.
    """
    if isinstance(outcome, _Same):
        if arrangement is None:
            return first
        # equal as it was sent, but for other nodes: the program is arranged in another order
        outcome = first_sent
    decoded = _outcome(outcome, run, arrangement)
    return first if decoded == first else decoded


def decode(decoder: "msgspec.json.Decoder[Any]", frame: bytes, most_bytes: int, most_values: int) -> Any:
    """Return the decoded message of a frame, which must be within these bounds. Raises `Refused`."""
    # all bounds are checked before anything is decoded
    if len(frame) < HEADER.size:
        raise Refused("there is no answer, or only a piece of one")
    if len(frame) > most_bytes:
        raise Refused(f"the answer is larger than {most_bytes >> 10} KB")
    # every value except the outermost one follows one of these characters
    if frame.count(b",") + frame.count(b"[") > most_values:
        raise Refused(f"the answer has more than {most_values} values")
    (size,) = HEADER.unpack_from(frame)
    if len(frame) != HEADER.size + size:
        raise Refused(f"the answer announces {size} bytes and has {len(frame) - HEADER.size}")
    try:
        return decoder.decode(memoryview(frame)[HEADER.size :])
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise Refused(f"the answer is malformed: {str(error)[:120]}") from None


def _outcome(outcome: Done | Broke | None, run: Run, arrangement: Arrangement | None) -> Done | Broke | None:
    """Return an outcome with the nodes of the program in its own order. Raises `Refused` if it does not fit the run."""
    if outcome is None:
        return None
    # a run that broke has the results of the steps before
    results, completed = outcome.results, isinstance(outcome, Done)
    if len(results) > len(run.steps) or (completed and len(results) < len(run.steps)):
        raise Refused("a run has another number of results than it had steps")
    order = _Order(run.program, arrangement)
    decoded = tuple([order.result(result, step.name) for result, step in zip(results, run.steps, strict=False)])
    # only functions of the file that make nodes lead to a graph of its own
    recordings = [] if run.program.truth else [result for result in decoded if isinstance(result, Recorded)]
    if any(recording.traced is not None for recording in recordings):
        raise Refused("a recording has a graph of its own, but no function of the file makes nodes")
    if completed and any(None in recording.values for recording in recordings):
        raise Refused("a run that went through did not make every node")
    return replace(outcome, results=decoded)


class _Order:
    """The order in which a worker made the nodes of a program, so that its answers are read in the program's own.

    Args:
        program: The program.
        arrangement: How its nodes were arranged; None for its own order.
    """

    def __init__(self, program: Program, arrangement: Arrangement | None) -> None:
        self._program = program
        self._count = len(program.nodes)
        self._places: Sequence[int] | None = arrangement and arrangement.places

    @cached_property
    def _nodes(self) -> dict[int, int]:
        return {place: node for node, place in enumerate(self._places or ())}

    def result(self, result: Result, step: str) -> Result:
        """Return the result of a step. Raises `Refused` if it does not fit the step or the program."""
        if not isinstance(result, _ANSWERS.get(step, Nothing)):
            raise Refused(f"`{step}` was answered by something else")
        moved = self._places is not None
        match result:
            case Values(numbers, arrays) | Grads(numbers, arrays):
                shared = result.shared if isinstance(result, Grads) else ()
                if arrays is not None or shared or self._program.has_arrays:
                    return self._with_numbers(result, numbers, arrays, shared)
                self._check(len(numbers))
                return type(result)(Numbers(self._each(numbers))) if moved else result
            case Inputs(of_nodes):
                self._check(len(of_nodes))
                # sorted, because a set of inputs has another order under each order seed
                return Inputs(tuple(tuple(sorted(map(self._node, inputs))) for inputs in self._each(of_nodes)))
            case Traced(calls):
                placed = ((self._node(node), self._added(added)) for node, added in calls)
                return Traced(tuple(placed)) if moved else result
            case Logged(events):
                return replace(result, events=tuple(map(self._event, events))) if moved else result
            case Called(nodes=nodes):
                wanted = {"given_list": result.nodes, "given_numbers": result.numbers}
                if wanted.get(step, ()) is None:
                    raise Refused(f"`{step}` was answered by something else")
                return Called(nodes=tuple(map(self._node, nodes))) if moved and nodes is not None else result
            case Recorded():
                return self._recorded(result)
            case Nothing() | Ruled():
                return result

    def _with_numbers(
        self, result: Values | Grads, numbers: Numbers, arrays: tuple[Array, ...] | None, shared: tuple[int, ...]
    ) -> Values | Grads:
        """Return an answer with the arrays in the program's order, and with all their numbers in one sequence."""
        if numbers or arrays is None or not self._program.has_arrays:
            raise Refused("the answer has numbers in place of arrays, or arrays in place of numbers")
        self._check(len(arrays))
        ordered = tuple(self._each(arrays))
        shaped = zip(ordered, self._program.shapes, strict=True)
        every = NumbersOfArrays(number for array, shape in shaped for number in array.as_shape(shape))
        every.types = tuple(array.type for array in ordered)
        if shared:
            self._check(len(shared))
            every.shared = tuple(self._each(shared))
        return type(result)(every, ordered)

    def _check(self, count: int) -> None:
        if count != self._count:
            raise Refused("the answer has another number of nodes than the program")

    def _each(self, parts: Sequence[_Item]) -> Sequence[_Item]:
        """Return what is known of each node, from what the worker sent in its order."""
        return parts if self._places is None else [parts[place] for place in self._places]

    def _node(self, place: int) -> int:
        """Return the index of the node at a place. An object that is not in the program has the same number."""
        return self._nodes.get(place, place)

    def _event(self, event: TrainingEvent) -> TrainingEvent:
        # only these events name a node; the place of a loss is its number
        of_leaf = event.kind in ("left", "grad", "data")
        return replace(event, place=self._node(event.place)) if of_leaf else event

    def _added(self, added: tuple[tuple[int, Observed], ...]) -> tuple[tuple[int, Observed], ...]:
        return (
            added if self._places is None else tuple(sorted(((self._node(i), x) for i, x in added), key=itemgetter(0)))
        )

    def _recorded(self, record: Recorded) -> Recorded:
        """Return a recording in the program's order. A program that could not be built has only its first nodes."""
        # refuse a recording that does not fit the program, or the graph that it shows itself
        traced, count = record.traced, len(record.made)
        most = self._count if traced is None else len(traced)
        if not count == len(record.values) == len(record.grads) <= most or None in (*record.values, *record.grads):
            raise Refused("a recording has another number of nodes than the program")
        if [place for place, _ in record.made] != [*range(count)]:
            raise Refused("a recording has its nodes in another order than that in which they were made")
        if len(record.at_first) not in (0, count):
            raise Refused("a recording has another number of values at first than at the end")
        if not all(node.fits(place, self._count) for place, node in enumerate(traced or ())):
            raise Refused("a recording has a node that is no operation of earlier nodes")
        changes = [change for visit in record.visits for change in visit.changes]
        if len(changes) > bounds.CHANGES:
            raise Refused(f"a recording has more than {bounds.CHANGES} changes")
        moved = [visit.upstream for visit in record.visits]
        moved += [held for change in changes for held in (change.before, change.after)]
        every = [*moved, *record.values, *record.grads, *record.at_first]
        if any(isinstance(held, Array) != self._program.has_arrays for held in every):
            raise Refused("a recording has numbers in place of arrays, or arrays in place of numbers")
        if sum(len(held.shape or ()) + len(held.numbers) for held in moved if isinstance(held, Array)) > bounds.PARTS:
            raise Refused(f"a recording has more than {bounds.PARTS} numbers in its changes")
        if any(node >= most for node in [*(v.node for v in record.visits), *(c.node for c in changes)]):
            raise Refused("a recording names a node that is not in the program")
        # its own graph has an order of its own; only its names refer to the program
        if traced is not None:
            named = (replace(node, names=tuple(sorted(map(self._node, node.names)))) for node in traced)
            return replace(record, traced=tuple(named))
        # nodes of the program come back in its own order
        missing = (None,) * (self._count - count)
        return replace(
            record,
            made=tuple((self._node(place), line) for place, line in record.made),
            visits=tuple(map(self._visit, record.visits)),
            values=tuple(self._each((*record.values, *missing))),
            grads=tuple(self._each((*record.grads, *missing))),
            at_first=tuple(self._each(record.at_first)) if len(record.at_first) == self._count else (),
        )

    def _visit(self, visit: RuleVisit) -> RuleVisit:
        changes = tuple(replace(change, node=self._node(change.node)) for change in visit.changes)
        return replace(visit, node=self._node(visit.node), changes=changes)
