"""Tables of people: a row for each submitter of each submission."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from msgspec import UNSET

from ...outside import cell
from ..model import Report, Submitter

Cell: TypeAlias = str | int | float


def submitters(report: Report) -> tuple[Submitter, ...]:
    """Who handed a submission in; somebody without a name where the platform did not say."""
    known = report.submission.submitters
    return known if known is not UNSET and known else (Submitter(name=""),)


def total(report: Report) -> int:
    """All points that were earned, for books that have one number for each person: bonus included, so that it can be
    more than `max_score`."""
    return report.score + report.bonus


def begin(reports: Iterable[Report]) -> tuple[Report | None, Iterator[Report]]:
    """The first report, for what all have in common, and all of them."""
    rest = iter(reports)
    first = next(rest, None)
    return first, rest if first is None else chain([first], rest)


def table(header: Sequence[str], rows: Iterable[Sequence[Cell]], line_end: str = "\r\n") -> Iterator[str]:
    """Lines of a CSV file (RFC 4180). Numbers, and the header, are ours and stay as they are; no other cell is taken
    for a formula."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator=line_end)
    for row in chain([header], ([cell(one) if isinstance(one, str) else one for one in row] for row in rows)):
        writer.writerow(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
