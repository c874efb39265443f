"""Random programs with arrays have axes of different lengths, other upstream gradients than 1, and no ties."""

import math

import pytest
from every import every

from grader.course.program import DRAWN, Op, Program, ProgramError, draw_arrays, parts_of_arrays, program
from grader.course.program.arrays import nested

EVERY = draw_arrays("arrays", 60, ops=DRAWN, sizes=(1, 6))


def again(p: Program) -> Program:
    """Return the program that a check would make of its text and its leaves."""
    return program(p.text, **{leaf.name: nested(leaf.numbers, leaf.shape) for leaf in p.leaves})


def operations(p: Program) -> list[Op]:
    return [node for node in p.nodes if isinstance(node, Op)]


def test_drawing_is_deterministic() -> None:
    """The same seed gives the same programs, and another one others."""
    few = draw_arrays("arrays", 60, ops=DRAWN, sizes=(1, 6))[:5]
    assert [p.shown for p in EVERY[:5]] == [p.shown for p in few]
    assert EVERY[0].key != draw_arrays("others", 1, ops=DRAWN, sizes=(1, 1))[0].key


def test_their_text_says_all_of_them() -> None:
    """A learner who types it gets the same program, also if all that a program does is to index."""
    drawn = [*EVERY, *draw_arrays("indices", 20, ops=("getitem",), sizes=(1, 3))]
    assert [p.key for p in drawn] == [again(p).key for p in drawn]


def test_each_operation_is_drawn_in_turn() -> None:
    """Also those that fit few nodes."""
    assert [] == [op for i, p in enumerate(EVERY) if (op := DRAWN[i % len(DRAWN)]) not in {n.op for n in operations(p)}]


def test_the_lengths_of_leaves_tell_the_axes_apart() -> None:
    """They are 2, 3 and 5, except for axes that a broadcast stretches and results of `concat` and `reshape`."""
    shapes = [p.shapes[p.index[leaf.name]] for p in EVERY for leaf in p.leaves if leaf.name == "a"]
    assert {2, 3, 5} == {length for shape in shapes for length in shape}
    assert all(len(set(shape)) == len(shape) for shape in shapes)


def test_upstream_gradients_are_not_ones() -> None:
    """Those of the operations that are tested; the sum at the end gets 1."""
    for p in EVERY:
        grads = p.gradients()
        for node in operations(p):
            if len(node.name) == 1 and node.name != "L" and p.shapes[p.index[node.name]]:
                assert {1.0} != {*p.numbers_of(node.name, grads)}


def test_numbers_are_moderate_and_without_ties() -> None:
    """Values stay below 50; those that a `max` compares differ."""
    for p in EVERY:
        assert max(map(abs, p.values)) < 50
        assert all(map(math.isfinite, p.gradients()))
        for node in operations(p):
            if node.op == "max":
                numbers = p.numbers_of(p.nodes[node.inputs[0]].name, p.values)
                assert len(numbers) == len({*numbers})


def test_the_parts_of_a_program_are_smaller() -> None:
    """Each is a sum of the numbers of one operation, and needs no other weights than its own."""
    last = EVERY[-1]
    parts = parts_of_arrays(last)
    assert {node.op for node in operations(last)} >= {node.op for part in parts for node in operations(part)} - {"mul"}
    assert [] == [part.text for part in parts if len(part.nodes) >= len(last.nodes)]
    assert [part.key for part in parts] == [again(part).key for part in parts]


@every(
    ("ops", "sizes", "message"),
    [
        (("pow",), (1, 2), "are drawn from add, sub"),
        ((), (1, 2), "are drawn from"),
        (("add",), (0, 2), "sizes must be between 1 and 9"),
        (("matmul",), (2, 10), "sizes must be"),
    ],
)
def test_impossible_requests_are_refused(ops: tuple[str, ...], sizes: tuple[int, int], message: str) -> None:
    """The message says what can be drawn."""
    with pytest.raises(ProgramError, match=message):
        draw_arrays("refused", 2, ops=ops, sizes=sizes)
