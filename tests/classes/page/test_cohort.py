"""The summary of a class on a terminal."""

import pytest
from msgspec.structs import replace

from grader.classes.cohort import Review, summarise
from grader.classes.page import render_cohort
from grader.course.learners import Decided, Learner, NeedsReview, Person
from grader.course.load import Course
from grader.verdict.report import Report
from grader.verdict.report.model import ExerciseStatus, SubmissionStamp, with_results


@pytest.fixture(scope="module")
def graded(solved: Report) -> tuple[Report, ...]:
    """Return reports on the solutions, on stubs, on no files, on files that fail and on files that cannot be read."""

    def of(status: ExerciseStatus) -> Report:
        named = replace(solved, submission=SubmissionStamp(status, "0"))
        exercises = []
        for one in solved.exercises:
            checks = tuple(replace(check, status="skipped", score=0) for check in one.checks)
            exercises.append(replace(one, status=status, score=0, bonus=0, checks=checks))
        return with_results(named, exercises)

    return solved, of("not_started"), of("missing"), of("failed"), of("unreadable")


def test_every_submission_is_in_some_column(course: Course, graded: tuple[Report, ...]) -> None:
    """Each exercise has a row, and its columns add up to the number of learners."""
    lines = render_cohort(summarise(course, graded, {})).splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("exercise"))
    assert "passed partial failed not started missing unreadable" == " ".join(lines[head].split()[2:])
    rows = lines[head + 1 : head + 1 + len(course.exercises)]
    assert [f"{exercise.number}_{exercise.id}" for exercise in course.exercises] == [row.split()[0] for row in rows]
    assert {len(graded)} == {sum(map(int, row.split()[2:])) for row in rows}
    for line in lines:
        assert len(line) < 80 or line.strip().startswith("grade decide"), line


def test_who_could_not_be_graded_comes_last_with_the_reason(course: Course, graded: tuple[Report, ...]) -> None:
    """Submissions that could not be graded are also counted in the first line."""
    shown = render_cohort(summarise(course, graded, {"jane": "the process ended with signal 9"}))
    assert f"{len(graded)} of {len(graded) + 1} submissions graded" in shown
    assert "    jane: not graded: the process ended with signal 9" in shown.partition("Needs review")[2]


def test_a_class_of_nobody_can_be_shown(course: Course) -> None:
    """A class without submissions has a complete summary, and nothing is divided by 0."""
    assert "0 of 0 submissions graded" in render_cohort(summarise(course, (), {}))


def test_an_exercise_that_nobody_submitted_is_named_once(course: Course, graded: tuple[Report, ...]) -> None:
    """An exercise without submissions has no mean, and its checks do not count as hard.

    The same holds if only stubs were submitted.
    """
    solved, stubs, nothing, *_ = graded
    exercises = (*solved.exercises[:-2], stubs.exercises[-2], nothing.exercises[-1])
    summary = summarise(course, [replace(solved, exercises=exercises), nothing], {})
    shown = render_cohort(summary)
    begun, missing = (f"{exercise.number}_{exercise.id}" for exercise in exercises[-2:])
    assert f"\nNobody submitted: {missing}\n" in shown
    assert f"\nNobody began: {begun}\n" in shown
    assert begun not in shown.partition("Checks with a note")[2]
    notes = [{check.note for check in exercise.checks} for exercise in summary.exercises[-2:]]
    assert [{"nobody began the exercise"}, {"nobody submitted the exercise"}] == notes


def test_every_score_is_in_one_band(course: Course, graded: tuple[Report, ...]) -> None:
    """Bands do not overlap, and each sign stands for one learner."""
    lines = render_cohort(summarise(course, graded[:3], {})).splitlines()
    bands = [line.split() for line in lines if line[:9].strip().replace(" to", "").isdecimal()]
    bounds = [(int(band[0]), int(band[2])) for band in bands]
    assert 10 == len(bounds)
    assert [0, *(end + 1 for _, end in bounds)] == [*(begin for begin, _ in bounds), course.max_score + 1]
    assert ["#", "1"] == bands[-1][3:]


