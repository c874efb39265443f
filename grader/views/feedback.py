"""Feedback for each learner of a class: the report as text, as JSON and as a page."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from ..report import Report, for_learner, to_json
from ..report.learner import Details
from .feedback_text import feedback_text


def feedback(
    reports: Iterable[Report],
    title: str,
    details: Details,
    hints: Mapping[str, str],
    page: Callable[[Report], str] | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield the path and the content of each learner's files: `feedback.txt`, `report.json` and `feedback.html`.

    All files leave out what the course hides from learners.

    Args:
        title: the course's title.
        details: the course's visibility settings, as `for_learner` takes them.
        hints: the texts of hints, by the command that shows them.
        page: makes `feedback.html` from a report for learners; None for no such file.
    """
    taken: set[str] = set()
    for report in reports:
        told = for_learner(report, details)
        name = folder_of(told)
        if name.lower() in taken:  # two ids differ only in characters that a folder's name cannot contain
            name += "-" + hashlib.sha256((told.learner.id if told.learner else name).encode()).hexdigest()[:12]
        taken.add(name.lower())
        yield f"{name}/feedback.txt", feedback_text(told, title, hints)
        yield f"{name}/report.json", to_json(told).decode()
        if page is not None:
            yield f"{name}/feedback.html", page(told)


def folder_of(report: Report) -> str:
    """Return the name of a learner's folder: name and id from the roster, or else the id of the submission."""
    learner = report.learner
    if not learner or (learner.id == report.submission.id and not learner.person.login):
        return report.submission.id
    words = re.sub(r"[^\w.@-]+", "_", f"{learner.person.name} {learner.id}").strip("._-")
    return words[:120] or report.submission.id
