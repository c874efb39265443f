"""Fixed programs with other numbers: what a secret seed puts into them, so that no recorded answer is right."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..answer_book import Answer
from ..program import Number, Op, Program, alike, among_others, plain_numbers

_DRAWS = 50
_FAR = 20  # of them may go far; the later ones stay near what there was, which more often asks the same
_STAYS = 0.6  # the probability with which a leaf keeps its number rises to this from draw to draw
_NOTHING = 1e-12  # of the largest number: by so much a sum that should be 0 may miss it
_ALIKE = 1e-6  # numbers that differ by no more than this part of themselves coincide
_LARGER = 30.0  # by this factor the largest number may grow
_FAINTER = 0.1  # to this part a number's share of the largest one may shrink

Leaves: TypeAlias = tuple[float, ...]


class Redraw:
    """Gives fixed programs other leaf values of the same kind, drawn from a seed.

    A redrawn program asks the same of an engine. Every value and every gradient keeps its sign and stays visible beside
    the largest. Around no operation do two numbers coincide that did not before: an engine that took one for the other
    would be right. Where none of 50 draws gives such a program, its numbers stay as they are.

    Args:
        seed: together with a program it decides what is drawn.
        answers: gives the oracle's answers.
        tried: gives them without remembering any, and None for a program that has no finite one.
        known: takes the answers to the programs that are chosen, by their keys.
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
        # what was chosen, by program and the numbers beside it: whoever is told of it has nothing to find out
        self.leaves: dict[str, Leaves] = {}
        # programs that might have other numbers, and for which none of the draws would do
        self.kept: list[Program] = []

    def numbers(self, numbers: Sequence[float]) -> Leaves:
        """Return numbers of the same kind for some that stand beside programs, or alone; ints for ints."""
        drawn = alike(numbers, self._chance(f"numbers {list(numbers)}"))
        return tuple(type(old)(new) for old, new in zip(numbers, drawn, strict=True))

    def more_numbers(self, numbers: Sequence[float], most: int) -> Leaves:
        """Return numbers of the same kind, and behind them at least one and at most `most` further ones."""
        chance = self._chance(f"more than {list(numbers)}")
        further = (numbers[i % len(numbers)] for i in range(1 + int(chance.random() * most)))
        return (*self.numbers(numbers), *(type(number)(alike([number], chance)[0]) for number in further))

    def programs(self, programs: Sequence[Program], beside: Sequence[float] = ()) -> list[Program]:
        """Return the programs with other leaf values. `beside` are the numbers that a check names beside them, and for
        which `numbers` gives others. Raises `OracleError`."""
        keys = [f"{program.key} {list(beside)}" for program in programs]
        undecided = {key: p for key, p in zip(keys, programs, strict=True) if key not in self.leaves}
        if undecided:
            self._decide(undecided, beside)
        return [
            self._once(key, program, lambda p, leaves=self.leaves[key]: p.with_leaves(leaves))  # type: ignore[misc]
            for key, program in zip(keys, programs, strict=True)
        ]

    def among_others(self, program: Program) -> Program:
        """Return the program beside leaves that it does not use."""
        key = f"among others {[leaf.value for leaf in program.leaves]} {program.text}"
        return self._once(key, program, lambda p: among_others(p, self._chance(key)))

    def _once(self, key: str, program: Program, make: Callable[[Program], Program]) -> Program:
        """Make a program once: it then knows what was found out about it, which takes long for a large one."""
        made = self._made.get((key, program.text))
        if made is None:
            made = self._made[key, program.text] = make(program)
        return made

    def _chance(self, what: str) -> random.Random:
        return random.Random(f"{self._seed}:{what}")

    def _decide(self, undecided: dict[str, Program], beside: Sequence[float]) -> None:
        """Choose the leaf values of some programs, draw after draw."""
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
        stays = _STAYS * draw / _DRAWS  # a sum that has to be 0 is met more easily where some numbers stay
        chance = self._chance(f"{draw}:{key}")
        return alike(values, chance, pinned=plain_numbers(program), stays=stays, near=draw >= _FAR)


@dataclass(frozen=True)
class Asked:
    """A program, the oracle's answer to it, and the numbers that are sent beside it."""

    program: Program
    answer: Answer
    beside: Sequence[float]


def asks_the_same(one: Asked, other: Asked) -> bool:
    """Whether two programs that differ in their numbers alone, so that all operations are the same, tell the same
    engines right from wrong, as far as signs, sizes and coincidences go."""
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
    """For each operation, which of its value, its gradient and those of its operands are equal up to their sign: to
    each other, to plain numbers in it or beside the program, or to 1."""
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
