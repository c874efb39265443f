"""Comparing numbers accepts any order of summation, and no wrong formula."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from answering import answer

from grader.checks import CheckFailed
from grader.checks.compare import (
    alike,
    close,
    compare_grads,
    compare_returned,
    compare_values,
    gradient_name,
    in_single_precision,
    largest,
)
from grader.checks.outcome import Finding
from grader.client import Odd
from grader.client.protocol import Called
from grader.oracle.answer_book import Answer
from grader.program import program
from grader.remarks import NotRight, SecondPass


def finding(compare: Callable[..., None], *arguments: Any) -> Finding:
    """Return the finding of a comparison that fails."""
    with pytest.raises(CheckFailed) as failure:
        compare(*arguments)
    return failure.value.finding


@pytest.mark.parametrize(
    ("shown", "truth"), [(0.0, -1.1102230246251565e-16), (0.0, 0.0), (1e-13, 1e-13), (1e-9, 1e-9), (2.5, 2.5)]
)
def test_a_rounding_error_is_shown_as_zero(shown: float, truth: float) -> None:
    """Torch's gradient of `(2 / a) * a` may be -1.1e-16. A learner reads 0."""
    asked = program("L = (2 / a) * a", a=2.5)
    grads = [truth] * len(asked.nodes)
    found = finding(compare_grads, asked, grads, [7.0] * len(grads), 2.5)
    assert {shown} == set(found.expected.values())


@pytest.mark.parametrize(
    ("expected", "observed", "truth", "scale"),
    [
        (True, 6.0, 6.0, 6.0),
        (True, 6.0 + 1e-12, 6.0, 6.0),
        (True, 1e-12, 0.0, 1.0),
        (True, 1e6 + 1e-4, 1e6, 1e6),
        (True, 1e-10, 0.0, 0.0),
        (True, -0.0, 0.0, 0.0),
        (False, 6.0 + 1e-6, 6.0, 6.0),
        (False, 6.00001, 6.0, 6.0),
        (False, -6.0, 6.0, 6.0),
        (False, 0.0, 1e-5, 1.0),
        (False, 1e6 + 1, 1e6, 1e6),
        (False, math.nan, 6.0, 6.0),
        (False, math.inf, 6.0, 6.0),
        (False, -math.inf, 6.0, 1e300),
        (False, Odd("NoneType"), 0.0, 1.0),
        (False, Odd("float64"), 0.0, 1e12),
    ],
)
def test_close_means_right_up_to_rounding(expected: bool, observed: Any, truth: float, scale: float) -> None:
    """The tolerance grows with the largest number in the program and knows neither NaN nor infinity."""
    assert expected is close(observed, truth, scale)


def test_sums_in_another_order_are_right() -> None:
    """Adding many contributions in another order stays well within the tolerance."""
    shares = [(-1) ** i * 1000 / (i + 1) for i in range(2000)]
    assert close(sum(shares), math.fsum(reversed(shares)), 1000)


def test_the_largest_number_counts_without_its_sign() -> None:
    """Values and gradients both set the scale."""
    assert largest(Answer((1.0, -7.0), (2.0, 3.0))) == 7.0
    assert largest(Answer((1.0, 2.0), (2.0, -30.0))) == 30.0


@pytest.mark.parametrize(
    ("expected", "name"), [("dL/da", "a"), ("dL/d(a * b)", "a * b"), ("dL/d(a + a #2)", "a + a #2")]
)
def test_slopes_are_named_as_one_writes_them(expected: str, name: str) -> None:
    """A node without a name is shown by its expression in parentheses."""
    assert expected == gradient_name(program("L = a + b", a=1, b=2), name)


def test_right_numbers_pass() -> None:
    """If every number is right, nothing is raised."""
    asked = program("L = a * b + a", a=2, b=-3)
    truth = answer(asked)
    compare_values(asked, truth, truth.values)
    compare_grads(asked, truth.grads, truth.grads, largest(truth))


def test_a_wrong_gradient_is_shown_beside_torchs() -> None:
    """The finding has the program, and the expected and the actual number under the same name."""
    asked = program("L = a * a", a=3)
    found = finding(compare_grads, asked, answer(asked).grads, (3.0, 1.0), 9.0, (SecondPass(),))
    assert (
        Finding(
            "failed", "L = a * a    with a = 3", {"dL/da": 6.0}, {"dL/da": 3.0}, (SecondPass(),), expected_by="torch"
        )
        == found
    )


