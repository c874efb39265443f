"""The attempt that counts, and the time of its submission."""

from typing import Any

import pytest

from grader.classes.people import Class, HandIn, Mark, Overrides, settle, with_times
from grader.classes.people.deadlines import DeadlineRules
from grader.classes.people.decisions import EarlierRecord
from grader.classes.people.roster import Roster
from grader.course.learners import Decided, Learner, Person, Submitter
from grader.course.load import Grades

DUE = "2026-03-01T12:00:00+00:00"
EARLY, LATE = "2026-03-01T11:00:00+00:00", "2026-03-01T13:00:00+00:00"
RULES = DeadlineRules(due=DUE, percent=50, attempts="last_in_time")


def mark(sha256: str, score: int, at: str = "", committed_at: str = "") -> Mark:
    return Mark("stu1", f"{sha256}.json", at, False, score, 0, sha256=sha256, committed_at=committed_at)


def row(
    person: Person,
    recorded: EarlierRecord,
    *marks: Mark,
    rules: DeadlineRules = RULES,
    grades: Grades = Grades(),  # noqa: B008 - frozen
) -> Learner:
    of = Class((HandIn("stu1", "stu1", ()),), Roster((person,)), rules, times=recorded.times)
    (learner,) = settle(of, {"stu1": marks}, grades, 2).learners
    return learner


def test_an_attempt_keeps_the_time_that_it_had() -> None:
    """If a roster has the time of the second attempt, the first one keeps its time."""
    person = Person(login="stu1", submitted_at=EARLY)
    first = row(person, EarlierRecord(), mark("first", 80))
    recorded = with_times(EarlierRecord(), [first], lambda name: "first")
    later = Person(login="stu1", submitted_at=LATE)
    found = row(later, recorded, mark("first", 80), mark("second", 90))
    assert (EARLY, 80, "first.json") == (found.submitted_at, found.total, found.report)


def test_the_latest_attempt_follows_the_roster() -> None:
    """A time that was corrected in the roster counts, and one that was removed is still known."""
    recorded = EarlierRecord(times={"stu1": {"only": {"stu1": LATE}}})
    assert EARLY == row(Person(login="stu1", submitted_at=EARLY), recorded, mark("only", 80)).submitted_at
    assert LATE == row(Person(login="stu1"), recorded, mark("only", 80)).submitted_at


@pytest.mark.parametrize("recorded", [False, True])
def test_a_group_is_late_together(recorded: bool) -> None:
    """The roster gives the time of the member who submitted. It counts for the others, also for earlier attempts."""
    ann = Person(login="stu1", group="blue", submitted_at="" if recorded else LATE)
    team = (ann, Person(login="stu2", group="blue"), Person(login="stu3"))
    times = {"stu1": {"only": {"stu1": LATE}}} if recorded else {}
    of = Class((HandIn("stu1", "stu1", ()),), Roster(team), RULES, times=times)
    found = settle(of, {"stu1": [mark("only", 80, committed_at=EARLY)]}, Grades(), 2).learners
    assert [(LATE, 40), (LATE, 40), ("", 0)] == [(one.submitted_at, one.total) for one in found]


def by_exercise(at: str, **points: int) -> Mark:
    """Return an attempt whose files are known by their points, so that equal points are the same file."""
    files = {exercise: f"{exercise} {number}" for exercise, number in points.items()}
    score, sha256 = sum(points.values()), str(points)
    return Mark("stu1", f"{at}.json", at, False, score, 0, sha256=sha256, files=files, points=points)


def test_a_file_that_was_handed_in_before_is_not_late() -> None:
    """With due dates by exercise, an exercise counts from the first attempt that had the same file."""
    rules = DeadlineRules(due=LATE, percent=50, exercises={"swap": DUE})
    first, later = by_exercise(EARLY, swap=10), by_exercise(LATE, swap=10, relu=20)
    both = row(Person(login="stu1"), EarlierRecord(), first, later, rules=rules)
    assert (30, {}, 0) == (both.total, both.late, both.late_s)
    alone = row(Person(login="stu1"), EarlierRecord(), later, rules=rules)
    assert (25, 5, {"swap": 3600}, 3600) == (alone.total, alone.penalty, alone.late, alone.late_s)
    changed = row(Person(login="stu1"), EarlierRecord(), first, by_exercise(LATE, swap=12, relu=20), rules=rules)
    assert (26, {"swap": 3600}) == (changed.total, changed.late)


def test_an_exercise_that_is_missing_is_not_late() -> None:
    """Only files that were handed in can be late."""
    rules = DeadlineRules(percent=50, exercises={"swap": DUE, "relu": DUE})
    found = row(Person(login="stu1"), EarlierRecord(), by_exercise(LATE, relu=20), rules=rules)
    assert (10, {"relu": 3600}) == (found.total, found.late)


def test_points_may_be_taken_off_for_each_late_exercise() -> None:
    """No exercise loses more points than it has."""
    rules = DeadlineRules(points=8, cap=16, exercises={"swap": DUE, "relu": DUE})
    found = row(Person(login="stu1"), EarlierRecord(), by_exercise(LATE, relu=20, swap=5), rules=rules)
    assert (12, 13) == (found.total, found.penalty)


def test_the_points_of_one_part_count_towards_the_grade() -> None:
    """Neither the points of other parts nor the penalty for them change the grade."""
    grades = Grades({"A": 10, "B": 5}, "First", ("swap",))
    handed = by_exercise(LATE, swap=10, relu=20)
    other = DeadlineRules(percent=50, exercises={"relu": DUE})
    found = row(Person(login="stu1"), EarlierRecord(), handed, rules=other, grades=grades)
    assert (20, 10, 10, "A") == (found.total, found.penalty, found.graded, found.grade)
    whole = row(Person(login="stu1"), EarlierRecord(), handed, rules=RULES, grades=grades)
    assert (15, 15, 5, "B") == (whole.total, whole.penalty, whole.graded, whole.grade)


