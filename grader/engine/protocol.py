"""What crosses to the worker and back, and the strict reading of what comes back.

Everything from the worker is a claim. Answers are ASCII-safe JSON arrays of known tags and lengths; floats
are spelled by `float.hex()`, anything else as `!` and a type's name. Whatever does not fit, to the
last byte, is `Refused`: nothing is guessed and nothing but plain data is built.
"""

import struct
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from ..program import Program
from ..worker.limits import RAN_OUT

HEADER = struct.Struct("!I")

# -- what is asked --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One program and the steps to take on it once it is built, as the worker's `Graph` names them."""

    program: Program
    steps: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Batch:
    """Runs executed in one fork, all of them once under each order seed; `(None,)` leaves order as it comes.

    Without `engine`, the runs only call functions of the file, which needs no class then.
    `calls` is each run's budget of calls (None: CPU time alone decides), `cpu_s` the whole batch's CPU time in seconds.
    """

    runs: tuple[Run, ...]
    calls: int | None
    cpu_s: float
    order_seeds: tuple[int | None, ...] = (0, 1, 2, 3)
    engine: bool = True

    def encode(self) -> bytes:
        return msgspec.json.encode(
            {
                "runs": [[run.program.sent, run.steps] for run in self.runs],
                "order_seeds": self.order_seeds,
                "calls": self.calls,
                "cpu_s": self.cpu_s,
                "engine": self.engine,
            }
        )

    def tightened(self, factor: int) -> "Batch":
        """The same batch with a fraction of its budgets."""
        calls = None if self.calls is None else self.calls // factor
        return replace(self, calls=calls, cpu_s=self.cpu_s / factor)

    @property
    def answer_cap(self) -> int:
        """Bytes that no honest answer to this batch exceeds."""
        size = sum((len(run.program.nodes) + 8) * (len(run.steps) + 2) for run in self.runs)
        traces = sum(len(run.program.nodes) ** 2 for run in self.runs if ("traced",) in run.steps)
        return 65_536 + len(self.order_seeds) * 64 * (size + traces)


# -- what is answered, on the wire --------------------------------------------------------------------


_Token: TypeAlias = Annotated[
    str,
    Meta(pattern=r"\A(-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}|-?inf|nan|![A-Za-z_][A-Za-z0-9_]{0,39})\Z"),
]
_Name: TypeAlias = Annotated[str, Meta(pattern=r"\A[A-Za-z_][A-Za-z0-9_]{0,39}\Z")]
_NameOrNone: TypeAlias = Annotated[str, Meta(pattern=r"\A([A-Za-z_][A-Za-z0-9_]{0,39})?\Z")]
_Index: TypeAlias = Annotated[int, Meta(ge=-1, le=10_000_000)]
_Line: TypeAlias = Annotated[int, Meta(ge=1, le=10_000_000)]
_Message: TypeAlias = Annotated[str, Meta(max_length=300)]


