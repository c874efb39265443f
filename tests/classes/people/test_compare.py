"""The learners whose total changed between two tables, with the reasons."""

from typing import Any

import pytest
from every import every
from msgspec import UNSET
from msgspec.structs import replace

from grader.classes.people import compare, in_both
from grader.course.learners import Decided, Learner, Person
from grader.verdict.report import Report
from grader.words.instructor import cause_text, changed_text

ROW = Learner(
    "stu1", Person("Ann A", "stu1"), "graded", "s1", "reports/s1.json", ("s1",), score=66, total=66, due="2026-03-01"
)
POINTS = Decided("Ada", "2026-03-05", "so", points={"swap.upstream": 2})
FILE = Decided("Ada", "2026-03-05", "so", files={"swap": "old/02_swap.py"})


@pytest.fixture
def report(solved: Report) -> Report:
    stamp = replace(solved.submission, sha256="1", files={"swap": "a", "chain": "b"})
    return replace(solved, submission=stamp, seed="one")


def failed(report: Report, **more: Any) -> Report:
    """Return the report with swap.upstream failed."""
    exercises = tuple(
        replace(e, checks=tuple(replace(c, score=0) if (e.id, c.id) == ("swap", "upstream") else c for c in e.checks))
        for e in report.exercises
    )
    return replace(report, exercises=exercises, **more)


def stamped(report: Report, **more: Any) -> Report:
    return replace(report, submission=replace(report.submission, **more))


def reasons(was: Learner, now: Learner, old: Report | None = None, new: Report | None = None) -> list[str]:
    """Return the reasons of the only change."""
    (change,) = compare([was], [now], {} if old is None else {was.id: old}, {} if new is None else {now.id: new})
    return [cause_text(one) for one in change.reasons]


NOW = replace(ROW, total=64)


def test_files(report: Report) -> None:
    """The reasons are the learner's files and the checks that changed."""
    new = stamped(failed(report), sha256="2", files={"swap": "x", "chain": "b"})
    assert ["the files changed", "swap.upstream: 2 -> 0"] == reasons(ROW, NOW, report, new)


def test_a_decision_on_a_file_is_no_change_of_files(report: Report) -> None:
    """The files count as changed only if another exercise changed as well."""
    new = stamped(report, sha256="2", files={"swap": "x", "chain": "b"})
    now = replace(NOW, decisions=(FILE,))
    assert ["decision on the file of swap"] == reasons(ROW, now, report, new)
    both = stamped(new, files={"swap": "x", "chain": "y"})
    assert ["the files changed", "decision on the file of swap"] == reasons(ROW, now, report, both)
    first = stamped(report, files={"chain": "b"})  # several files, of which none was graded
    assert ["decision on the file of swap"] == reasons(ROW, now, first, new)


def test_a_check_that_somebody_decided_on_is_no_reason(report: Report) -> None:
    """Before and after, the check has the points of the decision."""
    was, now = replace(ROW, decisions=(POINTS,)), replace(NOW, decisions=(POINTS,))
    new = stamped(failed(report), sha256="2", files={"swap": "x", "chain": "b"})
    assert ["the files changed"] == reasons(was, now, report, new)
    assert ["decision on swap.upstream: none -> 2"] == reasons(ROW, now, report, report)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda report: replace(report, course=replace(report.course, hash="2")), "the course changed"),
        (lambda report: replace(report, grader_version="0"), "the version of the grader changed"),
        (lambda report: replace(report, seed="two"), "the random programs were drawn from another seed"),
    ],
)
def test_what_the_class_was_graded_with(report: Report, change: Any, said: str) -> None:
    """Course, grader and seed are distinguished, and files are not a reason."""
    assert [said, "swap.upstream: 2 -> 0"] == reasons(ROW, NOW, report, change(failed(report)))


def test_a_seed_is_no_reason_where_no_check_changed(report: Report) -> None:
    """Two folders of results always have different seeds."""
    now = replace(NOW, decisions=(POINTS,))
    assert ["decision on swap.upstream: none -> 2"] == reasons(ROW, now, report, replace(failed(report), seed="two"))


