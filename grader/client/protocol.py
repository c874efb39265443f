"""The messages to the worker and back, and the strict decoding of its answers.

Everything from the worker is a claim. Answers are JSON arrays in ASCII, with known tags and lengths. Floats are
written by `float.hex()`, and any other object as `!` and its type's name. An answer that does not fit exactly is
`Refused`: nothing is guessed, and only plain data is built. The request determines how large an answer may be, in
bytes and in values. This is checked before any of the answer is decoded.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ..program import BINARY, Arrangement, Program, arrange
from ..worker.confine.framing import HEADER
from . import bounds

RAN_OUT = ("calls", "cpu", "stalled")  # the kinds of problem after which a run did not come to its end

# -- requests -------------------------------------------------------------------------------------


class Run(Struct, frozen=True):
    """A program, and the steps to take on it once it is built. The worker's `Graph` has the names of the steps.

    Attributes:
        whole: Whether leaves that are whole numbers are ints, as in `Value(2)`.
        in_place: Whether `x + y` is built as `x += y`, and other operations of two operands likewise.
    """

    program: Program
    steps: tuple[tuple[Any, ...], ...]
    whole: bool = False
    in_place: bool = False

    @property
    def records(self) -> bool:
        """Return whether the run is recorded."""
        return bool(self.steps) and self.steps[0][0] == "record"

    def spell(self, wire: list[list[object]]) -> list[list[object]]:
        """Return a wire form of the program with the changes for `whole` and `in_place`."""
        return [self._spelled(*node) for node in wire] if self.whole or self.in_place else wire

    def _spelled(self, op: Any, *operands: Any) -> list[object]:
        if op == "leaf" and self.whole and operands[0] == int(operands[0]):
            return [op, int(operands[0])]
        if op in BINARY and self.in_place and isinstance(operands[0], int):
            return [f"i{op}", *operands]
        return [op, *operands]


class Batch(Struct, frozen=True, dict=True):
    """Runs that are executed after the file was run again, all of them once under each order seed.

    Attributes:
        calls: The limit of calls in each run; None for no limit besides CPU time.
        cpu_s: The CPU time of the whole batch, in seconds.
        order_seeds: The order seeds.
        engine: Whether the file needs an engine. Otherwise the runs only call functions of the file.
    """

    runs: tuple[Run, ...]
    calls: int | None
    cpu_s: float
    order_seeds: tuple[int, ...] = (0, 1, 2, 3)
    engine: bool = True

    def encode(self) -> bytes:
        """Return the request as JSON.

        `rearranged` holds the runs of each order seed after the first. An entry is null if the run is the same as
        under the first order seed.
        """
        return msgspec.json.encode(
            {
                "runs": [[run.spell(run.program.sent), run.steps] for run in self.runs],
                "order_seeds": self.order_seeds,
                "rearranged": [
                    [
                        a and [run.spell(a.wire), _moved(run.steps, a)]
                        for run, a in zip(self.runs, arrangements, strict=True)
                    ]
                    for arrangements in self.arrangements[1:]
                ],
                "calls": self.calls,
                "cpu_s": self.cpu_s,
                "engine": self.engine,
            }
        )

    @cached_property
    def arrangements(self) -> list[list[Arrangement | None]]:
        """Return how the programs are arranged under each order seed. The first order seed does not change them."""
        later = [[arrange(run.program, seed) for run in self.runs] for seed in self.order_seeds[1:]]
        return [[None] * len(self.runs), *later]

    def tightened(self, factor: int) -> "Batch":
        """Return the same batch with its limits divided by `factor`."""
        calls = None if self.calls is None else self.calls // factor
        return replace(self, calls=calls, cpu_s=self.cpu_s / factor)

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
        size = sum((len(run.program.nodes) + 8) * (len(run.steps) + 2) for run in self.runs)
        size += sum(len(run.program.nodes) ** 2 for run in self.runs if ("traced",) in run.steps)
        return size + sum(4 * (bounds.VISITS + bounds.CHANGES) for run in self.runs if run.records)


# -- answers on the wire ------------------------------------------------------------------------------


_NAME = f"[A-Za-z_][A-Za-z0-9_]{{0,{bounds.NAME - 1}}}"
_Token: TypeAlias = Annotated[
    str, Meta(pattern=rf"\A(-?0x[01]\.[0-9a-f]{{1,13}}p[+-][0-9]{{1,4}}|-?inf|nan|!{_NAME})\Z")
]
_Name: TypeAlias = Annotated[str, Meta(pattern=rf"\A{_NAME}\Z")]
_NameOrNone: TypeAlias = Annotated[str, Meta(pattern=rf"\A({_NAME})?\Z")]
_Index: TypeAlias = Annotated[int, Meta(ge=-1, le=10_000_000)]
_Line: TypeAlias = Annotated[int, Meta(ge=1, le=10_000_000)]
_Lines: TypeAlias = Annotated[list[_Line], Meta(max_length=bounds.TRACEBACK)]
_Count: TypeAlias = Annotated[int, Meta(ge=0, le=10_000_000)]
_Message: TypeAlias = Annotated[str, Meta(max_length=bounds.MESSAGE)]


class _Wire(Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    pass


class _Values(_Wire, tag="values", frozen=True):
    tokens: list[_Token]


class _Grads(_Wire, tag="grads", frozen=True):
    tokens: list[_Token]


class _Nothing(_Wire, tag="nothing", frozen=True):
    pass


class _Numbers(_Wire, tag="numbers", frozen=True):
    tokens: list[_Token]


class _Nodes(_Wire, tag="nodes", frozen=True):
    indices: list[_Index]


class _Inputs(_Wire, tag="inputs", frozen=True):
    of_nodes: list[list[_Index]]


class _Other(_Wire, tag="other", frozen=True):
    type_name: _Name


class _Trace(_Wire, tag="trace", frozen=True):
    calls: list[tuple[_Index, list[tuple[_Index, _Token]]]]


_RuleState: TypeAlias = Literal["own", "default", "none", "input"]


class _Rule(_Wire, tag="rule", frozen=True):
    state: _RuleState
    alone: bool
    first: Annotated[int, Meta(ge=0, le=10_000_000)]
    last: Annotated[int, Meta(ge=0, le=10_000_000)]


_Place: TypeAlias = Annotated[int, Meta(ge=0, le=10_000_000)]
_LineOrZero: TypeAlias = Annotated[int, Meta(ge=0, le=10_000_000)]


class _Change(_Wire, frozen=True):
    node: _Place
    before: _Token
    after: _Token
    line: _LineOrZero
    outside: bool


class _Visit(_Wire, frozen=True):
    node: _Place
    inner: bool
    upstream: _Token
    line: _LineOrZero
    changes: Annotated[list[_Change], Meta(max_length=bounds.CHANGES)]


class _Record(_Wire, tag="record", frozen=True):
    lines: list[_LineOrZero]
    visits: Annotated[list[_Visit], Meta(max_length=bounds.VISITS)]
    values: list[_Token]
    grads: list[_Token]
    left_out: Annotated[int, Meta(ge=0)]
    elsewhere: bool


_Result: TypeAlias = _Values | _Grads | _Nothing | _Numbers | _Nodes | _Inputs | _Other | _Trace | _Rule | _Record


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
        """Return whether a limit was reached. The later runs are then skipped."""
        return self.kind in RAN_OUT or self.type_name == "MemoryError"

    @property
    def unfilled(self) -> bool:
        """Return whether the exception is the one that a stub raises in place of a solution."""
        return self.kind == "raised" and self.type_name == "NotImplementedError"


class _Done(_Wire, tag="done", frozen=True):
    results: list[_Result]


class _Broke(_Wire, tag="broke", frozen=True):
    results: list[_Result]
    problem: Problem


class _Unrun(_Wire, tag="unrun", frozen=True):
    pass


class _Same(_Wire, tag="same", frozen=True):
    """An outcome that is equal to that of the run under the first order seed."""


class Reading(_Wire, frozen=True):
    """The worker's reading of the learner's engine. `rule` is a kind of `grader.worker.adapter.rules`, or empty."""

    cls: _Name
    data: _Name
    grad: _Name
    inputs: _NameOrNone
    rule: _NameOrNone
    rule_name: _NameOrNone
    grad_starts_as_none: bool


class _ReadAnswer(_Wire, tag="read", frozen=True):
    reading: Reading
    seeds: list[list[_Done | _Broke | _Unrun | _Same]]


class _UnreadAnswer(_Wire, tag="unread", frozen=True):
    problem: Problem


class _LoadedAnswer(_Wire, tag="loaded", frozen=True):
    pass


class _NotStartedAnswer(_Wire, tag="not_started", frozen=True):
    pass


class _FailedAnswer(_Wire, tag="failed", frozen=True):
    problem: Problem


_batch_answers = msgspec.json.Decoder(_ReadAnswer | _UnreadAnswer)
_load_answers = msgspec.json.Decoder(_LoadedAnswer | _NotStartedAnswer | _FailedAnswer)

# -- answers, decoded ---------------------------------------------------------------------------------


class Refused(Exception):
    """The worker's answer violates the protocol. The message says how."""


