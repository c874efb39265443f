"""Change the numbers of a program, and the indices of its nodes, so that answers cannot be recorded in advance."""

import math
import random
from collections.abc import Collection, Sequence

from .graph import Leaf, Node, Number, Op, Operand, Program

_SMALL = 10
_TRIES = 100
_NAMES = "pqrstuvwxyz"


def alike(
    numbers: Sequence[float],
    rng: random.Random,
    *,
    pinned: Collection[float] = (),
    stays: float = 0.0,
    near: bool = False,
) -> tuple[float, ...]:
    """Return another number of the same kind for each of `numbers`.

    - Signs are kept.
    - Equal magnitudes stay equal, and different ones stay different.
    - 0, 1 and the magnitudes in `pinned` are kept, and no other magnitude becomes one of them.
    - A number stays whole or not whole. A magnitude below 1 stays below 1.
    - Whole numbers up to 10 become whole numbers up to 20. Other magnitudes change by a factor of
      less than two.

    Args:
        numbers: finite numbers.
        rng: the random generator.
        pinned: magnitudes to keep.
        stays: the probability with which any other magnitude is kept.
        near: whether small whole numbers also change by a factor of at most two.
    """
    magnitudes = list(dict.fromkeys(map(abs, numbers)))
    new = {m: m for m in magnitudes if m in (0.0, 1.0) or m in pinned or rng.random() < stays}
    for magnitude in magnitudes:
        if magnitude not in new:
            taken = {0.0, 1.0, magnitude, *pinned, *new.values()}
            drawn = (_drawn(magnitude, rng, near) for _ in range(_TRIES))
            new[magnitude] = next((x for x in drawn if x is not None and x not in taken), magnitude)
    if len(set(new.values())) < len(new):  # no free magnitude was found for one of them
        return tuple(numbers)
    return tuple(math.copysign(new[abs(number)], number) for number in numbers)


def _drawn(magnitude: float, rng: random.Random, near: bool) -> float | None:
    return _whole(magnitude, rng, near) if magnitude == int(magnitude) else _fractional(magnitude, rng)


def _whole(magnitude: float, rng: random.Random, near: bool) -> float:
    if magnitude > _SMALL:
        low, high = 0.8 * magnitude, 1.25 * magnitude
    else:
        low, high = (magnitude / 2, magnitude * 2) if near else (3.0, 20.0)
    # at least 3, because 2 * 2, 2 + 2 and 2 ** 2 are equal
    return float(max(3, int(low + rng.random() * (high - low + 1))))


def _fractional(magnitude: float, rng: random.Random) -> float | None:
    digits = repr(magnitude).partition("e")[0].replace(".", "").strip("0")
    drawn = float(f"{magnitude * (0.6 + rng.random()):.{max(2, len(digits))}g}")
    return drawn if drawn != int(drawn) and (drawn < 1) == (magnitude < 1) else None


def plain_numbers(program: Program) -> set[float]:
    """Return the magnitudes of the plain numbers in a program, except exponents."""
    operations = (node for node in program.nodes if isinstance(node, Op) and node.op != "pow")
    return {abs(float(o.value)) for node in operations for o in node.operands if isinstance(o, Number)}


def among_others(program: Program, rng: random.Random) -> Program:
    """Return the program with one to three unused leaves, so that the same graph has other indices.

    The first unused leaf comes before every node of the program, so no node keeps its index.
    """
    first_operation = next((i for i, node in enumerate(program.nodes) if isinstance(node, Op)), len(program.nodes))
    names = [name for name in _NAMES if name not in program.index][: 1 + int(rng.random() * 3)]
    first, *more = (Leaf(name, round(0.3 + 2.2 * rng.random(), 2)) for name in names)
    leaves: list[Node] = list(program.nodes[:first_operation])
    for other in more:
        leaves.insert(int(rng.random() * (len(leaves) + 1)), other)
    leaves.insert(0, first)
    shift = len(names)
    moved = [i for i, leaf in enumerate(leaves) if leaf.name not in names]
    place = [*moved, *range(first_operation + shift, len(program.nodes) + shift)]

    def operand(old: Operand) -> Operand:
        return place[old] if isinstance(old, int) else old

    operations = (
        Op(node.name, node.op, tuple(map(operand, node.operands)))
        for node in program.nodes[first_operation:]
        if isinstance(node, Op)
    )
    made = f"leaf {names[0]} is" if shift == 1 else f"leaves {', '.join(names)} are"
    text = f"{program.text} (the {made} made too, and not used)"
    short = program.short and _moved(program.short, leaves, place)
    return Program((*leaves, *operations), place[program.root], text, short)


def _moved(short: list[list[object]], leaves: Sequence[Node], place: Sequence[int]) -> list[list[object]]:
    """Return the short form of a program with the given leaves, whose nodes have moved to `place`."""
    made: list[list[object]] = [["leaf", leaf.value] for leaf in leaves if isinstance(leaf, Leaf)]
    for row in short:
        if row[0] != "leaf":
            head = 3 if row[0] == "repeat" else 1
            made.append([*row[:head], *(place[o] if isinstance(o, int) else o for o in row[head:])])
    return made
