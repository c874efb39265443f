"""Feedback for each learner of a class: the report as text, as JSON and as a page."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator

from ..outside import plain
from ..report import Report, for_learner, to_json
from ..report.learner import Details
from ..words.durations import duration_text
from ..words.instructor import decided_text
from .terminal import render


def feedback(
    reports: Iterable[Report], title: str, details: Details, page: Callable[[Report], str] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of files for each submission: `feedback.txt`, `report.json` and `feedback.html`.

    All leave out what the course hides from learners.

    Args:
        title: the course's title.
        details: the course's settings of visibility, as `for_learner` takes them.
        page: makes `feedback.html` from what a learner is told; None for no such file.
    """
    taken: set[str] = set()
    for report in reports:
        told = for_learner(report, details)
        name = folder_of(told)
        if name.lower() in taken:  # two ids that differ in letters which a folder's name cannot have
            name += "-" + hashlib.sha256((told.learner.id if told.learner else name).encode()).hexdigest()[:12]
        taken.add(name.lower())
        yield f"{name}/feedback.txt", render(told, title, everything=True) + decisions(told)
        yield f"{name}/report.json", to_json(told).decode()
        if page is not None:
            yield f"{name}/feedback.html", page(told)


def folder_of(report: Report) -> str:
    """Return the name of a learner's folder: name and id of the final table, else the id of the submission."""
    learner = report.learner
    if not learner or learner.id == report.submission.id:
        return report.submission.id
    words = re.sub(r"[^\w.@-]+", "_", f"{learner.person.name} {learner.id}").strip("._-")
    return words[:120] or report.submission.id


def decisions(report: Report) -> str:
    """Return what people decided about a learner, the penalty, the total and the grade, as text for the learner."""
    learner = report.learner
    if not learner:
        return ""
    lines = [plain(decided_text(one)) for one in learner.decisions]
    if learner.penalty:
        late = f", submitted {duration_text(learner.late_s)} late" if learner.late_s else ""
        lines.append(f"Penalty: {learner.penalty} {'point' if learner.penalty == 1 else 'points'}{late}")
    if lines or learner.grade:
        lines.append(f"Total: {learner.total}" + (f"   Grade: {plain(learner.grade)}" if learner.grade else ""))
    if learner.comment:
        lines += ["", *map(plain, learner.comment.splitlines())]
    return "\n" + "\n".join(lines) + "\n" if lines else ""