class Odd(Struct, frozen=True):
    """An object in place of a number, by its type's name."""

    type: str


Observed: TypeAlias = float | Odd


class Called(Struct, frozen=True):
    """The result of a learner's function. One of the fields is set, or none if it returned None."""

    numbers: tuple[Observed, ...] | None = None
    nodes: tuple[int, ...] | None = None
    other: str | None = None


class Traced(Struct, frozen=True):
    """The closures that ran, in order: the node of each, and its contributions."""

    calls: tuple[tuple[int, tuple[tuple[int, Observed], ...]], ...]


class Ruled(Struct, frozen=True):
    """A node's rule.

    Attributes:
        state: `own`, `default` (the same as a leaf's), `none` (it is None), or `input` (the operation returned one of
            its inputs, so there is no rule).
        alone: Whether the operation made no other node with inputs.
        first: The rule's first line in the learner's file; 0 if it is not there.
        last: The rule's last line in the learner's file; 0 if it is not there.
    """

    state: _RuleState
    alone: bool
    first: int
    last: int


class GradientChange(Struct, frozen=True):
    """A change of a gradient.

    Attributes:
        node: The node with the gradient.
        before: The gradient before the change.
        after: The gradient after the change.
        line: The line of the learner's file that made the change; 0 if it is not known.
        outside: Whether the change was made after the rule ran, and not by the rule.
    """

    node: int
    before: Observed
    after: Observed
    line: int
    outside: bool


