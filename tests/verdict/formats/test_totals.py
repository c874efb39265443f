"""Every format has the total of the final table, and says what makes it differ from the sum of the checks."""

import csv
import io
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from junitparser import JUnitXml
from msgspec.structs import replace
from reports import named_check as check
from reports import one_exercise as report

from grader.classes.people import adjusted
from grader.course.learners import Decided, Learner, Person
from grader.verdict.formats.gradescope import gradescope
from grader.verdict.formats.junit import junit
from grader.verdict.formats.tables import canvas, csv_table, nbgrader
from grader.verdict.report import CheckResult, Report

DECIDED = Decided("Ada", "2026-03-05T00:00:00+00:00", "the check was wrong", points={"first.two": 2})
EXTENDED = Decided("Ada", "2026-03-06T00:00:00+00:00", "the server was down", penalty=1, comment="Well done")


@pytest.fixture
def late(failed: CheckResult) -> Report:
    """A failed check with points that a person gave, a bonus and a penalty: 2 + 2 + 2 - 1."""
    row = Learner(
        "jane",
        Person("Jane Doe", "jane"),
        "graded",
        submitted_at="2026-03-02T23:59:00+00:00",
        due="2026-03-01T22:59:00+00:00",
        late_s=90_000,
        score=4,
        bonus=2,
        penalty=1,
        total=5,
        comment="Well done",
        decisions=(DECIDED, EXTENDED),
    )
    return adjusted(report(check(), failed, check("more", bonus=True), check("last", "failed")), row)


def graded(made: Report, details: dict[tuple[str, str], str] | None = None) -> dict[str, Any]:
    """What Gradescope reads."""
    ((text,),) = (files.values() for files in gradescope([made], details or {}))
    found: dict[str, Any] = json.loads(text)
    return found


def table(lines: Any) -> dict[str, str]:
    """The last row of a table."""
    *_, row = csv.DictReader(io.StringIO("".join(lines), newline=""))
    return row


def test_gradescope_adds_up(late: Report) -> None:
    """A penalty is a test with a negative score, so what Gradescope shows adds up to the total."""
    found = graded(late)
    assert 5 == found["score"] == sum(test["score"] for test in found["tests"])
    assert late.max_score == sum(test["max_score"] for test in found["tests"])
    assert ("Late penalty", -1, "failed", "Submitted 1 day 1 hour late: 1 point is taken off.", "visible") == tuple(
        found["tests"][-1][key] for key in ("name", "score", "status", "output", "visibility")
    )


def test_gradescope_shows_a_penalty_no_sooner_than_the_points(late: Report) -> None:
    """A penalty is a part of the points, so it would give hidden checks away."""
    (exercise,) = late.exercises
    hidden = replace(exercise, checks=(replace(exercise.checks[0], visibility="hidden"), *exercise.checks[1:]))
    assert "after_published" == graded(replace(late, exercises=(hidden,)))["tests"][-1]["visibility"]


def test_gradescope_says_a_decision_at_its_check(late: Report) -> None:
    """Where the points are shown, and not in the overview, which learners read at once."""
    found = graded(late)
    two = found["tests"][1]
    assert (2, "passed") == (two["score"], two["status"])
    assert two["output"].startswith("decided: 2 of 2 points (Ada, 2026-03-05: the check was wrong)\nL = a * a")
    assert "penalty: 1 point (Ada, 2026-03-06: the server was down)\nWell done" == found["output"]


def test_no_penalty_is_no_test() -> None:
    """Of a learner who is in time, the tests are the checks."""
    row = Learner("jane", Person("Jane Doe"), "graded", score=2, total=2)
    assert ["The first: one is right"] == [one["name"] for one in graded(adjusted(report(check()), row))["tests"]]


def test_junit_agrees_with_the_final_table(late: Report) -> None:
    """The suite has every number; a check passes if it counts in full, and a decision on it is said."""
    (suite,) = JUnitXml.fromstring("".join(junit([late])).encode())
    found = {one.name: one.value for one in suite.properties()}
    assert ("4", "2", "1", "5") == tuple(found[name] for name in ("score", "bonus", "penalty", "total"))
    assert "penalty: 1 point (Ada, 2026-03-06: the server was down)" == found["decision"]
    cases = list(suite)
    assert [True, True, True, False] == [case.is_passed for case in cases]
    assert (cases[1].system_out or "").startswith("decided: 2 of 2 points (Ada, 2026-03-05: the check was wrong)")
    assert 1 == suite.failures


def test_points_that_were_taken_are_a_failure_for_junit() -> None:
    """Whatever the check found; the message says who decided."""
    decided = replace(DECIDED, points={"first.one": 1})
    row = Learner("jane", Person("Jane Doe"), "graded", score=1, total=1, decisions=(decided,))
    (suite,) = JUnitXml.fromstring("".join(junit([adjusted(report(check()), row)])).encode())
    (case,) = suite
    assert case.is_failure
    assert "decided: 1 of 2 points (Ada, 2026-03-05: the check was wrong)" == case.result[0].message


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (csv_table, {"score": "4", "bonus": "2", "penalty": "1", "total": "5", "late_s": "90000"}),
        (partial(canvas, assignment="Backward"), {"Backward": "5"}),
        (
            partial(nbgrader, assignment="backward"),
            {"raw_score": "6.0", "late_submission_penalty": "1.0", "score": "5.0"},
        ),
    ],
)
def test_tables_have_the_total(late: Report, rows: Callable[[list[Report]], Any], expected: dict[str, str]) -> None:
    """Canvas takes one number; the others have what leads to it."""
    found = table(rows([late]))
    assert expected == {key: found[key] for key in expected}
