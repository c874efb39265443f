"""The people of an export: names and ids, totals, decisions, and tables with a row for each of them."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from msgspec.structs import replace

from ...base.text import cell
from ...course.learners import Learner, Person, Standing, person_of
from ...words.instructor import decided_text
from ...words.learner import check_decided
from ..report.model import CheckResult, Report

TableCell: TypeAlias = str | int | float


def people(report: Report) -> tuple[Person, ...]:
    """Return the learner of a report, or its submitters.

    If the platform does not name any submitter, return one person without a name.
    """
    if report.learner:
        return (report.learner.person,)
    stamp = report.submission
    return tuple(person_of(one, stamp.origin or "") for one in stamp.submitters or ()) or (Person(),)


def standing(report: Report) -> Standing:
    """Return how a report counts. Without a final table of the class, it is `graded`."""
    return report.learner.standing if report.learner else "graded"


def total(report: Report) -> int:
    """Return the points for gradebooks with a single number for each person.

    They include bonus points and the penalty, so they may exceed `max_score`.
    """
    return report.learner.total if report.learner else report.score + report.bonus


def student_id(person: Person) -> str:
    """Return the id that a platform gives a person."""
    return next(filter(None, (person.sis_id, person.canvas_id, person.moodle_id, person.login, person.github)), "")


def begin(reports: Iterable[Report]) -> tuple[Report | None, Iterator[Report]]:
    """Return the first report, for data that all reports share, and an iterator over all of them."""
    rest = iter(reports)
    first = next(rest, None)
    return first, rest if first is None else chain([first], rest)


def table(header: Sequence[str], rows: Iterable[Sequence[TableCell]], line_end: str = "\r\n") -> Iterator[str]:
    """Yield the lines of a CSV file (RFC 4180).

    Numbers are unchanged. Text is changed where a spreadsheet would run it as a formula, except in the header.
    """
    # one line at a time, because a class may be large
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator=line_end)
    for row in chain([header], ([cell(one) if isinstance(one, str) else one for one in row] for row in rows)):
        writer.writerow(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def full_marks(check: CheckResult) -> bool:
    """Return whether a check counts as passed: it passed, or a person gave it all its points."""
    return check.score == check.max_score if check.decided else check.status == "passed"


def decision_on(check: CheckResult) -> str:
    """Return a person's decision on the points of a check; empty if there is none."""
    one = check.decided
    return check_decided(check.score, check.max_score, one.by, one.at, one.why) if one else ""


def other_decisions(learner: Learner) -> Iterator[str]:
    """Yield the decisions on a learner, without points of checks, comments, and reasons that change nothing."""
    for one in learner.decisions:
        # points are shown with their check, and comments by themselves
        rest = replace(one, points={}, comment=None, keep=())
        if rest.files or any(
            value is not None for value in (rest.submission, rest.submitted_at, rest.penalty, rest.excused)
        ):
            yield decided_text(rest)
