"""Changes of totals between two runs: between two folders of results, or between a run and the one before it."""

import contextlib
from pathlib import Path

from ..base import read_plain
from ..learners import Change, Learner
from ..people import changed_rows, compare
from ..report import Report, read_report
from .results import reports, summary_of
from .run import REPORTS, Results, Standing
from .summary import Summary


def between(before: Path, after: Path) -> tuple[Change, ...]:
    """Return the learners whose total or standing differs between two folders of results. Raises `UserError`."""
    first, second = summary_of(before), summary_of(after)
    rows = [(was, now) for was, now in changed_rows(first.learners, second.learners) if was and now]
    old = {was.id: _report(before, was) for was, _ in rows if was.report}
    new = {now.id: _report(after, now) for _, now in rows if now.report}
    return compare(first.learners, second.learners, old, new)


def _report(folder: Path, learner: Learner) -> Report:
    (report,) = reports([folder / learner.report])
    return report


def since(before: Summary | None, summary: Summary, results: Results, standing: Standing) -> tuple[Change, ...]:
    """Return the learners whose row changed since the previous run, with the reasons."""
    if before is None or before.roster != summary.roster:  # without a roster, learners have other ids
        return ()
    old: dict[str, Report] = {}
    new: dict[str, Report] = {}
    for was, now in changed_rows(before.learners, summary.learners):
        if was is None or now is None or not was.report or not now.report:
            continue
        moved = was.report.startswith(f"{REPORTS}/") and was.submission in standing.replaced
        earlier = [results.folder / was.report, *results.earlier_reports(was.submission)][-1 if moved else 0]
        with contextlib.suppress(OSError, ValueError):
            old[was.id] = read_report(read_plain(earlier))
            new[now.id] = read_report(read_plain(results.folder / now.report))
    return compare(before.learners, summary.learners, old, new)
