"""An answer from a worker is a claim: it has exactly the expected form, or it is refused.

`BACKWARD_FUZZ_CASES` sets the number of made-up answers (default: a few hundred).
"""

import copy
import json
import math
import os
import random
from typing import Any

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.program import chain, program
from grader.runner.client import (
    Array,
    Batch,
    Broke,
    Called,
    Done,
    GradientChange,
    Misshapen,
    Nothing,
    Numbers,
    NumbersOfArrays,
    Odd,
    Problem,
    Read,
    Reading,
    Recorded,
    Refused,
    Ruled,
    RuleVisit,
    Run,
    Traced,
    Values,
    ask,
    bounds,
)
from grader.runner.client.protocol import decode_batch, decode_load
from grader.runner.worker.adapter import recording
from grader.runner.worker.adapter.log import MOST_EVENTS
from grader.runner.worker.adapter.trace import MOST_NODES
from grader.runner.worker.confine.framing import HEADER

CASES = int(os.environ.get("BACKWARD_FUZZ_CASES", "300"))
hypothesis_settings = settings(max_examples=CASES, database=None, derandomize="BACKWARD_FUZZ_CASES" not in os.environ)

ASKED = program("L = a * b", a=2, b=3)
ALL_STEPS: tuple[ask.RunStep, ...] = (
    ask.VALUES,
    ask.GRADS,
    ask.Preload([(0, 1.0)]),
    ask.LocalRules(2, 1.0),
    ask.Triple(2),
    ask.WATCH,
    ask.Backward(2),
    ask.TRACED,
    ask.CallFunction("build_topo", [("node", 2)]),
    ask.LookAtRule(2),
)
BATCH = Batch((Run(ASKED, ALL_STEPS), Run(ASKED, (ask.VALUES,))), 1000, 1.0, (0, 1))
ONE = Batch((Run(ASKED, (ask.VALUES,)),), 1000, 1.0, (0,))

READING: list[Any] = ["Value", "data", "grad", "_prev", "closure", "_backward", False]
PROBLEM: list[Any] = ["backward", "raised", "ValueError", "no", [3, 17]]
TOKENS = [(2.0).hex(), (3.0).hex(), (6.0).hex()]
RESULTS = [
    ["values", TOKENS],
    ["grads", ["nan", "-inf", "!NoneType"]],
    ["nothing"],
    ["nothing"],
    ["nothing"],
    ["nothing"],
    ["nothing"],
    ["trace", [[2, [[0, (3.0).hex()], [1, (2.0).hex()]]]]],
    ["called", None, [0, 1, 2]],
    ["rule", "own", False, 12, 14],
]


def framed(body: bytes) -> bytes:
    return HEADER.pack(len(body)) + body


def frame(message: Any) -> bytes:
    return framed(json.dumps(message).encode("ascii"))


def honest() -> list[Any]:
    """Return a right answer to `BATCH`."""
    outcome, small = ["done", RESULTS], ["done", [["values", TOKENS]]]
    broke = ["broke", RESULTS[:6], PROBLEM]
    return copy.deepcopy(["read", READING, [[outcome, small], [broke, None]]])


def one(*outcome: Any, reading: Any = READING) -> list[Any]:
    """Return an answer to `ONE`."""
    return ["read", reading, [[list(outcome)]]]


def forged(message: list[Any], place: tuple[int, ...], value: Any) -> list[Any]:
    """Return a copy of a message with another value in one place."""
    forgery = copy.deepcopy(message)
    inside = forgery
    for i in place[:-1]:
        inside = inside[i]
    inside[place[-1]] = value
    return forgery


# -- honest answers -----------------------------------------------------------------------------------------


def test_a_right_answer_is_read() -> None:
    """Every kind of result is decoded without a change."""
    answer = decode_batch(frame(honest()), BATCH)
    assert isinstance(answer, Read)
    assert Reading(*READING) == answer.reading
    (whole, small), (broke, unrun) = answer.seeds
    assert isinstance(whole, Done)
    assert Values(Numbers((2.0, 3.0, 6.0))) == whole.results[0]
    (grads,) = whole.grads
    assert isinstance(grads[0], float)
    assert math.isnan(grads[0])
    assert (-math.inf, Odd("NoneType")) == grads[1:]
    assert (Nothing(),) * 5 == whole.results[2:7]
    assert Traced(((2, ((0, 3.0), (1, 2.0))),)) == whole.results[7]
    assert Called(nodes=(0, 1, 2)) == whole.results[8]
    assert Ruled("own", alone=False, first=12, last=14) == whole.results[9]
    assert Done((Values(Numbers((2.0, 3.0, 6.0))),)) == small
    assert isinstance(broke, Broke)
    assert (6, Problem(*PROBLEM)) == (len(broke.results), broke.problem)
    assert unrun is None


@every(
    ("expected", "result"),
    [
        (Called(), ["called"]),
        (Called(truth=True), ["called", None, None, None, True]),
        (Called(nodes=()), ["called", None, []]),
        (Called(nodes=(-1, 7)), ["called", None, [-1, 7]]),
        (Called(Numbers((1.5,))), ["called", [(1.5).hex()]]),
        (Called(Numbers((Odd("str"),))), ["called", ["!str"]]),
        (Called(other="dict"), ["called", None, None, "dict"]),
        (
            Called(array=Array((1, 2), "float64", Numbers((1.5, 2.0)))),
            ["called", None, None, None, None, [[1, 2], "float64", [(1.5).hex(), (2.0).hex()]]],
        ),
    ],
)
def test_whatever_a_call_returned_is_read(expected: Called, result: list[Any]) -> None:
    """A function may have returned None, nodes, numbers, an array or something else."""
    batch = Batch((Run(ASKED, (ask.CallFunction("f", []),)),), 1, 1.0, (0,))
    answer = decode_batch(frame(one("done", [result])), batch)
    assert isinstance(answer, Read)
    assert answer.seeds == ((Done((expected,)),),)


