"""Update a learner's progress from the report of a run."""

from pathlib import Path

from ..report import Report
from ..report.shown import hint_of
from ..views.terminal import at_hand
from ..workspace import Progress, progress_of


def taken_in(folder: Path, report: Report) -> Progress:
    """Return the progress, after a run, of the learner with this folder of exercise files."""
    progress = progress_of(folder)
    passed = {result.id for result in report.exercises if result.status == "passed"}
    progress.graded(passed, (result.id for result in report.exercises if result.id not in passed))
    at, check = at_hand(report)
    if at is not None and at.status != "passed":
        progress.failed(at.id, check.id if check else "", hint_of(check) if check else 1)
    return progress
