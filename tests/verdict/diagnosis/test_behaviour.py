"""Fingerprints are equal exactly if the behaviour is equal. Answers without information are left out."""

import math
from pathlib import Path
from typing import Any

import pytest
from every import every
from msgspec.structs import replace
from read_yaml import Case, cases_of

from grader.course.oracle.answer_book import UNCLEAR, KnownBehaviour, KnownExercise
from grader.program import program
from grader.runner.client import Broke, Called, Died, Done, Numbers, Odd, Problem, Read, Reading, Run, Traced, ask
from grader.runner.client.protocol import Grads
from grader.verdict.checks.questions import AnsweredBatch
from grader.verdict.diagnosis import Behaviour, behaviour, diagnose
from grader.verdict.diagnosis.misconceptions import fingerprint

CASES = cases_of(Path(__file__).with_name("behaviours.yaml"))
READING = Reading("Value", "data", "grad", "_prev", "closure", "_backward", False)
SUM = program("L = a + b", a=2, b=-3)


def done(*results: Any) -> Done:
    """Return a run with these results. A tuple stands for gradients."""
    return Done(tuple(Grads(Numbers(one)) if type(one) is tuple else one for one in results))


def raised(message: str, lines: list[int], type_name: str = "NameError") -> Broke:
    return Broke((), Problem("backward", "raised", type_name, message, lines))


# what Python 3.11 and 3.12 say of the same code
TOO_DEEP = ("maximum recursion depth exceeded while calling a Python object", "maximum recursion depth exceeded")
UNBOUND = (
    "local variable 'order' referenced before assignment",
    "cannot access local variable 'order' where it is not associated with a value",
)


@every(
    ("one", "other"),
    [
        (done((0.1 + 0.2, 1.0)), done((0.3, 1.0))),
        (done((0.0,)), done((-0.0,))),
        (done((math.nan,)), done((math.nan,))),
        (raised("name 'x' is not defined", [3]), raised("name 'x' is not defined", [9])),
        (raised("<Value at 0x7f12>", []), raised("<Value at 0x7f99>", [])),
        (raised(TOO_DEEP[0], [], "RecursionError"), raised(TOO_DEEP[1], [], "RecursionError")),
        (raised(UNBOUND[0], [], "UnboundLocalError"), raised(UNBOUND[1], [], "UnboundLocalError")),
        (done(Traced(((1, ((0, 1.0),)),))), done(Traced(((1, ()),)))),
        (Problem("backward", "calls", "OutOfCalls", "", [3]), Problem("backward", "cpu", "OutOfTime", "", [4])),
        (Problem("call", "raised", "MemoryError", "", [3]), Problem("backward", "cpu", "OutOfTime", "", [4])),
        (Died("cpu_limit", seconds=2), Problem("backward", "cpu", "OutOfTime", "", [4])),
        (Died("killed", signal="SIGSEGV"), Died("exited")),
    ],
    ids=[
        *("order of summation", "sign of zero", "nan", "line", "address"),
        *("words of a RecursionError", "words of an UnboundLocalError", "what a closure added"),
        *("calls or time", "memory or time", "stopped inside or from outside", "how it left"),
    ],
)
def test_what_does_not_matter_does_not_count(one: Any, other: Any) -> None:
    """Rounding, lines, addresses, Python's wording and the limit that is reached first make no difference."""
    assert fingerprint([one]) == fingerprint([other])


@every(
    ("one", "other"),
    [
        (done((1.0,)), done((1.000001,))),
        (done((1.0,)), done((Odd("NoneType"),))),
        (done((Odd("str"),)), done((Odd("NoneType"),))),
        (done(Called(nodes=(0, 1))), done(Called(nodes=(1, 0)))),
        (done(Called()), done(Called(other="str"))),
        (raised("name 'x' is not defined", []), raised("name 'y' is not defined", [])),
        (raised("", []), raised("", [], "TypeError")),
        (Died("wall_limit", seconds=40), Died("exited")),
        (done((1.0,)), Died("protocol_error", detail="")),
        (None, done()),
    ],
)
def test_what_matters_counts(one: Any, other: Any) -> None:
    """Numbers, kinds, orders, and the type and names of an exception all distinguish engines."""
    assert fingerprint([one]) != fingerprint([other])


