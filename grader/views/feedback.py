"""Feedback for each person of a class: their report as a terminal shows it, and as JSON."""

from collections.abc import Iterable, Iterator

from ..report import Report, for_learner, to_json
from ..report.learner import Details
from .terminal import render


def feedback(reports: Iterable[Report], title: str, details: Details) -> Iterator[tuple[str, str]]:
    """Path and text of each submission's two files; what the course does not tell a learner (`details`, as
    `for_learner` takes it) is in neither."""
    for report in reports:
        told = for_learner(report, details)
        name = told.submission.id
        yield f"{name}/feedback.txt", render(told, title, everything=True)
        yield f"{name}/report.json", to_json(told).decode()
