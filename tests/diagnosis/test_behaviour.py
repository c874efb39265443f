"""Fingerprints are equal exactly where behaviour is."""

import math

import pytest

from grader.answer_book import KnownBehaviour
from grader.client import Broke, Called, Died, Done, Odd, Problem, Read, Reading, Traced
from grader.diagnosis import diagnose, fingerprint

READING = Reading("Value", "data", "grad", "_prev", "closure", "_backward", False)


def read(*results: object) -> Read:
    return Read(READING, ((Done(tuple(results)),),))  # type: ignore[arg-type]


def raised(message: str, lines: list[int]) -> Read:
    problem = Problem("backward", "raised", "NameError", message, lines)
    return Read(READING, ((Broke((), problem),),))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (read((0.1 + 0.2, 1.0)), read((0.3, 1.0))),
        (read((0.0,)), read((-0.0,))),
        (read((math.nan,)), read((math.nan,))),
        (raised("name 'x' is not defined", [3]), raised("name 'x' is not defined", [9])),
        (raised("<Value at 0x7f12>", []), raised("<Value at 0x7f99>", [])),
        (read(Traced(((1, ((0, 1.0),)),))), read(Traced(((1, ()),)))),
        (Problem("backward", "calls", "OutOfCalls", "", [3]), Problem("backward", "cpu", "OutOfTime", "", [4])),
        (Problem("call", "raised", "MemoryError", "", [3]), Problem("backward", "cpu", "OutOfTime", "", [4])),
        (Died("cpu_limit", seconds=2), Problem("backward", "cpu", "OutOfTime", "", [4])),
        (Died("killed", signal="SIGSEGV"), Died("exited")),
    ],
    ids=[
        *("order of summation", "sign of zero", "nan", "line", "address", "what a closure added"),
        *("calls or time", "memory or time", "stopped inside or from outside", "how it left"),
    ],
)
def test_what_does_not_matter_does_not_count(one: Read, other: Read) -> None:
    """Rounding, lines and addresses make no difference, nor which limit a machine hits first."""
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (read((1.0,)), read((1.000001,))),
        (read((1.0,)), read((Odd("NoneType"),))),
        (read((Odd("str"),)), read((Odd("NoneType"),))),
        (read(Called(nodes=(0, 1))), read(Called(nodes=(1, 0)))),
        (read(Called()), read(Called(other="str"))),
        (raised("name 'x' is not defined", []), raised("name 'y' is not defined", [])),
        (Died("wall_limit", seconds=40), Died("exited")),
        (read((1.0,)), Died("protocol_error", detail="")),
        (Read(READING, ((None,),)), read()),
    ],
)
def test_what_matters_counts(one: Read | Died, other: Read | Died) -> None:
    """Numbers, kinds, orders and the words of an exception all tell engines apart."""
    assert fingerprint(one) != fingerprint(other)


def known(name: str, **behaviour: str) -> KnownBehaviour:
    return KnownBehaviour(name, "it is so", "it is not", 1, {k.replace("_", ":"): v for k, v in behaviour.items()})


ONE, OTHER, TWIN = known("one", a_0="x", b_0="y"), known("other", a_0="x", b_0="z"), known("twin", a_0="x", b_0="y")


@pytest.mark.parametrize(
    ("expected", "catalogue", "observed"),
    [
        (ONE, [ONE, OTHER], {"a:0": "x", "b:0": "y"}),
        (None, [ONE, OTHER], {"a:0": "x"}),
        (None, [ONE, OTHER, TWIN], {"a:0": "x", "b:0": "y"}),
        (None, [ONE, OTHER], {"a:0": "x", "b:0": "new"}),
        (None, [ONE], {"a:0": "x", "b:0": "y", "c:0": "z"}),
        (None, [ONE], {}),
        (None, [], {"a:0": "x"}),
    ],
    ids=[
        "exactly one",
        "too little was run",
        "two alike",
        "none",
        "more was run",
        "nothing was run",
        "empty catalogue",
    ],
)
def test_exactly_one_is_named(
    expected: KnownBehaviour | None, catalogue: list[KnownBehaviour], observed: dict[str, str]
) -> None:
    """One that behaves the same on everything that was run is named; several or none are not."""
    assert expected == diagnose(catalogue, observed)
