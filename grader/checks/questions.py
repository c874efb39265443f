"""The programs and numbers of a check: as the check gives them, redrawn, or drawn at random."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from ..oracle import Redraw
from ..program import Program, draw, parts, program
from ..remarks import StartingFrom

Given: TypeAlias = Sequence[str | Program]


class Questions:
    """The programs and numbers of one check.

    Args:
        seed: what fresh programs are drawn from.
        redraw: what a secret seed puts into all others; None leaves them as they are.
    """

    def __init__(self, seed: str, redraw: Redraw | None) -> None:
        self._seed = seed
        self._redraw = redraw
        self._fresh: set[str] = set()

    @property
    def redraws(self) -> bool:
        """Return whether programs are asked with other numbers than the check gives."""
        return self._redraw is not None

    def fresh(self, count: int, ops: Sequence[str], sizes: tuple[int, int], numbers: bool) -> list[Program]:
        """Return programs drawn from the seed."""
        drawn = draw(self._seed, count, ops=ops, sizes=sizes, numbers=numbers)
        self._fresh |= {p.key for p in drawn}
        return drawn

    def parts(self, drawn: Program) -> list[Program]:
        """Return the parts of a program that was drawn for this check, smallest first; none for another."""
        if not self.is_fresh(drawn):
            return []
        found = parts(drawn)
        self._fresh |= {p.key for p in found}
        return found

    def is_fresh(self, asked: Program) -> bool:
        """Return whether a program was drawn for this check."""
        return bool(self._fresh) and asked.key in self._fresh  # the key of a large program takes its time

    def programs(self, given: Given, leaves: dict[str, float], beside: Sequence[float] = ()) -> list[Program]:
        """Return programs as they are asked: where others are redrawn, with other leaf values. `beside` are the numbers
        that the check names beside them."""
        programs = parsed(given, leaves)
        if self._redraw is None:
            return programs
        redrawn = iter(self._redraw.programs([p for p in programs if not self.is_fresh(p)], beside))
        return [p if self.is_fresh(p) else next(redrawn) for p in programs]

    def in_other_places(self, given: Given, leaves: dict[str, float]) -> list[Program]:
        """Return programs of which an order is asked, and no number: where others are redrawn, the same graphs in other
        places."""
        programs = parsed(given, leaves)
        if self._redraw is None:
            return programs
        return [p if self.is_fresh(p) else self._redraw.among_others(p) for p in programs]

    def numbers(self, numbers: Sequence[float], more: int = 0) -> list[float]:
        """Return numbers beside programs as they are asked, and if `more` is given where they are redrawn, one to so
        many further ones."""
        if self._redraw is None:
            return list(numbers)
        return list(self._redraw.more_numbers(numbers, more) if more else self._redraw.numbers(numbers))

    def leaves(self, text: str, leaves: dict[str, float]) -> dict[str, float]:
        """Return the leaf values with which a program is asked; ints for ints."""
        if self._redraw is None:
            return leaves
        (redrawn,) = self._redraw.programs(parsed([text], leaves))
        return {leaf.name: type(leaves[leaf.name])(leaf.value) for leaf in redrawn.leaves}


def parsed(given: Given, leaves: dict[str, float]) -> list[Program]:
    """Return programs. Some of them may be given as texts, with the values of their leaves."""
    return [program(p, **leaves) if isinstance(p, str) else p for p in given]


def aimed(p: Program, *steps: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
    """Steps as the worker takes them: passes begin at the program's root, functions get all nodes as one list."""
    every_node = [["nodes", list(range(len(p.nodes)))]]
    more = {"backward": (p.root,), "local_rules": (p.root,)}
    after = {"call": (every_node,)}
    return tuple((step[0], *more.get(step[0], ()), *step[1:], *after.get(step[0], ())) for step in steps)


def start(p: Program, upstream: float, already: dict[str, float]) -> tuple[StartingFrom, ...]:
    """Return what to say of gradients that were set before; nothing of the usual ones."""
    if upstream == 1.0 and not already:
        return ()
    return (StartingFrom({f"{p.root_name}.grad": upstream} | {f"{name}.grad": grad for name, grad in already.items()}),)
