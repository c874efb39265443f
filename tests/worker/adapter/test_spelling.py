"""Numbers spelled exactly, names cut to what the other side accepts."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from grader.worker.adapter import spelling


def without_address(value: object) -> str:
    """The same test id in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


class OwnFloat(float):
    def hex(self) -> str:
        return "0x1.8000000000000p+1"


class OwnInt(int):
    def __float__(self) -> float:
        return 3.0


class Liar:
    """Claims to be a float."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return float

    def __float__(self) -> float:
        return 3.0

    def hex(self) -> str:
        return "0x1.8000000000000p+1"


class LyingMeta(type):
    """Claims other bases and another name."""

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
    """A class that is equal to every other."""

    def __eq__(cls, other: object) -> bool:
        return True

    __hash__ = type.__hash__


class Chameleon(metaclass=EqualsAll):
    pass


class OwnArray(np.ndarray):  # type: ignore[type-arg]
    def item(self, *args: Any) -> float:  # type: ignore[override]
        return 99.0


def test_pythons_own_numbers_are_spelled_exactly() -> None:
    """A float or an int is spelled by float.hex(), to the last bit."""
    given = [3.0, 0.1, -0.0, 5e-324, math.inf, -math.inf, 3, -7, 0, 2**70]
    assert [float(number).hex() for number in given] == [spelling.spell(number) for number in given]


def test_nan_is_spelled() -> None:
    """Not-a-number is a float, too."""
    assert spelling.spell(math.nan) == "nan"


@pytest.mark.parametrize(
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
    """Whatever claims to be a number without being a float or an int is named, not believed."""
    assert expected == spelling.spell(thing)


@pytest.mark.parametrize(
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
    """A numpy scalar, or an array that holds a single number, is spelled as that number."""
    spelling.learn_numbers()
    assert expected.hex() == spelling.spell(thing)


@pytest.mark.parametrize(
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
    """Arrays of several numbers, truth values and words are no numbers in numpy's wrapping either."""
    spelling.learn_numbers()
    assert expected == spelling.spell(thing)


def test_numpys_own_item_is_asked_and_no_other() -> None:
    """A subclass of an array cannot say what it holds by an `item` of its own."""
    spelling.learn_numbers()
    assert (2.5).hex() == spelling.spell(np.array(2.5).view(OwnArray))


def test_a_class_that_equals_every_other_is_not_taken_for_numpys() -> None:
    """A learner's metaclass has no say in whose number something is."""
    spelling.learn_numbers()
    assert spelling.spell(Chameleon()) == "!Chameleon"


def test_numpy_is_unknown_until_it_is_learned() -> None:
    """Without numpy loaded beforehand its scalars are strangers."""
    assert spelling.spell(np.float64(0.1)) == "!float64"


@pytest.mark.parametrize(
    ("expected", "name"),
    [("Value", "Value"), ("a_b", "a b"), ("_hre", "Ähre"), ("object", ""), ("x" * 40, "x" * 200), ("object", "9")],
)
def test_a_types_name_is_cut_to_ascii_letters(expected: str, name: str) -> None:
    """Names longer or stranger than the other side accepts are cut and spelled with `_`, or give way to `object`."""
    assert expected == spelling.name_of(type(name, (), {}))


@pytest.mark.parametrize("thing", [Fraction(1, 4), Decimal("0.25")])
def test_fractions_and_decimals_are_numbers(thing: object) -> None:
    """Exact arithmetic gives numbers like any other."""
    spelling.learn_numbers()
    assert spelling.spell(thing) == (0.25).hex()


@pytest.mark.parametrize("thing", [Fraction(10**400), Decimal("sNaN")])
def test_fractions_that_are_no_float_go_by_their_name(thing: object) -> None:
    """What float cannot hold is told by its type."""
    spelling.learn_numbers()
    assert spelling.spell(thing) == "!" + type(thing).__name__
