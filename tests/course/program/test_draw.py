import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.course.program import Leaf, Number, Op
from grader.course.program.arrange import _below
from grader.course.program.operations import BINARY, ELEMENTWISE
from grader.program import Program, draw, program

EVERY_OP = tuple(ELEMENTWISE)
ONE_OPERAND = ["pow", *(name for name in ELEMENTWISE if name not in BINARY)]  # pow's other one is a number
JOINS = ("add", "sub", "mul", "div")  # take two nodes; pow takes a node and a number


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, tuple[str, ...], tuple[int, int], bool]:
    """A seed, operations among which one joins two nodes, sizes, and whether numbers may occur."""
    join = draw(st.sampled_from(JOINS))
    others = draw(st.lists(st.sampled_from(EVERY_OP), max_size=4))
    low = draw(st.integers(1, 12))
    return draw(st.text(max_size=6)), (join, *others), (low, draw(st.integers(low, 14))), draw(st.booleans())


def ops_of(of: Program) -> list[Op]:
    return [node for node in of.nodes if isinstance(node, Op)]


def uses(of: Program) -> Counter[int]:
    return Counter(index for op in ops_of(of) for index in op.inputs)


def reached(of: Program) -> set[int]:
    """The nodes that the root was computed from, itself included."""
    found, waiting = set(), [of.root]
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            node = of.nodes[index]
            waiting += node.inputs if isinstance(node, Op) else ()
    return found


@settings(max_examples=60)
@given(request=requests())
def test_every_drawn_program_is_as_promised(request: tuple[str, tuple[str, ...], tuple[int, int], bool]) -> None:
    """Only the operations asked for, on earlier nodes; every node reaches the root, which is called L and last."""
    seed, ops, sizes, numbers = request
    drawn = draw(seed, 4, ops=ops, sizes=sizes, numbers=numbers)
    assert 4 == len(drawn)
    for p in drawn:
        assert (len(p.nodes) - 1, "L") == (p.root, p.root_name)
        assert sizes[0] <= len(ops_of(p)) <= sizes[1]
        assert set() == {op.op for op in ops_of(p)} - set(ops)
        assert all(i < p.index[op.name] for op in ops_of(p) for i in op.inputs)
        assert set(range(len(p.nodes))) == reached(p)
        assert p.key == program(p.text, **{leaf.name: leaf.value for leaf in p.leaves}).key


@settings(max_examples=30)
@given(request=requests())
def test_drawing_is_deterministic(request: tuple[str, tuple[str, ...], tuple[int, int], bool]) -> None:
    """The same seed and request give the same programs."""
    seed, ops, sizes, numbers = request
    assert draw(seed, 3, ops=ops, sizes=sizes, numbers=numbers) == draw(seed, 3, ops=ops, sizes=sizes, numbers=numbers)


def test_what_a_seed_gives_is_pinned() -> None:
    """Answer books hold answers for drawn programs: a change here makes every one of them stale."""
    expected = [
        "L = a * a    with a = -1.6",
        "e = b + b; f = b + a; L = f + e    with a = 0.81, b = 1.4",
        "e = b + b; f = a * e; g = f * f; h = g + b; L = h + b    with a = -1.35, b = 0.76",
    ]
    assert expected == [p.shown for p in draw("pinned", 3, sizes=(1, 5))]


def test_seeds_differ() -> None:
    """Another seed gives other programs."""
    one, other = ({p.key for p in draw(seed, 20)} for seed in ("one", "other"))
    assert set() == one & other


@every(
    ("count", "sizes", "expected"),
    [
        (1, (1, 12), [1]),
        (5, (1, 5), [1, 2, 3, 4, 5]),
        (3, (2, 12), [2, 7, 12]),
        (4, (3, 3), [3, 3, 3, 3]),
        (4, (1, 2), [1, 1, 1, 2]),
        (0, (1, 12), []),
    ],
)
def test_programs_come_smallest_first(count: int, sizes: tuple[int, int], expected: list[int]) -> None:
    """Sizes rise evenly from the smallest to the largest asked for."""
    assert expected == [len(ops_of(p)) for p in draw("sizes", count, sizes=sizes)]


@every("ops", [("add", "mul"), ("add", "sub", "mul", "div", "pow", "neg", "relu"), EVERY_OP])
def test_a_third_of_the_programs_use_a_value_twice(ops: Sequence[str]) -> None:
    """Reuse, where gradients have to add up, is common."""
    drawn = draw("reuse", 90, ops=ops)
    assert len(drawn) / 3 <= sum(max(uses(p).values()) > 1 for p in drawn)


