"""Build reports for tests. Everything that a test does not name has a default."""

import re
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from grader.course.load import Limits
from grader.verdict.report import CheckResult, Diagnosis, ExerciseResult, Report
from grader.verdict.report.model import SCHEMA, CourseStamp, ExerciseStatus, Isolation, SubmissionStamp


def make_check(title: str = "both inputs receive the gradient", status: str = "passed", **more: Any) -> CheckResult:
    """Return a check's result. By default it passed and is worth 2 points. A diagnosis may be its explanation."""
    score = 2 if status == "passed" else 0
    if isinstance(more.get("diagnosis"), str):
        more["diagnosis"] = Diagnosis("mistake", "a title", more["diagnosis"])
    return replace(CheckResult("one", title, "visible", "passed", score, 2, False, 0.25), status=status, **more)


def named_check(name: str = "one", status: str = "passed", **more: Any) -> CheckResult:
    """Return a check's result, as `make_check` does, with an id and a title that contains it."""
    return make_check(f"{name} is right", status, id=name, **more)


def make_exercise(
    *checks: CheckResult,
    name: str = "distribute",
    number: str = "01",
    title: str = "Plus hands the gradient on",
    **more: Any,
) -> ExerciseResult:
    """Return an exercise's result, with status and points that follow from those of its checks."""
    score = sum(check.score for check in checks if not check.bonus)
    of = sum(check.max_score for check in checks if not check.bonus)
    bonus = sum(check.score for check in checks if check.bonus)
    status: ExerciseStatus = "passed" if score == of else "partial" if score else "failed"
    return replace(ExerciseResult(name, number, title, status, score, of, bonus, checks), **more)


def make_report(*exercises: ExerciseResult, **more: Any) -> Report:
    """Return a report with the points of its exercises. `more` may have fields of the submission."""
    stamp = SubmissionStamp("local", "0")
    stamp = replace(stamp, **{name: more.pop(name) for name in stamp.__struct_fields__ if name in more})
    report = Report(
        schema=SCHEMA,
        grader_version="1.0",
        course=CourseStamp("mini", "1", "0"),
        submission=stamp,
        graded_at="2026-01-02T03:04:05+00:00",
        isolation=Isolation("process", Limits(1, 1.0, 1, 1)),
        status="partial",
        score=sum(exercise.score for exercise in exercises),
        max_score=sum(exercise.max_score for exercise in exercises),
        bonus=sum(exercise.bonus for exercise in exercises),
        notes=(),
        exercises=exercises,
        seed=UNSET,
    )
    return replace(report, **more)


def one_exercise(*checks: CheckResult, status: str = "partial", message: Any = UNSET, **more: Any) -> Report:
    """Return a report of one exercise, `first`, in Jane's submission."""
    exercise = make_exercise(*checks, name="first", number="03", title="The first", status=status, message=message)
    return make_report(exercise, **{"id": "jane", "origin": "jane", "seed": "secret", **more})


def comparable(report: dict[str, Any]) -> Any:
    """Return the results of a report without durations, and without the lines at which calls were nested too deeply.

    These lines depend on what the interpreter has run before: it reaches the limit a call earlier or later.
    """
    for result in report["exercises"]:
        for check in result["checks"]:
            del check["duration_s"]
            if check.get("reason", {}).get("type") == "RecursionError":
                del check["reason"]["line"], check["line"]
                check["message"] = re.sub(r"\nline \d+: .*", "", check["message"])
    return report["exercises"]
