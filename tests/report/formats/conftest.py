from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from grader.course import Limits
from grader.learners import Submitter
from grader.report import CheckResult, Diagnosis, ExerciseResult, Report
from grader.report.model import SCHEMA, CourseStamp, Isolation, SubmissionStamp

HOSTILE = '=HYPERLINK("x")\r\n::error::\x1b[31m\x00\ufffe\u202e;=1 ##[group] ]]><b>&\t\U0001f642'


@pytest.fixture
def hostile() -> str:
    """What a learner may have written."""
    return HOSTILE


@pytest.fixture
def check() -> Callable[..., CheckResult]:
    """Makes a check's result: visible, passed, worth 2, unless told otherwise."""

    def make(name: str = "one", status: str = "passed", **more: Any) -> CheckResult:
        score = 2 if status == "passed" else 0
        made = CheckResult(name, f"{name} is right", "visible", "passed", score, 2, False, 0.25)
        return replace(made, status=status, **more)

    return make


@pytest.fixture
def failed(check: Callable[..., CheckResult]) -> CheckResult:
    """A check that failed, of which there is everything to say."""
    return check(
        "two",
        "failed",
        program="L = a * a    with a = 3",
        expected={"dL/da": 6.0, "order": "a, L"},
        expected_by="torch",
        actual={"dL/da": 3.0},
        message="line 3: x = y",
        diagnosis=Diagnosis("overwrite", "a title", "the second use overwrote the first"),
        hint="grade hint first 2",
        output="printed\n",
    )


@pytest.fixture
def report() -> Callable[..., Report]:
    """Makes a report of exercise `first` out of its checks' results; a submission's fields can be given, too."""

    def make(*checks: CheckResult, **more: Any) -> Report:
        score = sum(c.score for c in checks if not c.bonus)
        of = sum(c.max_score for c in checks if not c.bonus)
        bonus = sum(c.score for c in checks if c.bonus)
        stamp = SubmissionStamp("jane", "0", origin="jane")
        for name in set(stamp.__struct_fields__) & more.keys():
            stamp = replace(stamp, **{name: more.pop(name)})
        status = more.pop("status", "partial")
        exercise = ExerciseResult("first", "03", "The first", status, score, of, bonus, checks)
        made = Report(
            schema=SCHEMA,
            grader_version="1.0",
            course=CourseStamp("mini", "1", "0"),
            submission=stamp,
            graded_at="2026-01-02T03:04:05+00:00",
            isolation=Isolation("process", Limits(1, 1.0, 1, 1)),
            status="partial",
            score=score,
            max_score=of,
            bonus=bonus,
            notes=(),
            exercises=(replace(exercise, message=more.pop("message", UNSET)),),
            seed="secret",
        )
        return replace(made, **more)

    return make


@pytest.fixture
def pair() -> tuple[Submitter, Submitter]:
    """Two people who handed in together."""
    return Submitter("Jane Doe", "4711", "jane@example.org"), Submitter("Mwangi, Otieno", "4712", "otieno@example.org")
