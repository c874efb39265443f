"""Make the page on a class: what `grade page RESULTS` does."""

from collections.abc import Iterator
from pathlib import Path

from ..cohort.run import REPORTS
from ..report import Report, read_report, write_atomically
from ..views import plain
from ..views.page import build_page
from .cohort import summary_of
from .words import UsageError

PAGE = "page.html"


def run_page(results: Path, out: Path | None) -> int:
    """Write the page on a folder of results; returns 0. Raises `UsageError`."""
    path = out or results / PAGE
    if path.is_dir():
        raise UsageError(f"--out {path} is a folder; name a file")
    text = build_page(summary_of(results), _reports(results / REPORTS))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    print(f"wrote {path}: one file, to be opened in a browser; it needs no network")
    return 0


def _reports(folder: Path) -> Iterator[Report]:
    """Every report there, by name, one at a time. Raises `UsageError` for one that cannot be used."""
    for path in sorted(path for path in folder.glob("*.json") if not path.name.startswith(".")):
        try:
            report = read_report(path.read_bytes())
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        except ValueError as error:
            again = "run `grade cohort` again, which then grades this submission anew"
            raise UsageError(f"{path} is damaged ({plain(str(error))}); {again}") from None
        if report.submission.id != path.stem:
            is_of = plain(report.submission.id)
            raise UsageError(f"{path} is the report of `{is_of}`; remove it, or name it after that")
        yield report