@every(
    ("step", "result"),
    [
        (ask.CallFunction("f"), ["called", TOKENS, [0]]),
        (ask.CallFunction("f"), ["called", None, [0], "dict"]),
        (ask.CallFunction("f"), ["called", TOKENS, None, None, False]),
        (ask.CallFunction("f"), ["called", TOKENS, None, None, None, [[], "float", [(1.5).hex()]]]),
        (ask.CallFunction("f"), ["called", None, None, None, None, [[2], "float64", [(1.5).hex()]]]),
        (ask.GIVEN_LIST, ["called"]),
        (ask.GIVEN_LIST, ["called", TOKENS]),
        (ask.GIVEN_NUMBERS, ["called", None, [0]]),
    ],
)
def test_a_call_returned_one_thing(step: ask.RunStep, result: list[Any]) -> None:
    """The result of a function is of one kind. A list that was given to a function has nodes, or numbers."""
    with pytest.raises(Refused):
        decode_batch(frame(one("done", [result])), Batch((Run(ASKED, (step,)),), 1, 1.0, (0,)))


@given(st.lists(st.floats(), min_size=3, max_size=3))
@hypothesis_settings
def test_every_float_goes_there_and_back(numbers: list[float]) -> None:
    """float.hex() preserves every number."""
    answer = decode_batch(frame(one("done", [["values", [number.hex() for number in numbers]]])), ONE)
    assert isinstance(answer, Read)
    outcome = answer.seeds[0][0]
    assert isinstance(outcome, Done)
    assert [number.hex() for number in numbers] == [float(x).hex() for x in outcome.values[0]]  # type: ignore[arg-type]


def test_an_unread_engine_is_a_problem() -> None:
    """A file without an engine gives a problem instead of outcomes."""
    assert Problem(*PROBLEM) == decode_batch(frame(["unread", PROBLEM]), BATCH)


@every(("expected", "answer"), [(True, ["loaded"]), (False, ["not_started"]), (Problem(*PROBLEM), ["failed", PROBLEM])])
def test_the_answers_to_a_load_are_three(expected: Any, answer: list[Any]) -> None:
    """A file was loaded, was not started, or has a problem."""
    assert expected == decode_load(frame(answer))


@pytest.mark.parametrize("other", [6.0, 7.0])
def test_outcomes_that_differ_only_in_the_order_of_nodes_are_one(other: float) -> None:
    """The same numbers under two order seeds are one object, which is judged once. Other numbers are another one."""
    batch = Batch((Run(ASKED, (ask.VALUES, ask.Backward(2), ask.GRADS)),), 1000, 1.0, (0, 4))
    (arrangement,) = batch.arrangements[1]
    assert arrangement is not None

    def outcome(places: tuple[int, ...], product: float) -> list[Any]:
        values, grads = [""] * 3, [""] * 3
        for place, value, grad in zip(places, (2.0, 3.0, product), (3.0, 2.0, 1.0), strict=True):
            values[place], grads[place] = value.hex(), grad.hex()
        return ["done", [["values", values], ["nothing"], ["grads", grads]]]

    seeds = [[outcome((0, 1, 2), 6.0)], [outcome(arrangement.places, other)]]
    read = decode_batch(frame(["read", READING, seeds]), batch)
    assert isinstance(read, Read)
    ((first,), (second,)) = read.seeds
    assert isinstance(second, Done)
    assert ((2.0, 3.0, other), (3.0, 2.0, 1.0)) == (second.values[0], second.grads[0])
    assert (other == 6.0) == (first is second)


def test_what_is_asked_has_plain_data_only() -> None:
    """A batch is sent as JSON: programs, also rearranged ones, steps, seeds and budgets, but no names of nodes."""
    asked = json.loads(BATCH.encode())
    assert {"runs", "rearranged", "order_seeds", "calls", "cpu_s", "engine"} == set(asked)
    assert [["leaf", 2.0], ["leaf", 3.0], ["mul", 0, 1]] == asked["runs"][0][0]
    assert ([0, 1], 1000, 1.0) == (asked["order_seeds"], asked["calls"], asked["cpu_s"])


def test_the_longest_honest_answer_fits_under_the_cap() -> None:
    """The limit of a batch leaves room for the longest numbers, and for a trace of every node."""
    long = (-1.2345678901234567e-300).hex()
    trace = [[i, [[j, long] for j in range(3)]] for i in range(3)]
    results = [
        ["values", [long] * 3],
        ["grads", [long] * 3],
        *RESULTS[2:7],
        ["trace", trace],
        ["called", None, [10**7] * 72],
        RESULTS[9],
    ]
    outcome = ["done", results]
    answer = frame(["read", READING, [[outcome, ["done", [["values", [long] * 3]]]]] * 2])
    assert len(answer) < BATCH.answer_cap
    assert isinstance(decode_batch(answer, BATCH), Read)


# -- forgeries ------------------------------------------------------------------------------------------------

HONEST = json.dumps(honest()).encode()


@every(
    "answer",
    [
        b"",
        b"\0",
        b"\0\0\0",
        b"\0\0\0\0",
        HEADER.pack(len(HONEST) + 1) + HONEST,
        HEADER.pack(len(HONEST) - 1) + HONEST,
        HEADER.pack(0xFFFFFFFF) + HONEST,
        framed(HONEST) + b"\n",
        framed(HONEST) + framed(HONEST),
        HONEST,
        framed(HONEST + b" x"),
        framed(HONEST + b"]"),
        framed(HONEST[:-1]),
        framed(HONEST + HONEST),
        framed(b"\xef\xbb\xbf" + HONEST),
        framed(HONEST.replace(b"ValueError", b"Value\xff\xfe")),
        framed(HONEST.replace(b'"no"', b'"\xed\xa0\x80"')),
        framed(HONEST.replace(b'"no"', b'"\\ud800"')),
        framed(HONEST.replace(b'"no"', b'"\\udc00\\ud800"')),
        framed(HONEST.replace(b'"no"', b'"\n"')),
        framed(HONEST.decode().encode("utf-16")),
        framed(b"[" * 100_000),
        framed(b"[" * 100_000 + b"]" * 100_000),
        framed(b'{"a":' * 10_000),
        framed(b'["read", ' + b"[" * 5000 + b"]" * 5000 + b"]"),
        framed(b"9" * 100_000),
        framed(b'"' + b"x" * 1_000_000 + b'"'),
        framed(b"\0" * 1000),
    ],
    ids=range(28),
)
def test_bytes_that_are_no_answer_are_refused(answer: bytes) -> None:
    """Wrong lengths, extra bytes and broken or deeply nested JSON are refused by both readers, without an exception."""
    with pytest.raises(Refused):
        decode_batch(answer, BATCH)
    with pytest.raises(Refused):
        decode_load(answer)