def test_some_programs_share_a_result_between_two_operations() -> None:
    """Diamonds occur: a computed node that different operations use."""
    drawn = draw("diamonds", 60)
    shared = [p for p in drawn if any(sum(i in op.inputs for op in ops_of(p)) > 1 for i in range(len(p.nodes)))]
    assert len(drawn) / 3 <= len(shared)


@every("numbers", [False, True])
@every(
    "ops",
    [("add", "mul"), ("add", "sub", "mul", "div", "pow", "neg", "relu"), EVERY_OP, ("sub", "div"), ("mul", "exp")],
)
def test_values_and_gradients_are_moderate(ops: Sequence[str], numbers: bool) -> None:
    """Values stay below 50 and gradients below 10,000; none is infinite."""
    for p in draw("moderate", 25, ops=ops, sizes=(1, 20), numbers=numbers):
        assert max(map(abs, p.values)) <= 50, p.shown
        assert max(map(abs, p.gradients())) <= 10_000, p.shown


def test_relu_has_arguments_on_both_sides_of_its_kink() -> None:
    """No argument of relu lies so close to 0 that rounding decides its slope."""
    drawn = draw("kink", 40, ops=("add", "sub", "mul", "relu"), sizes=(2, 12))
    arguments = [p.values[op.inputs[0]] for p in drawn for op in ops_of(p) if op.op == "relu"]
    assert min(arguments) < 0 < max(arguments)
    assert all(abs(x) >= 0.05 for x in arguments)


def test_numbers_occur_only_when_asked_for() -> None:
    """Without `numbers` a plain number stands only in an exponent; with it, on either side of an operation."""

    def places(numbers: bool) -> set[tuple[str, int]]:
        drawn = draw("numbers", 60, ops=("add", "sub", "mul", "div", "pow"), numbers=numbers)
        return {(o.op, i) for p in drawn for o in ops_of(p) for i, x in enumerate(o.operands) if isinstance(x, Number)}

    assert {("pow", 1)} == places(False)
    assert {("pow", 1)} | {(op, side) for op in JOINS for side in (0, 1)} == places(True)


def test_leaves_have_values_of_their_own() -> None:
    """No two leaves of a program are closer than 0.05, so none can stand in for another."""
    for p in draw("leaves", 40):
        values = sorted(node.value for node in p.nodes if isinstance(node, Leaf))
        assert all(high - low > 0.04 for low, high in pairwise(values)), p.shown


@every("sizes", [(0, 3), (-1, 1), (3, 2), (1, 23), (23, 23)])
def test_impossible_sizes_are_refused(sizes: tuple[int, int]) -> None:
    """Sizes outside 1 to 22, or the wrong way round, are a ValueError."""
    with pytest.raises(ValueError, match="sizes must be between 1 and 22"):
        draw("sizes", 3, sizes=sizes)


@every(
    ("ops", "size"),
    [((), 1), (("what",), 1), (("add", "what"), 12), (("log",), 8), (("exp",), 12), (("neg", "relu"), 9)],
)
def test_operations_that_cannot_be_drawn_from_are_refused(ops: Sequence[str], size: int) -> None:
    """No operations, unknown ones, or none that joins two nodes where more is asked of them: a ValueError."""
    with pytest.raises(ValueError, match=r"\w"):
        draw("impossible", 20, ops=ops, sizes=(size, size))


@settings(max_examples=40)
@given(seed=st.text(max_size=4), ops=st.lists(st.sampled_from(ONE_OPERAND), max_size=3), size=st.integers(1, 8))
def test_operations_of_one_operand_are_drawn_or_refused(seed: str, ops: list[str], size: int) -> None:
    """Where nothing joins two nodes, the programs asked for come out or a ValueError does."""
    try:
        (drawn,) = draw(seed, 1, ops=ops, sizes=(size, size))
    except ValueError:
        return
    assert (size, 1) == (len(ops_of(drawn)), len(drawn.leaves))


def test_an_order_is_drawn_as_by_randrange() -> None:
    """So programs keep the orders that they had when `randrange` drew them."""
    counts = [*range(1, 70)] * 5
    ours, theirs = random.Random("seed"), random.Random("seed")
    assert [theirs.randrange(count) for count in counts] == [_below(count, ours.getrandbits) for count in counts]
