"""Take in what a run says about how far a learner is."""

from pathlib import Path

from ..report import Report
from ..report.shown import hint_number
from ..views.terminal import shown_in_full
from ..workspace import Progress, progress_of


def taken_in(folder: Path, report: Report) -> Progress:
    """Return how far the learner with this folder of exercise files is after a run."""
    progress = progress_of(folder)
    passed = {result.id for result in report.exercises if result.status == "passed"}
    progress.graded(passed, (result.id for result in report.exercises if result.id not in passed))
    at, check = shown_in_full(report)
    if at is not None and check is not None and at.status != "passed":
        progress.failed(at.id, check.id, hint_number(check))
    return progress
