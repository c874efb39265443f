"""Tables with a row for each person: for spreadsheets and scripts, for Canvas' gradebook, and in nbgrader's form."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from ...base.text import one_line
from ...course.learners import Person
from ...words.instructor import decided_text, review_text
from ..report.model import Report, SubmissionStamp, review_reasons
from .registry import Format
from .rows import TableCell, begin, people, standing, student_id, table, total

# -- A plain table for a spreadsheet or a script, with a column for each exercise

_PERSON = (
    "id",
    "name",
    "email",
    "student_id",
    "section",
    "submitted_at",
    "late_s",
    "score",
    "max_score",
    "bonus",
)
_RESULT = ("penalty", "total", "grade", "status")


def csv_table(reports: Iterable[Report]) -> Iterator[str]:
    """Yield the lines of the table.

    - `id` is the learner's id in the final table. Without a final table, it is the submission's id.
    - `student_id` is the id that the platform gives.
    - In a course with parts, the columns `part_1`, `part_2` and so on have the points of each part.
    - `score` and the columns of exercises and parts do not include bonus points. `total` is `score` plus `bonus` minus
      `penalty`.
    - `notes` has the reasons for a review, and people's decisions.

    The exercises are those of the first report.
    """
    first, reports = begin(reports)
    exercises = {exercise.id: f"{exercise.number}_{exercise.id}" for exercise in first.exercises} if first else {}
    parts = [f"part_{number}" for number, _ in enumerate(first.parts or (), 1)] if first else []
    return table((*_PERSON, *_RESULT, *exercises.values(), *parts, "notes"), _csv_rows(reports, list(exercises)))


def _csv_rows(reports: Iterable[Report], exercises: list[str]) -> Iterator[list[TableCell]]:
    for report in reports:
        stamp, learner = report.submission, report.learner or None
        at = (learner.submitted_at if learner else stamp.submitted_at) or ""
        points = {exercise.id: exercise.score for exercise in report.exercises}
        result: list[TableCell] = [at, learner.late_s if learner else 0, report.score, report.max_score, report.bonus]
        result += [learner.penalty if learner else 0, total(report), learner.grade if learner else ""]
        result += [report.status if standing(report) == "graded" else standing(report)]
        result += [points.get(exercise, "") for exercise in exercises]
        result += [part.score for part in report.parts or ()]
        for person in people(report):
            notes = [
                *map(review_text, review_reasons(report)),
                *map(decided_text, learner.decisions if learner else ()),
            ]
            who = learner.id if learner else stamp.id
            yield [who, person.name, person.email, student_id(person), person.section, *result, " | ".join(notes)]


CSV = Format(
    name="csv",
    about="a table for spreadsheets: a row for each learner, a column for each exercise and for each part",
    text=lambda reports, _: csv_table(reports),
    export="grades.csv",
    each="learner",
)


# -- A file for the import into Canvas' gradebook: its columns of people, one assignment, and the row `Points Possible`
#
# It follows Canvas' own importer, `lib/gradebook_importer.rb` of https://github.com/instructure/canvas-lms. A row
# belongs to the user with the Canvas id in `ID`. Otherwise it belongs to the user with that `SIS User ID`, `SIS Login
# ID` or name, in this order. If no user is found, Canvas asks.

_PEOPLE = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_POINTS = "Points Possible"
# Canvas takes columns of these names for its own, and silently ignores them
_OWN = {*_PEOPLE, "LastName", "FirstName", "Integration ID", "Root Account"}
_CALCULATED = re.compile("(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")


def canvas(reports: Iterable[Report], assignment: str) -> Iterator[str]:
    """Yield the lines of the file. Raises `ValueError` for a name that Canvas takes for a column of its own.

    Args:
        assignment: The name by which Canvas finds the assignment, optionally with its id in parentheses:
            `Backward (4711)`. If there is no such assignment, Canvas offers to make one.
    """
    if not assignment.strip() or assignment in _OWN or _CALCULATED.search(assignment):
        raise ValueError(f"Canvas leaves out a column called `{assignment}`; give the assignment another name")
    first, reports = begin(reports)
    return table((*_PEOPLE, assignment), _canvas_rows(first, reports))


def _canvas_rows(first: Report | None, reports: Iterable[Report]) -> Iterator[list[TableCell]]:
    if first:
        yield [f"    {_POINTS}", "", "", "", "", first.max_score]  # indented as Canvas itself writes it
    for report in reports:
        for person in people(report):
            yield [*_person(person, report.submission), person.section, _points(report)]


def _points(report: Report) -> TableCell:
    """Return the total, or EX for an excused learner.

    For a learner who submitted nothing, the cell is empty, which leaves a grade unchanged.
    """
    return {"excused": "EX", "absent": ""}.get(standing(report), total(report))


def _person(person: Person, stamp: SubmissionStamp) -> list[TableCell]:
    """Return name, Canvas id, SIS user id and login."""
    # a row with these words in its first cell would set the assignment's points for everybody
    name = "" if _POINTS in one_line(person.name) else person.name
    if not person.key:
        return [stamp.id, "", "", stamp.id]
    login = person.login or ("" if person.canvas_id else person.email or person.sis_id or person.moodle_id)
    return [name, person.canvas_id, person.sis_id or ("" if person.login else person.moodle_id), login]


CANVAS = Format(
    name="canvas",
    about="the file for Canvas' gradebook import; `--assignment` names the column",
    text=lambda reports, request: canvas(reports, request.assignment),
    export="canvas.csv",
    each="learner",
    left_out=("unclaimed",),  # Canvas would ask for the user
    assignment="title",
)


# -- The table that `nbgrader export` writes, for LMS imports, scripts, or a merge with nbgrader's own table
#
# Columns and cells are those of `nbgrader.plugins.CsvExportPlugin` (nbgrader 0.9.6), with points as floats and times in
# UTC without a zone. `nbgrader db student import` also reads `last_name`, `first_name` and `email`, together with an
# `id`.

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


def nbgrader(reports: Iterable[Report], assignment: str) -> Iterator[str]:
    """Yield the lines of the table.

    As in nbgrader's own table, a learner who submitted nothing has 0 points. An excused learner has no row.
    """
    return table(COLUMNS, _nbgrader_rows(reports, assignment), line_end="\n")


def _nbgrader_rows(reports: Iterable[Report], assignment: str) -> Iterator[list[TableCell]]:
    for report in reports:
        stamp = report.submission
        learner = report.learner or None
        due = _time(learner.due) if learner else ""
        at = _time(learner.submitted_at if learner else stamp.submitted_at or "")
        penalty = float(learner.penalty) if learner else 0.0
        points = float(total(report))
        for person in people(report):
            last, first = _names(person)
            who = person.login or student_id(person) or person.email or person.name or stamp.id
            row: list[TableCell] = [assignment, due, at, who, last, first, person.email]
            yield [*row, points + penalty, penalty, points, float(report.max_score)]


def _names(person: Person) -> tuple[str, str]:
    """Return the last and the first name, as far as they can be recognised.

    A name has the form `Last, First`, or its last word is the last name. A name that only repeats the id gives two
    empty texts.
    """
    if person.name in ("", person.login, student_id(person)):
        return "", ""
    if "," in person.name:
        last, _, first = person.name.partition(",")
    else:
        first, _, last = person.name.strip().rpartition(" ")
    return last.strip(), first.strip()


def _time(text: str) -> str:
    """Return a time in nbgrader's format; an empty text if it is not a time."""
    try:
        at = datetime.fromisoformat(text.removesuffix(" UTC").replace("Z", "+00:00"))
        return str(at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at)
    except (ValueError, OverflowError):
        return ""


NBGRADER = Format(
    name="nbgrader",
    about="the table that nbgrader's own CSV exporter writes; 0 points for learners who submitted nothing",
    text=lambda reports, request: nbgrader(reports, request.assignment),
    export="nbgrader.csv",
    each="learner",
    left_out=("unclaimed", "excused"),
    assignment="id",
)
