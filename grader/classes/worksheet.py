"""Moodle's grading worksheet with grades and feedback.

Moodle imports the worksheet that it exported (`mod/assign/feedback/offline`). It finds the person by the identifier,
and refuses a row whose time of the last grade is not the one that it knows. So every other cell stays as it is.

Moodle stores feedback as HTML. It reads CSV with PHP's `fgetcsv`, for which a quotation mark after a backslash neither
ends a cell nor belongs to a pair. If a row has another number of cells than the header, Moodle refuses the whole file.
"""

import csv
import html
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from ..base.files import UserError, read_plain
from ..base.text import few, letters, lines, plain
from ..verdict.formats import ExportRequest, Format, other_decisions, register
from ..verdict.report import Report
from ..words.instructor import grades_too_high, not_a_worksheet, worksheet_feedback
from .cohort import ROSTER
from .people import parse_roster

_GRADE, _FEEDBACK, _MAXIMUM, _CHANGEABLE = "grade", "feedbackcomments", "maximumgrade", "gradecanbechanged"
_OPEN = re.compile(r'\\(?="|\Z)')  # a backslash after which PHP does not see the end of the cell


def worksheet(reports: Iterable[Report], request: ExportRequest) -> Iterator[str]:
    """Yield the worksheet that is the roster, with a grade and feedback for each learner with a submission.

    Raises `UserError` if the roster is not a worksheet.
    """
    try:
        text = read_plain(request.results / ROSTER).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise UserError(not_a_worksheet()) from None
    header, *rows = csv.reader(io.StringIO(text, newline="")) or [[]]
    places = {letters(name): at for at, name in enumerate(header)}
    if not {"identifier", _GRADE, "lastmodifiedgrade"} <= places.keys():
        raise UserError(not_a_worksheet())
    by_id = {report.learner.id: report for report in reports if report.learner}
    high: list[str] = []
    yield _line(header)
    for row in rows:
        (person,) = (
            parse_roster(_line([*header]).encode() + _line(row).encode(), ROSTER).people if any(row) else (None,)
        )
        report = by_id.get(person.key) if person is not None else None
        if report is not None and report.learner and row[places.get(_CHANGEABLE, 0)] != "No":
            row[places[_GRADE]] = str(report.learner.total)
            if _FEEDBACK in places:
                row[places[_FEEDBACK]] = _as_html(_feedback(report))
            if _MAXIMUM in places and report.learner.total > _maximum(row[places[_MAXIMUM]]):
                high.append(plain(report.learner.person.name or report.learner.id))
        yield _line(row)
    if high:
        request.warnings.append(grades_too_high(len(high), few(high, 5)))


def _feedback(report: Report) -> str:
    """Return the points of each exercise, the penalty, comments and decisions, each in a line."""
    learner = report.learner or None
    points = [(f"{one.number} {one.id}", one.score, one.max_score, one.bonus) for one in report.exercises]
    notes = [] if learner is None else [*([learner.comment] if learner.comment else []), *other_decisions(learner)]
    return worksheet_feedback(points, learner.penalty if learner else 0, notes)


def _as_html(text: str) -> str:
    """Return a text as HTML with a line for each of its lines."""
    return "<br>".join(html.escape(line).replace("\\", "&#92;") for line in lines(text).split("\n"))


def _maximum(text: str) -> float:
    """Return the maximum grade in a cell; infinity for `-`, which an assignment without grades has."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return float("inf")


def _line(row: Sequence[str]) -> str:
    """Return a row as a line that Python and PHP read in the same way."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow([_OPEN.sub(r"\\ ", one) for one in row])
    return buffer.getvalue()


FORMAT = Format(
    name="moodle",
    about="Moodle's grading worksheet, if it is the roster, with grades and feedback, to import it",
    text=worksheet,
    export="moodle.csv",
    each="learner",
    left_out=("absent", "excused", "unclaimed", "not_graded"),
)
register(FORMAT)
