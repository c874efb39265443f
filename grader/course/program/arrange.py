"""Make the nodes of a program in another topological order, because an engine may depend on the order."""

import random
from collections.abc import Callable
from typing import NamedTuple

from .graph import Program

_MOST_NODES = 64  # larger programs keep their order, so that they need to be sent only once
_MOST_KEPT = 20_000


class Arrangement(NamedTuple):
    """A program's wire form in another order. `places[i]` is the index in `wire` of the program's node `i`."""

    wire: list[list[object]]
    places: tuple[int, ...]


def arrange(program: Program, number: int) -> Arrangement | None:
    """Return a program with its nodes in another topological order; None if it keeps its order.

    The order depends only on the operations and on `number`. It is the same for other leaf values,
    so no verdict depends on the seed from which they were drawn.
    """
    if not number or not 1 < len(program.nodes) <= _MOST_NODES:
        return None
    known = (program.key, number)
    if known not in _arranged:
        if len(_arranged) >= _MOST_KEPT:
            _arranged.clear()
        _arranged[known] = _arrange(program, number)
    return _arranged[known]


_arranged: dict[tuple[str, int], Arrangement | None] = {}  # shared by all submissions of a cohort


def _arrange(program: Program, number: int) -> Arrangement | None:
    # the seed of the order has the operations in it, and no values
    places = _places(program, random.Random(f"{number}:{len(program.nodes)}:{program.shape}"))
    if places == tuple(range(len(places))):
        return None
    wire: list[list[object]] = [[]] * len(places)
    for place, node in zip(places, program.wire, strict=True):
        wire[place] = node if node[0] == "leaf" else [places[part] if type(part) is int else part for part in node]
    return Arrangement(wire, places)


def _places(program: Program, draws: random.Random) -> tuple[int, ...]:
    """Return a random topological order, as the place of each node."""
    # Kahn's algorithm, with a random choice among the nodes whose inputs have a place
    waiting = [len(set(inputs)) for inputs in program.inputs]
    ready = [index for index, count in enumerate(waiting) if not count]
    places = [0] * len(waiting)
    for place in range(len(waiting)):
        index = ready.pop(_below(len(ready), draws.getrandbits))
        places[index] = place
        for user in program.users[index]:
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    return tuple(places)


def _below(count: int, bits: Callable[[int], int]) -> int:
    """Return a random index as `randrange` does, which takes three times as long."""
    width = count.bit_length()
    index = bits(width)
    while index >= count:
        index = bits(width)
    return index
