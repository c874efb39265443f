"""Values and gradients of nodes: numbers, or arrays with a shape. The fields of a replay, and arithmetic on them.

A number is a float. An array is a `Shaped`, whose operators broadcast as numpy's do. The fields of a replay go into
JSON: there, None stands for nan, an infinity, or an object that is neither a number nor an array.
"""

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, overload

import msgspec

from ...course.program import arrays


class Shaped(msgspec.Struct, frozen=True):
    """An array: its shape, and its numbers in row-major order. None stands for a number that is not finite."""

    shape: tuple[int, ...]
    numbers: tuple[float | None, ...]

    def __add__(self, other: "Amount") -> "Amount":
        return _combined(operator.add, self, other)

    def __radd__(self, other: "Amount") -> "Amount":
        return _combined(operator.add, other, self)

    def __sub__(self, other: "Amount") -> "Amount":
        return _combined(operator.sub, self, other)

    def __rsub__(self, other: "Amount") -> "Amount":
        return _combined(operator.sub, other, self)

    def __rmul__(self, other: "Amount") -> "Amount":
        return _combined(operator.mul, other, self)


Amount: TypeAlias = float | Shaped
"""A number, which may be nan or an infinity, or an array."""

Field: TypeAlias = Amount | None
"""A number or an array in the form for JSON."""


def amount_of(numbers: Sequence[float], shape: arrays.Shape) -> Amount:
    """Return numbers as an array of a shape, or as a number."""
    return Shaped(tuple(shape), tuple(map(_finite, numbers))) if shape else numbers[0]


def numbers_of(amount: Field) -> Sequence[float]:
    """Return all numbers, with nan for None."""
    return tuple(map(_number, amount.numbers)) if isinstance(amount, Shaped) else (_number(amount),)


def flat(amounts: Iterable[Field]) -> list[float]:
    """Return the numbers of all amounts in one list, with nan for None."""
    return [one for amount in amounts for one in numbers_of(amount)]


def shape_of(amount: Field) -> arrays.Shape:
    """Return the shape."""
    return amount.shape if isinstance(amount, Shaped) else ()


def is_zero(amount: Field) -> bool:
    """Return whether all numbers are exactly 0."""
    return all(number == 0 for number in numbers_of(amount))


@overload
def finite(amount: float) -> float | None: ...
@overload
def finite(amount: Amount) -> Field: ...
def finite(amount: Amount) -> Field:
    """Return an amount in the form for JSON: a number is None unless it is finite."""
    return amount if isinstance(amount, Shaped) else _finite(amount)


def number(amount: Field) -> Amount:
    """Return a field as an amount: nan for None."""
    return math.nan if amount is None else amount


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _combined(function: Callable[[float, float], float], one: Amount, other: Amount) -> Amount:
    """Return a function of two amounts, number by number; nan if their shapes do not fit."""
    shapes = shape_of(one), shape_of(other)
    try:
        shape = arrays.broadcast(*shapes)
    except arrays.ShapeError:
        return math.nan
    first, second = numbers_of(one), numbers_of(other)
    behind = zip(arrays.places(shapes[0], shape), arrays.places(shapes[1], shape), strict=True)
    return amount_of([function(first[i], second[j]) for i, j in behind], shape)
