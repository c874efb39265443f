"""The statistics of a class, compared with numbers that were computed in another way."""

import random
import statistics
from typing import Any

import msgspec
import pytest
from every import every
from msgspec.structs import replace

from grader.classes.cohort import Summary, summarise
from grader.classes.cohort.summary import COHORT_SCHEMA, schema
from grader.classes.people import Class, HandIn, Overrides
from grader.classes.people.roster import Roster
from grader.course.learners import Decided, Learner, NeedsReview, Person
from grader.course.load import Course, Grades
from grader.runner.client import Reason
from grader.verdict.report import CheckResult, Diagnosis, ExerciseResult, Report


def with_outcomes(report: Report, name: str, passed: dict[tuple[str, str], bool], **more: Any) -> Report:
    """Return the report with these checks passed and those failed, and with the resulting points."""
    exercises = []
    for exercise in report.exercises:
        checks = []
        for check in exercise.checks:
            ok = passed.get((exercise.id, check.id), True)
            status, score = ("passed", check.max_score) if ok else ("failed", 0)
            checks.append(replace(check, status=status, score=score))
        points = sum(check.score for check in checks if not check.bonus)
        status = "passed" if points == exercise.max_score else "partial" if points else "failed"
        exercises.append(replace(exercise, checks=tuple(checks), score=points, status=status))
    stamp = replace(report.submission, id=name)
    total = sum(exercise.score for exercise in exercises)
    return replace(report, submission=stamp, exercises=tuple(exercises), score=total, **more)


@pytest.fixture(scope="module")
def reports(solved: Report) -> list[Report]:
    """Return reports on thirty people of different strength, who pass each check with a corresponding probability."""
    rng = random.Random(7)
    made = []
    for number in range(30):
        skill = number / 30
        passed = {(e.id, c.id): rng.random() < 0.2 + 0.7 * skill for e in solved.exercises for c in e.checks}
        passed["distribute", "both_inputs"] = True
        passed["engine", "random_graphs"] = False
        made.append(with_outcomes(solved, f"p{number:02}", passed))
    return made


@pytest.fixture(scope="module")
def summary(course: Course, reports: list[Report]) -> Summary:
    return summarise(course, reports, {})


def test_mean_deviation_median(summary: Summary, reports: list[Report]) -> None:
    """The numbers are those of the standard library."""
    scores = [report.score for report in reports]
    assert pytest.approx(statistics.mean(scores), abs=1e-4) == summary.scores.mean
    assert pytest.approx(statistics.pstdev(scores), abs=1e-4) == summary.scores.deviation
    assert statistics.median(scores) == summary.scores.median


def test_each_part_has_the_mean_of_its_points(summary: Summary, reports: list[Report], course: Course) -> None:
    """The means of the parts add up to the mean of the scores. A course without parts has none in its summary."""
    assert [part.title for part in course.parts] == [part.title for part in summary.parts or ()]
    first = course.parts[0].exercises
    points = [sum(one.score for one in report.exercises if one.id in first) for report in reports]
    assert pytest.approx(statistics.mean(points), abs=1e-4) == (summary.parts or ())[0].mean
    assert pytest.approx(summary.scores.mean, abs=1e-3) == sum(part.mean for part in summary.parts or ())
    undivided = summarise(replace(course, parts=()), reports, {})
    assert b"parts" not in msgspec.json.encode(undivided)


