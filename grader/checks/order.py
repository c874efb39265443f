"""Judge orders: that of a topological sort, and that in which a backward pass ran the closures."""

import re
from collections.abc import Sequence
from itertools import filterfalse
from operator import lt

from ..client import Called, Traced
from ..program import Op, Program
from ..remarks import (
    BeforeInput,
    Disordered,
    ListedTwice,
    NeverRan,
    NoList,
    NoNode,
    NotListed,
    OrderFault,
    RanEarly,
    RanTwice,
    TraceFault,
    Unrelated,
)
from .compare import gradient_name
from .outcome import fail

_NAMES = 12  # the most names of an order that are shown
_LONG = 1_000  # an order longer than this is not shown


def judge_topological(program: Program, returned: Called, again: bool = False) -> None:
    """Fail unless the order lists each node once, after all its inputs. Any such order passes.

    Args:
        again: Whether a second call returned it.
    """
    if returned.nodes is None:
        what = returned.other or ("numbers" if returned.numbers is not None else "None")
        fail(NoList(what, again), program=program.shown)
    order = list(returned.nodes)
    fault = _disorder(program, order, again)
    if fault and len(order) > _LONG:  # the faulty node may change from run to run, so it is not named
        fail(Disordered(again), program=program.shown)
    if fault:
        right = _names(program, program.reachable)
        fail(
            fault,
            program=program.shown,
            expected={"order": right},
            actual={"order": _names(program, order)},
        )


def _disorder(program: Program, order: Sequence[int], again: bool) -> OrderFault | None:
    place = dict(zip(order, range(len(order)), strict=True))
    if -1 in place:
        return NoNode(again)
    if len(place) < len(order):
        doubled = next(index for position, index in enumerate(order) if place[index] != position)
        return ListedTwice(_name(program, doubled), again)
    missing = next(filterfalse(place.__contains__, program.reachable), None)
    if missing is not None:
        values = dict(enumerate(program.values)) if len(program.nodes) <= _LONG else {}
        equal = next((i for i in order if i in values and values[i] == values[missing]), None)
        return NotListed(program.nodes[missing].name, again, None if equal is None else program.nodes[equal].name)
    if len(order) > len(program.reachable):  # it has additional nodes of the engine, or unrelated ones
        belongs = set(program.reachable)
        unrelated = next((i for i in order if i < len(program.nodes) and i not in belongs), None)
        if unrelated is not None:
            return Unrelated(_name(program, unrelated), program.root_name, again)
    used, users = program.edges
    if not all(map(lt, map(place.__getitem__, used), map(place.__getitem__, users))):
        for i, user in zip(used, users, strict=True):
            if place[i] > place[user]:
                return BeforeInput(program.nodes[user].name, program.nodes[i].name, again)
    return None


def _name(program: Program, index: int) -> str:
    return program.nodes[index].name if index < len(program.nodes) else "a number"


def _names(program: Program, order: Sequence[int]) -> str:
    names = ["?" if i < 0 else _name(program, i) for i in order[:_NAMES]]
    return ", ".join(names + ["…"] * (len(order) > _NAMES)) or "nothing"


def judge_trace(program: Program, trace: Traced) -> None:
    """Fail unless the closure of every operation ran exactly once, after the closures of all its users."""
    disorder = trace_disorder(program, trace)
    if disorder:
        fail(disorder, program=program.shown)


def trace_disorder(program: Program, trace: Traced) -> TraceFault | None:
    """Return the fault in the order in which closures ran, or None."""
    ran: dict[int, int] = {}
    for position, (runner, _) in enumerate(trace.calls):
        if runner in ran:
            return RanTwice(_name(program, runner))
        ran[runner] = position
    for index in program.reachable:
        node = program.nodes[index]
        if not isinstance(node, Op):
            continue
        if index not in ran:
            others = (i for i in program.reachable if i > index and i not in ran and isinstance(program.nodes[i], Op))
            return NeverRan(node.name, tuple(program.nodes[i].name for i in others)[:_NAMES])
        for source in node.inputs:
            if source in ran and ran[source] < ran[index]:
                early = program.nodes[source].name
                return RanEarly(early, node.name, gradient_name(program, early))
    return None


# -- rules that are named and not called

_MOST = 4
_NAMED = re.compile(r" *(\w{1,40}\._backward) *(#.*)?")


def not_called(source: str, function: str) -> tuple[str, ...]:
    """Return the first expressions such as `L._backward` that stand alone in a line of a function, without `()`.

    Args:
        source: The text of the learner's file, which is not parsed. A line that may continue another one is left out.
        function: The name of the function.
    """
    found = []
    head = re.search(rf"^def {re.escape(function)}\(", source, re.M)
    before = ""
    for line in source[head.end() :].split("\n")[1:] if head else ():
        if line.strip() and not line.startswith(" "):
            break
        named = _NAMED.fullmatch(line)
        if named and not before.endswith(tuple("([{,\\=+-*/")):
            found.append(named[1])
        before = line.partition("#")[0].strip() or before
    return tuple(dict.fromkeys(found))[:_MOST]
