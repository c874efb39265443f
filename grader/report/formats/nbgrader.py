"""The table that `nbgrader export` writes, for LMS imports, scripts, or a merge with nbgrader's own table.

Columns and cells are those of `nbgrader.plugins.CsvExportPlugin` (nbgrader 0.9.6), with points as floats and times in
UTC without a zone. `nbgrader db student import` also reads `last_name`, `first_name` and `email`, together with an
`id`.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timezone

from ...learners import Person
from ..grades import Cell, people, student_id, table, total
from ..model import Report
from ..registry import Format

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


def nbgrader(reports: Iterable[Report], assignment: str | None = None) -> Iterator[str]:
    """Yield the lines of the table.

    As in nbgrader's own table, a learner who submitted nothing has 0 points. An excused learner has no row.

    Args:
        assignment: The name of the assignment; by default, the course's id.
    """
    return table(COLUMNS, _rows(reports, assignment), line_end="\n")


def _rows(reports: Iterable[Report], assignment: str | None) -> Iterator[list[Cell]]:
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
            row: list[Cell] = [assignment or report.course.id, due, at, who, last, first, person.email]
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
        return str(at.astimezone(timezone.utc).replace(tzinfo=None) if at.tzinfo else at)
    except (ValueError, OverflowError):
        return ""


FORMAT = Format(
    name="nbgrader",
    about="the table that nbgrader's own CSV exporter writes; 0 points for learners who submitted nothing",
    text=lambda reports, request: nbgrader(reports, request.assignment),
    export="nbgrader.csv",
    each="learner",
    left_out=("unclaimed", "excused"),
    takes_assignment=True,
)
