"""The numbers that a seed puts into fixed programs test the same as the original ones, or these stay."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from every import every
from ours import BOOK, COURSE

from grader.course.oracle import Oracle, Redraw
from grader.course.oracle.answer_book import Answer
from grader.course.oracle.redraw import Asked, asks_the_same
from grader.program import Program, chain, program
from grader.verdict.checks.session import CheckSession
from grader.verdict.grading import plan


def truth(asked: Program) -> Answer:
    return Answer(asked.values, asked.gradients())


def truths(programs: Sequence[Program]) -> list[Answer]:
    return [truth(p) for p in programs]


class Here:
    """An oracle in this process, which counts its attempts."""

    def __init__(self, seed: str = "s", gives: str | None = "truth") -> None:
        self.known: dict[str, Answer] = {}
        self.tried: list[Program] = []
        self.gives = gives
        self.redraw = Redraw(seed, truths, self._tried, self.known)

    def _tried(self, programs: Sequence[Program]) -> list[Answer | None]:
        self.tried += programs
        return [truth(p) if self.gives == "truth" else None for p in programs]


def same(text: str, before: dict[str, float], after: dict[str, float], beside: Sequence[float] = ()) -> bool:
    """Return whether a program tests the same with other leaves."""
    one, other = program(text, **before), program(text, **after)
    return asks_the_same(Asked(one, truth(one), beside), Asked(other, truth(other), beside))


@every(
    ("text", "before", "after"),
    [
        ("L = a * b", {"a": 2, "b": -3}, {"a": 5, "b": -7}),
        ("L = relu(a + b)", {"a": 2, "b": -3}, {"a": 5, "b": -7}),
        ("L = relu(a + b)", {"a": 2, "b": -2}, {"a": 5, "b": -5}),
        ("L = a / a - c", {"a": 3, "c": 0.5}, {"a": 7, "c": 0.6}),
        ("L = a * a", {"a": 2}, {"a": 5}),
    ],
)
def test_numbers_that_ask_the_same(text: str, before: dict[str, float], after: dict[str, float]) -> None:
    """Signs stay, 0 stays 0, and numbers are equal only if they were equal before."""
    assert same(text, before, after)


@every(
    ("text", "before", "after"),
    [
        pytest.param("L = relu(a + b)", {"a": 2, "b": -3}, {"a": 7, "b": -5}, id="the other side of a kink"),
        pytest.param("L = relu(a + b)", {"a": 2, "b": -2}, {"a": 7, "b": -5}, id="no longer at a kink"),
        pytest.param("L = relu(a) * c", {"a": 2, "c": 3}, {"a": 5, "c": -3}, id="a gradient of another sign"),
        pytest.param("L = a * a", {"a": 3}, {"a": 2}, id="a square that is a double"),
        pytest.param("L = a * b", {"a": 2, "b": -3}, {"a": 3, "b": -3}, id="equal contributions"),
        pytest.param("L = a ** 3", {"a": 2}, {"a": 3}, id="a base that is the exponent"),
        pytest.param("L = a * b", {"a": 2, "b": -3}, {"a": 5, "b": -1}, id="a gradient of 1"),
        pytest.param("L = exp(a) * c", {"a": 5, "c": 3}, {"a": 9, "c": 3}, id="much larger"),
        pytest.param("L = tanh(a) * c", {"a": 3, "c": 3}, {"a": 9, "c": 3}, id="no longer visible"),
    ],
)
def test_numbers_that_ask_something_else(text: str, before: dict[str, float], after: dict[str, float]) -> None:
    """Numbers with which a wrong engine may pass, or which test less, are not used."""
    assert not same(text, before, after)


def test_numbers_beside_a_program_count_too() -> None:
    """An upstream gradient that is equal to a value would hide which of the two an engine uses."""
    values: tuple[dict[str, float], dict[str, float]] = {"a": 2, "b": -3}, {"a": 4, "b": -5}
    assert same("L = a * b", *values, beside=[7.0])
    assert not same("L = a * b", *values, beside=[20.0])


def test_every_number_that_may_change_changes() -> None:
    """A redrawn program has the same text and other leaves, and its answer is known."""
    here = Here()
    asked = program("L = a * b + c", a=2, b=-3, c=1)
    (redrawn,) = here.redraw.programs([asked])
    assert (asked.text, 1.0) == (redrawn.text, redrawn.leaves[2].value)
    assert {2.0, -3.0}.isdisjoint(leaf.value for leaf in redrawn.leaves)
    assert {redrawn.key: truth(redrawn)} == here.known


def test_a_seed_decides_and_others_give_other_numbers() -> None:
    """The numbers depend on the seed and the program, and not on other questions."""
    asked = [program("L = a * b", a=2, b=-3), program("L = a + b", a=2, b=-3)]
    one, again, other = Here("one").redraw, Here("one").redraw, Here("other").redraw
    assert one.programs(asked) == [again.programs([asked[0]])[0], *again.programs([asked[1]])]
    assert one.programs(asked) != other.programs(asked)


def test_numbers_beside_decide_with_it() -> None:
    """The same program has other numbers if it is asked with other additional numbers."""
    asked = program("L = a * b", a=2, b=-3)
    redraw = Here().redraw
    assert redraw.programs([asked], [4.0, 5.0]) != redraw.programs([asked], [4.5])


def test_where_no_draw_will_do_the_numbers_stay() -> None:
    """After fifty draws without a finite answer, a program keeps its numbers, and is listed."""
    here = Here(gives=None)
    asked = program("L = a * b", a=2, b=-3)
    assert [asked] == here.redraw.programs([asked])
    assert ([asked], 50, {}) == (here.redraw.kept, len(here.tried), here.known)


def test_a_program_with_nothing_to_draw_is_not_listed() -> None:
    """Keeping 0, 1 and numbers equal to a plain number is not a failure."""
    redraw = Here().redraw
    asked = [program("L = relu(a) + b", a=0, b=1), program("L = (a - 3) * a", a=3)]
    assert (asked, []) == (redraw.programs(asked), redraw.kept)


def test_whoever_is_told_what_was_drawn_tries_nothing() -> None:
    """With the chosen leaves, another process need not try any draws."""
    one, other = Here(), Here()
    asked = [program("L = a * b", a=2, b=-3), chain(60)]
    redrawn = one.redraw.programs(asked, [4.0])
    other.redraw.leaves.update(one.redraw.leaves)
    assert redrawn == other.redraw.programs(asked, [4.0])
    assert [] == other.tried


def test_numbers_keep_their_types() -> None:
    """An argument that is an int stays an int."""
    numbers = Here().redraw.numbers([2, -3.0, 0.5])
    assert [int, float, float] == list(map(type, numbers))


def test_more_numbers_are_more_by_at_least_one() -> None:
    """There is at least one more number, so an answer of the previous length is wrong."""
    lengths = {len(Here(str(seed)).redraw.more_numbers([2, -3, 0.5], 3)) for seed in range(20)}
    assert {4, 5, 6} == lengths


@pytest.mark.slow
@pytest.mark.parametrize(("each", "least", "most"), [(4, 70, 1), pytest.param(1, 300, 5, marks=pytest.mark.exhaustive)])
def test_hardly_a_program_of_the_course_keeps_its_numbers(tmp_path: Path, each: int, least: int, most: int) -> None:
    """At most five of some three hundred fixed programs keep their numbers under a seed, but for very large ones."""
    with Oracle(BOOK, tmp_path / "memo") as oracle:
        with CheckSession(COURSE, COURSE.exercises[::each]) as checks:
            plan(checks, oracle, "a seed")
        redraw = oracle.redraw("a seed")
    assert len(redraw.leaves) > least
    assert len([one for one in redraw.kept if max(abs(leaf.value) for leaf in one.leaves) < 100]) <= most
