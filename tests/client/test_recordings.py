"""A recorded run from a worker fits the program, or it is refused."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.client import (
    Batch,
    Broke,
    Done,
    GradientChange,
    Nothing,
    Odd,
    Problem,
    Read,
    Recorded,
    Refused,
    RuleVisit,
    Run,
    bounds,
)
from grader.client.protocol import decode_batch
from grader.program import program
from grader.worker.adapter import recording
from grader.worker.confine.framing import HEADER

ASKED = program("L = a * b", a=2, b=3)
STEPS = (("record", 1), ("backward", 2))
ONE = Batch((Run(ASKED, STEPS),), 1000, 1.0, (0,))
READING: list[Any] = ["Value", "data", "grad", "_prev", "closure", "_backward", False]
PROBLEM: list[Any] = ["build", "raised", "ValueError", "no", [3, 17]]
TWO, THREE, ZERO = ((number).hex() for number in (2.0, 3.0, 0.0))
CHANGES: list[Any] = [[0, ZERO, THREE, 8, False], [1, "!NoneType", TWO, 9, True]]
RECORD: list[Any] = [
    "record",
    [0, 0, 5],
    [[2, False, ZERO, 7, CHANGES]],
    [TWO, THREE, TWO],
    [THREE, TWO, "nan"],
    0,
    False,
]

hypothesis_settings = settings(max_examples=300, database=None, deadline=None, derandomize=True)


def frame(*outcome: Any) -> bytes:
    """Return an answer to `ONE`."""
    body = json.dumps(["read", READING, [[list(outcome)]]]).encode()
    return HEADER.pack(len(body)) + body


def forged(place: tuple[int, ...], value: Any) -> list[Any]:
    """Return the honest recording with another value in one place."""
    message = copy.deepcopy(RECORD)
    inside = message
    for i in place[:-1]:
        inside = inside[i]
    inside[place[-1]] = value
    return message


def outcome_of(answer: bytes, batch: Batch = ONE) -> Any:
    read = decode_batch(answer, batch)
    assert isinstance(read, Read)
    return read.seeds[0][0]


def test_a_recording_is_read() -> None:
    """Nodes with lines, visits with changes, values and gradients are decoded without a change."""
    outcome = outcome_of(frame("done", [RECORD, ["nothing"]]))
    changes = (GradientChange(0, 0.0, 3.0, 8, outside=False), GradientChange(1, Odd("NoneType"), 2.0, 9, outside=True))
    visit = RuleVisit(2, inner=False, upstream=0.0, line=7, changes=changes)
    (found,) = outcome.recorded
    assert ((0, 0), (1, 0), (2, 5)) == found.made
    assert (visit,) == found.visits
    assert (2.0, 3.0, 2.0) == found.values
    assert (3.0, 2.0) == found.grads[:2]
    assert outcome == Done((found, Nothing()))


def test_a_run_that_broke_while_building_shows_what_was_made() -> None:
    """Nodes that were not made have no value, and the recording is the only result."""
    outcome = outcome_of(frame("broke", [["record", [0], [], [TWO], [ZERO], 0, False]], PROBLEM))
    expected = Recorded(((0, 0),), (), (2.0, None, None), (0.0, None, None), 0, elsewhere=False)
    assert Broke((expected,), Problem(*PROBLEM)) == outcome


def test_a_run_that_went_through_made_every_node() -> None:
    """If nothing went wrong, a recording of only a part of the program is refused."""
    with pytest.raises(Refused):
        decode_batch(frame("done", [["record", [0], [], [TWO], [ZERO], 0, False], ["nothing"]]), ONE)


def test_under_another_order_seed_nodes_come_back_in_the_programs_order() -> None:
    """If a program was rearranged, lines, visits and numbers refer to its own nodes."""
    asked = program("L = (a * b) + (c + d)", a=2, b=3, c=5, d=7)
    batch = Batch((Run(asked, (("record", 1), ("backward", 6))),), 1000, 1.0, (0, 1))
    arrangement = batch.arrangements[1][0]
    assert arrangement is not None
    values = [float(index).hex() for index in range(7)]
    visits = [[6, False, ZERO, 1, [[3, ZERO, TWO, 1, False]]]]
    outcome = ["done", [["record", [*range(7)], visits, values, values, 0, False], ["nothing"]]]
    body = json.dumps(["read", READING, [[outcome], [outcome]]]).encode()
    read = decode_batch(HEADER.pack(len(body)) + body, batch)
    assert isinstance(read, Read)
    (other,) = read.seeds[1][0].recorded  # type: ignore[union-attr]
    assert list(arrangement.places) == list(other.values) == list(other.grads)
    assert {place: i for i, place in enumerate(arrangement.places)} == {line: node for node, line in other.made}
    assert arrangement.places[other.visits[0].node] == 6
    assert arrangement.places[other.visits[0].changes[0].node] == 3


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ((1,), [0, 0]),
        ((1,), [0, 0, 5, 5]),
        ((1, 2), -1),
        ((1, 2), 10**8),
        ((2, 0, 0), 3),
        ((2, 0, 0), -1),
        ((2, 0, 1), 0),
        ((2, 0, 2), "1.0"),
        ((2, 0, 3), None),
        ((2, 0, 4, 0, 0), 3),
        ((2, 0, 4, 0, 0), -1),
        ((2, 0, 4, 0, 1), 0.0),
        ((2, 0, 4, 0, 4), "no"),
        ((2, 0, 4, 0), [0, ZERO, THREE, 8]),
        ((2, 0), [2, False, ZERO, 7]),
        ((3,), [TWO, THREE]),
        ((4,), [TWO, THREE, TWO, TWO]),
        ((4, 0), "x" * 50),
        ((5,), -1),
        ((5,), None),
        ((6,), 1),
    ],
)
def test_what_does_not_fit_is_refused(place: tuple[int, ...], value: Any) -> None:
    """Nodes, lines, numbers and flags must be of their form and fit the program."""
    with pytest.raises(Refused):
        decode_batch(frame("done", [forged(place, value), ["nothing"]]), ONE)


def test_more_than_a_worker_sends_is_refused() -> None:
    """A recording has a limited number of visits, and of changes in all visits together."""
    few = [2, False, ZERO, 7, CHANGES * 20]
    for visits in ([[2, False, ZERO, 7, []]] * (bounds.VISITS + 1), [few] * (bounds.CHANGES // 40 + 1)):
        with pytest.raises(Refused):
            decode_batch(frame("done", [forged((2,), visits), ["nothing"]]), ONE)
    assert (recording.MOST_VISITS, recording.MOST_CHANGES) == (bounds.VISITS, bounds.CHANGES)


def test_the_longest_recording_that_a_worker_sends_fits() -> None:
    """Each order seed may send the maximum number of visits and changes."""
    long = (-1.2345678901234567e-300).hex()
    changes = [[2, long, long, 10**6, False]] * (bounds.CHANGES // bounds.VISITS)
    visits = [[2, False, long, 10**6, changes]] * bounds.VISITS
    outcome = ["done", [["record", [10**6] * 3, visits, [long] * 3, [long] * 3, 10**6, False], ["nothing"]]]
    batch = Batch((Run(ASKED, STEPS),), 1000, 1.0)
    body = json.dumps(["read", READING, [[outcome]] * 4]).encode()
    assert isinstance(decode_batch(HEADER.pack(len(body)) + body, batch), Read)


def places(message: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Yield the places of everything in nested lists."""
    inner = enumerate(message) if isinstance(message, list) else ()
    return [path, *(place for i, part in inner for place in places(part, (*path, i)))]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([ZERO, "nan", "!str", "record", ""]),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.slow
@given(st.sampled_from(places(RECORD)[1:]), json_values, st.booleans())
@hypothesis_settings
def test_a_recording_with_something_else_in_one_place_is_read_or_refused(
    place: tuple[int, ...], value: Any, broke: bool
) -> None:
    """If any part is replaced, the recording is refused or fits the program."""
    record = forged(place, value)
    answer = frame("broke", [record], PROBLEM) if broke else frame("done", [record, ["nothing"]])
    try:
        outcome = outcome_of(answer)
    except Refused:
        return
    (found,) = outcome.recorded
    assert len(ASKED.nodes) == len(found.values) == len(found.grads)
    assert all(0 <= visit.node < len(ASKED.nodes) for visit in found.visits)