@every(
    ("was", "now", "said"),
    [
        ({}, {"penalty": 6, "due": "2026-02-01", "late_s": 9}, ["the due date changed", "penalty: 0 -> 6"]),
        ({}, {"penalty": 6, "submitted_at": "x", "late_s": 9}, ["the time of submission changed", "penalty: 0 -> 6"]),
        ({"penalty": 3}, {"penalty": 6}, ["the penalty for lateness changed", "penalty: 3 -> 6"]),
        ({}, {"due": "2026-02-01"}, []),  # with no effect
        ({}, {"penalty": 6, "decisions": (Decided("A", "x", "y", penalty=6),)}, ["decision on penalty: none -> 6"]),
        (
            {"penalty": 3},
            {"penalty": 6, "decisions": (Decided("A", "x", "y", submitted_at="2026"),), "submitted_at": "2026"},
            ["the decision on the time of submission changed", "penalty: 3 -> 6"],
        ),
        ({}, {"standing": "excused"}, ["the learner is excused"]),
        ({}, {"report": "earlier/s1.1.json"}, ["another attempt counts"]),
        ({}, {"submission": "s2", "report": "reports/s2.json"}, ["submission s2 counts"]),
    ],
)
def test_lateness_and_standing(was: dict[str, Any], now: dict[str, Any], said: list[str]) -> None:
    """The cause of a penalty and its size are distinct reasons."""
    assert said == reasons(replace(ROW, **was), replace(NOW, **now))


def test_another_roster_is_no_change() -> None:
    """Names, sections and keys may differ, because only totals are compared."""
    absent = Learner("Bob B", Person("Bob B"), "absent")
    named = replace(ROW, person=Person("Ann B", "stu1", section="B"))
    rekeyed = replace(ROW, id="ann@x", person=Person("Ann A", email="ann@x"))
    other = replace(absent, id="Bob C", person=Person("Bob C"))
    assert () == compare([ROW, absent], [named, other], {}, {})
    assert () == compare([ROW, absent], [rekeyed], {}, {})


def test_a_stranger_who_is_known_now(report: Report) -> None:
    """This is one change, of the learner. Somebody who is gone and had a total is one change too."""
    stranger = replace(ROW, id="s1", person=Person("ann"), standing="unclaimed")
    absent = Learner("stu1", Person("Ann A", "stu1"), "absent")
    assert ["stu1"] == [one.id for one in compare([stranger, absent], [ROW], {}, {})]
    (gone,) = compare([ROW], [], {}, {})
    assert (66, None, ["the learner is no longer listed"]) == (
        gone.before,
        gone.after,
        [cause_text(one) for one in gone.reasons],
    )


def test_reports_without_digests_of_files(report: Report) -> None:
    """The digest of all files shows that they changed."""
    old, new = stamped(report, files=UNSET), stamped(report, files=UNSET, sha256="2")
    assert ["the files changed"] == reasons(ROW, NOW, old, new)


def test_learners_in_both_tables() -> None:
    """A learner with another key but the same submission is in both tables."""
    other = replace(ROW, id="ann", person=Person("Ann A", "ann"))
    assert [1, 1, 0] == [in_both([ROW], [now]) for now in (ROW, other, replace(other, submissions=("s2",)))]


@every(
    ("numbers", "said"),
    [
        ((2, 3, 0, 0), "2 of 3 learners changed."),
        ((1, 1, 0, 0), "1 of 1 learner changed."),
        ((2, 3, 0, 1), "2 of 3 learners in both results changed. Only in the later results: 1."),
        ((0, 0, 7, 3), "No learner is in both results. Only in the earlier results: 7. Only in the later results: 3."),
    ],
)
def test_the_number_of_changed_learners_is_of_those_in_both_tables(numbers: tuple[int, ...], said: str) -> None:
    """Learners who are in only one of the tables are counted separately."""
    assert said == changed_text(*numbers)
