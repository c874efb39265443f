"""JUnit files are read back with junitparser, and validated with the schema of Jenkins' xunit plugin: `junit-10.xsd`,
as pytest 8.2.0's source package has it (MIT). Ant's schema has no word for skipped tests, so no file could fit both."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from every import every
from junitparser import JUnitXml, TestCase
from reports import named_check as check
from reports import one_exercise as report

from grader.verdict.formats.junit import junit
from grader.verdict.report import CheckResult, Report


@cache
def schema() -> Any:
    import xmlschema  # here, because it is slow to import, and every process of the tests imports this module

    return xmlschema.XMLSchema(Path(__file__).parent / "junit-10.xsd")


def read(reports: Iterable[Report]) -> JUnitXml:
    """What the reader makes of it; valid by the schema."""
    text = "".join(junit(reports))
    schema().validate(text)
    return JUnitXml.fromstring(text.encode())


def case(made: Report) -> TestCase:
    (suite,) = read([made])
    (found,) = suite
    return found


def test_a_suite_for_each_submission() -> None:
    """Named after it, with its counts and its score."""
    checks = [check(), *(check(status, status) for status in ("failed", "error", "timeout", "crashed", "skipped"))]
    first, second = read([report(*checks), report(check(), id="otieno")])
    assert ("jane", 6, 1, 4, 0, 1.5) == (
        first.name, first.tests, first.failures, first.errors, first.skipped, first.time
    )  # fmt: skip
    assert ("otieno", 1, 0, 0, 0) == (second.name, second.tests, second.failures, second.errors, second.skipped)
    assert "2026-01-02T03:04:05+00:00" == first.timestamp
    expected = {"course": "mini 1", "status": "partial", "score": "2", "max_score": "12", "bonus": "0"}
    assert expected == {one.name: one.value for one in first.properties()}  # type: ignore[no-untyped-call]


def test_a_case_for_each_check(failed: CheckResult) -> None:
    """Its class names submission and exercise, so that servers keep apart what belongs to different people."""
    found = case(report(failed))
    assert ("two: two is right", "jane.03_first", 0.25) == (found.name, found.classname, found.time)
    (result,) = found.result
    assert ("L = a * a    with a = 3", "failed") == (result.message, result.type)
    assert "L = a * a    with a = 3\ndL/da: yours 3, torch 6\n" in (result.text or "")
    assert "printed\n" == found.system_out


@every(
    ("status", "expected"),
    [
        ("passed", (True, False, False, False)),
        ("failed", (False, True, False, False)),
        ("error", (False, False, True, False)),
        ("timeout", (False, False, True, False)),
        ("crashed", (False, False, True, False)),
        ("skipped", (False, False, True, False)),
    ],
)
def test_statuses(status: str, expected: tuple[bool, ...]) -> None:
    """A wrong answer is a failure; code that raised, hung, died or could not be loaded is an error."""
    found = case(report(check("one", status)))
    assert expected == (found.is_passed, found.is_failure, found.is_error, found.is_skipped)
    assert [status] * (status != "passed") == [result.type for result in found.result]


@every(("status", "skipped"), [("failed", False), ("unreadable", False), ("missing", True), ("not_started", True)])
def test_only_what_was_not_begun_is_skipped(status: str, skipped: bool) -> None:
    """Servers are green where all is skipped; a file that is there and says nothing is no reason for that."""
    found = case(report(check("one", "skipped"), status=status))
    assert (not skipped, skipped) == (found.is_error, found.is_skipped)


def test_skipped_checks_say_why() -> None:
    """By the exercise's message, or its status."""
    skipped = check("one", "skipped")
    assert "cannot be loaded" == case(report(skipped, message="cannot be loaded\nline 1")).result[0].message
    assert "not started" == case(report(skipped, status="not_started")).result[0].message


def test_a_failure_without_words_has_the_title() -> None:
    """No message is empty."""
    assert "one is right" == case(report(check("one", "failed"))).result[0].message


def test_real_reports(real: Report) -> None:
    """Every check of a real report is there, once, and what failed there failed here."""
    (suite,) = read([real])
    checks = [one for exercise in real.exercises for one in exercise.checks]
    assert len(checks) == len({(found.classname, found.name) for found in suite}) == suite.tests
    passed = sum(one.status == "passed" for one in checks)
    assert len(checks) - passed == (suite.failures or 0) + (suite.errors or 0) + (suite.skipped or 0)


def test_hostile_text_is_harmless(hostile: str) -> None:
    """It breaks out of no element, holds nothing that XML forbids, and gives a log no commands."""
    made = report(check("one", "error", message=hostile, output=hostile), id=hostile)
    found = case(made)
    text = "".join(junit([made]))
    assert "::" not in text
    assert "##[" not in text
    assert all(c in "\n\t" or c.isprintable() for c in text)
    assert "]]><b>&\t\U0001f642" in (found.system_out or "")
    assert "]]><b>&\t\U0001f642" in (found.result[0].text or "")


def test_the_seed_is_not_in_it() -> None:
    """What the programs were drawn from stays in the reports."""
    assert "secret" not in "".join(junit([report(check())]))


def test_nobody_is_a_document_too() -> None:
    """Without reports the file is valid, and empty."""
    assert [] == list(read([]))
