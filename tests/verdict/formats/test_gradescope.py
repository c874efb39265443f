import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from every import every
from reports import named_check as check
from reports import one_exercise as report

from grader.verdict.formats.gradescope import gradescope
from grader.verdict.report import CheckResult, Report, for_learner

# written from Gradescope's published specification of results.json
SCHEMA = json.loads((Path(__file__).parent / "gradescope.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
STATUSES = ["passed", "failed", "error", "timeout", "crashed", "skipped"]


def results(made: Report, details: dict[tuple[str, str], str] | None = None) -> dict[str, Any]:
    """The one file's content, which fits the schema."""
    ((text,),) = (files.values() for files in gradescope([for_learner(made, details or {})], details or {}))
    found: dict[str, Any] = json.loads(text)
    VALIDATOR.validate(found)
    return found


def test_the_schema_tells_things_apart() -> None:
    """It is a schema, takes the least that Gradescope does, and refuses what Gradescope has no word for."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert [True, True, False, False, False] == [
        VALIDATOR.is_valid(one)
        for one in (
            {"score": 1},
            {"tests": [{"score": 1.0}]},
            {"tests": [{"max_score": 1.0}]},
            {"score": 1, "tests": [{"status": "error"}]},
            {"score": 1, "tests": [{"visibility": "secret"}]},
        )
    ]


def test_real_reports_fit_the_schema(real: Report) -> None:
    """Solutions and mistakes of every kind; the total is the sum of the tests."""
    found = results(real)
    assert real.score + real.bonus == found["score"] == sum(test["score"] for test in found["tests"])
    assert real.max_score == sum(test["max_score"] for test in found["tests"])


def test_a_file_for_each_submission() -> None:
    """In a folder of its own, so that each is called as Gradescope wants it."""
    made = (report(check(), id=name) for name in ("jane", "otieno"))
    assert ["jane/results.json", "otieno/results.json"] == [name for files in gradescope(made, {}) for name in files]


def test_a_failed_check_says_everything(failed: CheckResult) -> None:
    """Number, name, points, and why: as much as a terminal would show."""
    (test,) = results(report(failed))["tests"]
    assert {
        "score": 0,
        "max_score": 2,
        "status": "failed",
        "name": "The first: two is right",
        "number": "3.1",
        "output": "L = a * a    with a = 3\ndL/da: yours 3, torch 6\norder: yours nothing, a correct one is a, L\n"
        "line 3: x = y\nwhy: the second use overwrote the first\nhint: grade hint first 2\nprinted:\nprinted\n",
        "tags": ["first"],
        "visibility": "visible",
        "extra_data": {"exercise": "first", "check": "two", "status": "failed"},
    } == test


def test_numbers_that_look_alike_are_shown_in_full() -> None:
    """Two different numbers are never shown as the same."""
    alike = check("one", "failed", expected={"x": 1.00000001}, actual={"x": 1.0})
    assert "x: yours 1.0, expected 1.00000001" == results(report(alike))["tests"][0]["output"]


@every("status", STATUSES)
def test_statuses(status: str) -> None:
    """Gradescope knows two; ours is kept beside."""
    (test,) = results(report(check("one", status)))["tests"]
    assert ("passed" if status == "passed" else "failed") == test["status"]
    assert status == test["extra_data"]["status"]


@pytest.mark.parametrize(
    ("visibility", "detail", "expected", "told"),
    [
        ("visible", "score", "visible", ("printed", "yours", "why: ", "hint: ")),
        ("visible", None, "visible", ("printed", "yours", "why: ", "hint: ")),
        ("hidden", "full", "after_published", ("printed", "yours", "why: ", "hint: ")),
        ("hidden", "hint", "after_published", ("why: ", "hint: ")),
        ("hidden", "score", "hidden", ()),
        ("hidden", None, "hidden", ()),
    ],
)
def test_hidden_checks_say_what_the_course_allows(
    failed: CheckResult, visibility: Any, detail: str | None, expected: str, told: tuple[str, ...]
) -> None:
    """What `detail` forbids is not in the file, whatever Gradescope would show; a check nobody names says least."""
    made = CheckResult(
        **{name: getattr(failed, name) for name in failed.__struct_fields__} | {"visibility": visibility}
    )
    (test,) = results(report(made), {("first", "two"): detail} if detail else {})["tests"]
    assert expected == test["visibility"]
    assert told == tuple(word for word in ("printed", "yours", "why: ", "hint: ") if word in test["output"])


def test_the_overview_gives_no_points_away(failed: CheckResult) -> None:
    """What stands above the tests is seen at once: notes and what could not be loaded, and no score."""
    found = results(report(failed, notes=("a note",), message="cannot be loaded"))
    assert "a note\n03 The first: cannot be loaded" == found["output"]
    assert "" == results(report(failed))["output"]
    assert "03 The first: not started" == results(report(failed, status="not_started"))["output"]


def test_skipped_checks_say_why() -> None:
    """A learner who opens a check of a file that was not loaded reads what is the matter with the file."""
    skipped = check("one", "skipped")
    assert "cannot be loaded" == results(report(skipped, message="cannot be loaded"))["tests"][0]["output"]
    assert "not started" == results(report(skipped, status="not_started"))["tests"][0]["output"]


def test_bonus_is_beyond_the_maximum() -> None:
    """A bonus check is worth points out of none, and counts in the total."""
    found = results(report(check(), check("more", bonus=True)))
    assert (4, [(2, 2), (2, 0)]) == (found["score"], [(test["score"], test["max_score"]) for test in found["tests"]])
    assert "The first: more is right (bonus)" == found["tests"][1]["name"]


def test_hostile_text_is_harmless(hostile: str) -> None:
    """All is declared as plain text; nothing in the file steers a terminal or a log, nothing in what it says either."""
    made = report(check("one", "error", message=hostile, output=hostile), message=hostile, notes=(hostile,))
    ((text,),) = (files.values() for files in gradescope([made], {}))
    found = results(made)
    assert {"text"} == {found[f"{name}output_format"] for name in ("", "test_")} | {found["test_name_format"]}
    for shown in (text, found["output"], found["tests"][0]["output"]):
        assert "::" not in shown
        assert "##[" not in shown
        assert all(c in "\n\t" or c.isprintable() for c in shown)


def test_what_steers_a_log_is_escaped_in_the_json() -> None:
    """Names that are not shown as text, such as a submission's, go through JSON's own escapes and read back."""
    made = report(check(), id="::error::")
    ((text,),) = (files.values() for files in gradescope([made], {}))
    assert "::error" not in text
    assert "::error::" == json.loads(text)["extra_data"]["submission"]["id"]
