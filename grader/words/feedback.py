"""The sentences for a learner about the overall result: total, lateness, penalty and decisions.

The sentences about the learner's code are in `learner`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from ..base import counted, instant
from .durations import duration_text


class Row(Protocol):
    """A row of the final table, such as `Learner` of `grader.report`."""

    @property
    def score(self) -> int: ...
    @property
    def bonus(self) -> int: ...
    @property
    def penalty(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def late_s(self) -> int: ...
    @property
    def late(self) -> Mapping[str, int]: ...
    @property
    def submitted_at(self) -> str: ...
    @property
    def due(self) -> str: ...


DECISIONS = "Decisions"
NOTES = "Notes"
COMMENT = "Comment"
YOURS, EXPECTED, EXAMPLE, PRINTED = "yours", "expected", "for example ", "printed"


def result_text(name: str, total: int, most: int) -> str:
    """Return the headline of a learner's feedback."""
    return f"{name}: {total} of {counted(most, 'point')}"


def excused_text(name: str) -> str:
    """Return the headline of the feedback for a learner who is excused."""
    return f"{name}: excused from this assignment; the points do not count"


def sum_text(row: Row) -> str:
    """Return a sentence about the parts of the total, or an empty text if there is only one part."""
    parts = [f"{counted(row.score, 'point')} for the exercises"]
    if row.bonus:
        parts.append(f"plus {counted(row.bonus, 'bonus point')}")
    if row.penalty:
        why = "for lateness" if row.late_s else "as a penalty"
        parts.append(f"minus {counted(row.penalty, 'point')} {why}")
    return f"Total: {', '.join(parts)}." if len(parts) > 1 else ""


def time_text(row: Row) -> str:
    """Return a sentence about time of submission, due date and lateness, or an empty text if no time is known."""
    at, due = instant(row.submitted_at), instant(row.due)
    if at is None:
        return ""
    said = f"Submitted {_clock(at)} ({at.tzinfo})"
    if due is not None:
        said = f"Submitted {_clock(at.astimezone(due.tzinfo))}, due {_clock(due)} ({due.tzinfo})"
    if not row.late_s:
        return f"{said}."
    costs = f"{counted(row.penalty, 'point')} taken off" if row.penalty else "no points taken off"
    return f"{said}: {_how_late(row)}, {costs}."


def penalty_title(row: Row) -> str:
    """Return the title of a penalty in a list of check results."""
    return "Late penalty" if row.late_s else "Penalty"


def penalty_text(row: Row) -> str:
    """Return a sentence about the points that are taken off, with the reason."""
    why = f"Submitted {_how_late(row)}: " if row.late_s else ""
    verb = "is" if row.penalty == 1 else "are"
    return f"{why}{counted(row.penalty, 'point')} {verb} taken off."


def _how_late(row: Row) -> str:
    """Return how late a submission is. If exercises have due dates of their own, name those that are late."""
    by_time: dict[int, list[str]] = {}
    for exercise, seconds in row.late.items():
        by_time.setdefault(seconds, []).append(exercise)
    named = [f"{' and '.join(names)} {late_text(seconds)}" for seconds, names in by_time.items()]
    return ", ".join(named) or late_text(row.late_s)


def late_text(seconds: int) -> str:
    """Return how late a submission is, such as `1 day 3 hours late`."""
    return f"{duration_text(seconds)} late"


def _clock(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M")


def check_decided(score: int, most: int, by: str, at: str, why: str) -> str:
    """Return a text about a decision on the points of a check: who made it, and why."""
    return f"decided: {score} of {counted(most, 'point')} ({by}, {at[:10]}: {why})"


def page_title(course: str, name: str) -> str:
    """Return the title of a learner's page."""
    return f"{course}: feedback for {name}"


def status_text(status: str) -> str:
    """Return the word for the status of a check or an exercise."""
    return status.replace("_", " ")


def points_text(score: int, most: int, bonus: int = 0) -> str:
    """Return the points of an exercise or a check, such as `3/5` and `5/5 +2`."""
    return f"{score}/{most}" + (f" +{bonus}" if bonus else "")


def bonus_text(score: int) -> str:
    """Return the points of a bonus check."""
    return f"+{score}"


def line_text(line: int) -> str:
    """Return a text for the line that a check is about."""
    return f"line {line}"


def code_title(file: str) -> str:
    """Return the title of the code beside an exercise."""
    return f"Code: {file}" if file else "Code"


def grade_text(grade: str) -> str:
    """Return a sentence with the grade of a learner, or an empty text without a grade."""
    return f"Grade: {grade}." if grade else ""
