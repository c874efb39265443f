import json
from typing import Any, Literal

import pytest
from msgspec import UNSET
from msgspec.structs import replace
from reports import make_exercise, make_report

from grader.client import Reason
from grader.remarks import NeverRan
from grader.report import CheckResult, Diagnosis, Report, for_learner, to_json
from grader.words.facts import FaultFact

FULL = CheckResult(
    id="one",
    title="one is right",
    visibility="hidden",
    status="failed",
    score=0,
    max_score=2,
    bonus=False,
    duration_s=0.25,
    program="L = a * a    with a = 3",
    expected={"dL/da": 6.0},
    actual={"dL/da": 3.0},
    diagnosis=Diagnosis("overwrite", "a title", "the second use overwrote the first"),
    hint="grade hint first 2",
    hint_number=2,
    play="grade play first 1",
    message="line 3: x = y",
    remarks=(NeverRan("a"),),
    output="printed",
    reason=Reason("raised", type="ValueError", line=3),
    expected_by="torch",
    line=3,
)
FINDINGS = {"program", "expected", "actual", "expected_by", "message", "remarks", "output", "play", "reason", "line"}
HINTS = {"diagnosis", "hint", "hint_number"}


def report_with(*checks: CheckResult) -> Report:
    exercise = make_exercise(*checks, name="first", message="told", file="03_first.py")
    return make_report(exercise, submitted_at="2026-01-01T00:00:00Z", notes=("a note",), seed="secret")


def taken(before: Any, after: Any, path: str = "") -> set[str]:
    """The paths of what is in `before` and not in `after`; nothing else may differ."""
    if before == after:
        return set()
    if isinstance(before, dict) and isinstance(after, dict):
        assert set() == after.keys() - before.keys()
        gone = {f"{path}.{key}" for key in before.keys() - after.keys()}
        return gone.union(*(taken(before[key], after[key], f"{path}.{key}") for key in after))
    if isinstance(before, list) and isinstance(after, list):
        assert len(before) == len(after)
        return set().union(*(taken(b, a, f"{path}[{i}]") for i, (b, a) in enumerate(zip(before, after, strict=True))))
    raise AssertionError(f"{path} was changed from {before!r} to {after!r}")


def taken_by_for_learner(report: Report, details: dict[tuple[str, str], str]) -> set[str]:
    return taken(json.loads(to_json(report)), json.loads(to_json(for_learner(report, details))))


def test_the_comparison_sees_everything() -> None:
    """The helper of these tests finds what is gone, and does not let a change or an addition pass."""
    assert {".a.b", ".c[1].d"} == taken({"a": {"b": 1}, "c": [0, {"d": 2}]}, {"a": {}, "c": [0, {}]})
    with pytest.raises(AssertionError):
        taken({"a": 1}, {"a": 2})
    with pytest.raises(AssertionError):
        taken({"a": 1}, {"a": 1, "b": 2})


@pytest.mark.parametrize(
    ("visibility", "details", "gone"),
    [
        ("visible", {("first", "one"): "full"}, set()),
        ("visible", {("first", "one"): "hint"}, set()),
        ("visible", {("first", "one"): "score"}, set()),
        ("visible", {}, set()),
        ("hidden", {("first", "one"): "full"}, set()),
        ("hidden", {("first", "one"): "hint"}, FINDINGS),
        ("hidden", {("first", "one"): "score"}, FINDINGS | HINTS),
        ("hidden", {}, FINDINGS | HINTS),
        ("hidden", {("second", "one"): "full"}, FINDINGS | HINTS),
        ("hidden", {("first", "two"): "full"}, FINDINGS | HINTS),
        ("hidden", {("first", "one"): "a word of some later version"}, FINDINGS | HINTS),
    ],
)
@pytest.mark.parametrize("status", ["failed", "error", "passed"])
def test_exactly_what_is_forbidden_is_taken_out(
    visibility: Literal["visible", "hidden"],
    details: dict[tuple[str, str], str],
    gone: set[str],
    status: Literal["failed", "error", "passed"],
) -> None:
    """The seed always, findings and hints of a hidden check as its `detail` says; if unsure, all of them."""
    report = report_with(replace(FULL, visibility=visibility, status=status))
    expected = {".seed"} | {f".exercises[0].checks[0].{field}" for field in gone}
    assert expected == taken_by_for_learner(report, details)


def test_each_check_has_a_detail_of_its_own() -> None:
    """One check's detail says nothing about its neighbour."""
    report = report_with(FULL, replace(FULL, id="two"), replace(FULL, id="three", visibility="visible"))
    expected = {".seed"} | {f".exercises[0].checks[1].{field}" for field in FINDINGS}
    assert expected == taken_by_for_learner(report, {("first", "one"): "full", ("first", "two"): "hint"})


@pytest.mark.parametrize(
    ("expected", "checks"),
    [
        (set(), [replace(FULL, visibility="visible")]),
        (set(), [FULL, replace(FULL, id="two")]),
        ({".exercises[0].facts"}, [FULL]),
        ({".exercises[0].facts"}, [FULL, replace(FULL, id="two", status="passed")]),
    ],
    ids=["visible", "one may be explained", "none may be", "what passes explains nothing"],
)
def test_facts_are_told_where_a_failure_is_explained(expected: set[str], checks: list[CheckResult]) -> None:
    """A course that tells no reason of any failing check tells no fact about the code either."""
    report = report_with(*checks)
    (exercise,) = report.exercises
    told = replace(report, exercises=(replace(exercise, facts=(FaultFact("sign", "It is wrong."),)),))
    assert expected == {path for path in taken_by_for_learner(told, {("first", "two"): "hint"}) if "facts" in path}


def test_a_fact_about_a_hidden_failure_is_not_told() -> None:
    """The learner sees the facts that explain a check with details, and those that explain no check."""
    report = report_with(FULL, replace(FULL, id="two"))
    facts = tuple(FaultFact("sign", "It is wrong.", checks=checks) for checks in (("one",), ("one", "two"), ()))
    told = replace(report, exercises=(replace(report.exercises[0], facts=facts),))
    shown = for_learner(told, {("first", "two"): "hint"}).exercises[0].facts
    assert [("two",), ()] == [fact.checks for fact in shown or ()]


def test_the_report_itself_stays() -> None:
    """The instructor's report is not changed."""
    report = report_with(FULL)
    before = to_json(report)
    for_learner(report, {})
    assert before == to_json(report)


def test_twice_is_once() -> None:
    """A learner's report made again from itself is the same."""
    once = for_learner(report_with(FULL), {("first", "one"): "hint"})
    assert once == for_learner(once, {("first", "one"): "hint"})


def test_every_field_is_decided_on() -> None:
    """A field that is added to the model has to be put on one side: told to learners of hidden checks, or not."""
    told = {"id", "title", "visibility", "status", "score", "max_score", "bonus", "duration_s", "decided"}
    assert told | FINDINGS | HINTS == set(CheckResult.__struct_fields__)
    assert UNSET is for_learner(report_with(FULL), {}).seed
