"""JUnit's XML for CI servers, with a test suite for each submission and a test case for each check.

It is for instructors, because it contains messages of hidden checks. It is valid by the schema of Jenkins' xunit
plugin. Ant's schema cannot express skipped tests.

JUnit has no points. Those of the final table are properties of the suite. A check to which a person gave all its
points passes, and a check from which a person took points fails.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import UNSET

from ...base.text import lines, one_line
from ..report.model import CheckResult, ExerciseResult, Report
from ..report.shown import explanation
from .registry import Format
from .rows import decision_on, full_marks, other_decisions

if TYPE_CHECKING:
    from junitparser import Error, Failure, Skipped, TestCase, TestSuite


def junit(reports: Iterable[Report]) -> Iterator[str]:
    """Yield the document, with one line for each submission."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    for report in reports:
        yield _suite(report).tostring().decode() + "\n"  # type: ignore[no-untyped-call]
    yield "</testsuites>\n"


def _suite(report: Report) -> "TestSuite":
    from junitparser import TestSuite  # slow to import

    suite = TestSuite(one_line(report.submission.id))
    suite.timestamp = one_line(report.graded_at)
    suite.add_property("course", one_line(f"{report.course.id} {report.course.version}"))
    suite.add_property("status", report.status)
    points = {"score": report.score, "max_score": report.max_score, "bonus": report.bonus}
    if report.learner:
        points |= {"penalty": report.learner.penalty, "total": report.learner.total}
    points |= {f"score of part {number}": part.score for number, part in enumerate(report.parts or (), 1)}
    for name, value in points.items():
        suite.add_property(name, str(value))
    for decision in other_decisions(report.learner) if report.learner else ():
        suite.add_property("decision", one_line(decision))
    suite.add_testcases([_case(report, exercise, check) for exercise in report.exercises for check in exercise.checks])
    return suite


def _case(report: Report, exercise: ExerciseResult, check: CheckResult) -> "TestCase":
    from junitparser import TestCase

    # servers join the cases of one class over all suites, so the class includes the submission's name
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


def _result(exercise: ExerciseResult, check: CheckResult) -> "Failure | Error | Skipped":
    """Return the result of a check that did not pass.

    A check is a `Failure` if its status is `failed`, or if a person decided on its points. It is an `Error` if the
    code raised an error or died, or if its file could not be loaded. It is `Skipped` only if the code was never
    begun.
    """
    from junitparser import Error, Failure, Skipped

    text = "\n".join(
        filter(None, (one_line(decision_on(check)), "" if check.status == "passed" else explanation(exercise, check)))
    )
    kind: type[Failure | Error | Skipped] = Failure if check.status == "failed" or check.decided else Error
    if not check.decided and ("not_started" in (exercise.status, check.status) or exercise.status == "missing"):
        kind = Skipped
    result = kind(text.partition("\n")[0] or check.title, check.status)
    result.text = text
    return result


FORMAT = Format(
    name="junit",
    about="JUnit's XML for GitLab, Jenkins and others, with a test suite for each submission",
    text=lambda reports, _: junit(reports),
    export="junit.xml",
    run="junit.xml",
)
