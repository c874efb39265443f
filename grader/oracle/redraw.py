"""Give fixed programs other numbers, drawn from a secret seed, so that recorded answers are wrong."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from ..program import Number, Op, Program, alike, among_others, plain_numbers
from .answer_book import Answer

_DRAWS = 50
_FAR = (
    20  # the number of draws without a limit on distance; later draws stay near the original, which succeeds more often
)
_STAYS = 0.6  # over the draws, the probability that a leaf keeps its number rises to this
_NOTHING = 1e-12  # relative to the largest number: a smaller sum counts as 0
_ALIKE = 1e-6  # the relative difference below which two numbers coincide
_LARGER = 30.0  # the factor by which the largest number may grow
_FAINTER = 0.1  # the factor to which a number's ratio to the largest one may shrink

Leaves: TypeAlias = tuple[float, ...]


class Redraw:
    """Other leaf values of the same kind for fixed programs, drawn from a seed.

    A redrawn program tests the same things. Every value and gradient keeps its sign and is not
    negligible next to the largest. No two numbers around an operation become equal, because an
    engine that confuses them would then be right. If none of 50 draws meets these conditions, the
    program keeps its numbers.

    Args:
        seed: the seed, which with a program determines the draws.
        answers: returns the oracle's answers.
        tried: returns them without storing any, and None for a program without a finite answer.
        known: receives the answers to the chosen programs, by key.
    """

    def __init__(
        self,
        seed: str,
        answers: Callable[[Sequence[Program]], list[Answer]],
        tried: Callable[[Sequence[Program]], list[Answer | None]],
        known: dict[str, Answer],
    ) -> None:
        self._seed = seed
        self._answers = answers
        self._tried = tried
        self._known = known
        self._made: dict[tuple[str, str], Program] = {}
        # the chosen values, by program and the numbers sent with it; another process can reuse them
        self.leaves: dict[str, Leaves] = {}
        # programs that keep their numbers because no draw met the conditions
        self.kept: list[Program] = []

    def numbers(self, numbers: Sequence[float]) -> Leaves:
        """Return other numbers of the same kind. An int stays an int.

        The numbers may be those that a check sends with programs, or without any program.
        """
        drawn = alike(numbers, self._chance(f"numbers {list(numbers)}"))
        return tuple(type(old)(new) for old, new in zip(numbers, drawn, strict=True))

    def more_numbers(self, numbers: Sequence[float], most: int) -> Leaves:
        """Return other numbers of the same kind, followed by 1 to `most` additional ones."""
        chance = self._chance(f"more than {list(numbers)}")
        further = (numbers[i % len(numbers)] for i in range(1 + int(chance.random() * most)))
        return (*self.numbers(numbers), *(type(number)(alike([number], chance)[0]) for number in further))

    def programs(self, programs: Sequence[Program], beside: Sequence[float] = ()) -> list[Program]:
        """Return the programs with other leaf values. Raises `OracleError`.

        Args:
            beside: the numbers that a check sends with the programs. `numbers` gives the ones that replace them.
        """
        keys = [f"{program.key} {list(beside)}" for program in programs]
        undecided = {key: p for key, p in zip(keys, programs, strict=True) if key not in self.leaves}
        if undecided:
            self._decide(undecided, beside)
        return [
            self._once(key, program, lambda p, leaves=self.leaves[key]: p.with_leaves(leaves))  # type: ignore[misc]
            for key, program in zip(keys, programs, strict=True)
        ]

    def among_others(self, program: Program) -> Program:
        """Return the program with additional leaves that it does not use."""
        key = f"among others {[leaf.value for leaf in program.leaves]} {program.text}"
        return self._once(key, program, lambda p: among_others(p, self._chance(key)))

    def _once(self, key: str, program: Program, make: Callable[[Program], Program]) -> Program:
        """Make a program once, and return the same object in later calls.

        Its cached properties are slow to compute for a large program.
        """
        made = self._made.get((key, program.text))
        if made is None:
            made = self._made[key, program.text] = make(program)
        return made

    def _chance(self, what: str) -> random.Random:
        return random.Random(f"{self._seed}:{what}")

    def _decide(self, undecided: dict[str, Program], beside: Sequence[float]) -> None:
        """Choose leaf values for the programs, in up to 50 draws."""
        answers = dict(zip(undecided, self._answers(list(undecided.values())), strict=True))
        instead = self.numbers(beside)
        for draw in range(_DRAWS):
            drawn = {key: self._drawn(key, program, draw) for key, program in undecided.items()}
            candidates = [program.with_leaves(drawn[key]) for key, program in undecided.items()]
            for (key, program), candidate, answer in zip(
                list(undecided.items()), candidates, self._tried(candidates), strict=True
            ):
                if answer is None or candidate.key == program.key:
                    continue
                if asks_the_same(Asked(program, answers[key], beside), Asked(candidate, answer, instead)):
                    self.leaves[key] = drawn[key]
                    self._known[candidate.key] = answer
                    del undecided[key]
            if not undecided:
                return
        for key, program in undecided.items():
            self.leaves[key] = tuple(leaf.value for leaf in program.leaves)
            if any(abs(value) not in {0.0, 1.0, *plain_numbers(program)} for value in self.leaves[key]):
                self.kept.append(program)

    def _drawn(self, key: str, program: Program, draw: int) -> Leaves:
        values = [leaf.value for leaf in program.leaves]
        stays = _STAYS * draw / _DRAWS  # sums that must stay 0 are more likely if some numbers stay
        chance = self._chance(f"{draw}:{key}")
        return alike(values, chance, pinned=plain_numbers(program), stays=stays, near=draw >= _FAR)


class Asked(Struct, frozen=True):
    """A program, the oracle's answer to it, and the numbers that a check sends with the program."""

    program: Program
    answer: Answer
    beside: Sequence[float]


def asks_the_same(one: Asked, other: Asked) -> bool:
    """Return whether two programs with the same operations test the same things.

    Their numbers are compared by sign, by size and by coincidences.
    """
    before, after = ((*asked.answer.values, *asked.answer.grads) for asked in (one, other))
    most, most_after = max(map(abs, before)), max(map(abs, after))
    if most_after > _LARGER * most:
        return False
    for x, y in zip(before, after, strict=True):
        if abs(x) <= _NOTHING * most and abs(y) <= _NOTHING * most_after:
            continue
        if x * y <= 0 or abs(y) * most < _FAINTER * abs(x) * most_after:
            return False
    return all(new <= old for old, new in zip(_coincidences(one), _coincidences(other), strict=True))


def _coincidences(asked: Asked) -> Iterator[set[tuple[int, int]]]:
    """Yield for each operation the pairs of numbers around it that are equal up to their sign.

    These numbers are the values and gradients of the operation and its operands, its plain numbers, the numbers sent
    with the program, and 1.
    """
    values, grads = asked.answer.values, asked.answer.grads
    for index, node in enumerate(asked.program.nodes):
        if not isinstance(node, Op):
            continue
        plain = [1.0, *asked.beside, *(o.value for o in node.operands if isinstance(o, Number))]
        found = [part[i] for i in (index, *node.inputs) for part in (values, grads)]
        sizes = list(map(abs, [*plain, *found]))
        yield {
            (i, j)
            for i in range(len(plain), len(sizes))
            for j in range(i)
            if math.isclose(sizes[i], sizes[j], rel_tol=_ALIKE)
        }
