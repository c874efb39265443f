"""Formulas are found from their values alone, and only if the values decide."""

import math
from pathlib import Path
from unittest.mock import patch

import pytest
from every import every
from read_yaml import read_yaml

from grader.course.program import FORMS
from grader.verdict.diagnosis.formula import Names, _table, formula

LISTED = read_yaml(Path(__file__).with_name("formulas.yaml"))
_A = tuple(a for (a,) in FORMS["tanh"].numbers)
_TANH: Names = (("a", _A), ("L", tuple(map(math.tanh, _A))))
_BASES, _N = zip(*FORMS["pow"].numbers, strict=True)
_POW: Names = (("n", _N), ("n - 1", tuple(n - 1 for n in _N)), ("a", _BASES))


def values(text: str, names: Names) -> list[float]:
    """Return the values of an expression at all points."""
    points = len(names[0][1])
    at = [{text: numbers[i] for text, numbers in names if text.isidentifier()} for i in range(points)]
    return [float(eval(text, {**vars(math), "abs": abs, "max": max, "min": min}, one)) for one in at]


@every("text", LISTED["tanh"])
def test_a_formula_is_found_from_its_values(text: str) -> None:
    """The simplest formula with these values is found, in its usual spelling."""
    assert text == formula(values(text, _TANH), _TANH)


@every("text", LISTED["power"])
def test_a_formula_of_two_quantities_is_found(text: str) -> None:
    """The names may have more than one letter, such as `n - 1`."""
    assert text == formula(values(text, _POW), _POW)


def test_zero_has_no_sign() -> None:
    """The constant -0 is written as 0."""
    assert "0" == formula([-0.0] * len(_A), _TANH)


@pytest.mark.parametrize(("scale", "text"), [(5e-324, "0"), (1e-13, "0"), (1e300, None)])
def test_numbers_of_other_sizes_are_not_compared_with_formulas(scale: float, text: str | None) -> None:
    """Tiny numbers are 0 as numbers are compared, and no formula of the table has huge ones."""
    observed = [scale * factor for factor in range(1, len(_A) + 1)]
    with patch(f"{formula.__module__}._candidates", side_effect=AssertionError):
        assert text == formula(observed, _TANH)


@every("text", ["1 - 1.1 * L", "1 - L * L if a < 1 else 0.5", "0.3 if a > 0 else 0.2", "atan(a)"])
def test_other_values_have_no_formula(text: str) -> None:
    """A formula must have the value at every point, and consist of few parts."""
    assert formula(values(text, _TANH), _TANH) is None


def test_few_points_decide_nothing() -> None:
    """Many formulas go through three points."""
    assert formula([1.0, 2.0, 3.0], (("a", (1.0, 2.0, 3.0)),)) is None


def _beyond(names: Names) -> Names:
    """Return the names with their values at further points, for tanh or a power."""
    more = (0.41, -0.63, 0.93)
    if names is _TANH:
        return (("a", (*names[0][1], *more)), ("L", (*names[1][1], *map(math.tanh, more))))
    bases, n = (1.7, 0.83, -1.1), (2.5, -2.0, 3.0)
    return (("n", (*_N, *n)), ("n - 1", (*names[1][1], *(one - 1 for one in n))), ("a", (*_BASES, *bases)))


@pytest.mark.parametrize("names", [_TANH, _POW], ids=["tanh", "power"])
def test_formulas_that_agree_at_the_points_are_equal(names: Names) -> None:
    """No two formulas of the table have the same values at all points of the probes, and differ in their range."""
    at_points = {one.text for one in _table(names).formulas}
    elsewhere = {one.text for one in _table(_beyond(names)).formulas}
    assert set() == elsewhere - at_points
