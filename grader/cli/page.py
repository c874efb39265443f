"""Make the page on a class: what `grade page RESULTS` does."""

from pathlib import Path

from ..outside import write_atomically, write_named
from ..views.page import build_page
from .results import report_paths, reports, see_that_it_is_settled, summary_of
from .words import UsageError

PAGE = "page.html"


def run_page(results: Path, out: Path | None) -> int:
    """Write the page on a folder of results; returns 0. Raises `UsageError`."""
    path = out or results / PAGE
    if path.is_dir():
        raise UsageError(f"--out {path} is a folder; name a file")
    summary = summary_of(results)
    see_that_it_is_settled(results, summary)
    text = build_page(summary, reports(report_paths(results)))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write = write_atomically if out is None else write_named
        write(path, text.encode())
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    print(f"wrote {path}: one file, to be opened in a browser; it needs no network")
    return 0