@every(
    "body",
    [
        'null', 'true', '0', '"read"', '[]', '{}', '[[]]', '["passed"]', '["read"]', '["loaded"]', '["unread"]',
        '["status", "passed"]', '["unread", null]', '{"read": []}', '["read", [], []]', '[0, [], []]',
        '["read", null, []]',
        '["Read", ["Value", "data", "grad", "", "", "", false], [[["done", [["values", []]]]]]]',
    ],
)  # fmt: skip
def test_messages_of_another_kind_are_refused(body: str) -> None:
    """JSON that is not an answer to a batch is refused."""
    with pytest.raises(Refused):
        decode_batch(framed(body.encode()), ONE)


@every(
    "body",
    ['null', '[]', '["loaded", 1]', '["loaded", []]', '["Loaded"]', '["failed"]', '["failed", []]', '["read"]', '{}',
     '"loaded"', '["not_started", "loaded"]', '[["loaded"]]', '["unread", ["a", "b", "c", "d", []]]'],
)  # fmt: skip
def test_other_answers_to_a_load_are_refused(body: str) -> None:
    """Only three messages answer a load, without additional parts."""
    with pytest.raises(Refused):
        decode_load(framed(body.encode()))


@every(
    "token",
    [
        "NaN", "Infinity", "-Infinity", "6", "6.0", "1e400", "null", "true", "[]", "{}",
        '"6.0"', '"6"', '"NAN"', '"nan "', '" nan"', '"+inf"', '"infinity"', '"-nan"', '""', '"!"', '"!!float"',
        '"! float"', '"!a b"', '"!größe"', '"!' + "x" * 41 + '"',
        '"0x1.8000000000000p+9999"', '"0x1.8p+99999"', '"0x1.8p1"', '"0X1.8P+1"', '"0x2.0p+0"', '"0x1p+0"',
        '"+0x1.8p+0"', '"--0x1.8p+0"', '"0x1.80000000000000p+0"', '"0x1.gp+0"', '"0x1.8p+0\\n"', '"0x1.8p+0x"',
        '"\\uff10x1.8p+0"', '"0x1.8p+\\u0661"', '"0x1_0.8p+0"',
    ],
)  # fmt: skip
def test_a_number_has_one_spelling(token: str) -> None:
    """Numbers are spelled as by float.hex(): no bare ones, no other forms, and none that overflow."""
    body = json.dumps(one("done", [["values", [TOKENS[0], TOKENS[1], "HERE"]]])).replace('"HERE"', token)
    with pytest.raises(Refused):
        decode_batch(framed(body.encode()), ONE)


@every("token", ["nan", "inf", "-inf", "0x0.0p+0", "-0x0.0p+0", "0x0.0000000000001p-1022", "!a", "!_"])
def test_every_spelling_that_float_hex_has_is_accepted(token: str) -> None:
    """Infinities, zeros, subnormal numbers and the names of other types are valid tokens."""
    assert isinstance(decode_batch(frame(one("done", [["values", [token] * 3]])), ONE), Read)


NUMBERS = ["values", TOKENS]


@every(
    "answer",
    [
        one("done", []),
        one("done", [NUMBERS, NUMBERS]),
        one("done", [["values", TOKENS[:2]]]),
        one("done", [["values", [*TOKENS, TOKENS[0]]]]),
        one("done", [["values", []]]),
        one("done", [["values"]]),
        one("done", [["values", TOKENS, []]]),
        one("done", [["grads", TOKENS]]),
        one("done", [["called", TOKENS]]),
        one("done", [["nothing"]]),
        one("done", [["called", None, [0, 1, 2]]]),
        one("done", [["passed"]]),
        one("done", NUMBERS),
        one("done"),
        one("done", [NUMBERS], PROBLEM),
        one("unrun", []),
        one("broke", []),
        one("broke", [NUMBERS, NUMBERS], PROBLEM),
        one("broke", [["values", []]], PROBLEM),
        one("broke", [], PROBLEM[:4]),
        one("broke", [], [*PROBLEM, 1]),
        one("passed", [NUMBERS]),
        ["read", READING, []],
        ["read", READING, [[]]],
        ["read", READING, [[["done", [NUMBERS]]]] * 2],
        ["read", READING, [[["done", [NUMBERS]]] * 2]],
        ["read", READING, [["done", [NUMBERS]]]],
        ["read", READING, [[["unrun"]]]],
        ["read", READING, None],
        ["read", READING, [[["done", [NUMBERS]]]], "extra"],
        ["read", [[["done", [NUMBERS]]]]],
        ["read", READING[:6], [[["done", [NUMBERS]]]]],
        ["read", [*READING, 1], [[["done", [NUMBERS]]]]],
    ],
    ids=range(33),
)
def test_too_few_or_too_many_of_anything_are_refused(answer: Any) -> None:
    """Seeds, runs, results, nodes and fields come in exactly the requested numbers, with known tags."""
    with pytest.raises(Refused):
        decode_batch(frame(answer), ONE)


@every("step", ALL_STEPS, ids=[step.name for step in ALL_STEPS])
@every("result", [*RESULTS, ["called", TOKENS], ["called", None, None, "str"]], ids=lambda r: str(r[0]))
def test_each_step_has_its_own_kind_of_answer(step: ask.RunStep, result: list[Any]) -> None:
    """A step's answer is of the step's kind. A call may return numbers or something else."""
    fits = {
        "values": "values",
        "grads": "grads",
        "traced": "trace",
        "rule": "rule",
        "call": "called",
    }
    batch = Batch((Run(ASKED, (step,)),), 1, 1.0, (0,))
    if result[0] == fits.get(step.name, "nothing"):
        assert isinstance(decode_batch(frame(one("done", [result])), batch), Read)
    else:
        with pytest.raises(Refused):
            decode_batch(frame(one("done", [result])), batch)


@every("index", [-2, -(10**9), 10**7 + 1, 2**63, 2**64, 10**30, 1.0, 1.5, "1", None, True, [1]])
def test_an_index_lies_in_its_range(index: Any) -> None:
    """A node is a small whole number or -1, in a list of nodes and in a trace."""
    call = Batch((Run(ASKED, (ask.CallFunction("f", []),)),), 1, 1.0, (0,))
    trace = Batch((Run(ASKED, (ask.TRACED,)),), 1, 1.0, (0,))
    for batch, result in (
        (call, ["called", None, [index]]),
        (trace, ["trace", [[index, []]]]),
        (trace, ["trace", [[0, [[index, TOKENS[0]]]]]]),
    ):
        with pytest.raises(Refused):
            decode_batch(frame(one("done", [result])), batch)


