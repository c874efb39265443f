"""The rules are those that Classroom 50's own runner checks: `validate_result` in its `runner.py`, and its published
`result-v1.schema.json`, written down here anew."""

import json
from typing import Any

import jsonschema
import pytest
from reports import named_check as check
from reports import one_exercise as report

from grader.verdict.formats.github import classroom50
from grader.verdict.report import CheckResult, Report

TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 0}
TIME = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$"}
FIELDS = {
    "schema": {"const": "classroom50/result/v1"},
    **dict.fromkeys(("classroom", "assignment", "owner", "commit", "release", "review"), TEXT),
    "assignment_type": {"enum": ["individual", "group"]},
    "submission": {"type": "string", "pattern": "^submit/"},
    "datetime": TIME,
    "score": COUNT,
    "max-score": COUNT,
    "tests": {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["test-name", "passed", "score", "max-score"],
            "properties": {"test-name": TEXT, "passed": {"type": "boolean"}, "score": COUNT, "max-score": COUNT},
        },
    },
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": list(FIELDS),
    "properties": {**FIELDS, "graded_at": TIME},
}
VARIABLES = {
    "CLASSROOM": "cs",
    "ASSIGNMENT": "backward",
    "OWNER": "jane",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://github.com/o/r/commit/1",
    "RELEASE_URL": "https://github.com/o/r/releases/tag/1",
    "REVIEW_URL": "https://github.com/o/r/compare/0...1",
    "ASSIGNMENT_TYPE": "group",
}


def result(made: Report, variables: dict[str, str] = VARIABLES) -> dict[str, Any]:
    """The file's content, which Classroom 50 would take."""
    found: dict[str, Any] = json.loads(classroom50(made, variables))
    jsonschema.validate(found, SCHEMA)
    assert found["score"] <= found["max-score"]
    assert all(test["score"] <= test["max-score"] for test in found["tests"])
    return found


def test_who_and_when() -> None:
    """What the runner said of the submission is said again; times are in UTC, without an offset."""
    found = result(report(check()))
    assert ("cs", "backward", "jane", "group") == tuple(
        found[name] for name in ("classroom", "assignment", "owner", "assignment_type")
    )
    assert VARIABLES["REVIEW_URL"] == found["review"]
    assert "2026-01-02T03:04:05Z" == found["datetime"] == found["graded_at"]


def test_what_an_older_runner_does_not_say() -> None:
    """Without a review link there is the commit; without a mode the assignment is for one person."""
    older = {name: value for name, value in VARIABLES.items() if name not in ("REVIEW_URL", "ASSIGNMENT_TYPE")}
    found = result(report(check()), older)
    assert (older["COMMIT_URL"], "individual") == (found["review"], found["assignment_type"])


def test_a_missing_variable_is_named() -> None:
    """The command line asks for all of them before it grades."""
    with pytest.raises(KeyError, match="COMMIT_URL"):
        classroom50(report(check()), {name: value for name, value in VARIABLES.items() if name != "COMMIT_URL"})


def test_a_test_for_each_check(failed: CheckResult) -> None:
    """With its points, and with what a learner is told."""
    one, two = result(report(check(), failed))["tests"]
    assert {
        "test-name": "03 The first: one is right",
        "passed": True,
        "score": 2,
        "max-score": 2,
        "status": "passed",
    } == one
    assert ("03 The first: two is right", False, 0, 2) == (
        two["test-name"], two["passed"], two["score"], two["max-score"]
    )  # fmt: skip
    assert two["message"].startswith("L = a * a    with a = 3\n")


def test_bonus_is_listed_and_not_counted() -> None:
    """A score beyond the maximum would be refused; a bonus that was missed is no failed test."""
    found = result(report(check(), check("more", bonus=True), check("most", "failed", bonus=True)))
    assert (2, 2) == (found["score"], found["max-score"])
    assert [None, 2] == [test.get("bonus") for test in found["tests"]]


def test_hostile_text_is_harmless(hostile: str) -> None:
    """It gives a log no commands and stays where it is."""
    made = report(check("one", "error", message=hostile), message=hostile)
    text = classroom50(made, VARIABLES)
    assert "::" not in text
    assert "##[" not in text
    assert all(c == "\n" or c.isprintable() for c in text)
    result(made)


def test_real_reports_fit(real: Report) -> None:
    """Solutions and mistakes of every kind; the score is the sum of the tests."""
    found = result(real)
    assert real.score == found["score"] == sum(test["score"] for test in found["tests"])
    assert real.max_score == found["max-score"] == sum(test["max-score"] for test in found["tests"])
