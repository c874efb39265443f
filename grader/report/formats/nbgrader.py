"""The table that `nbgrader export` writes, for whatever reads nbgrader's: LMS imports, scripts, a merge with its own.

Columns and cells are those of `nbgrader.plugins.CsvExportPlugin` (nbgrader 0.9.6): points as floats, times in UTC
without a zone. `last_name`, `first_name` and `email` are also what `nbgrader db student import` reads, beside an `id`.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timezone

from msgspec import UNSET

from ..model import Report, SubmissionStamp, Submitter
from .people import Cell, submitters, table, total

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
    """The lines of the table; the assignment is called after the course's id unless it is given another name. There is
    no penalty and no due date: the grader knows of neither."""
    return table(COLUMNS, _rows(reports, assignment), line_end="\n")


def _rows(reports: Iterable[Report], assignment: str | None) -> Iterator[list[Cell]]:
    for report in reports:
        stamp = report.submission
        points = float(total(report))
        for person in submitters(report):
            last, first = _names(person)
            who = person.id or person.email or person.name or stamp.id
            row: list[Cell] = [assignment or report.course.id, "", _time(stamp), who, last, first, person.email]
            yield [*row, points, 0.0, points, float(report.max_score)]


def _names(person: Submitter) -> tuple[str, str]:
    """Last and first name, as far as one can tell: `Last, First`, or the last word as the last name. A name that is
    the id once more is none."""
    if person.name in ("", person.id):
        return "", ""
    if "," in person.name:
        last, _, first = person.name.partition(",")
    else:
        first, _, last = person.name.strip().rpartition(" ")
    return last.strip(), first.strip()


def _time(stamp: SubmissionStamp) -> str:
    """As nbgrader has it where it can be read as ISO 8601, else as it stands."""
    if stamp.submitted_at is UNSET:
        return ""
    text = stamp.submitted_at.removesuffix(" UTC")  # as nbgrader's own timestamp.txt ends
    try:
        at = datetime.fromisoformat(text.replace("Z", "+00:00"))
        return str(at.astimezone(timezone.utc).replace(tzinfo=None) if at.tzinfo else at)
    except (ValueError, OverflowError):
        return stamp.submitted_at
