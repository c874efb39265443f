"""Feedback files with names that a platform accepts for upload, derived from the names in its own download."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from ..cohort import readings
from ..report import Report, for_learner
from ..report.learner import Details
from ..report.person import Person
from .feedback_text import feedback_text


def feedback_files(
    reports: Iterable[Report],
    title: str,
    details: Details,
    hints: Mapping[str, str],
    platform: str,
    page: Callable[[Report], str],
    members: Collection[str] = (),
) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of `feedback.txt` and `feedback.html` for each submission.

    The paths have the form that a platform accepts for upload. Submissions whose files did not come from the
    platform's own download have no such path, and are left out. So are group members whose id on the platform is
    unknown. nbgrader gets only the text, because it looks for a notebook with the name of each HTML file.

    Args:
        hints: the texts of hints, by the command that shows them.
        platform: `canvas`, `moodle` or `nbgrader`.
        page: makes `feedback.html` from a report for learners.
        members: the keys of learners for whom another member of their group submitted. The paths of their files contain
            their own names and ids.
    """
    for report in reports:
        told = for_learner(report, details)
        learner = told.learner or None
        name = place(told, platform, member=learner is not None and learner.id in members)
        if name:
            yield name, feedback_text(told, title, hints)
            if platform != "nbgrader":
                yield f"{name.removesuffix('.txt')}.html", page(told)


def place(report: Report, platform: str, *, member: bool = False) -> str:
    """Return the path of a learner's `feedback.txt` in the form that a platform accepts, or an empty text.

    Args:
        member: whether another member of the learner's group submitted.
    """
    person = report.learner.person if member and report.learner else None
    return _PLACES[platform](report, person)


def _canvas(report: Report, member: Person | None) -> str:
    """Return `doejane_1042_99731_feedback.txt`. Canvas looks for the ids of a user and of a file in the submission."""
    for path in _paths(report):
        name = path.partition("/")[0]
        for reading in readings(name):
            if reading.file and reading.number and member is not None:
                called = "".join(c for c in member.name.lower() if c.isalnum()) or "learner"
                known = member.canvas_id.isdecimal()
                return f"{called}_{member.canvas_id}_{reading.number}_feedback.txt" if known else ""
            if reading.file and reading.number:
                return f"{name[: -len(reading.file)]}feedback.txt" if name.endswith(reading.file) else ""
    return ""


def _moodle(report: Report, member: Person | None) -> str:
    """Return a path in a folder named as in the download. Moodle reads the participant's number from the name."""
    origin = report.submission.origin or ""
    if member is not None:
        called = re.sub(r"[^\w .-]+", "", member.name).strip(". ") or "learner"
        origin = f"{called}_{member.moodle_id}_assignsubmission_file_" if member.moodle_id else ""
    return f"{origin}/feedback.txt" if "_assignsubmission_" in origin and "/" not in origin else ""


def _nbgrader(report: Report, member: Person | None) -> str:
    """Return `<student>/<assignment>/feedback.txt`, as in nbgrader's folder `feedback`.

    `grade cohort --assignment` names the assignment. Without it, the assignment is the folder that contains all files.
    In nbgrader's own folder, the submitter's id is the name of the folder. In any other layout, the path is empty.
    """
    origin, _, named = (report.submission.origin or "").partition("/")
    if [one.id for one in report.submission.submitters or ()] != [origin]:
        return ""
    student = origin if member is None else member.login
    if student.startswith(".") or named.startswith(".") or "/" in student + named:
        return ""
    assignments = {path.partition("/")[0] for path in _paths(report) if "/" in path}
    assignment = named or (assignments.pop() if len(assignments) == 1 else "")
    return f"{student}/{assignment}/feedback.txt" if student and assignment else ""


def _paths(report: Report) -> Iterator[str]:
    """Yield the paths of the files that were graded, and of other files that may be meant for an exercise."""
    for exercise in report.exercises:
        if exercise.file and exercise.status != "missing":
            yield exercise.file
        yield from exercise.reason.names if exercise.reason else ()


_PLACES: dict[str, Callable[[Report, Person | None], str]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "nbgrader": _nbgrader,
}
