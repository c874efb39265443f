"""A plain table for a spreadsheet or a script, with a row for each person and a column for each exercise."""

from collections.abc import Iterable, Iterator

from ...words.instructor import decided_text, review_text
from ..grades import Cell, begin, people, standing, student_id, table, total
from ..model import Report, review_reasons
from ..registry import Format

_PERSON = ("id", "name", "email", "student_id", "section", "submitted_at", "late_s", "score", "max_score", "bonus")
_RESULT = ("penalty", "total", "grade", "status")


def csv_table(reports: Iterable[Report]) -> Iterator[str]:
    """Yield the lines of the table.

    - `id` is the learner's id in the final table. Without a final table, it is the submission's id.
    - `student_id` is the id that the platform gives.
    - In a course with parts, the columns `part_1`, `part_2` and so on have the points of each part.
    - `score` and the columns of exercises and parts do not include bonus points. `total` is `score` plus `bonus` minus
      `penalty`.
    - `notes` has the reasons for a review, and people's decisions.

    The exercises are those of the first report.
    """
    first, reports = begin(reports)
    exercises = {exercise.id: f"{exercise.number}_{exercise.id}" for exercise in first.exercises} if first else {}
    parts = [f"part_{number}" for number, _ in enumerate(first.parts or (), 1)] if first else []
    return table((*_PERSON, *_RESULT, *exercises.values(), *parts, "notes"), _rows(reports, list(exercises)))


def _rows(reports: Iterable[Report], exercises: list[str]) -> Iterator[list[Cell]]:
    for report in reports:
        stamp, learner = report.submission, report.learner or None
        at = (learner.submitted_at if learner else stamp.submitted_at) or ""
        points = {exercise.id: exercise.score for exercise in report.exercises}
        result: list[Cell] = [at, learner.late_s if learner else 0, report.score, report.max_score, report.bonus]
        result += [learner.penalty if learner else 0, total(report), learner.grade if learner else ""]
        result += [report.status if standing(report) == "graded" else standing(report)]
        result += [points.get(exercise, "") for exercise in exercises]
        result += [part.score for part in report.parts or ()]
        for person in people(report):
            notes = [
                *map(review_text, review_reasons(report)),
                *map(decided_text, learner.decisions if learner else ()),
            ]
            who = learner.id if learner else stamp.id
            yield [who, person.name, person.email, student_id(person), person.section, *result, " | ".join(notes)]


FORMAT = Format(
    name="csv",
    about="a table for spreadsheets: a row for each learner, a column for each exercise and for each part",
    text=lambda reports, _: csv_table(reports),
    export="grades.csv",
    each="learner",
)
