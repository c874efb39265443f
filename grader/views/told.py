"""Select what the feedback for a learner says, for the page and for the text alike."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..report import ExerciseResult, Report
from ..report.decisions import other_decisions
from ..report.person import Learner
from ..words import feedback as words


@dataclass(frozen=True)
class Result:
    """The result as a whole.

    Attributes:
        headline: the name, and the total or that it does not count.
        sentences: how the total came about, when it was submitted and how late, and the grade.
        comment: what somebody wrote to the learner, or empty.
        decisions: what people decided, besides the points of checks.
    """

    headline: str
    sentences: tuple[str, ...] = ()
    comment: str = ""
    decisions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reasons:
    """Why an exercise lost points, each reason once: facts, misconceptions as title and explanation, and hints."""

    facts: tuple[str, ...]
    misconceptions: tuple[tuple[str, str], ...]
    hints: tuple[str, ...]


def name_of(told: Report) -> str:
    """Return the learner's name; without a final table those of all submitters, or else the id."""
    if told.learner and told.learner.person.name:
        return told.learner.person.name
    return ", ".join(one.name for one in told.submission.submitters or ()) or told.submission.id


def result_of(told: Report) -> Result:
    """Return what is said about the result that counts: the row of the final table, else the points of the report."""
    name, row = name_of(told), told.learner
    if not row:
        return Result(words.result_text(name, told.score + told.bonus, told.max_score))
    excused = row.standing == "excused"
    return Result(
        words.excused_text(name) if excused else words.result_text(name, row.total, told.max_score),
        tuple(filter(None, _sentences(row))),
        row.comment,
        tuple(other_decisions(row)),
    )


def _sentences(row: Learner) -> tuple[str, ...]:
    if row.standing == "excused":
        return (words.time_text(row),)
    return words.sum_text(row), words.time_text(row), words.grade_text(row.grade)


def reasons_of(exercise: ExerciseResult, hints: Mapping[str, str]) -> Reasons:
    """Return why an exercise lost points.

    Args:
        hints: the texts of hints, by the command that shows them.
    """
    diagnoses = dict.fromkeys(check.diagnosis for check in exercise.checks if check.diagnosis)
    commands = dict.fromkeys(check.hint for check in exercise.checks if check.hint)
    return Reasons(
        tuple(fact.text for fact in exercise.facts or ()),
        tuple((found.title, found.explanation) for found in diagnoses),
        tuple(hints.get(command, command) for command in commands),
    )
