"""Numbers spelled exactly, names cut to what the other side accepts, frames of whole messages."""

import math
import os
import re
import socket
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from grader.worker import frames


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
    assert [float(number).hex() for number in given] == [frames.spell(number) for number in given]


def test_nan_is_spelled() -> None:
    """Not-a-number is a float, too."""
    assert frames.spell(math.nan) == "nan"


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
    assert expected == frames.spell(thing)


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
    frames.learn_numbers()
    assert expected.hex() == frames.spell(thing)


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
    frames.learn_numbers()
    assert expected == frames.spell(thing)


def test_numpys_own_item_is_asked_and_no_other() -> None:
    """A subclass of an array cannot say what it holds by an `item` of its own."""
    frames.learn_numbers()
    assert (2.5).hex() == frames.spell(np.array(2.5).view(OwnArray))


def test_a_class_that_equals_every_other_is_not_taken_for_numpys() -> None:
    """A learner's metaclass has no say in whose number something is."""
    frames.learn_numbers()
    assert frames.spell(Chameleon()) == "!Chameleon"


def test_numpy_is_unknown_until_it_is_learned() -> None:
    """Without numpy loaded beforehand its scalars are strangers."""
    assert frames.spell(np.float64(0.1)) == "!float64"


@pytest.mark.parametrize(
    ("expected", "name"),
    [("Value", "Value"), ("a_b", "a b"), ("_hre", "Ähre"), ("object", ""), ("x" * 40, "x" * 200), ("object", "9")],
)
def test_a_types_name_is_cut_to_ascii_letters(expected: str, name: str) -> None:
    """Names longer or stranger than the other side accepts are cut and spelled with `_`, or give way to `object`."""
    assert expected == frames.name_of(type(name, (), {}))


@pytest.mark.parametrize("message", [None, [], ["done", [["values", ["0x1.0p+0"]]]], "ü \ud800 \0", {"a": 1.5}])
def test_a_frame_holds_one_whole_message(message: Any) -> None:
    """What write_frame writes, receive reads, with nothing left over."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        frames.write_frame(theirs.fileno(), message)
        frames.write_frame(theirs.fileno(), "next")
        assert frames.receive(ours, 0) == (message, [])
        assert frames.receive(ours, 0) == ("next", [])


def test_a_large_frame_comes_in_pieces() -> None:
    """A message larger than the socket's buffer is put together again."""
    ours, theirs = socket.socketpair()
    message = ["x" * 1000] * 5000
    child = os.fork()
    if child == 0:
        try:
            frames.write_frame(theirs.fileno(), message)
        finally:
            os._exit(0)
    with ours, theirs:
        assert frames.receive(ours, 0) == (message, [])
    assert os.waitpid(child, 0)[1] == 0


def test_descriptors_travel_beside_the_header() -> None:
    """A descriptor sent with a request arrives usable."""
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    with ours, theirs:
        socket.send_fds(theirs, [frames.HEADER.pack(2)], [writing])
        theirs.sendall(b"{}")
        received = frames.receive(ours, 1)
    os.close(writing)
    assert received is not None
    request, (fd,) = received
    os.write(fd, b"hello")
    os.close(fd)
    assert request == {}
    assert os.read(reading, 10) == b"hello"
    os.close(reading)


@pytest.mark.parametrize("sent", [b"", b"\0\0", b"\0\0\0\5", b'\0\0\0\5"ab'])
def test_an_end_that_has_gone_is_no_request(sent: bytes) -> None:
    """Whatever part of a request came before the other end closed, there is none."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(sent)
        assert frames.receive(ours, 0) is None


@pytest.mark.parametrize("thing", [Fraction(1, 4), Decimal("0.25")])
def test_fractions_and_decimals_are_numbers(thing: object) -> None:
    """Exact arithmetic gives numbers like any other."""
    frames.learn_numbers()
    assert frames.spell(thing) == (0.25).hex()


@pytest.mark.parametrize("thing", [Fraction(10**400), Decimal("sNaN")])
def test_fractions_that_are_no_float_go_by_their_name(thing: object) -> None:
    """What float cannot hold is told by its type."""
    frames.learn_numbers()
    assert frames.spell(thing) == "!" + type(thing).__name__
