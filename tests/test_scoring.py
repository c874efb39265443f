from collections.abc import Collection, Sequence
from typing import Any

import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from grader.checks.outcome import METADATA, GraderFault, outcomes
from grader.client import Reason
from grader.course import Check, Exercise
from grader.oracle.answer_book import KnownBehaviour
from grader.remarks import SecondPass
from grader.report.model import Diagnosis, ExerciseResult, ExerciseStatus, ReportStatus
from grader.scoring import FileState, overall, score
from grader.words.facts import FactKind, FaultFact

LOADED = FileState("loaded", "mine.py")
SIGN, EARLY = FaultFact("sign", operation="mul"), FaultFact("ran_early")
LISTED_TWICE = {"kind": "listed_twice", "node": "a"}
SECOND = {"kind": "second_pass"}
RAISED = {"status": "error", "reason": {"kind": "raised", "type": "NameError"}, "stopped": {"kind": "raised"}}
TOO_DEEP = RAISED | {"reason": {"kind": "raised", "type": "RecursionError"}}


def a_check(name: str, points: int, bonus: bool = False) -> Check:
    return Check(name, f"{name} is right", points, bonus, "hidden", "hint", 0, 1)


EXERCISE = Exercise("first", "03", "The first", (a_check("one", 2), a_check("two", 3), a_check("more", 4, True)), (), 1)


def a_test(check: str, status: str = "passed", exercise: str = "first", **more: Any) -> dict[str, Any]:
    """Return one test in the form of pytest-json-report, with our metadata."""
    found = {"exercise": exercise, "check": check, "status": status, "duration_s": 0.123456, **more}
    if status != "passed":
        found.setdefault("finding", {"status": status})
    outcome = "passed" if status == "passed" else "failed"
    return {"nodeid": f"test_03_{exercise}.py::test_{check}", "outcome": outcome, "metadata": {METADATA: found}}


def scored(*tests: dict[str, Any], state: FileState = LOADED) -> ExerciseResult:
    found = outcomes({"tests": tests}, EXERCISE) if tests or state == LOADED else {}
    return score(EXERCISE, state, found)


@pytest.mark.parametrize(
    ("statuses", "status", "points", "bonus"),
    [
        (("passed", "passed", "passed"), "passed", 5, 4),
        (("passed", "passed", "failed"), "passed", 5, 0),
        (("passed", "failed", "passed"), "partial", 2, 4),
        (("failed", "passed", "failed"), "partial", 3, 0),
        (("failed", "failed", "failed"), "failed", 0, 0),
        (("failed", "failed", "passed"), "failed", 0, 4),
        (("error", "timeout", "crashed"), "failed", 0, 0),
    ],
)
def test_points_are_added_up(statuses: Sequence[str], status: str, points: int, bonus: int) -> None:
    """A passed check gives its points, any other check none. Bonus is counted separately and is not in the maximum."""
    tests = [a_test(check, found) for check, found in zip(("one", "two", "more"), statuses, strict=True)]
    result = scored(*tests)
    assert (status, points, 5, bonus) == (result.status, result.score, result.max_score, result.bonus)
    assert list(statuses) == [check.status for check in result.checks]
    assert [2, 3, 4] == [check.max_score for check in result.checks]


def test_results_come_in_the_order_of_the_course() -> None:
    """Checks are in the order of course.yaml, whatever pytest's order. Those of another exercise are ignored."""
    result = scored(a_test("more"), a_test("one", exercise="second"), a_test("two"), a_test("one", "failed"))
    assert ("first", 3) == (result.id, result.score)
    assert ["one", "two", "more"] == [check.id for check in result.checks]


def test_what_the_course_says_is_copied() -> None:
    """Number, titles and visibility come from the course. The file comes from its state."""
    result = scored(a_test("one"), a_test("two"), a_test("more"))
    assert ("03", "The first", "mine.py", UNSET) == (result.number, result.title, result.file, result.message)
    assert ("one is right", "hidden", False) == (
        result.checks[0].title,
        result.checks[0].visibility,
        result.checks[0].bonus,
    )


