"""The codes of failures in `hint_for` are those of the grader's own data."""

from pathlib import Path
from typing import get_args

from every import every

from grader.course.facts import FactKind
from grader.course.load import CODES, STATUSES, STOPS, is_code, load_course
from grader.course.program import ELEMENTWISE
from grader.runner.client.protocol import SHAPES
from grader.verdict.checks.outcome import Status
from grader.words.facts import OF_TRAINING

ROOT = Path(__file__).resolve().parents[2]


def test_codes_of_statuses_and_of_reasons_exist() -> None:
    """Every status of a failure but `failed` is a code, and so are reasons why there is nothing to compare."""
    ends = {"not_offered", "wants_argument", "shape", "calls", "cpu", "stalled", "cpu_limit", "wall_limit"}
    assert set(get_args(Status)) - {"failed"} == set(STATUSES)
    assert set() == set(STOPS) - {*SHAPES, *ends}


@every(("expected", "name"), [(True, "RecursionError"), (True, "error"), (False, "print"), (False, "")])
def test_exceptions_are_codes_too(expected: bool, name: str) -> None:
    """The name of one of Python's own exceptions is a code; that of another built-in object is not."""
    assert expected == is_code(name)
    assert "RecursionError" not in CODES


def test_the_engine_has_a_hint_for_every_fault_and_operation() -> None:
    """In an exercise with many checks, a hint that fits the fault helps more than that of the check."""
    engine = next(one for one in load_course(ROOT).exercises if one.id == "engine")
    operations = set(ELEMENTWISE) - {"add", "mul"}  # they are in every check
    any_line = {"single_precision"}
    faults = {*get_args(FactKind)} - OF_TRAINING.keys()
    assert set() == {*faults, *operations} - any_line - set(dict(engine.hint_for))


def test_every_failure_in_the_course_has_a_hint() -> None:
    """No code has the hint 0. An error has a hint of its own, except where the hint for each operation helps."""
    course = load_course(ROOT)
    assert [] == [(one.id, code) for one in course.exercises for code, number in one.hint_for if number == 0]
    assert ["operators"] == [one.id for one in course.exercises if "error" not in dict(one.hint_for)]
