"""Describe the totals that changed between two runs, and the reasons."""

from collections.abc import Sequence

from ...base import counted, plain
from ...learners import Because, Change, ReasonKind

_REASONS = 4


def render_changes(changes: Sequence[Change]) -> str:
    """Return a line for each learner whose row changed, with the reasons, or an empty text if no row changed."""
    if not changes:
        return ""
    return "\n".join(["", f"Changed since the earlier run ({len(changes)})", *map(change_line, changes)]) + "\n"


def changed_text(changed: int, of: int, gone: int, new: int) -> str:
    """Return the number of learners whose row changed.

    Args:
        of: the number of learners who are in both tables.
        gone: the number of learners with a total who are only in the first table.
        new: the number of learners with a total who are only in the second table.
    """
    if not gone and not new:
        return f"{changed} of {counted(of, 'learner')} changed."
    only = [f"Only in the {name} results: {count}." for count, name in ((gone, "earlier"), (new, "later")) if count]
    both = f"{changed} of {counted(of, 'learner')} in both results changed" if of else "No learner is in both results"
    return " ".join([f"{both}.", *only])


def change_line(change: Change) -> str:
    """Return a change in one line, such as `stu30: 66 -> 68, because swap.upstream: 0 -> 2`."""
    who = plain(f"{change.name} ({change.id})" if change.name and change.name != change.id else change.id)
    shown = [cause_text(one) for one in change.reasons[:_REASONS]]
    more = len(change.reasons) - len(shown)
    why = "; ".join(shown) + (f"; and {more} more" if more else "")
    return f"  {who}: {plain(why_text(change.before, change.after, why))}"


def why_text(before: int | None, after: int | None, why: str) -> str:
    """Return a change of a total, such as `66 -> 68, because the files changed`."""
    return _change(before, after) + (f", because {why}" if why else "")


def cause_text(cause: Because) -> str:
    """Return a text for a reason why a total changed."""
    change = _change(cause.before, cause.after)
    match cause.kind:
        case "check":
            return f"{cause.name}: {change}"
        case "decision" if cause.name == "submitted_at":
            return "the decision on the time of submission changed"
        case "decision":
            return f"decision on {cause.name}: {change}"
        case "excused":
            return "the learner is excused" if cause.after else "the learner is no longer excused"
        case "file_decision":
            return f"decision on the file of {cause.name}"
        case "penalty":
            return f"penalty: {change}"
        case "submission":
            return f"submission {cause.name} counts"
        case _:
            return _CAUSES[cause.kind]


_CAUSES: dict[ReasonKind, str] = {
    "attempt": "another attempt counts",
    "course": "the course changed",
    "due": "the due date changed",
    "files": "the files changed",
    "gone": "the learner is no longer listed",
    "grader": "the version of the grader changed",
    "new": "the learner is new",
    "not_graded": "only one of the runs has a report",
    "rules": "the penalty for lateness changed",
    "seed": "the random programs were drawn from another seed",
    "time": "the time of submission changed",
}


def _change(before: int | None, after: int | None) -> str:
    return " -> ".join("none" if points is None else str(points) for points in (before, after))
