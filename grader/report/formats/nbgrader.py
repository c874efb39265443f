"""The table that `nbgrader export` writes, for whatever reads nbgrader's: LMS imports, scripts, a merge with its own.

Columns and cells are those of `nbgrader.plugins.CsvExportPlugin` (nbgrader 0.9.6): points as floats, times in UTC
without a zone. `last_name`, `first_name` and `email` are also what `nbgrader db student import` reads, beside an `id`.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timezone

from ..model import Report
from ..person import Person
from .people import Cell, people, standing, student_id, table, total

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
    """The lines of the table; the assignment is called after the course's id unless it is given another name. A
    learner who submitted nothing has 0 points, as nbgrader itself writes it; one who is excused has no row."""
    return table(COLUMNS, _rows(reports, assignment), line_end="\n")


def _rows(reports: Iterable[Report], assignment: str | None) -> Iterator[list[Cell]]:
    for report in reports:
        stamp = report.submission
        if standing(report) in ("excused", "unclaimed", "not_graded"):
            continue
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
    """Last and first name, as far as one can tell: `Last, First`, or the last word as the last name. A name that is
    the id once more is none."""
    if person.name in ("", person.login, student_id(person)):
        return "", ""
    if "," in person.name:
        last, _, first = person.name.partition(",")
    else:
        first, _, last = person.name.strip().rpartition(" ")
    return last.strip(), first.strip()


def _time(text: str) -> str:
    """Return a time as nbgrader has it; an empty text for anything that is no time."""
    try:
        at = datetime.fromisoformat(text.removesuffix(" UTC").replace("Z", "+00:00"))
        return str(at.astimezone(timezone.utc).replace(tzinfo=None) if at.tzinfo else at)
    except (ValueError, OverflowError):
        return ""
