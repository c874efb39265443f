"""The words of the summary that `grade cohort` prints."""

from collections.abc import Sequence

from ...outside import counted
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
    "decided": "With decisions in overrides.yaml",
}
_UNTRIED = {"missing": "Nobody submitted", "not_started": "Nobody began"}


def headline(title: str, graded: int, submissions: int, kept: int) -> str:
    """Return how many submissions were graded.

    Args:
        kept: how many of them have the report of an earlier run.
    """
    earlier = f", {kept} of them in an earlier run" if kept else ""
    return f"{title}: {graded} of {counted(submissions, 'submission')} graded{earlier}"


def scores(mean: float, median: float, most: int) -> str:
    """Return mean and median of the points without bonus."""
    return f"Mean {mean:.1f}, median {median:g} of {counted(most, 'point')}"


def untried(kind: str, exercises: Sequence[str]) -> str:
    """Return which exercises nobody submitted or began: `kind` is `missing` or `not_started`."""
    return f"{_UNTRIED[kind]}: {', '.join(exercises)}"


def check(exercise: str, title: str, note: str) -> str:
    """Return a check with its note."""
    return f"{exercise}, {title}: {note}"


def misconception(exercise: str, title: str, example: str) -> str:
    """Return a misconception, and who has it."""
    return f"{exercise}: {title}  (as in {example})"


def grades(found: Sequence[tuple[str, int]]) -> str:
    """Return how many learners have each grade, best first; the last one, without a name, is below all of them."""
    *_, lowest = [grade for grade, _ in found if grade] or [""]
    return "Grades: " + ", ".join(f"{grade} {count}" if grade else f"below {lowest}: {count}" for grade, count in found)


def borders(names: str) -> str:
    """Return who is close to the border of a grade."""
    return f"One small check from a grade's border: {names}"


def people(kind: str, count: int, names: str) -> str:
    """Return a list of learners, of a kind in `PEOPLE`."""
    return f"{PEOPLE[kind]} ({count}): {names}"


def late(name: str, seconds: int) -> str:
    """Return who is late, and by how much."""
    return f"{name} by {duration_text(seconds)}"


def more_reasons(text: str, more: int) -> str:
    """Return a reason for review, and how many more there are."""
    return f"{text} (and {more} more)" if more else text


def beside(names: str) -> str:
    """Return which files and folders belong to nobody."""
    return f"Not part of any submission: {names}"


def more(count: int) -> str:
    """Return that so many more are in the summary's file."""
    return f"and {count} more in cohort.json"
