"""A report that contradicts itself is none, however well-formed it is."""

import json
from typing import Any

import pytest

from grader.report import Report, read_report, to_json
from grader.report.json_form import contradiction


@pytest.mark.slow
def test_what_the_grader_writes_adds_up(solved: Report, mixed: Report) -> None:
    """Full marks and a folder of mistakes, with bonus and without."""
    assert (None, None) == (contradiction(solved), contradiction(mixed))


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("score", 99, "the report has score 99, and its parts add up to 100"),
        ("max_score", 1000, "the report has max_score 1000, and its parts add up to 100"),
        ("bonus", 50, "the report has bonus 50, and its parts add up to"),
        ("exercises/0/score", 60, "the exercise `distribute` has score 60, and its parts add up to 5"),
        ("exercises/0/max_score", 1, "the exercise `distribute` has max_score 1, and its parts add up to 5"),
        ("exercises/0/bonus", 9, "the exercise `distribute` has bonus 9, and its parts add up to 0"),
        ("exercises/0/id", "swap", "the exercise `swap` occurs 2 times"),
        ("exercises/0/checks/1/score", 0, "is passed with 0 of 2 points"),
        ("exercises/0/checks/1/status", "failed", "is failed with 2 of 2 points"),
        ("exercises/0/checks/1/status", "skipped", "is skipped with 2 of 2 points"),
        ("exercises/0/checks/1/bonus", True, "the exercise `distribute` has score 5, and its parts add up to 3"),
        ("exercises/0/checks/1/id", "both_inputs", "the check of `distribute` `both_inputs` occurs 2 times"),
        ("exercises/0/status", "failed", "the report is `passed`, and not all of its exercises are"),
    ],
)
def test_a_report_that_was_edited_is_told_from_one_that_was_made(
    solved: Report, path: str, value: Any, expected: str
) -> None:
    """What does not add up is named; the report is read by nobody."""
    data: Any = json.loads(to_json(solved))
    place = data
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    for step in way:
        place = place[step]
    assert value != place[last]
    place[last] = value
    with pytest.raises(ValueError, match="it does not add up: ") as caught:
        read_report(json.dumps(data).encode())
    assert expected in str(caught.value)


@pytest.mark.slow
def test_an_exercise_without_all_points_is_not_passed(mixed: Report) -> None:
    """Neither by its status nor by the report's."""
    data: Any = json.loads(to_json(mixed))
    partial = next(exercise for exercise in data["exercises"] if exercise["score"] < exercise["max_score"])
    partial["status"] = "passed"
    with pytest.raises(ValueError, match=f"`{partial['id']}` is `passed`, with {partial['score']} of"):
        read_report(json.dumps(data).encode())
