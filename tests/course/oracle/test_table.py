"""Answers from the table of operations."""

import math

import pytest
from ours import BOOK, COURSE

from grader.course.oracle import TableOracle
from grader.course.oracle.answers import NoAnswer
from grader.program import program
from grader.verdict.checks.session import CheckSession
from grader.verdict.grading import plan


def test_the_table_gives_the_answers_of_torch() -> None:
    """For every program of the checks, values and gradients are those of the answer book. So are those of descents."""
    oracle = TableOracle()
    with CheckSession(COURSE, COURSE.exercises) as checks:
        plan(checks, oracle, COURSE.seed)
    assert len(BOOK.answers) // 2 < len(oracle.known)
    for key, answer in oracle.known.items():
        torch = BOOK.answers[key]
        scale = 1e-9 * max(1.0, *map(abs, torch.values), *map(abs, torch.grads))
        pairs = zip((*answer.values, *answer.grads), (*torch.values, *torch.grads), strict=True)
        assert all(math.isclose(one, other, rel_tol=0, abs_tol=scale) for one, other in pairs)


def test_other_numbers_are_drawn_without_torch() -> None:
    """A program tests the same with other numbers."""
    oracle = TableOracle()
    asked = program("L = a * b + a", a=2, b=-3)
    (drawn,) = oracle.redraw("another").programs([asked])
    assert asked.key != drawn.key
    assert [True, False] == [leaf.value > 0 for leaf in drawn.leaves]
    assert oracle.pid is None


def test_a_program_without_a_finite_answer_has_none() -> None:
    """It is no program of a check."""
    with pytest.raises(NoAnswer):
        TableOracle().answers([program("L = log(a)", a=-1)])