def test_grades_below_all_are_told_from_a_grade(course: Course, graded: tuple[Report, ...]) -> None:
    """The number of learners below the lowest grade is shown as `below D: 2`."""
    class_of_three = [replace(one, submission=SubmissionStamp(f"{i}", "0")) for i, one in enumerate(graded[:3])]
    shown = render_cohort(summarise(course, class_of_three, {}))
    points = "Grades by points of the part “The backward pass”: "
    expected = f"{points}A from 90: 1, B from 80: 0, C from 70: 0, D from 60: 0, below D: 2"
    assert expected in " ".join(shown.split())


def test_lists_of_people(course: Course, graded: tuple[Report, ...]) -> None:
    """A learner who matches two people of the roster is not listed as unknown. Lateness is in days and hours."""
    summary = summarise(course, graded, {})
    twin = Review.of("jo", (NeedsReview("ambiguous", names=("stu1", "stu2")),))
    rows = (
        Learner("jo", Person("Jo Roe"), "unclaimed"),
        Learner("eve", Person("Eve"), "unclaimed"),
        Learner("bob", Person("Bob B"), "graded", late_s=90_000),
    )
    shown = render_cohort(replace(summary, learners=rows, needs_review=(twin,)))
    assert "Not in the roster (1): Eve\n" in shown
    assert "Ambiguous in the roster (1): Jo Roe\n" in shown
    assert (
        "  Which of them submitted it?\n"
        "    jo: ambiguous: more than one person in the roster may have submitted it:\n"
        "    `stu1` or `stu2`\n"
        "      grade decide RESULTS stu1 --submission jo --why TEXT\n"
    ) in shown
    assert "Late (1): Bob B by 1 day 1 hour\n" in shown


def test_every_reason_of_a_review_is_shown(course: Course, graded: tuple[Report, ...]) -> None:
    """Each question is there once, and each reason below it with its commands. Complete commands come first."""
    note = NeedsReview("note", detail="files with other names were not graded: mine.py")
    near = NeedsReview("near_name", "swap", names=("02-swap.py",))
    reviews = (Review.of("jo", (note, near)), Review.of("eve", (near,)))
    shown = render_cohort(replace(summarise(course, graded, {}), needs_review=reviews))
    assert (
        "Needs review\n"
        "  A command with --keep records that nothing changes.\n"
        "  Does this file count for the exercise?\n"
        "    jo: swap: the file is missing, but there is `02-swap.py`\n"
        "      grade decide RESULTS jo --file swap=02-swap.py --why TEXT\n"
        "      grade decide RESULTS jo --keep swap.near_name --why TEXT\n"
        "    eve: swap: the file is missing, but there is `02-swap.py`\n"
        "      grade decide RESULTS eve --file swap=02-swap.py --why TEXT\n"
        "      grade decide RESULTS eve --keep swap.near_name --why TEXT\n"
        "  Should the note change the score?\n"
        "    jo: files with other names were not graded: mine.py\n"
    ) in shown


def test_what_was_cut_by_time_can_be_graded_again(course: Course, graded: tuple[Report, ...]) -> None:
    """The review has the command."""
    cut = Review.of("jo", (NeedsReview("budget", "swap", ("upstream",)),))
    shown = render_cohort(replace(summarise(course, graded, {}), needs_review=(cut,)))
    assert "      To grade it again:\n      grade cohort SUBMISSIONS --out RESULTS --again jo\n" in shown


def test_who_has_a_due_date_but_no_time_is_listed(course: Course, graded: tuple[Report, ...]) -> None:
    """Learners without a due date, with a time or with a decided penalty are not listed."""
    due = "2026-03-01T23:59:00+01:00"
    rows = (
        Learner("ann", Person("Ann"), "graded", due=due),
        Learner("bob", Person("Bob"), "graded"),
        Learner("cat", Person("Cat"), "graded", due=due, submitted_at=due),
        Learner("dan", Person("Dan"), "graded", due=due, decisions=(Decided("Ada", "2026", "so", penalty=0),)),
        Learner("eve", Person("Eve"), "absent", due=due),
        Learner("flo", Person("Flo"), "unclaimed", due=due),
    )
    shown = render_cohort(replace(summarise(course, graded, {}), learners=rows))
    assert "Counted as on time, because no time of submission is known (2): Ann, Flo\n" in shown
    assert "\n  grade decide RESULTS LEARNER --submitted-at TIME --why TEXT\n" in shown
