"""The sentences for a learner about the overall result: total, lateness, penalty and decisions.

The sentences about the learner's code are in `learner`.
"""

from datetime import datetime

from ..base import counted, instant
from ..learners import Learner
from .sentence import Sentence, duration_text

DECISIONS = "Decisions"
NOTES = "Notes"
COMMENT = "Comment"
YOURS, EXPECTED, EXAMPLE, PRINTED = "yours", "expected", "for example ", "printed"
result_text = Sentence("{name}: {total} of {most:point}")
excused_text = Sentence("{name}: excused from this assignment; the points do not count")


def sum_text(row: Learner) -> str:
    """Return a sentence about the parts of the total, or an empty text if there is only one part."""
    parts = [f"{counted(row.score, 'point')} for the exercises"]
    if row.bonus:
        parts.append(f"plus {counted(row.bonus, 'bonus point')}")
    if row.penalty:
        why = "for lateness" if row.late_s else "as a penalty"
        parts.append(f"minus {counted(row.penalty, 'point')} {why}")
    return f"Total: {', '.join(parts)}." if len(parts) > 1 else ""


def time_text(row: Learner) -> str:
    """Return a sentence about time of submission, due date and lateness, or an empty text if no time is known."""
    at, due = instant(row.submitted_at), instant(row.due)
    if at is None:
        return ""
    text = f"Submitted {_clock(at)} ({at.tzinfo})"
    if due is not None:
        text = f"Submitted {_clock(at.astimezone(due.tzinfo))}, due {_clock(due)} ({due.tzinfo})"
    if not row.late_s:
        return f"{text}."
    costs = f"{counted(row.penalty, 'point')} taken off" if row.penalty else "no points taken off"
    return f"{text}: {_how_late(row)}, {costs}."


def penalty_title(row: Learner) -> str:
    """Return the title of a penalty in a list of check results."""
    return "Late penalty" if row.late_s else "Penalty"


def penalty_text(row: Learner) -> str:
    """Return a sentence about the points that are taken off, with the reason."""
    why = f"Submitted {_how_late(row)}: " if row.late_s else ""
    verb = "is" if row.penalty == 1 else "are"
    return f"{why}{counted(row.penalty, 'point')} {verb} taken off."


def _how_late(row: Learner) -> str:
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


page_title = Sentence("{course}: feedback for {name}")


def status_text(status: str) -> str:
    """Return the word for the status of a check or an exercise."""
    return status.replace("_", " ")


points_text = Sentence("{score}/{most}{bonus:? +{bonus}}", "score most bonus", bonus=0)
bonus_text = Sentence("+{score}")
line_text = Sentence("line {line}")

code_title = Sentence("Code{file:?: {file}}")
grade_text = Sentence("{grade:?Grade: {grade}.}")
