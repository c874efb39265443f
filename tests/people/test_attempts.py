"""The attempt that counts, and the time of its submission."""

import pytest

from grader.people import Class, Handed, Mark, Recorded, Roster, Rules, settle, with_times
from grader.report.person import Learner, Person

DUE = "2026-03-01T12:00:00+00:00"
EARLY, LATE = "2026-03-01T11:00:00+00:00", "2026-03-01T13:00:00+00:00"
RULES = Rules(due=DUE, percent=50, attempts="last_in_time")


def mark(sha256: str, score: int, at: str = "", committed_at: str = "") -> Mark:
    return Mark("stu1", f"{sha256}.json", at, False, score, 0, sha256=sha256, committed_at=committed_at)


def row(person: Person, recorded: Recorded, *marks: Mark, rules: Rules = RULES) -> Learner:
    of = Class((Handed("stu1", "stu1", ()),), Roster((person,)), rules, times=recorded.times)
    (learner,) = settle(of, {"stu1": marks}, {}, 2).learners
    return learner


def test_an_attempt_keeps_the_time_that_it_had() -> None:
    """If a roster has the time of the second attempt, the first one keeps its time."""
    person = Person(login="stu1", submitted_at=EARLY)
    first = row(person, Recorded(), mark("first", 80))
    recorded = with_times(Recorded(), [first], lambda name: "first")
    later = Person(login="stu1", submitted_at=LATE)
    found = row(later, recorded, mark("first", 80), mark("second", 90))
    assert (EARLY, 80, "first.json") == (found.submitted_at, found.total, found.report)


def test_the_latest_attempt_follows_the_roster() -> None:
    """A time that was corrected in the roster counts, and one that was removed is still known."""
    recorded = Recorded(times={"stu1": {"only": {"stu1": LATE}}})
    assert EARLY == row(Person(login="stu1", submitted_at=EARLY), recorded, mark("only", 80)).submitted_at
    assert LATE == row(Person(login="stu1"), recorded, mark("only", 80)).submitted_at


def test_times_of_the_platform_are_not_recorded() -> None:
    """Times of the platform are in the reports."""
    learner = row(Person(login="stu1", submitted_at=LATE), Recorded(), mark("only", 80, EARLY))
    assert Recorded() == with_times(Recorded(), [learner], lambda name: None)
    assert EARLY == learner.submitted_at


def test_the_time_of_a_commit_counts_where_no_other_is_known() -> None:
    """The author of a commit can choose its time, so the roster's comes first, also that of an earlier attempt."""
    made_early = mark("only", 80, committed_at=EARLY)
    recorded = Recorded(times={"stu1": {"only": {"stu1": LATE}}})
    assert EARLY == row(Person(login="stu1"), Recorded(), made_early).submitted_at
    assert LATE == row(Person(login="stu1", submitted_at=LATE), Recorded(), made_early).submitted_at
    best = Rules(due=DUE, percent=50, attempts="best")
    first = row(Person(login="stu1"), recorded, made_early, mark("second", 10), rules=best)
    assert (LATE, 40, "only.json") == (first.submitted_at, first.total, first.report)


@pytest.mark.parametrize("attempts", ["last", "last_in_time"])
def test_attempts_of_one_submission_are_in_order(attempts: str) -> None:
    """This also holds if the time of the earlier one is unknown. A better attempt that was replaced does not count."""
    person = Person(login="stu1", submitted_at=EARLY)
    rules = Rules(due=DUE, percent=50, attempts=attempts)  # type: ignore[arg-type]
    assert 70 == row(person, Recorded(), mark("first", 80), mark("second", 70), rules=rules).total
