"""A file for the import into Canvas' gradebook: its columns of people, one assignment, and the row `Points Possible`.

It follows Canvas' own importer, `lib/gradebook_importer.rb` of https://github.com/instructure/canvas-lms. A row
belongs to the user with the Canvas id in `ID`. Otherwise it belongs to the user with that `SIS User ID`, `SIS Login
ID` or name, in this order. If no user is found, Canvas asks.
"""

import re
from collections.abc import Iterable, Iterator

from ...base import one_line
from ...learners import Person
from ..grades import Cell, begin, people, standing, table, total
from ..model import Report, SubmissionStamp
from ..registry import Format

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
    return table((*_PEOPLE, assignment), _rows(first, reports))


def _rows(first: Report | None, reports: Iterable[Report]) -> Iterator[list[Cell]]:
    if first:
        yield [f"    {_POINTS}", "", "", "", "", first.max_score]  # indented as Canvas itself writes it
    for report in reports:
        for person in people(report):
            yield [*_person(person, report.submission), person.section, _points(report)]


def _points(report: Report) -> Cell:
    """Return the total, or EX for an excused learner.

    For a learner who submitted nothing, the cell is empty, which leaves a grade unchanged.
    """
    return {"excused": "EX", "absent": ""}.get(standing(report), total(report))


def _person(person: Person, stamp: SubmissionStamp) -> list[Cell]:
    """Return name, Canvas id, SIS user id and login."""
    # a row with these words in its first cell would set the assignment's points for everybody
    name = "" if _POINTS in one_line(person.name) else person.name
    if not person.key:
        return [stamp.id, "", "", stamp.id]
    login = person.login or ("" if person.canvas_id else person.email or person.sis_id or person.moodle_id)
    return [name, person.canvas_id, person.sis_id or ("" if person.login else person.moodle_id), login]


FORMAT = Format(
    name="canvas",
    about="the file for Canvas' gradebook import; `--assignment` names the column",
    text=lambda reports, request: canvas(reports, request.title if request.assignment is None else request.assignment),
    export="canvas.csv",
    each="learner",
    left_out=("unclaimed",),  # Canvas would ask for the user
    takes_assignment=True,
)