def test_an_answer_that_leaves_programs_out_is_a_reason() -> None:
    """A check whose answer left out programs has a reason code, for review."""
    result = scored(a_test("one", "failed", left_out=True), a_test("two"), a_test("more"))
    assert [Reason("left_out"), UNSET, UNSET] == [check.reason for check in result.checks]


def test_what_was_found_is_copied() -> None:
    """The result has the check's finding and a rounded duration. Empty output is left out."""
    found: dict[str, Any] = {"program": "L = a", "expected": {"dL/da": 6.0}, "actual": {"dL/da": 3.0}}
    result = scored(
        a_test("one", "failed", finding={"status": "failed", "remarks": [{"kind": "second_pass"}]} | found, output=""),
        a_test("two", output="hello\n"),
        a_test("more"),
    )
    first, two, _ = result.checks
    assert found == {name: getattr(first, name) for name in found}
    assert ("in the second pass", (SecondPass(),)) == (first.message, first.remarks)
    assert (UNSET, "hello\n", 0.1235) == (first.output, two.output, first.duration_s)
    assert (UNSET, UNSET) == (two.program, two.message)


@pytest.mark.parametrize(
    ("expected", "own", "lines"),
    [(37, {37}, [37, 34]), (37, {36, 37}, [36, 37, 34]), (UNSET, {30}, [37, 34]), (34, {34, 37}, [37, 34])],
)
def test_a_failure_is_at_a_line_of_the_learner(expected: Any, own: set[int], lines: list[int]) -> None:
    """The line is the innermost one in the traceback that was not given out. There may be none."""
    stopped = {"kind": "raised", "type": "E", "lines": [[line, "x"] for line in lines], "in_file": True}
    reason = {"kind": "raised", "type": "E", "line": lines[-1]}
    finding = {"status": "error", "stopped": stopped, "reason": reason}
    found = outcomes({"tests": [a_test("one", "error", finding=finding), a_test("two"), a_test("more")]}, EXERCISE)
    assert expected == score(EXERCISE, LOADED, found, own=own).checks[0].line


@pytest.mark.parametrize("own", [(), {10, 11, 3}])
def test_a_wrong_number_has_no_line(own: Collection[int]) -> None:
    """A fact knows the lines of a rule, but not which of them has to change."""
    failed = a_test("one", "failed", operations=["neg"])
    found = outcomes({"tests": [failed, a_test("two"), a_test("more")]}, EXERCISE)
    fact = FaultFact("sign", operation="neg", input="a", lines=(9, 11))
    assert UNSET is score(EXERCISE, LOADED, found, facts=[fact], own=own).checks[0].line


@pytest.mark.parametrize(("said", "kind"), [(UNSET, "gives_input"), ("starting from a.grad = 4", "sign")])
def test_gradients_of_a_result_that_is_its_input_are_not_told_apart(said: Any, kind: FactKind) -> None:
    """One node did not start from two numbers, so the note with these numbers is left out."""
    finding = {"status": "failed", "remarks": [{"kind": "starting_from", "grads": {"a.grad": 4.0}}]}
    failed = a_test("one", "failed", operations=["relu"], finding=finding)
    found = outcomes({"tests": [failed, a_test("two"), a_test("more")]}, EXERCISE)
    assert said == score(EXERCISE, LOADED, found, facts=[FaultFact(kind, operation="relu")]).checks[0].message


def test_a_failed_check_has_the_number_of_its_hint() -> None:
    """It is the hint of the misconception, or of the check, or the first one. A check that passed has none."""
    tests = [a_test("one", "failed"), a_test("two", "failed"), a_test("more")]
    known = KnownBehaviour("sets", "assigns", "Your code assigns.", 3, {}, {})
    result = score(EXERCISE, LOADED, outcomes({"tests": tests}, EXERCISE), {"two": known})
    assert [(1, "grade hint first"), (3, "grade hint first 3"), (UNSET, UNSET)] == [
        (check.hint_number, check.hint) for check in result.checks
    ]


