import csv
import io
from pathlib import Path

from every import every
from reports import named_check as check
from reports import one_exercise as report

from grader.base.text import cell
from grader.course.learners import Submitter
from grader.verdict.formats.tables import nbgrader
from grader.verdict.report import Report
from grader.verdict.report.model import CourseStamp

# what CsvExportPlugin of nbgrader 0.9.6 wrote of a gradebook with one assignment, two students and one submission
REAL = (Path(__file__).parent / "nbgrader-0.9.6.csv").read_text(encoding="utf-8")


def row(made: Report) -> dict[str, str]:
    (found,) = csv.DictReader(io.StringIO("".join(nbgrader([made], "backward")), newline=""))
    return found


def test_it_is_what_nbgrader_writes() -> None:
    """The same people and points give the same file as nbgrader's own exporter, to the byte."""
    course = CourseStamp("backward", "1", "0")
    bare = report(course=course, submitters=(Submitter("bare", "bare"),))
    jane = report(
        course=course,
        submitted_at="2026-01-02T03:04:05.000678+00:00",
        submitters=(Submitter("Jane Doe", "jane", "jane@example.org"),),
    )
    assert REAL == "".join(nbgrader([bare, jane], "backward"))


def test_points_are_floats_with_bonus() -> None:
    """nbgrader's scores are floats, and its extra credit is part of them."""
    found = row(report(check(), check("two", "failed"), check("more", bonus=True)))
    assert ("4.0", "0.0", "4.0", "4.0") == tuple(
        found[name] for name in ("raw_score", "late_submission_penalty", "score", "max_score")
    )


@every(
    ("name", "last", "first"),
    [
        ("Jane Doe", "Doe", "Jane"),
        ("Doe, Jane", "Doe", "Jane"),
        ("Jane M. Doe", "Doe", "Jane M."),
        ("Jane", "Jane", ""),
        ("4711", "", ""),
    ],
)
def test_names_are_parted(name: str, last: str, first: str) -> None:
    """At a comma, else before the last word; an id is no name."""
    found = row(report(check(), submitters=(Submitter(name, "4711"),)))
    assert (last, first) == (found["last_name"], found["first_name"])


@every(
    ("person", "expected"),
    [
        (Submitter("Jane", "4711", "jane@example.org"), "4711"),
        (Submitter("Jane", "", "jane@example.org"), "jane@example.org"),
        (Submitter("Jane"), "Jane"),
        (Submitter(""), "folder"),
    ],
)
def test_everybody_has_an_id(person: Submitter, expected: str) -> None:
    """nbgrader knows people by their id, so there is always one: the best there is."""
    assert expected == row(report(check(), id="folder", submitters=(person,)))["student_id"]


@every(
    ("at", "expected"),
    [
        ("2026-01-02T03:04:05+02:00", "2026-01-02 01:04:05"),
        ("2026-01-02T03:04:05Z", "2026-01-02 03:04:05"),
        ("2026-01-02 03:04:05.250000 UTC", "2026-01-02 03:04:05.250000"),
        ("0001-01-01T00:00:00+05:00", ""),
        ("yesterday", ""),
        ("=1", ""),
    ],
)
def test_times_are_utc_without_a_zone(at: str, expected: str) -> None:
    """As nbgrader has them; what is no time is left out."""
    assert expected == row(report(check(), submitted_at=at))["timestamp"]


def test_hostile_text_is_harmless(hostile: str) -> None:
    """nbgrader's own exporter quotes nothing; ours does, and neutralises."""
    found = row(report(check(), submitters=(Submitter("Jane Doe", hostile, hostile),)))
    assert (cell(hostile), cell(hostile)) == (found["student_id"], found["email"])
