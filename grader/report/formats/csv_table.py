"""A plain table, for a spreadsheet or a script: a row for each person, a column for each exercise."""

from collections.abc import Iterable, Iterator

from msgspec import UNSET

from ...words.instructor import review_text
from ..model import Report
from ..review import review_reasons
from .people import Cell, begin, submitters, table

_PERSON = ("id", "name", "email", "student_id", "submitted_at", "score", "max_score", "bonus", "status")


def csv_table(reports: Iterable[Report]) -> Iterator[str]:
    """The lines of the table. `id` is the submission's, `student_id` the platform's; an exercise's column holds its
    score without bonus, `notes` why a person should look. The exercises are those of the first report."""
    first, reports = begin(reports)
    exercises = {exercise.id: f"{exercise.number}_{exercise.id}" for exercise in first.exercises} if first else {}
    return table((*_PERSON, *exercises.values(), "notes"), _rows(reports, list(exercises)))


def _rows(reports: Iterable[Report], exercises: list[str]) -> Iterator[list[Cell]]:
    for report in reports:
        stamp = report.submission
        at = "" if stamp.submitted_at is UNSET else stamp.submitted_at
        points = {exercise.id: exercise.score for exercise in report.exercises}
        result: list[Cell] = [at, report.score, report.max_score, report.bonus, report.status]
        result += [points.get(exercise, "") for exercise in exercises]
        for person in submitters(report):
            notes = " | ".join(map(review_text, review_reasons(report)))
            yield [stamp.id, person.name, person.email, person.id, *result, notes]
