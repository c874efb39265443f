"""JUnit's XML, which CI servers show: a test suite for each submission, a test case for each check.

It is the instructor's: messages of hidden checks stand in it. It is valid by the schema of Jenkins' xunit plugin; Ant's
has no word for skipped tests.
"""

from collections.abc import Iterable, Iterator

from junitparser import Error, Failure, Skipped, TestCase, TestSuite
from msgspec import UNSET

from ...outside import lines, one_line
from ..model import CheckResult, ExerciseResult, Report
from .explain import explanation


def junit(reports: Iterable[Report]) -> Iterator[str]:
    """The document, a line for each submission."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    for report in reports:
        yield _suite(report).tostring().decode() + "\n"  # type: ignore[no-untyped-call]
    yield "</testsuites>\n"


def _suite(report: Report) -> TestSuite:
    suite = TestSuite(one_line(report.submission.id))
    suite.timestamp = one_line(report.graded_at)
    suite.add_property("course", one_line(f"{report.course.id} {report.course.version}"))
    suite.add_property("status", report.status)
    for name, value in (("score", report.score), ("max_score", report.max_score), ("bonus", report.bonus)):
        suite.add_property(name, str(value))
    suite.add_testcases([_case(report, exercise, check) for exercise in report.exercises for check in exercise.checks])
    return suite


def _case(report: Report, exercise: ExerciseResult, check: CheckResult) -> TestCase:
    # servers join cases of one class over all suites, so the submission's name is a part of it
    place = f"{report.submission.id}.{exercise.number}_{exercise.id}"
    case = TestCase(one_line(f"{check.id}: {check.title}"), one_line(place), check.duration_s)
    if check.status != "passed":
        case.result = _result(exercise, check)
    if check.output is not UNSET:
        case.system_out = lines(check.output)
    return case


def _result(exercise: ExerciseResult, check: CheckResult) -> Failure | Error | Skipped:
    """`failed` is a failure; what the code raised, how it died, or that its file could not be loaded, is an error. Only
    what was never begun is skipped."""
    said = explanation(exercise, check)
    kind: type[Failure | Error | Skipped] = Failure if check.status == "failed" else Error
    if "not_started" in (exercise.status, check.status) or exercise.status == "missing":
        kind = Skipped
    result = kind(said.partition("\n")[0] or check.title, check.status)
    result.text = said
    return result