@pytest.mark.parametrize(("kind", "hint"), [("budget", 0), ("unanswered", 0), ("cpu_limit", 1), ("calls", 1)])
def test_a_check_that_was_not_answered_has_no_hint(kind: str, hint: int) -> None:
    """A hint on the check does not help if earlier code used up the time. It may help with an endless loop."""
    finding = {"status": "timeout", "reason": {"kind": kind, "seconds": 2.0, "clock": "cpu", "count": 2}}
    if kind == "calls":
        finding["stopped"] = {"kind": kind}
    found = outcomes({"tests": [a_test("one", "timeout", finding=finding), a_test("two"), a_test("more")]}, EXERCISE)
    assert hint == score(EXERCISE, LOADED, found).checks[0].hint_number


@pytest.mark.parametrize(
    ("expected", "outcome", "facts"),
    [
        pytest.param(2, {}, [], id="the check's own"),
        pytest.param(3, {}, [EARLY], id="a fact about backward()"),
        pytest.param(
            4,
            {"operations": ["mul"]},
            [SIGN],
            id="a fact about an operation in the program",
        ),
        pytest.param(2, {"operations": ["add"]}, [SIGN], id="a fact about another operation"),
        pytest.param(3, {}, [SIGN, EARLY], id="of two facts, the one that applies"),
        pytest.param(
            4,
            {"operations": ["mul"]},
            [EARLY, SIGN],
            id="the table's order",
        ),
        pytest.param(5, {"operations": ["tanh"]}, [], id="the only operation"),
        pytest.param(2, {"operations": ["mul", "tanh"]}, [], id="one of two operations"),
        pytest.param(
            5, {"operations": ["mul", "tanh"]}, [FaultFact("factor", operation="tanh")], id="the operation of a fact"
        ),
        pytest.param(6, {"wrong_value": True}, [], id="a wrong value"),
        pytest.param(1, {"finding": {"status": "failed", "remarks": [LISTED_TWICE]}}, [], id="a remark"),
        pytest.param(2, {"finding": {"status": "failed", "remarks": [SECOND]}}, [], id="only how the program was run"),
        pytest.param(0, {"finding": RAISED}, [], id="an error"),
        pytest.param(0, {"finding": RAISED}, [EARLY], id="a fact does not explain an error"),
        pytest.param(
            7,
            {"finding": RAISED, "operations": ["mul"]},
            [FaultFact("gives_other", operation="mul")],
            id="unless it does",
        ),
        pytest.param(8, {"finding": TOO_DEEP}, [], id="an exception"),
    ],
)
def test_the_hint_follows_from_what_failed(expected: int, outcome: dict[str, Any], facts: list[FaultFact]) -> None:
    """The first code of the table that applies to a failure decides. 0 means that there is no hint."""
    table = {"sign": 4, "ran_early": 3, "gives_other": 7, "tanh": 5, "value": 6, "listed_twice": 1, "second_pass": 9}
    table |= {"RecursionError": 8, "error": 0}
    exercise = replace(EXERCISE, checks=(replace(a_check("one", 2), hint=2),), hint_for=tuple(table.items()))
    status = outcome.get("finding", {}).get("status", "failed")
    result = score(exercise, LOADED, outcomes({"tests": [a_test("one", status, **outcome)]}, exercise), facts=facts)
    assert expected == result.checks[0].hint_number
    assert (exercise.hint_command(expected) if expected else UNSET) == result.checks[0].hint


def test_a_misconception_comes_with_its_own_hint() -> None:
    """The misconception's hint comes before the table's. It may be 0, which is no hint."""
    exercise = replace(EXERCISE, checks=(a_check("one", 2),), hint_for=(("ran_early", 3),))
    found = outcomes({"tests": [a_test("one", "failed")]}, exercise)
    for hint in (2, 0):
        known = KnownBehaviour("sets", "assigns", "Your code assigns.", hint, {}, {})
        result = score(exercise, LOADED, found, {"one": known}, [EARLY])
        assert hint == result.checks[0].hint_number


def test_what_is_still_to_be_filled_in_has_no_misconception() -> None:
    """A file's misconception is given only for checks that failed, not for those that reached a TODO."""
    known = KnownBehaviour("sets", "assigns", "Your code assigns.", 1, {}, {})
    tests = [a_test("one", "not_started"), a_test("two", "failed"), a_test("more")]
    found = outcomes({"tests": tests}, EXERCISE)
    result = score(EXERCISE, LOADED, found, dict.fromkeys(("one", "two"), known))
    assert [UNSET, Diagnosis("sets", "assigns", "Your code assigns.")] == [one.diagnosis for one in result.checks[:2]]