class RuleVisit(Struct, frozen=True):
    """A run of a local rule.

    Attributes:
        node: The node whose rule ran.
        inner: Whether the rule is that of an additional node, which the engine made for the operation `node`.
        upstream: The upstream gradient.
        line: The line in which the rule begins.
        changes: The changes of gradients.
    """

    node: int
    inner: bool
    upstream: Observed
    line: int
    changes: tuple[GradientChange, ...]


class Recorded(Struct, frozen=True):
    """The recording of a run.

    Attributes:
        made: the nodes in the order in which they were made, each with its line in the learner's file (0 for none).
        visits: the runs of local rules, in order.
        values: the `data` of each node at the end; None for a node that was not made.
        grads: the gradient of each node at the end; None for a node that was not made.
        left_out: how many visits and changes were omitted because there were too many.
        elsewhere: whether the pass keeps gradients elsewhere than on the nodes. The changes then do not show the
            contributions of a rule.
    """

    made: tuple[tuple[int, int], ...]
    visits: tuple[RuleVisit, ...]
    values: tuple[Observed | None, ...]
    grads: tuple[Observed | None, ...]
    left_out: int
    elsewhere: bool


class Values(tuple[Observed, ...]):
    """The `data` of each node, in the program's order."""

    __slots__ = ()


class Grads(tuple[Observed, ...]):
    """The gradient of each node, in the program's order."""

    __slots__ = ()


class Inputs(tuple[tuple[int, ...], ...]):
    """The inputs of each node in ascending order, in the program's order."""

    __slots__ = ()


