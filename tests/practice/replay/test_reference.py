"""A correct pass computed from the table of operations has torch's numbers."""

import math

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_answers import answer

from grader.course.program import ELEMENTWISE
from grader.practice.replay.amounts import flat
from grader.practice.replay.presets import presets
from grader.practice.replay.right_pass import forward, local_derivatives, right_pass, value
from grader.program import Program, draw, program

numbers = st.floats(-20, 20).map(lambda x: round(x, 6))


def is_close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def agrees(asked: Program) -> bool:
    values, grads = answer(asked.wire, asked.root)
    right = right_pass(asked)
    return all(map(is_close, values + grads, flat((*right.values, *right.grads))))


@pytest.mark.slow
@pytest.mark.parametrize("op", ELEMENTWISE)
@given(x=numbers, y=numbers)
@settings(max_examples=60, database=None, derandomize=True)
def test_every_operation_has_torchs_local_derivatives(op: str, x: float, y: float) -> None:
    """On operands where it is defined, an operation's value and local derivatives are torch's."""
    operands = (x, y)[: 1 if ELEMENTWISE[op].symbol is None else 2]
    if not ELEMENTWISE[op].tame(operands) or (op == "pow" and x < 0):  # torch has no derivative by the exponent there
        return
    nodes = [*(["leaf", one] for one in operands), [op, *range(len(operands))]]
    values, grads = answer(nodes, len(operands))
    assert is_close(values[-1], value(op, operands))
    assert all(map(is_close, grads, local_derivatives(op, operands, values[-1])))


@pytest.mark.slow
def test_torch_and_the_table_agree_at_the_edges() -> None:
    """relu at 0, powers of 0 and of negative numbers, an exponent of 0."""
    texts = ("relu(a)", "a ** 2", "a ** 3", "a ** 0", "a ** 1", "a * a", "-a", "a - a", "tanh(a)", "exp(a)")
    assert [] == [text for text in texts for a in (0.0, -1.5, 2.0) if not agrees(program(text, a=a))]


@pytest.mark.slow
def test_random_programs_have_torchs_gradients() -> None:
    """So have whole programs, and the presets."""
    ops = ("add", "sub", "mul", "div", "neg", "relu", "tanh", "exp", "log", "sigmoid")
    asked = [*draw("a right pass", 40, ops=ops, sizes=(2, 14), numbers=True), *(one.parsed for one in presets())]
    assert [] == [one.text for one in asked if not agrees(one)]


def test_visits_run_from_the_root_to_the_leaves() -> None:
    """The reference visits every operation once, users first, and its contributions add up."""
    asked = program("b = a + 1; c = a * 3; d = b * c", a=2)
    right = right_pass(asked)
    assert ["d", "c", "b"] == [asked.nodes[visit.node].name for visit in right.visits]
    assert 15.0 == right.grads[0] == sum(c.amount or 0 for v in right.visits for c in v.contributions if c.node == 0)
    assert [(0, 1, 6.0, 6.0), (1, 2, 3.0, 3.0)] == [
        (one.slot, one.node, one.local, one.amount) for one in right.visits[0].contributions
    ]


def test_a_pass_may_start_with_other_gradients() -> None:
    """What the root is given, and what is there already, is taken in."""
    asked = program("L = a * b", a=2, b=-3)
    assert (5 - 12.0, 8.0 - 7, 4.0) == right_pass(asked, 4.0, {0: 5.0, 1: -7.0}).grads


@every(
    ("text", "a", "expected"),
    [
        ("1 / a", 0.0, "nan"),
        ("log(a)", -1.0, "nan"),
        ("exp(a)", 1e9, "inf"),
        ("a ** 0.5", -4.0, "nan"),
        ("a ** -1", 0.0, "nan"),
        ("sigmoid(a)", -1e9, "0.0"),
    ],
)
def test_what_is_not_defined_is_no_exception(text: str, a: float, expected: str) -> None:
    """A value that does not exist is nan, one that is too large an infinity; gradients follow."""
    asked = program(text, a=a)
    assert expected == str(forward(asked)[-1])
    assert len(asked.nodes) == len(right_pass(asked).grads)