def shown(outcome: Done | Broke | None, *, wrong: bool = True, aside: bool = False) -> AnsweredBatch:
    """Return a batch of one program under one order seed."""
    run = Run(SUM, (ask.Preload([(0, 5)]), ask.Backward(2), ask.GRADS))
    read = Read(READING, ((outcome,),))
    return AnsweredBatch((run,), read, frozenset([0] if wrong else ()), frozenset([0] if aside else ()))


def test_what_passes_is_right_whatever_it_is() -> None:
    """Engines that pass a program behave alike on it, even with other numbers or orders inside."""
    ways = [shown(done(Called(), Called(), grads), wrong=False) for grads in ((6.0, 1.0, 1.0), (6.0, 1.0, 0.0))]
    assert [{"c:0:0": ""}] * 2 == [behaviour({"c": [way]}).programs for way in ways]


@every(
    "outcome",
    [
        None,
        Broke((), Problem("build", "not_offered", "NotOffered", "", [], ["tanh"])),
        Broke((), Problem("build", "wants_argument", "NotOffered", "", [], ["log"])),
        Broke((), Problem("backward", "raised", "NotImplementedError", "swap: and here?", [30])),
    ],
    ids=["not run", "no such operation", "not as a method without arguments", "still to be filled in"],
)
def test_what_says_nothing_is_left_out(outcome: Any) -> None:
    """A missing operation or a part that is still to be filled in is no evidence."""
    seen = behaviour({"c": [shown(outcome)]})
    assert [{}, frozenset({"c:0:0"})] == [seen.programs, seen.unclear]


def test_what_reached_a_limit_did_so_under_every_order_seed() -> None:
    """After a limit, the program is not run under the other order seeds. Under which one it was does not matter."""
    stopped = Broke((), Problem("call", "calls", "OutOfCalls", "", [3]))
    rows: list[tuple[Done | Broke | None, ...]]
    rows = [(stopped, None, None), (done((1.0,)), stopped, None), (stopped, stopped, stopped)]
    batches = [replace(shown(None), answer=Read(READING, tuple((one,) for one in row))) for row in rows]
    looks = [behaviour({"c": [batch]}).programs for batch in batches]
    assert [{"c:0:0": fingerprint([Died("cpu_limit")])}] * 3 == looks


@pytest.mark.parametrize(
    "problem",
    [
        Problem("build", "raised", "TypeError", "unsupported operand type(s) for -: 'V' and 'V'", [12]),
        Problem("build", "raised", "TypeError", "unsupported operand type(s) for +: 'NoneType' and 'V'", []),
    ],
    ids=["in the learner's file", "of None"],
)
def test_what_an_operation_does_wrong_counts(problem: Problem) -> None:
    """An operator that exists and fails is not a missing one."""
    assert ["c:0:0"] == list(behaviour({"c": [shown(Broke((), problem))]}).wrong)


def test_programs_drawn_at_random_are_left_out() -> None:
    """Random programs differ from seed to seed."""
    assert {} == behaviour({"c": [shown(done(Called(), Called(), (1.0, 1.0, 1.0)), aside=True)]}).programs


@every(("expected", "grads"), [(False, (5.0, 0.0, 1.0)), (True, (6.0, 0.0, 1.0)), (True, (0.0, 0.0, 1.0))])
def test_a_gradient_arrived_where_it_is_not_what_the_kit_put_there(expected: bool, grads: tuple[float, ...]) -> None:
    """The root's own gradient does not count as one that arrived."""
    assert expected is behaviour({"c": [shown(done(Called(), Called(), grads))]}).arrived


def test_where_no_gradient_is_asked_for_none_is_missed() -> None:
    """A check that calls a function with numbers says nothing about gradients."""
    run = Run(SUM, (ask.CallFunction("square", []),))
    asked = AnsweredBatch((run,), Read(READING, ((done(Called(Numbers((3.0,)))),),)), frozenset([0]), frozenset())
    assert behaviour({"c": [asked]}).arrived is None


def test_gradients_that_no_rule_could_change_are_not_missed() -> None:
    """A check of `zero_grad` asks for gradients, but runs no rule that contributes to them."""
    run = Run(SUM, (ask.Preload([(0, 5)]), ask.CallFunction("zero_grad", [("nodes", [0, 1])]), ask.GRADS))
    outcome = done(Called(), Called(), (5.0, 0.0, 0.0))
    asked = AnsweredBatch((run,), Read(READING, ((outcome,),)), frozenset([0]), frozenset())
    assert behaviour({"c": [asked]}).arrived is None