class _Wire(msgspec.Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
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


class _Other(_Wire, tag="other", frozen=True):
    type_name: _Name


class _Trace(_Wire, tag="trace", frozen=True):
    calls: list[tuple[_Index, list[tuple[_Index, _Token]]]]


_Result: TypeAlias = _Values | _Grads | _Nothing | _Numbers | _Nodes | _Other | _Trace


class Problem(_Wire, frozen=True):
    """What stopped a run: in which step, of which kind, and where in the learner's file.

    `kind`: `raised`, `syntax`, `exit`, `module`, `calls`, `cpu`, `waiting`, `shape`, `not_offered`.
    """

    where: _Name
    kind: _Name
    type_name: _Name
    message: _Message
    lines: list[_Line]

    @property
    def ran_out(self) -> bool:
        """Whether a budget was used up; the runs behind this one are left out then."""
        return self.kind in RAN_OUT or self.type_name == "MemoryError"


class _Done(_Wire, tag="done", frozen=True):
    results: list[_Result]


class _Broke(_Wire, tag="broke", frozen=True):
    results: list[_Result]
    problem: Problem


class _Unrun(_Wire, tag="unrun", frozen=True):
    pass


class _Same(_Wire, tag="same", frozen=True):
    """The outcome that the run had under the first order seed."""


class Reading(_Wire, frozen=True):
    """What was taken for what in the learner's engine; `rule` is a kind of `grader.worker.rules`, or empty."""

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

# -- what is answered, decoded ------------------------------------------------------------------------


class Refused(Exception):
    """The worker's answer does not keep to the protocol; the message says how."""


@dataclass(frozen=True)
class Odd:
    """Something that stood where a number was expected, by its type's name."""

    type: str


Observed: TypeAlias = float | Odd


@dataclass(frozen=True)
class Called:
    """What a function of the learner's returned: one of the fields is set, or none for None."""

    numbers: tuple[Observed, ...] | None = None
    nodes: tuple[int, ...] | None = None
    other: str | None = None


@dataclass(frozen=True)
class Traced:
    """Each closure that ran, in order: its node, and what it added where."""

    calls: tuple[tuple[int, tuple[tuple[int, Observed], ...]], ...]


Result: TypeAlias = tuple[Observed, ...] | Called | Traced


@dataclass(frozen=True)
class Done:
    """A run that went through: one result for each step."""

    results: tuple[Result, ...]


@dataclass(frozen=True)
class Broke:
    """A run that stopped at step `len(results)` (or while building, then the results are empty)."""

    results: tuple[Result, ...]
    problem: Problem


@dataclass(frozen=True)
class Read:
    """A batch's outcomes, by order seed and run; None for a run after the budget was used up."""

    reading: Reading
    seeds: tuple[tuple[Done | Broke | None, ...], ...]


def decode_load(frame: bytes) -> Problem | bool:
    """True for a loaded file, False for one not started, else the problem. Raises `Refused`."""
    answer = _decode(_load_answers, frame)
    if isinstance(answer, _FailedAnswer):
        return answer.problem
    return isinstance(answer, _LoadedAnswer)


def decode_batch(frame: bytes, batch: Batch) -> Read | Problem:
    """The outcomes of `batch`, of exactly the shape that it asked for. Raises `Refused`."""
    answer = _decode(_batch_answers, frame)
    if isinstance(answer, _UnreadAnswer):
        return answer.problem
    if len(answer.seeds) != len(batch.order_seeds) or any(len(s) != len(batch.runs) for s in answer.seeds):
        raise Refused("the answer has another number of outcomes than was asked for")
    first = tuple(_outcome(outcome, run) for outcome, run in zip(answer.seeds[0], batch.runs, strict=True))
    others = (
        tuple(
            same if isinstance(outcome, _Same) else _outcome(outcome, run)
            for outcome, run, same in zip(seed, batch.runs, first, strict=True)
        )
        for seed in answer.seeds[1:]
    )
    return Read(answer.reading, (first, *others))


def _decode(decoder: "msgspec.json.Decoder[Any]", frame: bytes) -> Any:
    if len(frame) < HEADER.size:
        raise Refused("there is no answer, or only a piece of one")
    (size,) = HEADER.unpack_from(frame)
    if len(frame) != HEADER.size + size:
        raise Refused(f"the answer announces {size} bytes and has {len(frame) - HEADER.size}")
    try:
        return decoder.decode(frame[HEADER.size :])
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise Refused(f"the answer is malformed: {str(error)[:120]}") from None


def _outcome(outcome: _Done | _Broke | _Unrun | _Same, run: Run) -> Done | Broke | None:
    if isinstance(outcome, _Unrun):
        return None
    if isinstance(outcome, _Same):
        raise Refused("the outcome under the first order seed refers to itself")
    results = outcome.results
    if len(results) > len(run.steps) or (isinstance(outcome, _Done) and len(results) < len(run.steps)):
        raise Refused("a run has another number of results than it had steps")
    decoded = tuple(_result(result, step[0], run.program) for result, step in zip(results, run.steps, strict=False))
    return Done(decoded) if isinstance(outcome, _Done) else Broke(decoded, outcome.problem)


_FITS: dict[str, tuple[type, ...]] = {
    "values": (_Values,),
    "grads": (_Grads,),
    "call": (_Nothing, _Numbers, _Nodes, _Other),
    "traced": (_Trace,),
}


def _result(result: _Result, step: str, program: Program) -> Result:
    if not isinstance(result, _FITS.get(step, (_Nothing,))):
        raise Refused(f"`{step}` was answered by something else")
    match result:
        case _Values(tokens) | _Grads(tokens):
            if len(tokens) != len(program.nodes):
                raise Refused("the answer has another number of nodes than the program")
            return tuple(map(_number, tokens))
        case _Numbers(tokens):
            return Called(numbers=tuple(map(_number, tokens)))
        case _Nodes(indices):
            return Called(nodes=tuple(indices))
        case _Other(type_name=name):
            return Called(other=name)
        case _Trace(calls):
            return Traced(tuple((node, tuple((i, _number(t)) for i, t in added)) for node, added in calls))
        case _:
            return Called()


def _number(token: str) -> Observed:
    if token.startswith("!"):
        return Odd(token[1:])
    try:
        return float.fromhex(token)
    except (OverflowError, ValueError):
        raise Refused(f"{token} is no number") from None
