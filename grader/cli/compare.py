"""Compare two folders of results, for `grade compare RESULTS_A RESULTS_B`."""

from pathlib import Path

from ..base import plain
from ..cohort.results import reports, summary_of
from ..learners import Change, Learner
from ..people import changed_rows, compare, in_both
from ..report import Report
from ..words.instructor.reviews import change_line, changed_text, problem_text


def run_compare(before: Path, after: Path) -> int:
    """Print the totals that changed, with the reasons. Return 0 if none changed, or else 1. Raises `UsageError`."""
    first, second = summary_of(before), summary_of(after)
    if first.course != second.course:
        was, now = (f"{one.course.id} {one.course.version}" for one in (first, second))
        print(plain(problem_text("courses", was=was, now=now)))
    changes = changes_between(before, after)
    for change in changes:
        print(change_line(change).strip())
    only = [sum(one.kind == kind for change in changes for one in change.reasons) for kind in ("gone", "new")]
    print(changed_text(len(changes) - sum(only), in_both(first.learners, second.learners), *only))
    return 1 if changes else 0


def changes_between(before: Path, after: Path) -> tuple[Change, ...]:
    """Return the learners whose total or standing differs between two folders of results. Raises `UsageError`."""
    first, second = summary_of(before), summary_of(after)
    rows = [(was, now) for was, now in changed_rows(first.learners, second.learners) if was and now]
    old = {was.id: _report(before, was) for was, _ in rows if was.report}
    new = {now.id: _report(after, now) for _, now in rows if now.report}
    return compare(first.learners, second.learners, old, new)


def _report(folder: Path, learner: Learner) -> Report:
    (report,) = reports([folder / learner.report])
    return report
