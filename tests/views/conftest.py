from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from grader.report import CheckResult, ExerciseResult, Report
from grader.report.model import SCHEMA, CourseStamp, Isolation, LimitsStamp, SubmissionStamp

MakeCheck = Callable[..., CheckResult]
MakeExercise = Callable[..., ExerciseResult]
MakeReport = Callable[..., Report]


@pytest.fixture
def make_check() -> MakeCheck:
    """Makes a check's result: passed, worth 2, unless told otherwise."""

    def make(title: str = "both inputs receive the gradient", status: str = "passed", **more: Any) -> CheckResult:
        score = 2 if status == "passed" else 0
        return replace(CheckResult("one", title, "visible", "passed", score, 2, False, 0.1), status=status, **more)

    return make


@pytest.fixture
def make_exercise() -> MakeExercise:
    """Makes an exercise's result out of its checks'."""

    def make(*checks: CheckResult, name: str = "distribute", number: str = "01", **more: Any) -> ExerciseResult:
        score = sum(check.score for check in checks if not check.bonus)
        of = sum(check.max_score for check in checks if not check.bonus)
        bonus = sum(check.score for check in checks if check.bonus)
        status = "passed" if score == of else "partial" if score else "failed"
        made = ExerciseResult(name, number, "Plus hands the gradient on", status, score, of, bonus, checks)
        return replace(made, **more)

    return make


@pytest.fixture
def make_report() -> MakeReport:
    """Makes a report out of its exercises' results."""

    def make(*exercises: ExerciseResult) -> Report:
        return Report(
            schema=SCHEMA,
            grader_version="1.0",
            course=CourseStamp("mini", "1", "0"),
            submission=SubmissionStamp("local", "0"),
            graded_at="2026-01-02T03:04:05+00:00",
            isolation=Isolation("process", LimitsStamp(1, 1.0, 1, 1)),
            status="partial",
            score=sum(exercise.score for exercise in exercises),
            max_score=sum(exercise.max_score for exercise in exercises),
            bonus=sum(exercise.bonus for exercise in exercises),
            notes=(),
            exercises=exercises,
            seed=UNSET,
        )

    return make
