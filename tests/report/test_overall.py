"""The status of a whole report."""

from collections.abc import Sequence

import pytest

from grader.report.model import ExerciseResult, ExerciseStatus, ReportStatus, overall


@pytest.mark.parametrize(
    ("expected", "exercises"),
    [
        ("passed", [("passed", 5)]),
        ("passed", [("passed", 5), ("passed", 5)]),
        ("partial", [("passed", 5), ("not_started", 0)]),
        ("partial", [("passed", 5), ("failed", 0)]),
        ("partial", [("partial", 1)]),
        ("partial", [("partial", 1), ("unreadable", 0)]),
        ("failed", [("failed", 0)]),
        ("failed", [("unreadable", 0)]),
        ("failed", [("failed", 0), ("not_started", 0)]),
        ("failed", [("unreadable", 0), ("missing", 0)]),
        ("not_started", [("not_started", 0)]),
        ("not_started", [("missing", 0)]),
        ("not_started", [("not_started", 0), ("missing", 0)]),
    ],
)
def test_the_status_of_a_whole_report(expected: ReportStatus, exercises: Sequence[tuple[ExerciseStatus, int]]) -> None:
    """A report is `passed` or `not_started` only if every exercise is. With at least one point it is `partial`."""
    results = [ExerciseResult("x", "01", "X", status, points, 5, 0, ()) for status, points in exercises]
    assert expected == overall(results)