@every("outcome", [raised("", [3], "RecursionError"), Broke((), Problem("backward", "calls", "OutOfCalls", "", [3]))])
def test_what_ends_a_batch_is_known_although_the_other_orders_did_not_run(outcome: Broke) -> None:
    """The run that ends a batch is compared. It is not run under the other order seeds."""
    ended = replace(shown(outcome, wrong=True), answer=Read(READING, ((outcome,), (None,))))
    seen = behaviour({"c": [ended]})
    assert (["c:0:0"], frozenset()) == ([*seen.wrong], seen.unclear)


@every(
    ("numbers", "wrong"),
    [((1.0, 5.0), ["two"]), ((7.0, 5.0), ["one", "two"]), ((1.0, 2.0, 3.0), ["one", "two"]), (None, ["one", "two"])],
    ids=["one is wrong", "both are wrong", "too many", "no numbers"],
)
def test_each_answer_of_a_function_has_a_fingerprint(numbers: tuple[float, ...] | None, wrong: list[str]) -> None:
    """A function returns what a learner has worked out. Without such numbers, every answer is wrong."""
    answers = {"one": 1.0, "two": 2.0}
    called = Called(None if numbers is None else Numbers(numbers))
    seen = behaviour({"c": [replace(shown(done(called), wrong=True), answers=answers)]})
    assert (wrong, ["c:0:0:one", "c:0:0:two"]) == ([key[6:] for key in seen.wrong], [*seen.programs])


@pytest.mark.parametrize(("unsettled", "expected"), [(frozenset({0}), True), (frozenset(), False)])
def test_a_wrong_huge_graph_says_nothing_if_set_order_matters(unsettled: frozenset[int], expected: bool) -> None:
    """If another run was wrong under some order seeds only, a huge graph may be right or wrong under its only one."""
    small = replace(shown(done((1.0,)), wrong=True), unsettled=unsettled)
    huge = replace(shown(done(()), wrong=True), huge=True)
    seen = behaviour({"small": [small], "huge": [huge]})
    assert expected == ("huge:0:0" in seen.unclear) == ("huge:0:0" not in seen.programs)
    assert "small:0:0" in seen.programs


# -- A misconception is named only if nothing else is known to behave the same


def known(name: str, fields: dict[str, Any]) -> KnownBehaviour:
    """Return a known misconception of `behaviours.yaml`."""
    looks = {key: UNCLEAR if look == "UNCLEAR" else look for key, look in fields.items() if key != "written"}
    return KnownBehaviour(name, "it is so", "it is not", 1, fields.get("written", {}), keyed(looks))


def keyed(looks: dict[str, str]) -> dict[str, str]:
    return {f"{key[0]}:0:{key[1:].replace('.', ':')}": look for key, look in looks.items()}


@every("case", CASES, ids=[case["what"] for case in CASES])
def test_what_is_named(case: Case) -> None:
    """`behaviours.yaml` lists misconceptions, what files do, and the misconceptions that are named."""
    failures = list(dict.fromkeys(key[0] for key, look in case["does"].items() if look))
    functions = {name: tuple(programs) for name, programs in case.get("functions", {}).items()}
    catalogue = tuple(known(name, fields) for name, fields in case["known"].items())
    exercise = KnownExercise(catalogue, tuple(map(keyed, case.get("unfinished", ()))), functions)
    overflowed = frozenset(keyed(dict.fromkeys(case.get("overflowed", ()), "")))
    seen = Behaviour(keyed(case["does"]), frozenset(), case.get("arrived", True), overflowed)
    assert case["named"] == {check: one.id for check, one in diagnose(exercise, seen, failures).items()}


@every(("expected", "other"), [({"a": "one", "b": "one"}, set()), ({"a": "one"}, {"b"}), ({"a": "one"}, {"b", "c"})])
def test_a_check_is_explained_where_the_misconception_fails_it(expected: dict[str, str], other: set[str]) -> None:
    """A check with no wrong program to compare is explained if the misconception fails it too.

    An error or a wrong value is explained only by the same behaviour.
    """
    seen = Behaviour(keyed({"a0": "x"}), frozenset(), arrived=True)
    found = diagnose(KnownExercise((known("one", {"a0": "x", "b0": "y"}),)), seen, ["a", "b", "c"], (), other)
    assert expected == {check: one.id for check, one in found.items()}