class Nothing(Struct, frozen=True):
    """The result of a step that returns nothing."""


Result: TypeAlias = Values | Grads | Inputs | Called | Traced | Ruled | Recorded | Nothing


class _Outcome(Struct, frozen=True):
    """The results of the steps that were taken.

    Each property returns the results of one kind, in the order of their steps.
    """

    results: tuple[Result, ...]

    @property
    def values(self) -> tuple[Values, ...]:
        return tuple(result for result in self.results if isinstance(result, Values))

    @property
    def grads(self) -> tuple[Grads, ...]:
        return tuple(result for result in self.results if isinstance(result, Grads))

    @property
    def inputs(self) -> tuple[Inputs, ...]:
        return tuple(result for result in self.results if isinstance(result, Inputs))

    @property
    def called(self) -> tuple[Called, ...]:
        return tuple(result for result in self.results if isinstance(result, Called))

    @property
    def traced(self) -> tuple[Traced, ...]:
        return tuple(result for result in self.results if isinstance(result, Traced))

    @property
    def ruled(self) -> tuple[Ruled, ...]:
        return tuple(result for result in self.results if isinstance(result, Ruled))

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        return tuple(result for result in self.results if isinstance(result, Recorded))


class Done(_Outcome, frozen=True):
    """A run that took all its steps, with one result for each."""


class Broke(_Outcome, frozen=True):
    """A run that stopped at step `len(results)`, or while building. In the second case, only `record` has a result."""

    problem: Problem


class Read(Struct, frozen=True):
    """A batch's outcomes, by order seed and run; None for a run after the budget was used up."""

    reading: Reading
    seeds: tuple[tuple[Done | Broke | None, ...], ...]


def decode_load(frame: bytes) -> Problem | bool:
    """Return True for a loaded file, False for a file that was not started, else the problem. Raises `Refused`."""
    answer = _decode(_load_answers, frame, bounds.LOAD_ANSWER, bounds.LOAD_VALUES)
    if isinstance(answer, _FailedAnswer):
        return answer.problem
    return isinstance(answer, _LoadedAnswer)


def decode_batch(frame: bytes, batch: Batch) -> Read | Problem:
    """Return the outcomes of `batch`, which must have exactly the requested shape. Raises `Refused`."""
    answer = _decode(_batch_answers, frame, batch.answer_cap, batch.most_values)
    if isinstance(answer, _UnreadAnswer):
        return answer.problem
    if len(answer.seeds) != len(batch.order_seeds) or any(len(s) != len(batch.runs) for s in answer.seeds):
        raise Refused("the answer has another number of outcomes than was asked for")
    first = tuple(_decode_outcome(outcome, run) for outcome, run in zip(answer.seeds[0], batch.runs, strict=True))
    others = (
        tuple(map(_other_outcome, seed, answer.seeds[0], first, batch.runs, arrangements))
        for seed, arrangements in zip(answer.seeds[1:], batch.arrangements[1:], strict=True)
    )
    return Read(answer.reading, (first, *others))


def _other_outcome(
    outcome: "_Done | _Broke | _Unrun | _Same",
    first: "_Done | _Broke | _Unrun | _Same",
    decoded: "Done | Broke | None",
    run: Run,
    arrangement: Arrangement | None,
) -> "Done | Broke | None":
    """Return an outcome under a later order seed, in the program's own order.

    If it is equal to `decoded`, the outcome under the first order seed, return that object.
    """
    if isinstance(outcome, _Same):
        if arrangement is None:
            return decoded
        outcome = first
    if arrangement is not None and _spelled_the_same(outcome, first, arrangement.places):
        return decoded
    other = _decode_outcome(outcome, run, arrangement)
    return decoded if other == decoded else other


def _spelled_the_same(one: Any, first: Any, places: tuple[int, ...]) -> bool:
    """Return whether two outcomes hold the same results, apart from the order of nodes. Return False if in doubt.

    Args:
        one: an outcome under a later order seed.
        first: the outcome under the first order seed.
    """
    if not isinstance(one, _Done) or not isinstance(first, _Done) or len(one.results) != len(first.results):
        return False
    return all(_same_result(*pair, places) for pair in zip(one.results, first.results, strict=True))


