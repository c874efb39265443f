"""The words of the summary that `grade cohort` prints."""

from collections.abc import Sequence

from ...base import counted
from ..durations import duration_text

COLUMNS = ("exercise", "mean", "passed", "partial", "failed", "not started", "missing", "unreadable")
NO_MEAN = "-"
CHECKS = "Checks with a note"
MISCONCEPTIONS = "Misconceptions, with the number of submissions"
REVIEW = "Needs review"
PEOPLE = {
    "absent": "Submitted nothing",
    "unclaimed": "Not in the roster",
    "ambiguous": "Ambiguous in the roster",
    "excused": "Excused",
    "late": "Late",
    "untimed": "Counted as on time, because no time of submission is known",
    "decided": "With decisions in overrides.yaml",
}
_UNTRIED = {"missing": "Nobody submitted", "not_started": "Nobody began"}


def headline(title: str, graded: int, submissions: int, kept: int) -> str:
    """Return a text with the number of graded submissions.

    Args:
        kept: the number of submissions whose report comes from an earlier run.
    """
    earlier = f", {kept} of them in an earlier run" if kept else ""
    return f"{title}: {graded} of {counted(submissions, 'submission')} graded{earlier}"


def scores(mean: float, median: float, most: int) -> str:
    """Return a text with the mean and the median of the points without bonus."""
    return f"Mean {mean:.1f}, median {median:g} of {counted(most, 'point')}"


def untried(kind: str, exercises: Sequence[str]) -> str:
    """Return a text about exercises that nobody submitted (`missing`) or that nobody began (`not_started`)."""
    return f"{_UNTRIED[kind]}: {', '.join(exercises)}"


def check(exercise: str, title: str, note: str) -> str:
    """Return a text about a check and its note."""
    return f"{exercise}, {title}: {note}"


def misconception(exercise: str, title: str, example: str) -> str:
    """Return a text about a misconception, with an example of a submission."""
    return f"{exercise}: {title}  (as in {example})"


def grades(found: Sequence[tuple[str, int]]) -> str:
    """Return the number of learners for each grade, best first. The last entry, without a name, is below all grades."""
    *_, lowest = [grade for grade, _ in found if grade] or [""]
    return "Grades: " + ", ".join(f"{grade} {count}" if grade else f"below {lowest}: {count}" for grade, count in found)


def borders(names: str) -> str:
    """Return a text about the learners who are close to a grade boundary."""
    return f"One small check from a grade boundary: {names}"


def people(kind: str, count: int, names: str) -> str:
    """Return a text with a list of learners. `kind` is a key of `PEOPLE`."""
    return f"{PEOPLE[kind]} ({count}): {names}"


UNTIMED_REMEDY = "A time can come from the column `submitted_at` of the roster, or from a decision:"


def late(name: str, seconds: int) -> str:
    """Return a learner's name with the duration of the lateness."""
    return f"{name} by {duration_text(seconds)}"


KEEP = "If nothing changes:"
KEEP_ALL = "Close all reviews for one reason, without a change:"


def beside(names: str) -> str:
    """Return a text about files and folders that belong to no submission."""
    return f"Not part of any submission: {names}"


def more(count: int) -> str:
    """Return a text about further entries in the summary's file."""
    return f"and {count} more in cohort.json"