@every(
    "calls", [[[0]], [[0, [], []]], [[0, [[0]]]], [[0, [[0, 1.0]]]], [[0, [[0, TOKENS[0], 1]]]], [0], [{}], {"0": []}]
)
def test_a_trace_has_pairs_of_pairs(calls: Any) -> None:
    """Each run of a closure is a node and what it added where."""
    batch = Batch((Run(ASKED, (ask.TRACED,)),), 1, 1.0, (0,))
    with pytest.raises(Refused):
        decode_batch(frame(one("done", [["trace", calls]])), batch)


@every(
    ("place", "value"),
    [
        *((place, value) for place in (0, 1, 2) for value in ("", "a b", "größe", "x" * 41, 1, None, ["a"], "a\n")),
        (3, "x" * 301), (3, 1), (3, None), (3, []), (4, [-1]), (4, [1.5]), (4, ["1"]), (4, [10**8]), (4, None), (4, 1),
    ],
)  # fmt: skip
def test_a_problem_is_told_in_bounded_words(place: int, value: Any) -> None:
    """Step, kind and type are names, the message has at most 300 characters, and lines are line numbers."""
    problem = forged(PROBLEM, (place,), value)
    for answer in (one("broke", [], problem), ["unread", problem]):
        with pytest.raises(Refused):
            decode_batch(frame(answer), ONE)
    with pytest.raises(Refused):
        decode_load(frame(["failed", problem]))


@every(
    ("place", "value"),
    [
        *((place, value) for place in (0, 1, 2) for value in ("", "a b", 1, None)),
        *((place, value) for place in (3, 4, 5) for value in ("a b", 1, None)),
        (4, "passed"), (6, 0), (6, None), (6, "false"),
    ],
)  # fmt: skip
def test_a_reading_has_names_in_it(place: int, value: Any) -> None:
    """Class, value and gradient have names. Inputs and rule may have none. The kind of rule is known."""
    with pytest.raises(Refused):
        decode_batch(frame(one("done", [NUMBERS], reading=forged(READING, (place,), value))), ONE)


def test_an_answer_may_be_longer_than_pythons_recursion_is_deep() -> None:
    """A long flat answer is read like a short one."""
    batch = Batch((Run(chain(25_000), (ask.CallFunction("f", []),)),), 1, 1.0, (0,))
    answer = decode_batch(frame(one("done", [["called", None, list(range(50_000))]])), batch)
    assert isinstance(answer, Read)


# -- how much ---------------------------------------------------------------------------------------------------

CALL = Batch((Run(ASKED, (ask.CallFunction("f", []),)),), 1, 1.0, (0,))


def test_a_batch_has_room_for_as_many_values_as_an_honest_answer_has() -> None:
    """A function may return as many things as the batch allows values."""
    few = CALL.most_values - 30
    answer = decode_batch(frame(one("done", [["called", None, [1] * few]])), CALL)
    assert isinstance(answer, Read)
    assert answer.seeds == ((Done((Called(nodes=(1,) * few),)),),)


@pytest.mark.parametrize("result", [["called", None, [1]], ["called", ["nan"]], ["trace", [[0, []]]], ["what", [None]]])
def test_more_values_than_a_batch_allows_are_refused_unread(result: list[Any]) -> None:
    """An answer with too many values is refused with this reason, without decoding it."""
    batch = Batch((Run(chain(100_000), (ask.CallFunction("f", []),)),), None, 1.0, (2,))
    longer = [*result[:-1], result[-1] * batch.most_values]
    with pytest.raises(Refused, match=f"more than {batch.most_values} values"):
        decode_batch(frame(one("done", [longer])), batch)


def test_a_frame_larger_than_a_batch_allows_is_refused_unread() -> None:
    """Spaces count as all other bytes, although they take no memory after decoding."""
    body = json.dumps(one("done", [["called", None, []]])).encode()
    room = CALL.answer_cap - HEADER.size
    assert isinstance(decode_batch(framed(body.ljust(room)), CALL), Read)
    with pytest.raises(Refused, match="larger than"):
        decode_batch(framed(body.ljust(room + 1)), CALL)


@pytest.mark.parametrize(
    ("runs", "step"), [(100_000, ask.GRADS), (4_000, ask.TRACED)], ids=["many runs", "many closures"]
)
def test_no_batch_asks_for_more_than_the_bounds(runs: int, step: ask.RunStep) -> None:
    """An answer has at most 20 MB and a million values, for any course."""
    batch = Batch((Run(chain(60), (step,)),) * runs, 1, 1.0)
    assert (bounds.ANSWER, bounds.ANSWER_VALUES) == (batch.answer_cap, batch.most_values)


@every("lines", [[], [1], [4, 3, 2, 1]])
def test_a_problem_has_as_many_lines_as_a_worker_sends(lines: list[int]) -> None:
    """Up to four line numbers, in any order."""
    problem = [*PROBLEM[:4], lines]
    assert Problem("backward", "raised", "ValueError", "no", lines) == decode_load(frame(["failed", problem]))


@pytest.mark.parametrize("count", [5, 500])
def test_a_problem_with_more_lines_is_refused(count: int) -> None:
    """A problem with more line numbers than a worker sends is refused."""
    problem = [*PROBLEM[:4], [1] * count]
    for answer in (["unread", problem], one("broke", [], problem)):
        with pytest.raises(Refused, match=r"length <= 4"):
            decode_batch(frame(answer), ONE)
    with pytest.raises(Refused, match=r"length <= 4"):
        decode_load(frame(["failed", problem]))


# -- whatever comes -------------------------------------------------------------------------------------------


def take(answer: bytes, batch: Batch = BATCH) -> None:
    """Read an answer in both ways. Fail if anything but Refused is raised, or if the form is wrong."""
    try:
        decode_load(answer)
    except Refused:
        pass
    try:
        read = decode_batch(answer, batch)
    except Refused:
        return
    if isinstance(read, Problem):
        return
    assert len(batch.order_seeds) == len(read.seeds)
    for outcomes in read.seeds:
        assert len(batch.runs) == len(outcomes)
        for run, outcome in zip(batch.runs, outcomes, strict=True):
            if isinstance(outcome, Done):
                assert len(run.steps) == len(outcome.results)
            elif outcome is not None:
                assert len(run.steps) >= len(outcome.results)


