"""Select the contents of a learner's feedback, both for the page and for the text."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..learners import Learner
from ..report import ExerciseResult, Report
from ..report.decisions import other_decisions
from ..words import feedback as words


@dataclass(frozen=True)
class Result:
    """The overall result of a learner.

    Attributes:
        headline: the learner's name with the total, or with a text that the learner is excused.
        sentences: sentences about the sum of points, the time of submission, lateness, and the grade.
        comment: a person's comment for the learner, or an empty text.
        decisions: texts of the decisions, except those about the points of checks.
    """

    headline: str
    sentences: tuple[str, ...] = ()
    comment: str = ""
    decisions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reasons:
    """The reasons why an exercise lost points, without duplicates. A misconception has a title and an explanation."""

    facts: tuple[str, ...]
    misconceptions: tuple[tuple[str, str], ...]
    hints: tuple[str, ...]


def name_of(told: Report) -> str:
    """Return the learner's name from the final table, or else the names of all submitters, or else the id."""
    if told.learner and told.learner.person.name:
        return told.learner.person.name
    return ", ".join(one.name for one in told.submission.submitters or ()) or told.submission.id


def result_of(told: Report) -> Result:
    """Return the overall result from the row of the final table, or else from the points of the report."""
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
    """Return the reasons why an exercise lost points.

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
