"""Outcomes of checks become results: points, statuses, hints, lines, and notes on a file."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
import pytest
from every import every
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from grader.course.facts import FactKind, FaultFact
from grader.course.load import Check, Exercise
from grader.course.oracle.answer_book import KnownBehaviour
from grader.course.remarks import ListedTwice, SecondPass, StartingFrom, Stopped
from grader.runner.client import Reason
from grader.verdict.checks.outcome import CheckOutcome, EngineShape, Finding, GraderFault
from grader.verdict.grading.scoring import Checked, FileState, check_result, score
from grader.verdict.report.model import Diagnosis, ExerciseResult

LOADED = FileState("loaded", "mine.py")
SETS = KnownBehaviour("sets", "assigns", "Your code assigns.", 3, {}, {})
RAISED = Finding("error", reason=Reason("raised", type="NameError"), stopped=Stopped("raised"))
NO_NEG = Stopped("not_offered", names=("__neg__",))
TOO_DEEP = replace(RAISED, reason=Reason("raised", type="RecursionError"))


def a_fact(kind: FactKind, operation: str = "", **more: Any) -> FaultFact:
    return FaultFact(kind, operation=operation, **more)


def a_check(name: str, points: int, bonus: bool = False) -> Check:
    return Check(name, f"{name} is right", points, bonus, "hidden", "hint", 0, 1)


EXERCISE = Exercise("first", "03", "The first", (a_check("one", 2), a_check("two", 3), a_check("more", 4, True)), (), 1)


def outcome(status: Any = "passed", **more: Any) -> CheckOutcome:
    finding = more.pop("finding", None if status == "passed" else Finding(status))
    return CheckOutcome("first", "", finding.status if finding else status, 0.123456, finding=finding, **more)


def scored(
    *outcomes: CheckOutcome, state: FileState = LOADED, exercise: Exercise = EXERCISE, **more: Any
) -> ExerciseResult:
    """Score the outcomes of the exercise's checks. Checks without an outcome pass."""
    passed = [outcome()] * (len(exercise.checks) - len(outcomes))
    checked = {
        check.id: Checked(replace(one, check=check.id), check_result(exercise, check, one))
        for check, one in zip(exercise.checks, [*outcomes, *passed], strict=True)
    }
    return score(exercise, state, checked if state.state == "loaded" else {}, **more)