def test_a_fact_names_the_failed_checks_that_it_can_explain() -> None:
    """The checks are in the order of the course. A fact that explains no failure has none."""
    tests = [a_test("one", "failed", operations=["add"]), a_test("two", "failed", operations=["mul"]), a_test("more")]
    facts = [
        FaultFact("sign", operation="mul", lines=(4, 5)),
        EARLY,
        FaultFact("sign", operation="tanh", lines=(7, 8)),
    ]
    result = score(EXERCISE, LOADED, outcomes({"tests": tests}, EXERCISE), facts=facts)
    assert [("two",), ("one", "two"), ()] == [fact.checks for fact in result.facts or ()]


def test_a_missing_method_has_no_misconception() -> None:
    """A failure that asks for a method to be defined is explained by nothing else."""
    reason = {"kind": "not_offered", "detail": "__neg__"}
    finding = {"status": "failed", "reason": reason, "stopped": {"kind": "not_offered", "names": ["__neg__"]}}
    found = outcomes({"tests": [a_test("one", "failed", finding=finding), a_test("two"), a_test("more")]}, EXERCISE)
    known = KnownBehaviour("sets", "assigns", "Your code assigns.", 1, {}, {})
    assert UNSET is score(EXERCISE, LOADED, found, {"one": known}).checks[0].diagnosis


MISSING, TOO_LARGE, EXITED = Reason("missing"), Reason("too_large", limit_kb=256), Reason("exited")
ENDED = "your code's process ended before it answered (os._exit, or out of memory?)"


@pytest.mark.parametrize(
    ("state", "reason", "message", "reported"),
    [
        ("not_started", None, UNSET, UNSET),
        ("missing", MISSING, "there is no file mine.py", UNSET),
        ("unreadable", TOO_LARGE, "mine.py is larger than 256 KB", TOO_LARGE),
        ("failed", EXITED, f"mine.py could not be loaded: {ENDED}", EXITED),
    ],
)
def test_a_file_that_was_not_loaded_has_no_points(
    state: str, reason: Reason | None, message: str | UnsetType, reported: Reason | UnsetType
) -> None:
    """Every check is skipped with 0 points. The reason is there as a code and as a sentence.

    The status `missing` needs no further code.
    """
    result = scored(state=FileState(state, "mine.py", reason=reason))
    assert (state, 0, 5, 0) == (result.status, result.score, result.max_score, result.bonus)
    assert [("skipped", 0, 2), ("skipped", 0, 3), ("skipped", 0, 4)] == [
        (check.status, check.score, check.max_score) for check in result.checks
    ]
    assert (message, reported, "mine.py") == (result.message, result.reason, result.file)


SHAPE = {"cls": "Value", "data": "data", "grad": "grad", "inputs": "_prev", "rule": "_backward"}


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ({}, UNSET),
        ({"inputs": "_children"}, UNSET),
        ({"inputs": ""}, UNSET),
        (
            {"cls": "Node"},
            "the engine is the class `Node`, with the value in `data`, the gradient in `grad` "
            "and the inputs in `_prev`",
        ),
        (
            {"data": "v"},
            "the engine is the class `Value`, with the value in `v`, the gradient in `grad` and the inputs in `_prev`",
        ),
        (
            {"grad": "g", "inputs": ""},
            "the engine is the class `Value`, with the value in `data`, the gradient in `g` and no list of a node's "
            "inputs",
        ),
        (
            {"inputs": "parents"},
            "the engine is the class `Value`, with the value in `data`, the gradient in `grad` "
            "and the inputs in `parents`",
        ),
    ],
)
def test_unusual_names_are_told(shape: dict[str, str], expected: Any) -> None:
    """If an engine uses unusual names, one line says how they were understood."""
    tests = [a_test("one"), a_test("two", shape=SHAPE | shape), a_test("more")]
    assert expected == scored(*tests).message