def test_a_decided_penalty_is_taken_from_the_points_that_count() -> None:
    """A penalty that a person decided is not divided among parts, and no points are below 0."""
    of = Class(
        (HandIn("stu1", "stu1", ()),),
        overrides=Overrides({"stu1": (Decided("Ada", EARLY, "late", penalty=12),)}),
    )
    grades = Grades({"A": 10}, "First", ("swap",))
    (found,) = settle(of, {"stu1": [by_exercise(EARLY, swap=10, relu=20)]}, grades, 2).learners
    assert (18, 0, "") == (found.total, found.graded, found.grade)


def test_times_of_the_platform_are_not_recorded() -> None:
    """Times of the platform are in the reports."""
    learner = row(Person(login="stu1", submitted_at=LATE), EarlierRecord(), mark("only", 80, EARLY))
    assert EarlierRecord() == with_times(EarlierRecord(), [learner], lambda name: None)
    assert EARLY == learner.submitted_at


def test_the_submissions_of_a_name() -> None:
    """A login, an e-mail address and the id of a submission name submissions."""
    handed = (HandIn("one", "one", (Submitter("Ann A", email="a@b.c"),)), HandIn("two", "two", (Submitter("who"),)))
    people = Class(handed, Roster((Person("Ann A", "ann", "a@b.c"), Person("Bob", "bob"))))
    found = {name: people.submissions_of(name) for name in ("ann", "a@b.c", "one", "two", "bob", "eve")}
    assert {"ann": ("one",), "a@b.c": ("one",), "one": ("one",), "two": ("two",), "bob": (), "eve": ()} == found


def test_the_time_of_a_commit_counts_where_no_other_is_known() -> None:
    """The author of a commit can choose its time, so the roster's comes first, also that of an earlier attempt."""
    made_early = mark("only", 80, committed_at=EARLY)
    recorded = EarlierRecord(times={"stu1": {"only": {"stu1": LATE}}})
    assert EARLY == row(Person(login="stu1"), EarlierRecord(), made_early).submitted_at
    assert LATE == row(Person(login="stu1", submitted_at=LATE), EarlierRecord(), made_early).submitted_at
    best = DeadlineRules(due=DUE, percent=50, attempts="best")
    first = row(Person(login="stu1"), recorded, made_early, mark("second", 10), rules=best)
    assert (LATE, 40, "only.json") == (first.submitted_at, first.total, first.report)


@pytest.mark.parametrize("attempts", ["last", "last_in_time"])
def test_attempts_of_one_submission_are_in_order(attempts: str) -> None:
    """This also holds if the time of the earlier one is unknown. A better attempt that was replaced does not count."""
    person = Person(login="stu1", submitted_at=EARLY)
    rules = DeadlineRules(due=DUE, percent=50, attempts=attempts)  # type: ignore[arg-type]
    assert 70 == row(person, EarlierRecord(), mark("first", 80), mark("second", 70), rules=rules).total


@pytest.mark.parametrize("given", [False, True])
def test_who_is_in_doubt_has_a_row_and_a_review(given: bool) -> None:
    """A submission that the roster does not identify counts for nobody until a decision gives it to somebody."""
    twins = Roster((Person("Jo Roe", "jo1"), Person("Jo Roe", "jo2")))
    submissions = tuple(HandIn(one, one, (Submitter(one.rstrip("_5"), "55"),)) for one in ("roejo_55", "eve"))
    decided = Overrides({"jo1": (Decided("Ada", "2026-03-05", "so", submission="roejo_55"),)} if given else {})
    marks = {"roejo_55": [mark("a", 80)], "eve": [mark("b", 30)]}
    table = settle(Class(submissions, twins, overrides=decided), marks, Grades({"pass": 50, "fail": 0}), 2)
    jo1 = ("jo1", "graded", 80, "pass") if given else ("jo1", "absent", 0, "fail")
    unclaimed = [] if given else [("roejo_55", "unclaimed", 80, "pass")]
    expected = [jo1, ("jo2", "absent", 0, "fail"), *unclaimed, ("eve", "unclaimed", 30, "fail")]
    assert expected == [(one.id, one.standing, one.total, one.grade) for one in table.learners]
    reviews = [("eve", "stranger")] if given else [("roejo_55", "ambiguous"), ("eve", "stranger")]
    assert reviews == [(of, reason.kind) for of, reason in table.open]


@pytest.mark.parametrize(
    ("expected", "decision"),
    [
        (("graded", 0, 80, "fail"), {"penalty": 90}),
        (("graded", 75, 5, "pass"), {"penalty": 5}),
        (("excused", 40, 40, ""), {"excused": True}),
        (("graded", 80, 0, "pass"), {"submitted_at": EARLY}),
    ],
    ids=["more than all points", "some points", "excused", "another time"],
)
def test_a_decision_changes_the_total(expected: tuple[object, ...], decision: dict[str, Any]) -> None:
    """No penalty takes more points than there are. Who is excused has no grade."""
    overrides = Overrides({"stu1": (Decided("Ada", "2026-03-05", "so", **decision),)})
    of = Class((HandIn("stu1", "stu1", ()),), Roster((Person(login="stu1"),)), RULES, overrides)
    (found,) = settle(of, {"stu1": [mark("only", 80, LATE)]}, Grades({"pass": 50, "fail": 0}), 2).learners
    assert expected == (found.standing, found.total, found.penalty, found.grade)
