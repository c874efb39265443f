"""What each person of a class gets back."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from grader.report import CheckResult, ExerciseResult, Report, read_report
from grader.views import feedback

MakeCheck = Callable[..., CheckResult]
MakeExercise = Callable[..., ExerciseResult]
MakeReport = Callable[..., Report]

WRONG: dict[str, Any] = {
    "status": "failed",
    "visibility": "hidden",
    "program": "L = a * a    with a = 3",
    "expected": {"dL/da": 6.0},
    "expected_by": "torch",
    "actual": {"dL/da": 3.0},
    "diagnosis": "the second use overwrote the first",
}


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("full", {"L = a * a", "torch 6", "the second use overwrote"}),
        ("hint", {"the second use overwrote"}),
        ("score", set()),
    ],
)
def test_hidden_checks_say_what_the_course_allows(
    make_check: MakeCheck, make_exercise: MakeExercise, make_report: MakeReport, detail: str, told: set[str]
) -> None:
    """In the text and in the JSON alike."""
    check = make_check(**WRONG)
    exercise = make_exercise(check)
    report = replace(make_report(exercise), seed="the secret seed")
    written = dict(feedback([report], "A course", {(exercise.id, check.id): detail}))
    name = report.submission.id
    assert {f"{name}/feedback.txt", f"{name}/report.json"} == set(written)
    text = written[f"{name}/feedback.txt"]
    assert told == {words for words in ("L = a * a", "torch 6", "the second use overwrote") if words in text}
    copy = read_report(written[f"{name}/report.json"].encode())
    assert UNSET is copy.seed
    assert (detail == "full") == (copy.exercises[0].checks[0].program is not UNSET)


def test_notes_of_the_intake_are_told(make_exercise: MakeExercise, make_report: MakeReport) -> None:
    """Whose file was not taken reads why."""
    note = "two files could be 02_swap: a/02_swap.py, b/02_swap.py"
    report = replace(make_report(make_exercise()), notes=(note,))
    text = dict(feedback([report], "A course", {}))[f"{report.submission.id}/feedback.txt"]
    assert f"Note: {note}" in text
