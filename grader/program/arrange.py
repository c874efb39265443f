"""The same program with its nodes made in other orders.

Each order seed asks for the nodes in another order, so that an answer under one seed is no answer under another.
"""

import random
from typing import NamedTuple

from .graph import Op, Program

_MOST_NODES = 64  # a larger program keeps its order: it would be sent several times
_MOST_KEPT = 20_000


class Arrangement(NamedTuple):
    """`places[i]` is where node `i` of the program stands among the nodes of `wire`."""

    wire: list[list[object]]
    places: tuple[int, ...]


def arrange(program: Program, number: int) -> Arrangement | None:
    """Return a program with its nodes in the order of this number, inputs first; None where it keeps its own.

    The order depends on nothing but the operations and the number: with other leaf values it is the same, so no verdict
    hangs on the seed that they were drawn from.
    """
    if not number or not 1 < len(program.nodes) <= _MOST_NODES:
        return None
    known = (program.key, number)
    if known not in _arranged:
        if len(_arranged) >= _MOST_KEPT:
            _arranged.clear()
        _arranged[known] = _arrange(program, number)
    return _arranged[known]


_arranged: dict[tuple[str, int], Arrangement | None] = {}  # all submissions of a cohort are asked for the same


def _arrange(program: Program, number: int) -> Arrangement | None:
    operations = [node for node in program.wire if node[0] != "leaf"]
    places = _places(program, random.Random(f"{number}:{len(program.nodes)}:{operations}"))
    if places == tuple(range(len(places))):
        return None
    wire: list[list[object]] = [[] for _ in places]
    for index, (op, *operands) in enumerate(program.wire):
        moved = [places[o] if isinstance(o, int) else o for o in operands] if op != "leaf" else operands
        wire[places[index]] = [op, *moved]
    return Arrangement(wire, places)


def _places(program: Program, draws: random.Random) -> tuple[int, ...]:
    """Return a topological order, drawn among those that can be built from left to right."""
    waiting = [len(set(node.inputs)) if isinstance(node, Op) else 0 for node in program.nodes]
    users: list[set[int]] = [set() for _ in program.nodes]
    for index, node in enumerate(program.nodes):
        for source in node.inputs if isinstance(node, Op) else ():
            users[source].add(index)
    ready = [index for index, count in enumerate(waiting) if not count]
    places = [0] * len(waiting)
    for place in range(len(waiting)):
        index = ready.pop(draws.randrange(len(ready)))
        places[index] = place
        for user in sorted(users[index]):
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    return tuple(places)
