"""The changes between two final tables, for the terminal."""

from collections.abc import Sequence

from ..outside import plain
from ..people import Because, Change

_REASONS = 4


def render_changes(changes: Sequence[Change]) -> str:
    """Return a line for each learner whose row changed, with the reasons; an empty text for none."""
    if not changes:
        return ""
    return "\n".join(["", f"Changed since the run before ({len(changes)})", *map(change_line, changes)]) + "\n"


def change_line(change: Change) -> str:
    """Return a change in one line, such as `stu30: 66 -> 68, because swap.upstream: 0 -> 2`."""
    who = plain(f"{change.name} ({change.id})" if change.name and change.name != change.id else change.id)
    shown = [because(one) for one in change.reasons[:_REASONS]]
    more = len(change.reasons) - len(shown)
    why = "; ".join(shown) + (f"; and {more} more" if more else "")
    return f"  {who}: {_points(change.before)} -> {_points(change.after)}" + (f", because {why}" if why else "")


def because(reason: Because) -> str:
    """Return a reason in words."""
    name = plain(reason.name)
    change = f"{_points(reason.before)} -> {_points(reason.after)}"
    match reason.kind:
        case "check":
            return f"{name}: {change}"
        case "decision":
            return f"decision on {name}: {change}"
        case "due":
            return "the due date changed"
        case "excused":
            return "the learner is excused" if reason.after else "the learner is no longer excused"
        case "files":
            return "the files changed"
        case "gone":
            return "the learner is no longer there"
        case "new":
            return "the learner is new"
        case "not_graded":
            return "only one of the runs has a report"
        case "penalty":
            return f"penalty: {change}"
        case "submission":
            return f"submission {name} counts"


def _points(points: int | None) -> str:
    return "none" if points is None else str(points)