def _same_result(one: _Result, first: _Result, places: tuple[int, ...]) -> bool:
    match one, first:
        case (_Values(tokens), _Values(others)) | (_Grads(tokens), _Grads(others)):
            return len(tokens) == len(others) == len(places) and [tokens[place] for place in places] == others
        case (_Nothing(), _) | (_Numbers(), _) | (_Other(), _) | (_Rule(), _):  # these name no node
            return one == first
    return False


def _moved(steps: tuple[tuple[Any, ...], ...], arrangement: Arrangement) -> list[list[Any]]:
    """Return the steps with every index of a node replaced by its place in the arrangement."""
    return [[step[0], *_STEP_MOVES[step[0]](step[1:], arrangement.places)] for step in steps]


def _move_argument(argument: Any, places: tuple[int, ...]) -> list[Any]:
    kind, value = argument
    if kind == "node":
        return [kind, places[value]]
    return [kind, [places[i] for i in value]] if kind == "nodes" else argument


_STEP_MOVES: dict[str, Callable[[Any, tuple[int, ...]], list[Any]]] = {
    "values": lambda rest, places: [],
    "grads": lambda rest, places: [],
    "watch": lambda rest, places: [],
    "traced": lambda rest, places: [],
    "anew": lambda rest, places: [],
    "inputs": lambda rest, places: [],
    "given_list": lambda rest, places: [],
    "release": lambda rest, places: [places[rest[0]]],
    "record": lambda rest, places: list(rest),
    "backward": lambda rest, places: [places[rest[0]]],
    "pass_or_rules": lambda rest, places: [places[rest[0]]],
    "triple": lambda rest, places: [places[rest[0]]],
    "train": lambda rest, places: [places[rest[0]], *rest[1:]],
    "rule": lambda rest, places: [places[rest[0]]],
    "local_rules": lambda rest, places: [places[rest[0]], *rest[1:]],
    "preload": lambda rest, places: [[[places[index], grad] for index, grad in rest[0]]],
    "call": lambda rest, places: [
        rest[0],
        [_move_argument(argument, places) for argument in (rest[1] if len(rest) > 1 else [])],
    ],
}


def _decode(decoder: "msgspec.json.Decoder[Any]", frame: bytes, most_bytes: int, most_values: int) -> Any:
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


def _decode_outcome(
    outcome: _Done | _Broke | _Unrun | _Same, run: Run, arrangement: Arrangement | None = None
) -> Done | Broke | None:
    if isinstance(outcome, _Unrun):
        return None
    if isinstance(outcome, _Same):
        raise Refused("the outcome under the first order seed refers to itself")
    results = outcome.results
    if len(results) > len(run.steps) or (isinstance(outcome, _Done) and len(results) < len(run.steps)):
        raise Refused("a run has another number of results than it had steps")
    decoded = tuple(_result(result, step[0], run.program) for result, step in zip(results, run.steps, strict=False))
    if isinstance(outcome, _Done) and any(None in result.values for result in decoded if isinstance(result, Recorded)):
        raise Refused("a run that went through did not make every node")
    if arrangement is not None:
        decoded = tuple(_back_in_place(result, arrangement.places) for result in decoded)
    return Done(decoded) if isinstance(outcome, _Done) else Broke(decoded, outcome.problem)


_CALLS = ("call", "train")
_FITS: dict[str, tuple[type, ...]] = {
    "values": (_Values,),
    "grads": (_Grads,),
    **dict.fromkeys(_CALLS, (_Nothing, _Numbers, _Nodes, _Other)),
    "traced": (_Trace,),
    "inputs": (_Inputs,),
    "given_list": (_Nodes,),
    "rule": (_Rule,),
    "record": (_Record,),
}