@given(st.binary(max_size=200))
@hypothesis_settings
def test_any_bytes_are_read_or_refused(answer: bytes) -> None:
    """Random bytes raise nothing but Refused, with and without their length in front."""
    take(answer)
    take(framed(answer))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["read", "done", "values", "nothing", "called", "broke", "same", "0x1.8p+0", "nan", "!str", "!"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=20,
)


@pytest.mark.slow
@given(json_values)
@hypothesis_settings
def test_any_json_is_read_or_refused(message: Any) -> None:
    """JSON of any shape raises nothing but Refused."""
    take(frame(message))


def places(message: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Yield the places of everything in nested lists."""
    inner = enumerate(message) if isinstance(message, list) else ()
    return [path, *(place for i, part in inner for place in places(part, (*path, i)))]


PLACES = places(honest())


@pytest.mark.slow
@given(st.sampled_from(PLACES[1:]), json_values | st.sampled_from([RESULTS[0], PROBLEM, READING, ["nothing"], None]))
@hypothesis_settings
def test_a_right_answer_with_something_else_in_one_place_is_read_or_refused(place: tuple[int, ...], value: Any) -> None:
    """If any part of a right answer is replaced, no exception but Refused is raised."""
    take(frame(forged(honest(), place, value)))


@given(st.sampled_from(PLACES[1:]), st.sampled_from(["drop", "double", "wrap"]))
@hypothesis_settings
def test_a_right_answer_with_a_part_too_few_or_too_many_is_read_or_refused(place: tuple[int, ...], how: str) -> None:
    """If any part of a right answer is dropped, doubled or wrapped, no exception but Refused is raised."""
    message = honest()
    inside = message
    for i in place[:-1]:
        inside = inside[i]
    last = place[-1]
    if how == "drop":
        del inside[last]
    elif how == "double":
        inside.insert(last, copy.deepcopy(inside[last]))
    else:
        inside[last] = [inside[last]]
    take(frame(message))


@every("seed", range(4))
def test_a_right_answer_with_bytes_changed_is_read_or_refused(seed: int) -> None:
    """Flipped, dropped, doubled and shuffled bytes raise nothing but Refused, with any length."""
    rng = random.Random(seed if "BACKWARD_FUZZ_CASES" not in os.environ else None)
    body = json.dumps(honest(), separators=(",", ":")).encode()
    for _ in range(CASES):
        changed = bytearray(body)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(changed))
            how = rng.randrange(4)
            if how == 0:
                changed[at] ^= 1 << rng.randrange(8)
            elif how == 1:
                del changed[at : at + rng.randint(1, 8)]
            elif how == 2:
                changed[at:at] = changed[at : at + rng.randint(1, 30)]
            else:
                changed[at : at + 1] = rng.choice([b"[", b"]", b'"', b",", b"{", b"\\", b"1e999", b"null", b"\xff"])
        take(framed(bytes(changed)))
        take(bytes(changed))


@every(
    "about",
    [
        ["shape", "no_such_code", "", []],
        ["shape", "no_class", "", [], ["a"]],
        ["shape", "no_class", "", [], [], [1]],
        ["shape", "no_function", "", []],
        ["shape", "no_function", "", [], ["two words"]],
        ["shape", "no_rule", "", [], ["a"] * 9],
        ["shape", "contributions", "", [], [], [1]],
        ["shape", "contributions", "", [], [], [1, -2]],
        ["shape", "contributions", "", [], [], [1, 2, 3]],
        ["not_offered", "NotOffered", "tanh", []],
        ["not_offered", "NotOffered", "", [], ["__pow__", "__truediv__", "__rtruediv__"]],
        ["wants_argument", "WantsArgument", "", [], ["tanh", "exp"]],
        ["raised", "ValueError", "no", [], ["tanh"]],
        ["raised", "ValueError", "no", [], [], [1]],
        ["raised", "ValueError", "no", [], [], [], []],
    ],
)
def test_a_problem_has_the_names_and_numbers_of_its_kind(about: list[Any]) -> None:
    """Unknown codes are refused, and so are names or numbers that a kind does not have."""
    for answer in (one("broke", [], ["build", *about]), ["unread", ["build", *about]]):
        with pytest.raises(Refused):
            decode_batch(frame(answer), ONE)
    with pytest.raises(Refused):
        decode_load(frame(["failed", ["build", *about]]))


def test_a_problem_keeps_its_names_and_numbers() -> None:
    """The names and numbers of a kind are decoded."""
    problem = ["local_rules", "shape", "derivatives", "", [], ["grads"], [2, 1]]
    assert Problem(*problem) == decode_batch(frame(["unread", problem]), ONE)  # type: ignore[arg-type]


# -- recordings -------------------------------------------------------------------------------------------------

RECORDED = Batch((Run(ASKED, (ask.Record(1), ask.Backward(2))),), 1000, 1.0, (0,))
BROKEN: list[Any] = ["build", *PROBLEM[1:]]
TWO, THREE, ZERO = (2.0).hex(), (3.0).hex(), (0.0).hex()
CHANGES: list[Any] = [[0, ZERO, THREE, 8, False], [1, "!NoneType", TWO, 9, True]]
RECORD: list[Any] = [
    "record",
    [[0, 0], [1, 0], [2, 5]],
    [[2, False, ZERO, 7, CHANGES]],
    [TWO, THREE, TWO],
    [THREE, TWO, "nan"],
    0,
    False,
    [TWO, THREE, TWO],
    None,
]


def recorded(*outcome: Any) -> Any:
    """Return the decoded outcome of a recorded run."""
    read = decode_batch(frame(one(*outcome)), RECORDED)
    assert isinstance(read, Read)
    return read.seeds[0][0]


def test_a_recording_is_read() -> None:
    """Nodes with lines, visits with changes, values and gradients are decoded without a change."""
    outcome = recorded("done", [RECORD, ["nothing"]])
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
    outcome = recorded("broke", [["record", [[0, 0]], [], [TWO], [ZERO], 0, False, [], None]], BROKEN)
    expected = Recorded(
        ((0, 0),), (), (2.0, None, None), (0.0, None, None), 0, elsewhere=False, at_first=Numbers(), traced=None
    )
    assert Broke((expected,), Problem(*BROKEN)) == outcome


def test_a_run_that_went_through_made_every_node() -> None:
    """If nothing went wrong, a recording of only a part of the program is refused."""
    with pytest.raises(Refused):
        recorded("done", [["record", [[0, 0]], [], [TWO], [ZERO], 0, False, [], None], ["nothing"]])


def test_under_another_order_seed_nodes_come_back_in_the_programs_order() -> None:
    """If a program was rearranged, lines, visits and numbers refer to its own nodes."""
    asked = program("L = (a * b) + (c + d)", a=2, b=3, c=5, d=7)
    batch = Batch((Run(asked, (ask.Record(1), ask.Backward(6))),), 1000, 1.0, (0, 1))
    arrangement = batch.arrangements[1][0]
    assert arrangement is not None
    values = [float(index).hex() for index in range(7)]
    visits = [[6, False, ZERO, 1, [[3, ZERO, TWO, 1, False]]]]
    outcome = [
        "done",
        [
            ["record", [[i, i] for i in range(7)], visits, values, values, 0, False, values, None],
            ["nothing"],
        ],
    ]
    read = decode_batch(frame(["read", READING, [[outcome], [outcome]]]), batch)
    assert isinstance(read, Read)
    (other,) = read.seeds[1][0].recorded  # type: ignore[union-attr]
    assert list(arrangement.places) == list(other.values) == list(other.grads) == list(other.at_first)
    assert {place: i for i, place in enumerate(arrangement.places)} == {line: node for node, line in other.made}
    assert arrangement.places[other.visits[0].node] == 6
    assert arrangement.places[other.visits[0].changes[0].node] == 3


@every(
    ("place", "value"),
    [
        ((1,), [[0, 0], [1, 0]]),
        ((1,), [[0, 0], [1, 0], [2, 5], [3, 5]]),
        ((1,), [[0, 0], [2, 5], [1, 0]]),
        ((1,), [0, 0, 5]),
        ((1, 2, 0), 1),
        ((1, 2, 1), -1),
        ((1, 2, 1), 10**8),
        ((3, 2), None),
        ((4, 0), None),
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
        ((7,), [TWO]),
        ((7, 0), 2.0),
        ((8,), []),
        ((8,), [[[], "leaf", [], [TWO]]] * 3),
    ],
)
def test_what_does_not_fit_is_refused(place: tuple[int, ...], value: Any) -> None:
    """Nodes, lines, numbers and flags must be of their form and fit the program."""
    with pytest.raises(Refused):
        recorded("done", [forged(RECORD, place, value), ["nothing"]])


def test_more_than_a_worker_sends_is_refused() -> None:
    """A recording has a limited number of visits, and of changes in all visits together."""
    few = [2, False, ZERO, 7, CHANGES * 20]
    for visits in ([[2, False, ZERO, 7, []]] * (bounds.VISITS + 1), [few] * (bounds.CHANGES // 40 + 1)):
        with pytest.raises(Refused):
            recorded("done", [forged(RECORD, (2,), visits), ["nothing"]])
    assert (recording.MOST_VISITS, recording.MOST_CHANGES) == (bounds.VISITS, bounds.CHANGES)
    assert MOST_NODES == bounds.TRACED


def test_the_longest_recording_that_a_worker_sends_fits() -> None:
    """Each order seed may send the maximum number of visits and changes."""
    long = (-1.2345678901234567e-300).hex()
    changes = [[2, long, long, 10**6, False]] * (bounds.CHANGES // bounds.VISITS)
    visits = [[2, False, long, 10**6, changes]] * bounds.VISITS
    outcome = [
        "done",
        [
            [
                "record",
                [[place, 10**6] for place in range(3)],
                visits,
                [long] * 3,
                [long] * 3,
                10**6,
                False,
                [long] * 3,
                None,
            ],
            ["nothing"],
        ],
    ]
    batch = Batch(RECORDED.runs, 1000, 1.0)
    assert isinstance(decode_batch(frame(["read", READING, [[outcome]] * 4]), batch), Read)


MADE = program("L = double(a)", "L = a + a", a=2)
OF_MADE = Batch((Run(MADE, (ask.Record(1), ask.Backward(1))),), 1000, 1.0, (0,))
NODES = [[[0], "leaf", [], [TWO]], [[], "mul", [0, -1], [THREE]], [[1], "add", [1, 0], []]]
GRAPH = ["record", [[0, 0], [1, 5], [2, 6]], [], [TWO] * 3, [ZERO] * 3, 0, False, [TWO] * 3, NODES]


def traced(record: Any) -> Any:
    """Return the decoded recording of a program in which a function of the file makes a node."""
    read = decode_batch(frame(one("done", [record, ["nothing"]])), OF_MADE)
    assert isinstance(read, Read)
    return read.seeds[0][0].recorded[0]  # type: ignore[union-attr]


def test_a_graph_of_the_learners_own_is_read() -> None:
    """Its nodes are operations of earlier nodes and numbers, and say which nodes of the program they are."""
    (leaf, product, root) = traced(GRAPH).traced
    assert ("leaf", (2.0,), (0,)) == (leaf.op, tuple(leaf.numbers), leaf.names)
    assert ("mul", (0, -1), (3.0,), ()) == (product.op, product.operands, tuple(product.numbers), product.names)
    assert ("add", (1, 0), (1,)) == (root.op, root.operands, root.names)
    assert traced(["record", [], [], [], [], 0, False, [], None]).traced is None


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ((1,), [[0, 0], [1, 5]]),
        ((7,), [TWO]),
        ((8,), NODES[:2]),
        ((8,), [NODES[0]] * (bounds.TRACED + 1)),
        ((8, 0, 0), [2]),
        ((8, 0, 1), "import"),
        ((8, 0, 2), [0]),
        ((8, 0, 3), []),
        ((8, 1, 1), "exp"),
        ((8, 1, 2), [1, -1]),
        ((8, 1, 2), [0, -2]),
        ((8, 1, 3), [THREE, THREE]),
        ((8, 2, 2), [1, 0, 0]),
    ],
)
def test_a_graph_that_does_not_fit_is_refused(place: tuple[int, ...], value: Any) -> None:
    """Operations are known, with the right number of operands, which come before them."""
    with pytest.raises(Refused):
        traced(forged(GRAPH, place, value))


@pytest.mark.slow
@given(st.sampled_from(places(RECORD)[1:]), json_values | st.sampled_from([ZERO, "record"]), st.booleans())
@hypothesis_settings
def test_a_recording_with_something_else_in_one_place_is_read_or_refused(
    place: tuple[int, ...], value: Any, broke: bool
) -> None:
    """If any part is replaced, the recording is refused or fits the program."""
    record = forged(RECORD, place, value)
    try:
        outcome = recorded("broke", [record], BROKEN) if broke else recorded("done", [record, ["nothing"]])
    except Refused:
        return
    (found,) = outcome.recorded
    assert len(ASKED.nodes) == len(found.values) == len(found.grads)
    assert all(0 <= visit.node < len(ASKED.nodes) for visit in found.visits)


# -- recordings of arrays -----------------------------------------------------------------------------------------

OF_ROWS = program("L = sum(a * b)", a=[2, 3], b=[5, 7])  # nodes: a, b, a * b, L
ROWS_RECORDED = Batch((Run(OF_ROWS, (ask.Record(1), ask.Backward(3))),), 1000, 1.0, (0,))
A_NUMBER: list[Any] = [[], "float", [TWO]]
A_ROW: list[Any] = [[2], "float64", [TWO, THREE]]
RECORD_OF_ARRAYS: list[Any] = [
    "record",
    [[0, 0], [1, 0], [2, 5], [3, 6]],
    [[3, False, A_NUMBER, 7, [[2, A_ROW, A_ROW, 8, False]]]],
    [A_ROW, A_ROW, A_ROW, A_NUMBER],
    [[[2, 1], "float64", [TWO, THREE]], A_ROW, [None, "NoneType", []], A_NUMBER],
    0,
    False,
    [A_ROW, A_ROW, A_ROW, A_NUMBER],
    None,
]


def recorded_arrays(record: Any) -> Any:
    """Return the decoded recording of a run on a program with arrays."""
    read = decode_batch(frame(["read", READING, [[["done", [record, ["nothing"]]]]]]), ROWS_RECORDED)
    assert isinstance(read, Read)
    return read.seeds[0][0].recorded[0]  # type: ignore[union-attr]


def test_a_recording_of_arrays_is_read() -> None:
    """Each value and gradient is an array with the shape that it has, also if that is a wrong one."""
    found = recorded_arrays(RECORD_OF_ARRAYS)
    row = Array((2,), "float64", Numbers((2.0, 3.0)))
    assert (row, row) == (found.visits[0].changes[0].before, found.visits[0].changes[0].after)
    assert [(2, 1), (2,), None, ()] == [held.shape for held in found.grads]
    assert (2.0,) == found.visits[0].upstream.numbers


@every(
    ("place", "value"),
    [
        ((2, 0, 2), TWO),
        ((2, 0, 4, 0, 1), ZERO),
        ((3, 0), TWO),
        ((4, 2), "!NoneType"),
        ((7, 1), TWO),
        ((3, 0, 2), [TWO]),
        ((3, 0, 0), [1] * (bounds.AXES + 1)),
        ((3, 0, 0), [-1]),
        ((3, 0, 1), "a type"),
        ((3, 0, 2, 0), [TWO]),
        ((3, 0, 2, 0), 2.0),
        ((3,), [A_ROW]),
    ],
)
def test_a_recording_of_arrays_that_does_not_fit_is_refused(place: tuple[int, ...], value: Any) -> None:
    """Where a program has arrays, all is arrays, and the numbers of each fill its shape."""
    with pytest.raises(Refused):
        recorded_arrays(forged(RECORD_OF_ARRAYS, place, value))


def test_a_recording_of_numbers_has_no_array() -> None:
    """If the program has no array, the recording has none either."""
    for place in ((3, 0), (2, 0, 2), (2, 0, 4, 0, 2), (7, 0)):
        with pytest.raises(Refused):
            recorded("done", [forged(RECORD, place, A_ROW), ["nothing"]])


def test_the_arrays_of_a_recording_are_bounded_by_their_numbers() -> None:
    """The worker sends no more numbers in changes than are read, and more are refused."""
    many = 1_000
    wide: list[Any] = [[many], "float", [TWO] * many]
    fits = bounds.PARTS // (2 * (many + 1))
    for changes, most in ((fits - 1, True), (fits + 1, False)):
        forged_visits = [[3, False, A_NUMBER, 7, [[2, wide, wide, 8, False]] * changes]]
        record = forged(RECORD_OF_ARRAYS, (2,), forged_visits)
        if most:
            assert changes == len(recorded_arrays(record).visits[0].changes)
        else:
            with pytest.raises(Refused):
                recorded_arrays(record)
    assert recording.MOST_PARTS == bounds.PARTS


@pytest.mark.slow
@given(st.sampled_from(places(RECORD_OF_ARRAYS)[1:]), json_values | st.sampled_from([ZERO, "record", A_ROW]))
@hypothesis_settings
def test_a_recording_of_arrays_with_something_else_in_one_place_is_read_or_refused(
    place: tuple[int, ...], value: Any
) -> None:
    """If any part is replaced, the recording is refused or fits the program."""
    try:
        found = recorded_arrays(forged(RECORD_OF_ARRAYS, place, value))
    except Refused:
        return
    assert len(OF_ROWS.nodes) == len(found.values) == len(found.grads)
    assert all(isinstance(held, Array) for held in (*found.values, *found.grads, *found.at_first))


# -- logs of trainings ----------------------------------------------------------------------------------------------

WATCHED = (ask.LOG, ask.Train(2, 1, 0.5), ask.EVENTS)
LOGGED: list[Any] = [
    ["loss", 0, TWO],
    ["pass", 0, TWO],
    ["left", 1, THREE],
    ["data", 0, "!NoneType"],
    ["made", -1, ZERO],
]


def logged(log: Any, batch: Batch) -> Any:
    """Return the decoded outcome of a logged training under the last order seed."""
    outcomes = [[["done", [["nothing"], ["called"], log]]]] * len(batch.order_seeds)
    read = decode_batch(frame(["read", READING, outcomes]), batch)
    assert isinstance(read, Read)
    return read.seeds[-1][0]


def test_a_log_is_read() -> None:
    """Events are decoded in their order, and leaves in the program's order, whatever the order seed."""
    for seeds in ((0,), (0, 1)):
        batch = Batch((Run(ASKED, WATCHED),), 1000, 1.0, seeds)
        arrangement = batch.arrangements[-1][0]
        places = arrangement.places if arrangement else (0, 1, 2)
        events = [[kind, places[at] if kind in ("left", "data") else at, x] for kind, at, x in LOGGED]
        (log,) = logged(["log", events, True], batch).logged
        assert log.complete
        assert [
            ("loss", 0, 2.0),
            ("pass", 0, 2.0),
            ("left", 1, 3.0),
            ("data", 0, Odd("NoneType")),
            ("made", -1, 0.0),
        ] == [(event.kind, event.place, event.number) for event in log.events]


@pytest.mark.parametrize(
    "log",
    [
        ["log", [["step", 0, TWO]], True],
        ["log", [["loss", -2, TWO]], True],
        ["log", [["loss", 0, 2.0]], True],
        ["log", [["loss", 0]], True],
        ["log", [["loss", 0, TWO]] * (bounds.EVENTS + 1), True],
        ["log", [], 1],
        ["trace", []],
    ],
    ids=["kind", "place", "number", "length", "count", "complete", "another step"],
)
def test_a_malformed_log_is_refused(log: Any) -> None:
    """A log has known kinds of events, places, numbers, and at most so many events."""
    with pytest.raises(Refused):
        logged(log, Batch((Run(ASKED, WATCHED),), 1000, 1.0, (0,)))


def test_the_longest_log_fits() -> None:
    """The bounds of an answer leave room for a log with as many events as the worker sends."""
    batch = Batch((Run(ASKED, WATCHED),), 1000, 1.0)
    longest = ["pass", 10**6, (-1.2345678901234567e-300).hex()]
    (log,) = logged(["log", [longest] * bounds.EVENTS, False], batch).logged
    assert MOST_EVENTS == bounds.EVENTS == len(log.events)


# -- arrays ---------------------------------------------------------------------------------------------------

ARRAYS = program("L = sum(a * b)", a=[[1, 2], [3, 4]], b=[5, 6])
OF_ARRAYS = Batch((Run(ARRAYS, (ask.VALUES,)),), 1000, 1.0, (0,))


def array(shape: Any, *numbers: float, type_name: str = "float64") -> list[Any]:
    return [shape, type_name, [float(number).hex() for number in numbers]]


SEEN = [array([2, 2], 1, 2, 3, 4), array([2], 5, 6), array([2, 2], 5, 12, 15, 24), array([], 56)]


def values_of(arrays: list[Any], numbers: Any = ()) -> Values:
    """Return the values in an answer with these arrays."""
    answer = decode_batch(frame(one("done", [["values", list(numbers), arrays]])), OF_ARRAYS)
    assert isinstance(answer, Read)
    outcome = answer.seeds[0][0]
    assert isinstance(outcome, Done)
    values = outcome.results[0]
    assert isinstance(values, Values)
    return values


def test_the_numbers_of_arrays_are_one_sequence() -> None:
    """They are in the order of the program's nodes, and have a type for each node."""
    values = values_of(SEEN)
    assert (1, 2, 3, 4, 5, 6, 5, 12, 15, 24, 56) == values.numbers
    assert isinstance(values.numbers, NumbersOfArrays)
    assert ("float64",) * 4 == values.numbers.types


@every(
    ("seen", "odd"),
    [
        (array([1, 2], 5, 6), Misshapen("float64", (1, 2), (5.0, 6.0))),
        (array([2]), Misshapen("float64", (2,))),  # no numbers, as of an array that is too large
        (array([], 5, type_name="int"), Misshapen("int", (), (5.0,))),
        (array(None, type_name="NoneType"), Odd("NoneType")),
    ],
)
def test_an_array_of_another_shape_has_no_right_number(seen: list[Any], odd: Odd) -> None:
    """Each number in its place says which shape is there."""
    assert (odd, odd) == values_of([SEEN[0], seen, *SEEN[2:]]).numbers[4:6]


@every(
    "arrays",
    [
        SEEN[:3],
        [*SEEN, SEEN[3]],
        [],
        [array([2, 2], 1, 2, 3), *SEEN[1:]],
        [array([2, 2], 1, 2, 3, 4, 5), *SEEN[1:]],
        [array(None, 1), *SEEN[1:]],
        [array([-1, 2]), *SEEN[1:]],
        [array([1] * 9, 1), *SEEN[1:]],
        [array([2.0, 2]), *SEEN[1:]],
        [array([10**9] * 2), *SEEN[1:]],
        [[[2, 2], "float 64", []], *SEEN[1:]],
        [[[2, 2], "float64", ["1.0"]], *SEEN[1:]],
        [[[2, 2], "float64"], *SEEN[1:]],
    ],
)
def test_arrays_of_another_form_are_refused(arrays: list[Any]) -> None:
    """There is an array for each node. Its numbers fill its shape, or are left out."""
    with pytest.raises(Refused):
        values_of(arrays)


def grads_of(*shared: Any) -> NumbersOfArrays:
    """Return the gradients in an answer, which says of each which one is the same array."""
    batch = Batch((Run(ARRAYS, (ask.GRADS,)),), 1000, 1.0, (0,))
    answer = decode_batch(frame(one("done", [["grads", [], SEEN, *shared]])), batch)
    assert isinstance(answer, Read)
    outcome = answer.seeds[0][0]
    assert isinstance(outcome, Done)
    assert isinstance(outcome.grads[0], NumbersOfArrays)
    return outcome.grads[0]


def test_gradients_that_are_one_array_are_known() -> None:
    """For each node, the first one with the same array; nothing if all differ."""
    assert ((0, 1, 0, 3), ()) == (grads_of([0, 1, 0, 3]).shared, grads_of([]).shared)


@every("shared", [[0, 1], [0, 1, 0, 3, 4], [0, 1, 0, 20_000_000], [0, 1, 0, "a"], 0])
def test_one_array_for_other_nodes_is_refused(shared: Any) -> None:
    """There is an index for each node."""
    with pytest.raises(Refused):
        grads_of(shared)


def test_numbers_and_arrays_are_not_mixed() -> None:
    """A program with arrays is answered with arrays, and any other one with numbers."""
    with pytest.raises(Refused, match="numbers in place of arrays"):
        values_of(SEEN, TOKENS)
    with pytest.raises(Refused, match="numbers in place of arrays"):
        decode_batch(frame(one("done", [["values", [], [array([], 1)] * 3]])), ONE)


def test_a_request_says_how_many_numbers_a_node_may_have() -> None:
    """Only if it has arrays."""
    assert (4, 0) == (OF_ARRAYS.largest, ONE.largest)
    assert b'"most":4' in OF_ARRAYS.encode()
    assert b'"most"' not in ONE.encode()
