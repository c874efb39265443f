"""Convert reports to and from JSON, check that they are consistent, and make their JSON Schema."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..base import json_text, write_atomically
from .model import SCHEMA, ExerciseResult, Report

# -- Check that a report is consistent. A report that was edited or damaged may still have the right form

_FIELDS = ("score", "max_score", "bonus")


def contradiction(report: Report) -> str | None:
    """Return the first contradiction in a report; None if it is consistent."""
    return next(_contradictions(report), None)


def _contradictions(report: Report) -> Iterator[str]:
    yield from _twice("exercise", Counter(exercise.id for exercise in report.exercises))
    for exercise in report.exercises:
        yield from _of_exercise(exercise)
    totals = {name: sum(getattr(exercise, name) for exercise in report.exercises) for name in _FIELDS}
    yield from _unequal("the report", report, totals)
    if report.status == "passed" and any(exercise.status != "passed" for exercise in report.exercises):
        yield "the report is `passed`, and not all of its exercises are"


def _of_exercise(exercise: ExerciseResult) -> Iterator[str]:
    yield from _twice(f"check of `{exercise.id}`", Counter(check.id for check in exercise.checks))
    for check in exercise.checks:
        if not check.decided and check.score != (check.max_score if check.status == "passed" else 0):
            found = f"{check.status} with {check.score} of {check.max_score} points"
            yield f"the check `{exercise.id}.{check.id}` is {found}"
    totals = {
        "score": sum(check.score for check in exercise.checks if not check.bonus),
        "max_score": sum(check.max_score for check in exercise.checks if not check.bonus),
        "bonus": sum(check.score for check in exercise.checks if check.bonus),
    }
    yield from _unequal(f"the exercise `{exercise.id}`", exercise, totals)
    if exercise.status == "passed" and exercise.score != exercise.max_score:
        yield f"the exercise `{exercise.id}` is `passed`, with {exercise.score} of {exercise.max_score} points"


def _twice(what: str, counted: Counter[str]) -> Iterator[str]:
    yield from (f"the {what} `{one}` occurs {count} times" for one, count in counted.items() if count > 1)


def _unequal(what: str, whole: Report | ExerciseResult, totals: dict[str, int]) -> Iterator[str]:
    for name, total in totals.items():
        if getattr(whole, name) != total:
            yield f"{what} has {name} {getattr(whole, name)}, and its parts add up to {total}"


def to_json(report: Report) -> bytes:
    """Return the report as indented JSON with a final newline.

    Invisible characters and text that would act as a command in a terminal or a CI job's log (`::`, `##[`) are
    written as JSON escapes. The decoded data is the same.
    """
    return json_text(report).encode()


def read_report(data: bytes) -> Report:
    """Parse a report. Raises `ValueError` for any other data, and for a report that contradicts itself."""
    report = msgspec.json.decode(data, type=Report)
    wrong = contradiction(report)
    if wrong is not None:
        raise ValueError(f"it does not add up: {wrong}")
    return report


def write_report(report: Report, path: Path) -> None:
    """Write a report's JSON atomically. Raises `OSError`."""
    write_atomically(path, to_json(report))


def schema() -> dict[str, Any]:
    """Return the report's JSON Schema (draft 2020-12)."""
    made = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Report)))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **made}
