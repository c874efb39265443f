"""The class at a glance on a terminal."""

from grader.cohort import summarise
from grader.course import Course
from grader.report import Report
from grader.views.cohort import render_cohort


def test_every_submission_is_in_some_column(course: Course, handed_in: tuple[Report, ...]) -> None:
    """A row for each exercise, whose columns add up to the class."""
    lines = render_cohort(summarise(course, handed_in, {})).splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("exercise"))
    assert "passed partial failed not started unreadable" == " ".join(lines[head].split()[2:])
    rows = lines[head + 1 : head + 1 + len(course.exercises)]
    assert [f"{exercise.number}_{exercise.id}" for exercise in course.exercises] == [row.split()[0] for row in rows]
    assert {len(handed_in)} == {sum(map(int, row.split()[2:])) for row in rows}


def test_who_could_not_be_graded_comes_last_with_the_reason(course: Course, handed_in: tuple[Report, ...]) -> None:
    """The headline counts them too."""
    shown = render_cohort(summarise(course, handed_in, {"jane": "the process ended with signal 9"}))
    assert f"{len(handed_in)} of {len(handed_in) + 1} submissions graded" in shown
    assert "  jane: not graded: the process ended with signal 9" in shown.partition("Needs review")[2]


def test_a_class_of_nobody_can_be_shown(course: Course) -> None:
    """Nothing was handed in: no division by zero, no column missing."""
    assert "0 of 0 submissions graded" in render_cohort(summarise(course, (), {}))
