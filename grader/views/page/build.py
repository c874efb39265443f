"""Build the class page."""

from collections.abc import Iterable
from pathlib import Path

from ...cohort import Summary
from ...report import Report
from ..offline import Parts, write_page
from .data import Beside, document

_HERE = Path(__file__).resolve().parent
PARTS = Parts(
    template=_HERE / "template.html",
    about="the class",
    own=tuple(_HERE / name for name in ("text.js", "tables.js", "charts.js", "learner.js", "learners.js", "page.js")),
    style=_HERE / "page.css",
    shared_style=_HERE.parent / "report.css",
)


def build_page(summary: Summary, reports: Iterable[Report], beside: Beside | None = None) -> str:
    """Return the page of a class as HTML.

    The page does not contain the time of grading, so the same results give the same text.

    Args:
        summary: the summary of the class.
        reports: the reports that the summary was made from; consumed one at a time.
        beside: the learners' code, the texts of hints, and an earlier run to compare with.
    """
    made = document(summary, reports, beside)
    return write_page(PARTS, summary.title, made.data, made.code)
