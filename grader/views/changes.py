"""The changes between two final tables, for the terminal."""

from collections.abc import Sequence

from ..outside import plain
from ..people import Change
from ..words.instructor import cause_text, why_text

_REASONS = 4


def render_changes(changes: Sequence[Change]) -> str:
    """Return a line for each learner whose row changed, with the reasons; an empty text for none."""
    if not changes:
        return ""
    return "\n".join(["", f"Changed since the run before ({len(changes)})", *map(change_line, changes)]) + "\n"


def change_line(change: Change) -> str:
    """Return a change in one line, such as `stu30: 66 -> 68, because swap.upstream: 0 -> 2`."""
    who = plain(f"{change.name} ({change.id})" if change.name and change.name != change.id else change.id)
    shown = [cause_text(one) for one in change.reasons[:_REASONS]]
    more = len(change.reasons) - len(shown)
    why = "; ".join(shown) + (f"; and {more} more" if more else "")
    return f"  {who}: {plain(why_text(change.before, change.after, why))}"
