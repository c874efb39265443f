"""The codes of failures in `hint_for` are those of the grader's own data."""

from pathlib import Path
from typing import get_args

import pytest

from grader.checks.outcome import Status
from grader.client.protocol import SHAPES
from grader.course import CODES, load_course
from grader.course.codes import OPERATIONS, REMARKS, STATUSES, STOPS, is_code
from grader.program import FORMS
from grader.remarks import Remark


@pytest.mark.parametrize(
    ("expected", "codes"),
    [
        ({remark.__struct_config__.tag for remark in get_args(Remark)}, REMARKS),
        (set(FORMS), OPERATIONS),
        (set(get_args(Status)), STATUSES),
        (
            {*SHAPES, "not_offered", "wants_argument", "shape", "calls", "cpu", "stalled", "cpu_limit", "wall_limit"},
            STOPS,
        ),
    ],
    ids=["remarks", "operations", "statuses", "stops"],
)
def test_every_code_exists(expected: set[str], codes: tuple[str, ...]) -> None:
    """A code names a kind of remark, an operation, a status, or a reason why there is nothing to compare."""
    assert set() == set(codes) - expected


def test_every_operation_and_every_status_but_a_plain_failure_has_a_code() -> None:
    """Every operation with facts is a code, and so is every status of a failure but `failed`."""
    assert (set(FORMS), set(get_args(Status)) - {"failed"}) == (set(OPERATIONS), set(STATUSES))


@pytest.mark.parametrize(
    ("expected", "name"), [(True, "RecursionError"), (True, "error"), (False, "print"), (False, "")]
)
def test_exceptions_are_codes_too(expected: bool, name: str) -> None:
    """The name of one of Python's own exceptions is a code; that of another built-in object is not."""
    assert expected == is_code(name)
    assert "RecursionError" not in CODES


def test_every_failure_in_the_course_has_a_hint() -> None:
    """No code has the hint 0. An error has a hint of its own, except where the hint for each operation helps."""
    course = load_course(Path(__file__).resolve().parents[2])
    assert [] == [(one.id, code) for one in course.exercises for code, number in one.hint_for if number == 0]
    assert ["operators"] == [one.id for one in course.exercises if "error" not in dict(one.hint_for)]
