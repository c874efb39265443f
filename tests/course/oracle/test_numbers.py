"""Other numbers of a program are of the same kind, and its nodes get other indices."""

import random

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_answers import answer

from grader.course.oracle.redraw import alike, among_others, plain_numbers
from grader.course.program import Leaf, Op
from grader.program import Program, chain, diamonds, leaf, program

quick = settings(database=None, derandomize=True, max_examples=200)
whole = st.integers(-200, 200).map(float)
fractional = st.floats(-200, 200).map(lambda x: round(x, 3)).filter(lambda x: x != int(x))
several = st.lists(st.one_of(whole, fractional), min_size=1, max_size=8)
seeds = st.integers(0, 1000).map(random.Random)


@pytest.mark.slow
@given(several, seeds)
@quick
def test_signs_and_kinds_stay(numbers: list[float], rng: random.Random) -> None:
    """Negative stays negative, whole stays whole, less than 1 stays less than 1, 0 and 1 stay themselves."""

    def kind(x: float) -> tuple[bool, bool, bool, bool, bool]:
        return x < 0, x == int(x), abs(x) < 1, x == 0, abs(x) == 1

    assert list(map(kind, numbers)) == list(map(kind, alike(numbers, rng)))


@pytest.mark.slow
@given(several, seeds)
@quick
def test_equal_magnitudes_stay_equal_and_others_different(numbers: list[float], rng: random.Random) -> None:
    """Where a + b was 0 it still is, and nowhere else."""
    new = alike(numbers, rng)
    for x, new_x in zip(numbers, new, strict=True):
        assert [abs(x) == abs(y) for y in numbers] == [abs(new_x) == abs(new_y) for new_y in new]


@pytest.mark.slow
@given(several, seeds, st.sets(st.sampled_from([2.0, 3.0, 0.5, 7.25])))
@quick
def test_pinned_numbers_stay_and_nothing_becomes_one(
    numbers: list[float], rng: random.Random, pinned: set[float]
) -> None:
    """A leaf that is equal to a plain number of its program is so afterwards, and no other leaf is."""
    new = alike(numbers, rng, pinned=pinned)
    assert [abs(x) if abs(x) in pinned else None for x in numbers] == [
        abs(x) if abs(x) in pinned else None for x in new
    ]


@pytest.mark.slow
@given(several, seeds, st.booleans())
@quick
def test_numbers_stay_in_their_size(numbers: list[float], rng: random.Random, near: bool) -> None:
    """Small whole numbers stay below 21 and are never 2 by chance; all else changes by less than a factor of two."""
    for old, new in zip(numbers, alike(numbers, rng, near=near), strict=True):
        if old == int(old) and abs(old) <= 10 and not near:
            assert abs(new) <= 20
        elif old != 2:
            assert abs(old) / 2 <= abs(new) <= abs(old) * 2
        assert abs(new) != 2 or abs(old) == 2


def test_special_numbers_stay_special() -> None:
    """As many digits as before, and about as large or as small."""
    large, small, flat = alike([4000.1234567, 0.0000123456789, 25.0], random.Random("s"))
    assert (2400 < large < 6400.2, 0.0000074 < small < 0.00002, 20 <= flat <= 31.25) == (True, True, True)
    assert 7 == len(repr(large).partition(".")[2])


def test_a_seed_decides() -> None:
    """The same seed gives the same numbers, another one others."""
    one, again, other = (alike([2.0, -3.0, 10.0], random.Random(seed)) for seed in "aab")
    assert one == again
    assert one != other


def test_with_stays_some_numbers_stay() -> None:
    """With a probability of 1 all do."""
    assert (2.0, -3.5) == alike([2.0, -3.5], random.Random(1), stays=1.0)


def test_where_there_is_no_room_everything_stays() -> None:
    """Eighteen whole numbers cannot all become others between 3 and 20."""
    numbers = [float(n) for n in range(2, 11)]
    assert tuple(numbers) == alike(numbers, random.Random(1), pinned=[float(n) for n in range(11, 21)])


def test_plain_numbers_are_those_of_sums_and_products() -> None:
    """An exponent is no number that a leaf could be equal to for a reason."""
    assert {2.0, 0.5} == plain_numbers(program("L = (a - 2) * -0.5 + a ** 3", a=2))


def expanded(short: list[list[object]]) -> list[list[object]]:
    """A short form, written out."""
    made: list[list[object]] = []
    for row in short:
        if row[0] != "repeat":
            made.append(row)
            continue
        _, count, op, *operands = row
        for _ in range(int(str(count))):
            here = [len(made) - o[1] if isinstance(o, list) and o[0] == "back" else o for o in operands]
            made.append([op, *here])
    return made


GRAPHS = [
    leaf(2.0),
    program("L = a * b + a", a=2, b=-3),
    program("L = (a - 2) * b", a=2, b=-3),
    program("d = a * b; e = d + a; f = e * d; g = f + e", a=2, b=-3).rooted_at("e"),
    chain(9),
    diamonds(3),
]


@every("graph", GRAPHS, ids=lambda graph: graph.text)
def test_other_leaves_in_the_same_program(graph: Program) -> None:
    """Only the leaves' values change, in the short form too."""
    values = [float(10 + i) for i, _ in enumerate(graph.leaves)]
    other = graph.with_leaves(values)
    assert values == [node.value for node in other.leaves]
    assert (graph.text, graph.root) == (other.text, other.root)
    assert [n for n in graph.nodes if isinstance(n, Op)] == [n for n in other.nodes if isinstance(n, Op)]
    assert other.wire == expanded(other.sent)


@pytest.mark.slow
@every("seed", range(5))
@every("graph", GRAPHS, ids=lambda graph: graph.text)
def test_a_program_among_others_is_the_same_graph(graph: Program, seed: int) -> None:
    """Every node has its value and its gradient, in another place; what is new is not used by anything."""
    other = among_others(graph, random.Random(seed))
    values, grads = answer(other.wire, other.root)
    old_values, old_grads = answer(graph.wire, graph.root)
    place = [other.index[node.name] for node in graph.nodes]
    assert old_values == [values[i] for i in place]
    assert old_grads == [grads[i] for i in place]
    assert all(new > old for old, new in enumerate(place))
    new = set(range(len(other.nodes))) - set(place)
    assert 1 <= len(new) <= 3
    assert set() == new & set(other.reachable)
    assert all(isinstance(other.nodes[i], Leaf) for i in new)
    assert other.wire == expanded(other.sent)


def test_a_program_among_others_says_so() -> None:
    """A learner reads which leaves are beside the graph."""
    shown = {among_others(leaf(2.0), random.Random(seed)).text for seed in range(20)}
    assert {
        "a (the leaf p is made too, and not used)",
        "a (the leaves p, q are made too, and not used)",
        "a (the leaves p, q, r are made too, and not used)",
    } == shown