def test_a_wrong_value_is_shown_by_the_nodes_name() -> None:
    """A value is named by its node, without `.data`."""
    asked = program("L = a + b", a=1, b=2)
    found = finding(compare_values, asked, answer(asked), (1.0, 2.0, Odd("NoneType")))
    assert ({"L": 3.0}, {"L": "None"}) == (found.expected, found.actual)


def test_leaves_come_first_and_three_are_shown() -> None:
    """If many numbers are wrong, three are shown, those of the leaves first."""
    asked = program("c = a * b; d = c + b; L = d * c", a=2, b=3)
    found = finding(compare_grads, asked, answer(asked).grads, (0.0,) * 5, 100.0)
    assert list(found.expected) == list(found.actual) == ["dL/da", "dL/db", "dL/dc"]
    assert {"dL/da": 0.0, "dL/db": 0.0, "dL/dc": 0.0} == found.actual


def test_only_what_is_wrong_is_shown() -> None:
    """A right number is not among those shown."""
    asked = program("L = a * b", a=2, b=3)
    found = finding(compare_grads, asked, answer(asked).grads, (3.0, 0.0, 1.0), 6.0)
    assert {"dL/db": 2.0} == found.expected


@pytest.mark.parametrize(("expected", "observed"), [("nan", math.nan), ("inf", math.inf), ("a str", Odd("str"))])
def test_what_json_cannot_say_is_shown_in_words(expected: str, observed: Any) -> None:
    """Not-a-number, infinity and other types are words."""
    asked = program("L = a + b", a=1, b=2)
    found = finding(compare_grads, asked, answer(asked).grads, (observed, 1.0, 1.0), 3.0)
    assert {"dL/da": expected} == found.actual


@pytest.mark.parametrize(
    ("expected", "other"),
    [
        (True, Answer((2.0, 1e6), (1.0, 0.0))),
        (True, Answer((2.0, 1e6 + 1e-4), (1.0, 0.0))),
        (True, Answer((2.0, 1e6), (1.0 - 1e-4, 1e-4))),
        (False, Answer((2.0, 1e6 + 1e-2), (1.0, 0.0))),
        (False, Answer((2.0, 1e6), (1.0, 1e-2))),
        (False, Answer((2.0, 1e6), (1.0,))),
        (False, Answer((2.0,), (1.0, 0.0))),
        (False, Answer((), ())),
    ],
)
def test_answers_are_alike_up_to_the_tolerance(expected: bool, other: Answer) -> None:
    """Two answers to a program may differ by as much as a verdict tolerates. No number may be missing."""
    one = Answer((2.0, 1e6), (1.0, 0.0))
    assert expected == alike(one, other)


def test_a_guard_in_a_logarithm_is_another_function() -> None:
    """log(x + 1e-12) fails at the smallest x that checks ask for; log(x + 1e-15) passes."""
    slope = 2 / 0.0005
    guarded = [2 / (0.0005 + guard) for guard in (1e-15, 1e-12, 1e-8)]
    assert [True, False, False] == [close(number, slope, slope) for number in guarded]


@pytest.mark.parametrize(
    ("expected", "observed"),
    [
        (True, [0.800000011920929, 3.0, 2.4000000953674316]),
        (False, [0.8, 3.0, 2.5]),
        (True, [0.800000011920929, 3.0, 2.5]),
        (False, [0.800000011920929, 3.5, 2.5]),
        (False, [0.800000011920929, 3.0, Odd("NoneType")]),
    ],
)
def test_single_precision_is_recognised(expected: bool, observed: list[Any]) -> None:
    """Single precision is recognised if all numbers exist in it, and most are near the right ones."""
    assert expected == in_single_precision([0.8, 3.0, 2.4], observed)


def test_all_wrong_numbers_are_named_if_the_right_ones_are_not_shown() -> None:
    """A learner would take a number that is not named for a right one."""
    expected = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "e": 5.0}
    returned = Called(numbers=(0.0, 0.0, 0.0, 0.0, 5.0))
    wrong = finding(compare_returned, "f", returned, expected, "ranks", False)
    assert wrong.remarks == (NotRight(dict.fromkeys("abcd", 0.0)),)
