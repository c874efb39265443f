"""The steps of a run, which the trusted half asks of the worker, and the kinds of its answers that both halves know.

A step is sent as an array of its fields. Its last field, `name`, is the method of `execute.Graph` that takes the step.
The other fields are the arguments of this method.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

Observation: TypeAlias = Sequence[object]
"""An observation as it is sent: a tag, and the fields of the type in `runner.client.protocol` that has this tag."""

WireProgram: TypeAlias = Sequence[Sequence[object]]
"""A program as it is sent. `Graph.build` explains it."""

Argument: TypeAlias = (
    tuple[Literal["node"], int]
    | tuple[Literal["nodes"], Sequence[int]]
    | tuple[Literal["number"], float]
    | tuple[Literal["numbers"], Sequence[float]]
    | tuple[Literal["list"], Sequence[object]]
    | tuple[Literal["array"], float | Sequence[object]]
    | tuple[Literal["shape"], Sequence[object]]
    | tuple[Literal["text"], str]
    | tuple[Literal["function"], tuple[WireProgram, int, Sequence[float]]]
)
"""An argument of a function of the file: its kind and its value. `Graph.call` explains the kinds."""


class Look(NamedTuple):
    """A step without arguments: one of those below."""

    name: str


VALUES, GRADS, INPUTS = Look("values"), Look("grads"), Look("inputs")
GIVEN_LIST, GIVEN_NUMBERS = Look("given_list"), Look("given_numbers")
WATCH, TRACED = Look("watch"), Look("traced")
LOG, EVENTS = Look("log"), Look("events")
ANEW, BUILD_AGAIN = Look("anew"), Look("build_again")


class Backward(NamedTuple):
    """Run the file's backward pass from a node."""

    root: int
    name: Literal["backward"] = "backward"


class PassOrRules(NamedTuple):
    """Run the file's backward pass from a node, or the local rules if the file has no pass."""

    root: int
    name: Literal["pass_or_rules"] = "pass_or_rules"


class LocalRules(NamedTuple):
    """Run the local rules of all operations in a correct order, from an upstream gradient at a node."""

    root: int
    upstream: float
    name: Literal["local_rules"] = "local_rules"


class Triple(NamedTuple):
    """Make the local rule of a node contribute three times as much as before."""

    root: int
    name: Literal["triple"] = "triple"


class LookAtRule(NamedTuple):
    """Look where the local rule of a node is defined."""

    root: int
    name: Literal["rule"] = "rule"


class Release(NamedTuple):
    """Release all nodes except the leaves and a node."""

    root: int
    name: Literal["release"] = "release"


class Preload(NamedTuple):
    """Set every gradient to 0, and then those of some nodes: pairs of the index of a node and its gradient."""

    grads: Sequence[tuple[int, float]] = ()
    name: Literal["preload"] = "preload"


class Train(NamedTuple):
    """Call the file's `train`, with the program up to a node as the loss and its leaves as the parameters.

    With `losses`, which are nodes that functions of the file make of leaves, each step makes only the next one of them.
    """

    root: int
    steps: int
    rate: float
    losses: Sequence[int] = ()
    name: Literal["train"] = "train"


class CallFunction(NamedTuple):
    """Call a function of the file."""

    function: str
    arguments: Sequence[Argument] = ()
    name: Literal["call"] = "call"


class Record(NamedTuple):
    """Record the run, from step number `begin` on. This is always the first step of a run."""

    begin: int
    name: Literal["record"] = "record"


AboutNode: TypeAlias = Backward | PassOrRules | LocalRules | Triple | LookAtRule | Release | Train
RunStep: TypeAlias = Look | Preload | CallFunction | Record | AboutNode

_BY_NAME: Mapping[str, type[RunStep]] = {
    kind._field_defaults["name"]: kind for kind in get_args(RunStep) if kind is not Look
}


def read_step(sent: Sequence[object]) -> RunStep:
    """Return a step that was sent as an array."""
    return _BY_NAME.get(str(sent[-1]), Look)._make(sent)


RuleKind: TypeAlias = Literal["closure", "visit", "pull", "called", "pairs", "parallel", "inline", ""]
"""How an engine keeps its local rules: `rules` explains the kinds. Empty if they were not found."""

STORED: tuple[RuleKind, ...] = ("pairs", "parallel")  # local derivatives that are stored with the inputs
WITHOUT_FUNCTION: tuple[RuleKind, ...] = (*STORED, "inline")  # there is no function that can be watched

RAN_OUT = ("calls", "cpu", "stalled")  # the kinds of problem after which a run did not come to its end