def test_bands_count_everybody_once(summary: Summary, reports: list[Report]) -> None:
    """A score is counted in its tenth of the points, and full marks in the last one."""
    expected = [0] * 10
    for report in reports:
        expected[min(9, report.score * 10 // summary.max_score)] += 1
    assert tuple(expected) == summary.scores.bands


def test_discrimination_is_the_correlation_with_the_rest(summary: Summary, reports: list[Report]) -> None:
    """For every check that distinguishes people, it is Pearson's r of passing it and the other checks' points."""
    compared = 0
    for i, exercise in enumerate(summary.exercises):
        for j, check in enumerate(exercise.checks):
            results = [report.exercises[i].checks[j] for report in reports]
            passed = [float(result.status == "passed") for result in results]
            rest = [
                report.score - (0 if result.bonus else result.score)
                for report, result in zip(reports, results, strict=True)
            ]
            assert sum(passed) == check.passed
            if len(set(passed)) > 1:
                assert pytest.approx(statistics.correlation(passed, rest), abs=1e-4) == check.discrimination
                compared += 1
    assert compared > 50


def test_checks_that_tell_nothing_are_noted(summary: Summary) -> None:
    """A check that everybody passes and one that nobody passes have a note and no discrimination."""
    notes = {(e.id, c.id): c for e in summary.exercises for c in e.checks}
    assert notes["distribute", "both_inputs"].note.startswith("everybody passes")
    assert notes["engine", "random_graphs"].note.startswith("nobody passes")
    assert notes["distribute", "both_inputs"].discrimination is None
    assert notes["engine", "random_graphs"].discrimination is None


def test_a_check_that_the_weak_pass_is_noted(course: Course, solved: Report) -> None:
    """A discrimination that is negative or near 0 has a note from thirty submissions on. Groups hand in one each."""
    rng = random.Random(1)
    made = []
    for number in range(40):
        weak = number < 20
        passed = {(e.id, c.id): not weak for e in solved.exercises for c in e.checks}
        passed["swap", "upstream"] = weak
        passed["relu", solved.exercises[7].checks[0].id] = rng.random() < 0.5
        made.append(with_outcomes(solved, f"p{number}", passed))
    notes = {(e.id, c.id): c.note for e in summarise(course, made, {}).exercises for c in e.checks}
    assert notes["swap", "upstream"].startswith("those who pass it have fewer points")
    few = {(e.id, c.id): c.note for e in summarise(course, made[6:-5], {}).exercises for c in e.checks}
    assert ("", "") == (few["swap", "upstream"], few["swap", "other_value"])
    some = made[10:-10]
    names = [report.submission.id for report in some]
    pairs = [Person(f"{name}{more}", f"{name}{more}", group=name) for name in names for more in ("", "b")]
    people = Class(tuple(HandIn.of(report.submission) for report in some), Roster(tuple(pairs)))
    grouped = summarise(course, some, {}, people=people)
    assert (40, {""}) == (grouped.scores.learners, {c.note for c in grouped.exercises[1].checks if c.id == "upstream"})
    assert notes["swap", "other_value"] == ""


def test_misconceptions_are_counted_once_a_submission(course: Course, solved: Report) -> None:
    """The most frequent one comes first, each with its first submission."""

    def saying(name: str, text: str) -> Report:
        made = with_outcomes(solved, name, {("swap", "other_value"): False, ("swap", "upstream"): False})
        swap = made.exercises[1]
        found = Diagnosis(text[-1], text, f"{text}, explained")
        checks = tuple(replace(c, diagnosis=found) if c.score == 0 else c for c in swap.checks)
        exercises = list(made.exercises)
        exercises[1] = replace(swap, checks=checks)
        return replace(made, exercises=tuple(exercises))

    counted = summarise(course, [saying("a", "like x"), saying("b", "like y"), saying("c", "like y")], {})
    assert [("swap", "like y", 2, "b", ("b", "c")), ("swap", "like x", 1, "a", ("a",))] == [
        (m.exercise, m.title, m.count, m.example, m.learners) for m in counted.misconceptions
    ]


def test_every_learner_has_points_for_every_exercise(course: Course, solved: Report) -> None:
    """Zeros are included, also for learners who submitted nothing."""
    lost = with_outcomes(solved, "ann", {("swap", check.id): False for check in solved.exercises[1].checks})
    people = Class((HandIn.of(lost.submission),), Roster((Person("A", "ann"), Person("B", "bob"))))
    table = {one.id: one.points for one in summarise(course, [lost], {}, people=people).learners}
    assert [exercise.id for exercise in course.exercises] == list(table["ann"]) == list(table["bob"])
    assert {0} == set(table["bob"].values())
    assert (0, lost.score + lost.bonus) == (table["ann"]["swap"], sum(table["ann"].values()))


@every(
    ("above", "failed", "expected"),
    [
        (0, {}, [("A", 0)]),  # on the border: a check of 1 point less drops it
        (1, {}, [("A", -1)]),  # a check of 2 points does
        (3, {}, [("A", -3)]),  # a check of 4 points does, which is 2 % of the course's points
        (4, {}, []),  # only a larger check would
        (-2, {("swap", "upstream")}, [("A", 2)]),  # the failed check has 2 points
        (-2, {("accumulate", "already_there")}, []),  # the failed check has 1 point
    ],
)
def test_totals_within_one_small_check_of_a_border(
    course: Course, solved: Report, above: int, failed: set[tuple[str, str]], expected: list[tuple[str, int]]
) -> None:
    """A learner is listed with the points above or below the border, if one small check would change the grade."""
    report = with_outcomes(solved, "p", dict.fromkeys(failed, False))
    made = summarise(replace(course, grades=Grades({"A": report.score + report.bonus - above})), [report], {})
    assert expected == [(found.grade, found.distance) for found in made.borders]
    assert {found.own for found in made.borders} <= {"A" if above >= 0 else ""}


def test_bonus_points_count_at_a_border(course: Course, solved: Report) -> None:
    """The total includes bonus points, as in the exports with a single number."""
    failed = {(e.id, c.id): False for e in solved.exercises for c in e.checks if c.status == "passed" and not c.bonus}
    report = with_outcomes(solved, "p", failed)
    assert (0, True) == (report.score, report.bonus > 0)
    made = summarise(replace(course, grades=Grades({"E": report.bonus})), [report], {})
    assert [("E", report.bonus)] == [(found.grade, found.total) for found in made.borders]


def test_only_checks_of_the_graded_part_lie_at_a_border(course: Course, solved: Report) -> None:
    """A check of another part cannot change the grade."""
    last = course.parts[-1]
    points = sum(one.score + one.bonus for one in solved.exercises if one.id in last.exercises)
    grades = Grades({"A": points}, last.title, last.exercises)
    made = summarise(replace(course, grades=grades), [solved], {})
    (border,) = made.borders
    assert border.check.partition(".")[0] in last.exercises
    assert (last.title, points) == (made.graded_part, border.total)
    assert points < solved.score


def test_what_lies_beside_the_submissions_is_named(course: Course, solved: Report) -> None:
    """A script whose exit code is 1 can find the reason in the summary."""
    assert ("roster.csv",) == summarise(course, [solved], {}, ["roster.csv"]).beside


def test_who_needs_review(course: Course, solved: Report) -> None:
    """Only faults, notes, ambiguous files, suspect answers and empty submissions are listed, each with a reason."""
    first = solved.exercises[0]

    def with_first(name: str, **more: Any) -> Report:
        exercises = (replace(first, **more), *solved.exercises[1:])
        return replace(with_outcomes(solved, name, {}), exercises=exercises)

    def died(name: str, reason: Reason) -> Report:
        check = replace(first.checks[0], status="error", reason=reason)
        return with_first(name, checks=(check, *first.checks[1:]))

    def skipped(exercise: ExerciseResult) -> tuple[CheckResult, ...]:
        return tuple(replace(check, status="skipped", score=0) for check in exercise.checks)

    missing = tuple(replace(e, status="missing", checks=skipped(e)) for e in solved.exercises)
    class_of = [
        solved,
        replace(with_outcomes(solved, "noted", {}), notes=("late",)),
        with_first("ambiguous", status="unreadable", message="two files"),
        with_first(
            "costly", status="failed", reason=Reason("budget", seconds=60.0, clock="cpu"), checks=skipped(first)
        ),
        died("silent", Reason("left_out")),
        died("odd", Reason("protocol_error", detail="3 bytes")),
        died("killed", Reason("killed", signal="SIGKILL")),
        died("crashed", Reason("killed", signal="SIGSEGV")),
        died("raising", Reason("raised", type="ValueError", detail="ended by SIGKILL")),
        replace(with_outcomes(solved, "empty", {}), exercises=missing),
        replace(
            with_first("reaching", attempts=("socket",)),
            exercises=(
                replace(first, attempts=("socket",)),
                replace(solved.exercises[1], attempts=("kill",)),
                *solved.exercises[2:],
            ),
        ),
    ]
    found = summarise(course, class_of, {"gone": "it broke"}).needs_review
    assert {
        "ambiguous": (NeedsReview("unreadable", "distribute", detail="two files"),),
        "costly": (NeedsReview("budget", "distribute"),),
        "empty": (NeedsReview("no_files"),),
        "gone": (NeedsReview("not_graded", detail="it broke"),),
        "killed": (NeedsReview("killed", "distribute", ("both_inputs",)),),
        "noted": (NeedsReview("note", detail="late"),),
        "silent": (NeedsReview("left_out", "distribute", ("both_inputs",)),),
        "odd": (NeedsReview("protocol_error", "distribute", ("both_inputs",)),),
        "reaching": (NeedsReview("attempt", detail="distribute, swap", names=("kill", "socket")),),
    } == {review.id: review.reasons for review in found}
    assert {"gone": ("not graded: it broke",)}.items() <= {review.id: review.texts for review in found}.items()


def test_an_empty_class_has_a_summary(course: Course) -> None:
    """Nobody is graded, and nothing is divided by 0."""
    made = summarise(course, [], {"a": "no"})
    assert (1, 0, 0.0) == (made.submissions, made.graded, made.scores.mean)


def test_a_summary_survives_json(summary: Summary) -> None:
    """A summary is read back unchanged, and names its schema."""
    assert summary == msgspec.json.decode(msgspec.json.encode(summary), type=Summary)
    assert COHORT_SCHEMA == summary.schema


def test_a_row_of_the_final_table_always_has_three_keys() -> None:
    """Every other key is left out if its value is 0 or empty."""
    assert ["id", "person", "standing"] == schema()["$defs"]["Learner"]["required"]
    row = Learner("ann", Person("Ann"), "absent")
    assert b'{"id":"ann","person":{"name":"Ann"},"standing":"absent"}' == msgspec.json.encode(row)


def test_statistics_are_of_the_final_table(course: Course, solved: Report) -> None:
    """Decisions count, the excused are left out, and each member of a group counts. Strangers are not in the class."""
    lost = {("swap", "upstream"): False}
    reports = [with_outcomes(solved, name, lost) for name in ("pair", "ill", "who")]
    roster = Roster((Person("A", "ann", group="pair"), Person("B", "bob", group="pair"), Person("I", "ill")))
    by: dict[str, Any] = {"by": "Ada", "at": "2026-03-05", "why": "so"}
    overrides = Overrides(
        {
            "*": (Decided(**by, points={"swap.upstream": 1}, for_all=True, line=1),),
            "ann": (Decided(**by, submission="pair", line=2),),
            "bob": (Decided(**by, submission="pair", points={"swap.upstream": 2}, line=3),),
            "ill": (Decided(**by, excused=True, line=4),),
        }
    )
    handed = tuple(HandIn.of(report.submission) for report in reports)
    summary = summarise(course, reports, {}, people=Class(handed, roster, overrides=overrides))
    full = reports[0].score + 2
    assert (2, full - 0.5) == (summary.scores.learners, summary.scores.mean)
    swap = summary.exercises[1]
    (check,) = [one for one in swap.checks if one.id == "upstream"]
    assert ({"partial": 1, "passed": 1}, 1, 0.5) == (swap.statuses, check.passed, check.rate)
    assert [{"swap.upstream": 1}] == [one.points for one in summary.for_all]
