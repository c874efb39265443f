"""Numbers are spelled exactly, and names are cut to the form that the trusted side accepts."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from every import every

from grader.runner.worker.adapter import values


def without_address(value: object) -> str:
    """Return the same test id in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


class OwnInput:
    """An input of a node."""


class OwnFloat(float):
    def hex(self) -> str:
        return "0x1.8000000000000p+1"


class OwnInt(int):
    def __float__(self) -> float:
        return 3.0


class Liar:
    """An object that claims to be a float."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return float

    def __float__(self) -> float:
        return 3.0

    def hex(self) -> str:
        return "0x1.8000000000000p+1"


class LyingMeta(type):
    """A metaclass that claims other base classes and another name."""

    def mro(cls) -> list[type]:
        return [cls, object]

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return "float"

    @property
    def __mro__(cls) -> tuple[type, ...]:  # type: ignore[override]
        return (cls, float, object)


class LyingKind(metaclass=LyingMeta):
    pass


class EqualsAll(type):
    """A class that equals every other class."""

    def __eq__(cls, other: object) -> bool:
        return True

    __hash__ = type.__hash__


class Chameleon(metaclass=EqualsAll):
    pass


class OwnArray(np.ndarray):  # type: ignore[type-arg]
    def item(self, *args: Any) -> float:  # type: ignore[override]
        return 99.0


def test_pythons_own_numbers_are_spelled_exactly() -> None:
    """A float or an int is spelled by float.hex(), without rounding."""
    given = [3.0, 0.1, -0.0, 5e-324, math.inf, -math.inf, 3, -7, 0, 2**70]
    assert [float(number).hex() for number in given] == [values.spell(number) for number in given]


def test_nan_is_spelled() -> None:
    """nan is a float, too."""
    assert values.spell(math.nan) == "nan"


@every(
    ("expected", "thing"),
    [
        ("!int", 10**400),
        ("!bool", True),
        ("!NoneType", None),
        ("!str", "3.0"),
        ("!list", [3.0]),
        ("!complex", 3j),
        ("!OwnFloat", OwnFloat(3.0)),
        ("!OwnInt", OwnInt(3)),
        ("!Liar", Liar()),
        ("!LyingKind", LyingKind()),
        ("!type", float),
    ],
    ids=without_address,
)
def test_what_is_no_plain_number_goes_by_its_types_name(expected: str, thing: object) -> None:
    """An object that claims to be a number, but is not a float or an int, is spelled as its type's name."""
    assert expected == values.spell(thing)


@every(
    ("expected", "thing"),
    [
        (0.1, np.float64(0.1)),
        (0.5, np.float32(0.5)),
        (float(np.float32(0.1)), np.float32(0.1)),
        (3.0, np.int64(3)),
        (2.5, np.array(2.5)),
        (3.0, np.array(3, dtype=np.int32)),
        (2.5, np.array([2.5])),
        (2.5, np.array([[2.5]])),
        (math.inf, np.float64(math.inf)),
    ],
    ids=without_address,
)
def test_numpys_scalars_are_numbers_once_numpy_is_known(expected: float, thing: object) -> None:
    """A numpy scalar, or an array of one number, is spelled as the number."""
    values.learn_numbers()
    assert expected.hex() == values.spell(thing)


@every(
    ("expected", "thing"),
    [
        ("!ndarray", np.array([1.0, 2.0])),
        ("!ndarray", np.array([])),
        ("!ndarray", np.array(None, dtype=object)),
        ("!ndarray", np.array(True)),
        ("!complex128", np.complex128(1j)),
        ("!str_", np.str_("3.0")),
        ("!" + type(np.bool_(True)).__name__, np.bool_(True)),
        ("!int", np.array(10**400, dtype=object)),
    ],
    ids=without_address,
)
def test_what_numpy_holds_besides_numbers_goes_by_its_name(expected: str, thing: object) -> None:
    """Arrays of several numbers, truth values and texts of numpy are not numbers."""
    values.learn_numbers()
    assert expected == values.spell(thing)


def test_numpys_own_item_is_asked_and_no_other() -> None:
    """A subclass of an array cannot choose its number by its own `item`."""
    values.learn_numbers()
    assert (2.5).hex() == values.spell(np.array(2.5).view(OwnArray))


def test_a_class_that_equals_every_other_is_not_taken_for_numpys() -> None:
    """A learner's metaclass cannot make a class count as numpy's."""
    values.learn_numbers()
    assert values.spell(Chameleon()) == "!Chameleon"


def test_numpy_is_unknown_until_it_is_learned() -> None:
    """Before numpy is loaded, its scalars are not numbers."""
    assert values.spell(np.float64(0.1)) == "!float64"


@every(
    ("expected", "name"),
    [("Value", "Value"), ("a_b", "a b"), ("_hre", "Ähre"), ("object", ""), ("x" * 40, "x" * 200), ("object", "9")],
)
def test_a_types_name_is_cut_to_ascii_letters(expected: str, name: str) -> None:
    """Long names are cut, and other characters become `_`. If nothing is left, the name is `object`."""
    assert expected == values.name_of(type(name, (), {}))


@pytest.mark.parametrize("thing", [Fraction(1, 4), Decimal("0.25")])
def test_fractions_and_decimals_are_numbers(thing: object) -> None:
    """Exact fractions and decimals are numbers."""
    values.learn_numbers()
    assert values.spell(thing) == (0.25).hex()


@pytest.mark.parametrize("thing", [Fraction(10**400), Decimal("sNaN")])
def test_fractions_that_are_no_float_go_by_their_name(thing: object) -> None:
    """A fraction that is too large for a float is spelled as its type's name."""
    values.learn_numbers()
    assert values.spell(thing) == "!" + type(thing).__name__


@pytest.mark.parametrize(
    ("expected", "parts"), [(True, (True,)), (False, (np.False_,)), (0.5, (0.5, True)), (None, (0.5, 2.0)), (None, ())]
)
def test_a_bool_is_an_amount_unless_there_is_a_number(expected: object, parts: tuple[object, ...]) -> None:
    """In an entry, a bool alone is the local derivative; beside a number, it is a mark."""
    values.learn_numbers()
    found = values.entry((source := OwnInput(), *parts), OwnInput)
    assert found == (None if expected is None else (source, expected))
