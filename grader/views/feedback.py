"""Feedback for each learner of a class: the report as text and as JSON."""

from collections.abc import Iterable, Iterator

from ..report import Report, for_learner, to_json
from ..report.learner import Details
from .terminal import render


def feedback(reports: Iterable[Report], title: str, details: Details) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of two files for each submission: `feedback.txt` and `report.json`.

    Both leave out what the course hides from learners.

    Args:
        title: the course's title.
        details: the course's settings of visibility, as `for_learner` takes them.
    """
    for report in reports:
        told = for_learner(report, details)
        name = told.submission.id
        yield f"{name}/feedback.txt", render(told, title, everything=True)
        yield f"{name}/report.json", to_json(told).decode()