def _result(result: _Result, step: str, program: Program) -> Result:
    if not isinstance(result, _FITS.get(step, (_Nothing,))):
        raise Refused(f"`{step}` was answered by something else")
    match result:
        case _Values(tokens) | _Grads(tokens):
            if len(tokens) != len(program.nodes):
                raise Refused("the answer has another number of nodes than the program")
            return (Values if step == "values" else Grads)(_numbers(tokens))
        case _Inputs(of_nodes):
            if len(of_nodes) != len(program.nodes):
                raise Refused("the answer has another number of nodes than the program")
            return Inputs(tuple(sorted(inputs)) for inputs in of_nodes)
        case _Numbers(tokens):
            return Called(numbers=_numbers(tokens))
        case _Nodes(indices):
            return Called(nodes=tuple(indices))
        case _Other(type_name=name):
            return Called(other=name)
        case _Rule(state, alone, first, last):
            return Ruled(state, alone, first, last)
        case _Record():
            return _recorded(result, len(program.nodes))
        case _Trace(calls):
            return Traced(tuple((node, tuple((i, _number(t)) for i, t in added)) for node, added in calls))
        case _:
            return Called() if step in _CALLS else Nothing()


def _recorded(record: _Record, count: int) -> Recorded:
    if not len(record.lines) == len(record.values) == len(record.grads) <= count:
        raise Refused("a recording has another number of nodes than the program")
    changes = [change for visit in record.visits for change in visit.changes]
    named = [visit.node for visit in record.visits] + [change.node for change in changes]
    if len(changes) > bounds.CHANGES:
        raise Refused(f"a recording has more than {bounds.CHANGES} changes")
    if any(node >= count for node in named):
        raise Refused("a recording names a node that is not in the program")
    missing = (None,) * (count - len(record.lines))
    return Recorded(
        tuple(enumerate(record.lines)),
        tuple(
            RuleVisit(
                visit.node,
                visit.inner,
                _number(visit.upstream),
                visit.line,
                tuple(
                    GradientChange(c.node, _number(c.before), _number(c.after), c.line, c.outside)
                    for c in visit.changes
                ),
            )
            for visit in record.visits
        ),
        (*_numbers(record.values), *missing),
        (*_numbers(record.grads), *missing),
        record.left_out,
        record.elsewhere,
    )


def _recorded_in_place(recorded: Recorded, places: tuple[int, ...]) -> Recorded:
    index = {place: i for i, place in enumerate(places)}
    return replace(
        recorded,
        made=tuple((index[node], line) for node, line in recorded.made),
        visits=tuple(
            replace(
                visit,
                node=index[visit.node],
                changes=tuple(replace(change, node=index[change.node]) for change in visit.changes),
            )
            for visit in recorded.visits
        ),
        values=tuple(recorded.values[place] for place in places),
        grads=tuple(recorded.grads[place] for place in places),
    )


def _back_in_place(result: Result, places: tuple[int, ...]) -> Result:
    """Return a result with the nodes in the program's own order again."""
    if isinstance(result, (Values, Grads)):
        return type(result)(result[place] for place in places)
    if isinstance(result, Recorded):
        return _recorded_in_place(result, places)
    if isinstance(result, (Ruled, Nothing)) or (isinstance(result, Called) and result.nodes is None):
        return result
    index = {place: i for i, place in enumerate(places)}
    if isinstance(result, Inputs):
        return Inputs(tuple(sorted(index.get(i, i) for i in result[place])) for place in places)
    if isinstance(result, Called):
        return Called(nodes=tuple(index.get(node, node) for node in result.nodes or ()))
    return Traced(
        tuple(
            (index.get(node, node), tuple(sorted(((index.get(i, i), added) for i, added in rows), key=_first)))
            for node, rows in result.calls
        )
    )


def _first(row: tuple[int, Observed]) -> int:
    return row[0]


def _numbers(tokens: list[str]) -> tuple[Observed, ...]:
    try:
        return tuple(map(float.fromhex, tokens))
    except (OverflowError, ValueError):  # another object, or a number that is too large
        return tuple(map(_number, tokens))


def _number(token: str) -> Observed:
    if token.startswith("!"):
        return Odd(token[1:])
    try:
        return float.fromhex(token)
    except (OverflowError, ValueError):
        raise Refused(f"{token} is no number") from None
