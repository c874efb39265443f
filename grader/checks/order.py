"""Judge orders: of a topological sort, and of the closures that a backward pass ran."""

from collections.abc import Sequence
from itertools import filterfalse
from operator import lt

from ..client import Called, Traced
from ..program import Op, Program
from .compare import slope_name
from .finding import fail

_NAMES = 12  # of an order, this many are shown
_LONG = 1_000  # of an order longer than this, nothing is shown


def judge_topological(program: Program, returned: Called, when: str = "") -> None:
    """Fail unless each node stands in the order exactly once and after all its inputs. Any such order will do."""
    if returned.nodes is None:
        what = returned.other or ("numbers" if returned.numbers is not None else "None")
        fail(f"{when}build_topo returned {what}; it should return a list of nodes", program=program.shown)
    order = list(returned.nodes)
    reason = _disorder(program, order)
    if reason and len(order) > _LONG:  # which node it is may change from run to run
        fail(f"{when}a node is missing, doubled, or stands before one of its inputs", program=program.shown)
    if reason:
        right = _names(program, program.reachable)
        fail(
            when + reason,
            program=program.shown,
            expected={"order": right},
            actual={"order": _names(program, order)},
        )


def _disorder(program: Program, order: Sequence[int]) -> str | None:
    place = dict(zip(order, range(len(order)), strict=True))
    if -1 in place:
        return "the list holds something that is no node of this graph: a number, or what an earlier call left behind?"
    if len(place) < len(order):
        doubled = next(index for position, index in enumerate(order) if place[index] != position)
        return f"{_name(program, doubled)} stands in the list more than once"
    missing = next(filterfalse(place.__contains__, program.reachable), None)
    if missing is not None:
        return f"{program.nodes[missing].name} is missing from the list"
    if len(order) > len(program.reachable):  # by nodes that an engine makes besides, or that do not belong there
        belongs = set(program.reachable)
        stranger = next((i for i in order if i < len(program.nodes) and i not in belongs), None)
        if stranger is not None:
            return f"{_name(program, stranger)} stands in the list, and {program.root_name} is not computed from it"
    used, users = program.edges
    if not all(map(lt, map(place.__getitem__, used), map(place.__getitem__, users))):
        for i, user in zip(used, users, strict=True):
            if place[i] > place[user]:
                return f"{program.nodes[user].name} stands before its input {program.nodes[i].name}"
    return None


def _name(program: Program, index: int) -> str:
    return program.nodes[index].name if index < len(program.nodes) else "a number"


def _names(program: Program, order: Sequence[int]) -> str:
    names = ["?" if i < 0 else _name(program, i) for i in order[:_NAMES]]
    return ", ".join(names + ["…"] * (len(order) > _NAMES)) or "nothing"


def judge_trace(program: Program, trace: Traced) -> None:
    """Fail unless the closure of every operation ran exactly once, and after those of all its users."""
    disorder = trace_disorder(program, trace)
    if disorder:
        fail(disorder, program=program.shown)


def trace_disorder(program: Program, trace: Traced) -> str | None:
    """Return what is wrong with the order in which closures ran, or None."""
    ran: dict[int, int] = {}
    for position, (runner, _) in enumerate(trace.calls):
        if runner in ran:
            return f"the `_backward` of {_name(program, runner)} ran more than once"
        ran[runner] = position
    for index in program.reachable:
        node = program.nodes[index]
        if not isinstance(node, Op):
            continue
        if index not in ran:
            return f"the `_backward` of {node.name} never ran"
        for source in node.inputs:
            if source in ran and ran[source] < ran[index]:
                early = program.nodes[source].name
                return (
                    f"the `_backward` of {early} ran before that of {node.name}, "
                    f"which had not yet added its contribution to {slope_name(program, early)}"
                )
    return None
