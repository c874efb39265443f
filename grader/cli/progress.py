"""Take in what a run says about how far a learner is."""

from pathlib import Path

from ..report import Report
from ..report.shown import hint_number
from ..views.terminal import at_hand
from ..workspace import Progress, progress_of


def taken_in(folder: Path, report: Report) -> Progress:
    """Return how far the learner with this folder of exercise files is after a run."""
    progress = progress_of(folder)
    passed = {result.id for result in report.exercises if result.status == "passed"}
    progress.graded(passed, (result.id for result in report.exercises if result.id not in passed))
    at, check = at_hand(report)
    if at is not None and at.status != "passed":
        progress.failed(at.id, check.id if check else "", hint_number(check) if check else 1)
    return progress
