"""Give fixed programs other numbers, drawn from a secret seed, so that recorded answers are wrong."""

import math
import random
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..program import Leaf, Number, Op, Program
from .answer_book import Answer

_DRAWS = 50
_FAR = (
    20  # the number of draws without a limit on distance; later draws stay near the original, which succeeds more often
)
_STAYS = 0.6  # over the draws, the probability that a leaf keeps its number rises to this
_NOTHING = 1e-12  # relative to the largest number: a smaller sum counts as 0
_ALIKE = 1e-6  # the relative difference below which two numbers coincide
_LARGE = 100  # in a program with more nodes, hardly any draw keeps all signs, and no coincidence of two numbers decides
_LARGER = 30.0  # the factor by which the largest number may grow
_FAINTER = 0.1  # the factor to which a number's ratio to the largest one may shrink

Leaves: TypeAlias = tuple[float, ...]
T = TypeVar("T")


class Redraw:
    """Other leaf values of the same kind for fixed programs, drawn from a seed.

    A redrawn program tests the same things. Every value and gradient keeps its sign and is not
    negligible next to the largest. No two numbers around an operation become equal, because an
    engine that confuses them would then be right. If none of 50 draws meets these conditions, the
    program keeps its numbers. A program of more than 100 nodes, or with arrays, need not meet them.

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

    def in_other_order(self, items: Sequence[T]) -> list[T]:
        """Return items in an order that depends only on the seed and on their number."""
        return self._chance(f"order of {len(items)}").sample(items, len(items))

    def programs(self, programs: Sequence[Program], beside: Sequence[float] = ()) -> list[Program]:
        """Return the programs with other leaf values. Raises `OracleError`.

        Args:
            beside: the numbers that a check sends with the programs. `numbers` gives the ones that replace them.
        """
        # the same program may need other numbers beside other ones
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
        result = self._made.get((key, program.text))
        if result is None:
            result = self._made[key, program.text] = make(program)
        return result

    def _chance(self, what: str) -> random.Random:
        return random.Random(f"{self._seed}:{what}")

    def _decide(self, undecided: dict[str, Program], beside: Sequence[float]) -> None:
        """Choose leaf values for the programs, in up to 50 draws."""
        answers = dict(zip(undecided, self._answers(list(undecided.values())), strict=True))
        instead = self.numbers(beside)
        # all programs at once, because each question to the oracle's process takes time
        for draw in range(_DRAWS):
            drawn = {key: self._drawn(key, program, draw) for key, program in undecided.items()}
            candidates = [program.with_leaves(drawn[key]) for key, program in undecided.items()]
            for (key, program), candidate, answer in zip(
                list(undecided.items()), candidates, self._tried(candidates), strict=True
            ):
                if answer is None or candidate.key == program.key:
                    continue
                large = program.has_arrays or len(program.nodes) > _LARGE
                if large or asks_the_same(Asked(program, answers[key], beside), Asked(candidate, answer, instead)):
                    self.leaves[key] = drawn[key]
                    self._known[candidate.key] = answer
                    del undecided[key]
            if not undecided:
                return
        for key, program in undecided.items():
            # no draw was accepted; a program whose numbers are pinned anyway is not reported
            self.leaves[key] = program.leaf_numbers
            if any(abs(value) not in {0.0, 1.0, *plain_numbers(program)} for value in self.leaves[key]):
                self.kept.append(program)

    def _drawn(self, key: str, program: Program, draw: int) -> Leaves:
        values = program.leaf_numbers
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
    # the tolerance of a comparison grows with the largest number, and must not hide small ones
    if most_after > _LARGER * most:
        return False
    for x, y in zip(before, after, strict=True):
        # a sum that was 0 has to stay 0, apart from rounding
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
        numbers = [part[i] for i in (index, *node.inputs) for part in (values, grads)]
        sizes = list(map(abs, [*plain, *numbers]))
        # `i` is never a plain number, because two plain numbers may be equal
        yield {
            (i, j)
            for i in range(len(plain), len(sizes))
            for j in range(i)
            if math.isclose(sizes[i], sizes[j], rel_tol=_ALIKE)
        }


# -- Other numbers of the same kind, and other indices of nodes

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
    # as many digits as before, and at least two
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
    # the unused leaves go among the leaves; all operations follow
    first_operation = next((i for i, node in enumerate(program.nodes) if isinstance(node, Op)), len(program.nodes))
    names = [name for name in _NAMES if name not in program.index][: 1 + int(rng.random() * 3)]
    first, *more = (Leaf(name, round(0.3 + 2.2 * rng.random(), 2)) for name in names)
    leaves: list[Leaf | Op] = list(program.nodes[:first_operation])
    for other in more:
        leaves.insert(int(rng.random() * (len(leaves) + 1)), other)
    leaves.insert(0, first)  # last, so that nothing comes before it
    shift = len(names)
    moved = [i for i, leaf in enumerate(leaves) if leaf.name not in names]
    place = [*moved, *range(first_operation + shift, len(program.nodes) + shift)]

    def operand(old: int | Number) -> int | Number:
        return place[old] if isinstance(old, int) else old

    operations = (
        replace(node, operands=tuple(map(operand, node.operands)))
        for node in program.nodes[first_operation:]
        if isinstance(node, Op)
    )
    subject = f"leaf {names[0]} is" if shift == 1 else f"leaves {', '.join(names)} are"
    text = f"{program.text} (the {subject} made too, and not used)"
    short = program.short and _moved(program.short, leaves, place)
    return Program((*leaves, *operations), place[program.root], text, short)


def _moved(short: list[list[object]], leaves: Sequence[Leaf | Op], place: Sequence[int]) -> list[list[object]]:
    """Return the short form of a program with the given leaves, whose nodes have moved to `place`."""
    rows: list[list[object]] = [["leaf", leaf.value] for leaf in leaves if isinstance(leaf, Leaf)]
    for row in short:
        if row[0] != "leaf":
            head = 3 if row[0] == "repeat" else 1  # `repeat`, a count and an operation come before the operands
            rows.append([*row[:head], *(place[o] if isinstance(o, int) else o for o in row[head:])])
    return rows