@every(
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
    result = scored(*map(outcome, statuses))
    assert (status, points, 5, bonus) == (result.status, result.score, result.max_score, result.bonus)
    assert [*zip(("one", "two", "more"), statuses, (2, 3, 4), strict=True)] == [
        (check.id, check.status, check.max_score) for check in result.checks
    ]


def test_the_course_is_copied() -> None:
    """Number, titles and visibility come from the course. The file comes from its state."""
    result = scored()
    assert ("03", "The first", "mine.py", UNSET) == (result.number, result.title, result.file, result.message)
    check = result.checks[0]
    assert ("one is right", "hidden", False) == (check.title, check.visibility, check.bonus)


def test_an_answer_that_leaves_programs_out_is_a_reason() -> None:
    """A check whose answer left out programs has a reason code, for review."""
    result = scored(outcome("failed", left_out=True))
    assert [Reason("left_out"), UNSET, UNSET] == [check.reason for check in result.checks]


def test_the_finding_is_copied() -> None:
    """The result has the check's finding and a rounded duration. Empty output is left out."""
    finding = Finding("failed", "L = a", {"dL/da": 6.0}, {"dL/da": 3.0}, (SecondPass(),))
    first, second, _ = scored(outcome(finding=finding), outcome(output="hello\n")).checks
    for name in ("program", "expected", "actual", "remarks"):
        assert getattr(finding, name) == getattr(first, name)
        assert UNSET is getattr(second, name)
    assert first.message
    assert (UNSET, "hello\n", 0.1235) == (first.output, second.output, first.duration_s)


@every(
    ("expected", "own", "lines"),
    [(37, {37}, [37, 34]), (37, {36, 37}, [36, 37, 34]), (UNSET, {30}, [37, 34]), (34, {34, 37}, [37, 34])],
)
def test_a_failure_is_at_a_line_of_the_learner(expected: Any, own: set[int], lines: list[int]) -> None:
    """The line is the innermost one in the traceback that was not given out. There may be none."""
    stopped = Stopped("raised", type="E", lines=tuple((line, "x") for line in lines), in_file=True)
    finding = replace(RAISED, stopped=stopped)
    assert expected == scored(outcome(finding=finding), own=own).checks[0].line


@pytest.mark.parametrize("own", [(), {10, 11, 3}])
def test_a_wrong_number_has_no_line(own: Collection[int]) -> None:
    """A fact knows the lines of a rule, but not which of them has to change."""
    facts = [a_fact("sign", "neg", input="a", lines=(9, 11))]
    assert UNSET is scored(outcome("failed", operations=("neg",)), facts=facts, own=own).checks[0].line


@pytest.mark.parametrize(("remains", "kind"), [(False, "gives_input"), (True, "sign")])
def test_gradients_of_a_result_that_is_its_input_are_not_told_apart(remains: bool, kind: FactKind) -> None:
    """One node did not start from two numbers, so the remark with these numbers is left out."""
    start = StartingFrom({"a.grad": 4.0})
    finding = Finding("failed", remarks=(start, SecondPass()))
    check = scored(outcome(finding=finding, operations=("relu",)), facts=[a_fact(kind, "relu")]).checks[0]
    assert ((start, SecondPass()) if remains else (SecondPass(),)) == check.remarks
    assert remains == ("a.grad" in str(check.message))


def test_a_failed_check_has_the_number_of_its_hint() -> None:
    """It is the hint of the misconception, or of the check, or the first one. A check that passed has none."""
    result = scored(outcome("failed"), outcome("failed"), explained={"two": SETS})
    assert [(1, "grade hint first"), (3, "grade hint first 3"), (UNSET, UNSET)] == [
        (check.hint_number, check.hint) for check in result.checks
    ]


@every(("kind", "hint"), [("budget", 0), ("unanswered", 0), ("cpu_limit", 1), ("calls", 1)])
def test_a_check_that_was_not_answered_has_no_hint(kind: Any, hint: int) -> None:
    """A hint on the check does not help if earlier code used up the time. It may help with an endless loop."""
    stopped = Stopped(kind) if kind == "calls" else None
    finding = Finding("timeout", reason=Reason(kind, seconds=2.0, clock="cpu", count=2), stopped=stopped)
    assert hint == scored(outcome(finding=finding)).checks[0].hint_number


@pytest.mark.parametrize(
    ("expected", "failed", "facts"),
    [
        pytest.param(2, {}, [], id="the check's own"),
        pytest.param(3, {}, [a_fact("ran_early")], id="a fact about backward()"),
        pytest.param(4, {"operations": ("mul",)}, [a_fact("sign", "mul")], id="a fact about its operation"),
        pytest.param(2, {"operations": ("add",)}, [a_fact("sign", "mul")], id="a fact about another operation"),
        pytest.param(3, {}, [a_fact("sign", "mul"), a_fact("ran_early")], id="of two facts, the one that applies"),
        pytest.param(4, {"operations": ("mul",)}, [a_fact("ran_early"), a_fact("sign", "mul")], id="the table's order"),
        pytest.param(5, {"operations": ("tanh",)}, [], id="the only operation"),
        pytest.param(2, {"operations": ("mul", "tanh")}, [], id="one of two operations"),
        pytest.param(5, {"operations": ("mul", "tanh")}, [a_fact("factor", "tanh")], id="the operation of a fact"),
        pytest.param(6, {"wrong_value": True}, [], id="a wrong value"),
        pytest.param(1, {"finding": Finding("failed", remarks=(ListedTwice("a"),))}, [], id="a remark"),
        pytest.param(2, {"finding": Finding("failed", remarks=(SecondPass(),))}, [], id="only how the program was run"),
        pytest.param(0, {"finding": RAISED}, [], id="an error"),
        pytest.param(0, {"finding": RAISED}, [a_fact("ran_early")], id="a fact does not explain an error"),
        pytest.param(7, {"finding": RAISED, "operations": ("mul",)}, [a_fact("gives_other", "mul")], id="or does"),
        pytest.param(8, {"finding": TOO_DEEP}, [], id="an exception"),
    ],
)
def test_the_hint_follows_from_the_failure(expected: int, failed: dict[str, Any], facts: list[FaultFact]) -> None:
    """The first code of the table that applies to a failure decides. 0 means that there is no hint."""
    table = {"sign": 4, "ran_early": 3, "gives_other": 7, "tanh": 5, "value": 6, "listed_twice": 1, "second_pass": 9}
    table |= {"RecursionError": 8, "error": 0}
    exercise = replace(EXERCISE, checks=(replace(a_check("one", 2), hint=2),), hint_for=tuple(table.items()))
    (check,) = scored(outcome("failed", **failed), exercise=exercise, facts=facts).checks
    assert expected == check.hint_number
    assert (exercise.hint_command(expected) if expected else UNSET) == check.hint


@pytest.mark.parametrize("hint", [2, 0])
def test_a_misconception_comes_with_its_own_hint(hint: int) -> None:
    """The misconception's hint comes before the table's. It may be 0, which is no hint."""
    exercise = replace(EXERCISE, checks=(a_check("one", 2),), hint_for=(("ran_early", 3),))
    known = {"one": replace(SETS, hint=hint)}
    result = scored(outcome("failed"), exercise=exercise, explained=known, facts=[a_fact("ran_early")])
    assert hint == result.checks[0].hint_number


@every(
    ("named", "finding"),
    [
        (True, Finding("failed")),
        (False, Finding("not_started")),
        (False, Finding("failed", reason=Reason("not_offered", detail="__neg__"), stopped=NO_NEG)),
    ],
    ids=["failed", "still to be filled in", "a missing method"],
)
def test_a_misconception_explains_wrong_code_only(named: bool, finding: Finding) -> None:
    """A check that reached a TODO or a missing method is explained by nothing else."""
    check = scored(outcome(finding=finding), explained={"one": SETS}).checks[0]
    assert (Diagnosis("sets", "assigns", "Your code assigns.") if named else UNSET) == check.diagnosis


def test_a_fact_names_the_failed_checks_that_it_can_explain() -> None:
    """The checks are in the order of the course. A fact that explains no failure has none."""
    facts = [a_fact("sign", "mul", lines=(4, 5)), a_fact("ran_early"), a_fact("sign", "tanh", lines=(7, 8))]
    result = scored(outcome("failed", operations=("add",)), outcome("failed", operations=("mul",)), facts=facts)
    assert [("two",), ("one", "two"), ()] == [fact.checks for fact in result.facts or ()]


@pytest.mark.parametrize(("expected", "once"), [((), (True, True)), ((("two",),), (True, False))])
def test_a_rule_that_assigns_is_no_fact_where_that_is_enough(
    expected: tuple[tuple[str, ...], ...], once: tuple[bool, bool]
) -> None:
    """It is enough if each failed check stores one contribution in each gradient, as in exercise 01."""
    outcomes = [outcome("failed", operations=("add",), once=one) for one in once]
    result = scored(*outcomes, facts=[a_fact("overwrites", "add", lines=(4, 5))])
    assert expected == tuple(fact.checks for fact in result.facts or ())


@every(
    ("state", "reason", "reported"),
    [
        ("not_started", None, UNSET),
        ("missing", Reason("missing"), UNSET),
        ("unreadable", Reason("too_large", limit_kb=256), Reason("too_large", limit_kb=256)),
        ("failed", Reason("exited"), Reason("exited")),
    ],
)
def test_a_file_that_was_not_loaded_has_no_points(
    state: str, reason: Reason | None, reported: Reason | UnsetType
) -> None:
    """Every check is skipped with 0 points. The reason is there as a code and as a sentence.

    The status `missing` needs no further code.
    """
    result = scored(state=FileState(state, "mine.py", reason=reason))
    assert (state, 0, 5, 0) == (result.status, result.score, result.max_score, result.bonus)
    assert [("skipped", 0, 2), ("skipped", 0, 3), ("skipped", 0, 4)] == [
        (check.status, check.score, check.max_score) for check in result.checks
    ]
    assert (reported, "mine.py") == (result.reason, result.file)
    assert (reason is not None) == ("mine.py" in (result.message or ""))


USUAL = EngineShape("Value", "data", "grad", "_prev")


@every("names", [{}, {"inputs": "_children"}, {"inputs": ""}])
def test_usual_names_are_not_told(names: dict[str, str]) -> None:
    """There is no note on the names of micrograd."""
    assert UNSET is scored(outcome(), outcome(shape=replace(USUAL, **names))).message


@every("names", [{"cls": "Node"}, {"data": "v"}, {"grad": "g", "inputs": ""}, {"inputs": "parents"}])
def test_unusual_names_are_told(names: dict[str, str]) -> None:
    """If an engine uses unusual names, a note says how they were understood."""
    shape = replace(USUAL, **names)
    message = scored(outcome(), outcome(shape=shape)).message
    assert message
    assert all(f"`{name}`" in message for name in msgspec.structs.astuple(shape) if name)


def test_a_method_that_was_not_run_is_told() -> None:
    """A note names the methods that exist and need an argument."""
    message = scored(outcome(not_run=("tanh",)), outcome(not_run=("tanh",))).message
    assert message
    assert 1 == message.count("`tanh`")


@every("of", ["missing", "another", "not loaded"])
def test_outcomes_that_do_not_add_up_are_the_graders_fault(of: str) -> None:
    """If an outcome is missing, or belongs to no check that was run, there is no score."""
    checked = {check.id: Checked(outcome(), check_result(EXERCISE, check, outcome())) for check in EXERCISE.checks}
    if of == "missing":
        del checked["one"]
    if of == "another":
        checked["other"] = checked["one"]
    with pytest.raises(GraderFault):
        score(EXERCISE, FileState("failed") if of == "not loaded" else LOADED, checked)


@pytest.mark.parametrize(
    "wrong", [CheckOutcome("first", "one", "passed", finding=Finding("failed")), CheckOutcome("first", "one", "failed")]
)
def test_an_outcome_that_contradicts_its_finding_is_the_graders_fault(wrong: CheckOutcome) -> None:
    """Only a check that did not pass has a finding."""
    with pytest.raises(GraderFault):
        check_result(EXERCISE, EXERCISE.checks[0], wrong)
