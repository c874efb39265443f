"""JUnit's XML, which CI servers show: a test suite for each submission, a test case for each check.

It is the instructor's: messages of hidden checks stand in it. It is valid by the schema of Jenkins' xunit plugin; Ant's
has no word for skipped tests.

JUnit has no points. Those of the final table are properties of the suite; a check that a person gave all its points
passes, and one that a person took points from fails.
"""

from collections.abc import Iterable, Iterator

from junitparser import Error, Failure, Skipped, TestCase, TestSuite
from msgspec import UNSET

from ...outside import lines, one_line
from ..decisions import decision_on, full_marks, other_decisions
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
    points = {"score": report.score, "max_score": report.max_score, "bonus": report.bonus}
    if report.learner:
        points |= {"penalty": report.learner.penalty, "total": report.learner.total}
    for name, value in points.items():
        suite.add_property(name, str(value))
    for decision in other_decisions(report.learner) if report.learner else ():
        suite.add_property("decision", one_line(decision))
    suite.add_testcases([_case(report, exercise, check) for exercise in report.exercises for check in exercise.checks])
    return suite


def _case(report: Report, exercise: ExerciseResult, check: CheckResult) -> TestCase:
    # servers join cases of one class over all suites, so the submission's name is a part of it
    place = f"{report.submission.id}.{exercise.number}_{exercise.id}"
    case = TestCase(one_line(f"{check.id}: {check.title}"), one_line(place), check.duration_s)
    passed = full_marks(check)
    if not passed:
        case.result = _result(exercise, check)
    decision = one_line(decision_on(check)) if passed else ""  # otherwise it is in the result
    printed = "" if check.output is UNSET else lines(check.output)
    if decision or printed:
        case.system_out = "\n".join(filter(None, (decision, printed)))
    return case


def _result(exercise: ExerciseResult, check: CheckResult) -> Failure | Error | Skipped:
    """`failed` is a failure; what the code raised, how it died, or that its file could not be loaded, is an error. Only
    what was never begun is skipped. Points that a person decided on make it a failure."""
    said = "\n".join(
        filter(None, (one_line(decision_on(check)), "" if check.status == "passed" else explanation(exercise, check)))
    )
    kind: type[Failure | Error | Skipped] = Failure if check.status == "failed" or check.decided else Error
    if not check.decided and ("not_started" in (exercise.status, check.status) or exercise.status == "missing"):
        kind = Skipped
    result = kind(said.partition("\n")[0] or check.title, check.status)
    result.text = said
    return result
