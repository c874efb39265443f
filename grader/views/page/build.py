"""Build the class page: data, style and scripts in one HTML file, with a policy that blocks everything else."""

import base64
import hashlib
import html
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from ...cohort import Summary
from ...outside import plain
from ...report import Report
from .data import document

HERE = Path(__file__).resolve().parent
ASSETS = HERE / "assets"  # downloaded by assets/fetch.sh
LIBRARIES = tuple(ASSETS / name for name in ("d3.min.js", "plot.umd.min.js", "tabulator.min.js"))
SCRIPTS = (*LIBRARIES, *(HERE / name for name in ("text.js", "tables.js", "charts.js", "learner.js", "page.js")))
STYLES = (ASSETS / "tabulator_simple.min.css", HERE / "page.css")
LICENCES = ASSETS / "LICENSES.txt"
_SOURCE_MAP = re.compile(r"\n?(?://|/\*)# sourceMappingURL=[^\n*]*(?:\*/)?")


def build_page(summary: Summary, reports: Iterable[Report]) -> str:
    """Return the page of a class as HTML.

    The same results give the same text, because the page holds no times of grading.

    Args:
        summary: the summary of the class.
        reports: the reports that the summary was made from; consumed one at a time.
    """
    scripts = [_part(path) for path in SCRIPTS]
    style = "".join(_part(path) for path in STYLES)
    return Template((HERE / "template.html").read_text(encoding="utf-8")).substitute(
        policy=_policy(scripts, style),
        title=html.escape(plain(summary.title)),
        style=style,
        licences=html.escape(LICENCES.read_text(encoding="utf-8")),
        data=pack(document(summary, reports)),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def pack(data: dict[str, Any]) -> str:
    """Return data as JSON, deflated, in base64, so that nothing in it can act as markup."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(data), 9)).decode("ascii")


def _part(path: Path) -> str:
    """Return a script or style without its source map comment, which would make a browser's tools load a file."""
    return _SOURCE_MAP.sub("", path.read_text(encoding="utf-8"))


def _policy(scripts: Iterable[str], style: str) -> str:
    """Return a content security policy that allows the page's own scripts and style, and `data:` images."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src " + " ".join(map(_hash, scripts)),
            "style-src " + _hash(style),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types default",
        )
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