BOTH = (a_test("two"), a_test("more"))


@pytest.mark.parametrize(
    ("tests", "says"),
    [
        pytest.param(BOTH, "the check first.one has no result", id="missing"),
        pytest.param((), "the check first.one has no result", id="nothing"),
        pytest.param((a_test("one", exercise="second"), *BOTH), "the check first.one has no result", id="elsewhere"),
        pytest.param((a_test("one"), *BOTH, a_test("one")), "a second result for one", id="double"),
        pytest.param((a_test("one", "failed"), *BOTH, a_test("one")), "a second result for one", id="double, other"),
        pytest.param((a_test("one") | {"outcome": "failed"}, *BOTH), "passed, but pytest says failed", id="lost"),
        pytest.param((a_test("one") | {"outcome": "error"}, *BOTH), "passed, but pytest says error", id="error"),
        pytest.param((a_test("one") | {"outcome": "skipped"}, *BOTH), "passed, but pytest says skipped", id="skipped"),
        pytest.param((a_test("one", "failed") | {"outcome": "passed"}, *BOTH), "failed, but pytest says", id="forged"),
        pytest.param((a_test("one", fault="ZeroDivisionError"), *BOTH), "ZeroDivisionError", id="fault, passed"),
        pytest.param((a_test("one", "failed", fault="no fixture"), *BOTH), "no fixture", id="fault, failed"),
        pytest.param((a_test("one", "odd"), *BOTH), "Invalid enum value 'odd'", id="unknown status"),
        pytest.param((a_test("one", "skipped"), *BOTH), "Invalid enum value 'skipped'", id="skipped itself"),
        pytest.param((a_test("one") | {"metadata": {}}, *BOTH), "says nothing of its check", id="no word of ours"),
        pytest.param(
            ({"nodeid": "x", "outcome": "failed"}, a_test("one"), *BOTH), "says nothing of its check", id="no metadata"
        ),
        pytest.param(
            (a_test("one") | {"metadata": {METADATA: {"exercise": "first", "check": "one"}}}, *BOTH),
            "one",
            id="no status",
        ),
    ],
)
def test_what_does_not_add_up_is_the_graders_fault(tests: Sequence[dict[str, Any]], says: str) -> None:
    """If a result is missing, occurs twice or contradicts itself, there is no score."""
    with pytest.raises(GraderFault, match=says):
        scored(*tests)


@pytest.mark.parametrize("state", ["not_started", "missing", "unreadable", "failed"])
def test_a_result_for_a_file_that_was_not_loaded_is_the_graders_fault(state: str) -> None:
    """A check cannot have a result if the file did not run."""
    with pytest.raises(GraderFault):
        scored(a_test("one"), state=FileState(state, "mine.py"))


def an_exercise(status: ExerciseStatus, points: int = 0) -> ExerciseResult:
    return ExerciseResult("x", "01", "X", status, points, 5, 0, ())


@pytest.mark.parametrize(
    ("exercises", "expected"),
    [
        ([an_exercise("passed", 5)], "passed"),
        ([an_exercise("passed", 5), an_exercise("passed", 5)], "passed"),
        ([an_exercise("passed", 5), an_exercise("not_started")], "partial"),
        ([an_exercise("passed", 5), an_exercise("failed")], "partial"),
        ([an_exercise("partial", 1)], "partial"),
        ([an_exercise("partial", 1), an_exercise("unreadable")], "partial"),
        ([an_exercise("failed")], "failed"),
        ([an_exercise("unreadable")], "failed"),
        ([an_exercise("failed"), an_exercise("not_started")], "failed"),
        ([an_exercise("unreadable"), an_exercise("missing")], "failed"),
        ([an_exercise("not_started")], "not_started"),
        ([an_exercise("missing")], "not_started"),
        ([an_exercise("not_started"), an_exercise("missing")], "not_started"),
    ],
)
def test_the_status_of_a_whole_report(exercises: Sequence[ExerciseResult], expected: ReportStatus) -> None:
    """A report is `passed` or `not_started` only if every exercise is. With at least one point it is `partial`."""
    assert expected == overall(exercises)
