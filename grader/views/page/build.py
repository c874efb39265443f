"""Build the class page."""

from collections.abc import Iterable
from pathlib import Path

from ...cohort import Summary
from ...report import Report
from ..offline import Parts, write_page
from .data import document

_HERE = Path(__file__).resolve().parent
ASSETS = _HERE / "assets"  # downloaded by assets/fetch.sh
PARTS = Parts(
    template=_HERE / "template.html",
    libraries=tuple(ASSETS / name for name in ("d3.min.js", "plot.umd.min.js", "tabulator.min.js")),
    own=tuple(_HERE / name for name in ("text.js", "tables.js", "charts.js", "learner.js", "page.js")),
    style=_HERE / "page.css",
    licences=ASSETS / "LICENSES.txt",
    library_styles=(ASSETS / "tabulator_simple.min.css",),
    trusted_types="default",
)


def build_page(summary: Summary, reports: Iterable[Report]) -> str:
    """Return the page of a class as HTML.

    The same results give the same text, because the page holds no times of grading.

    Args:
        summary: the summary of the class.
        reports: the reports that the summary was made from; consumed one at a time.
    """
    return write_page(PARTS, summary.title, document(summary, reports))
