"""pytest's JSON report into a `Report`: pure, and the only place where points are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from msgspec import UNSET

from .checks.plugin import METADATA
from .checks.session import GraderFault
from .course import Check, Course, Exercise
from .oracle import KnownBehaviour
from .report.model import CheckResult, CheckStatus, ExerciseResult, ExerciseStatus, ReportStatus

_FAILURES: tuple[CheckStatus, ...] = ("failed", "error", "timeout", "crashed")


@dataclass(frozen=True)
class FileState:
    """What became of one exercise's file before any check: `state` is `loaded`, `failed` (it could not be
    loaded), `not_started`, `missing` or `unreadable`; `message` explains the last ones and what was read from a loaded
    engine's shape."""

    state: str
    file: str | None = None
    message: str | None = None
    output: str = ""


def score(
    course: Course,
    exercises: Sequence[Exercise],
    states: Mapping[str, FileState],
    pytest_report: Mapping[str, Any],
    diagnoses: Mapping[str, KnownBehaviour | None] = MappingProxyType({}),
) -> tuple[ExerciseResult, ...]:
    """A result for each of `exercises` and each of its checks.

    Every check starts as "no result, 0 of n" and is filled in from pytest's report. Raises `GraderFault` if a
    loaded exercise's check has no result, has two, or has one that contradicts itself. `diagnoses` explains, by
    exercise id, why its checks failed.
    """
    results = _results(pytest_report)
    return tuple(_exercise(e, states[e.id], results, diagnoses.get(e.id)) for e in exercises)


def _results(pytest_report: Mapping[str, Any]) -> dict[tuple[str, str], Mapping[str, Any]]:
    results: dict[tuple[str, str], Mapping[str, Any]] = {}
    for test in pytest_report.get("tests", ()):
        found = test.get("metadata", {}).get(METADATA)
        if found is None:
            raise GraderFault(f"{test['nodeid']} says nothing of its check (outcome: {test['outcome']})")
        if "fault" in found:
            raise GraderFault(f"{test['nodeid']}: {found['fault']}")
        if "status" not in found:
            raise GraderFault(f"{test['nodeid']} has no status")
        if (found["status"] == "passed") != (test["outcome"] == "passed"):
            raise GraderFault(f"{test['nodeid']}: {found['status']}, but pytest says {test['outcome']}")
        key = found["exercise"], found["check"]
        if key in results:
            raise GraderFault(f"{test['nodeid']}: a second result for {key[1]}")
        results[key] = found
    return results


def _exercise(
    exercise: Exercise,
    state: FileState,
    results: Mapping[tuple[str, str], Mapping[str, Any]],
    diagnosis: KnownBehaviour | None,
) -> ExerciseResult:
    loaded = state.state == "loaded"
    checks = []
    readings = []
    for check in exercise.checks:
        found = results.get((exercise.id, check.id))
        if loaded and found is None:
            raise GraderFault(f"the check {exercise.id}.{check.id} has no result")
        if found and not loaded:
            raise GraderFault(f"the check {exercise.id}.{check.id} has a result, but its file was not loaded")
        checks.append(_check(exercise, check, found, diagnosis) if found else _skipped(check))
        readings.append(found.get("reading") if found else None)
    points = sum(c.score for c in checks if not c.bonus)
    message = state.message or _reading_note(readings)
    return ExerciseResult(
        id=exercise.id,
        number=exercise.number,
        title=exercise.title,
        status=_exercise_status(state, points, exercise.max_score),
        score=points,
        max_score=exercise.max_score,
        bonus=sum(c.score for c in checks if c.bonus),
        checks=tuple(checks),
        message=message or UNSET,
        file=state.file or UNSET,
    )


def _skipped(check: Check) -> CheckResult:
    return CheckResult(
        id=check.id,
        title=check.title,
        visibility=check.visibility,
        status="skipped",
        score=0,
        max_score=check.points,
        bonus=check.bonus,
        duration_s=0.0,
    )


def _check(exercise: Exercise, check: Check, found: Mapping[str, Any], diagnosis: KnownBehaviour | None) -> CheckResult:
    status = found["status"]
    if status == "passed":
        diagnosis = None
    if status != "passed" and status not in _FAILURES:
        raise GraderFault(f"the check {check.id} has the unknown status {status!r}")
    return CheckResult(
        id=check.id,
        title=check.title,
        visibility=check.visibility,
        status=status,
        score=check.points if status == "passed" else 0,
        max_score=check.points,
        bonus=check.bonus,
        duration_s=round(found["duration_s"], 4),
        program=found.get("program", UNSET),
        expected=found.get("expected", UNSET),
        actual=found.get("actual", UNSET),
        diagnosis=f"as if {diagnosis.believes}. Instead: {diagnosis.instead}." if diagnosis else UNSET,
        hint=UNSET if status == "passed" else _hint(exercise, diagnosis.hint if diagnosis else check.hint),
        message=found.get("message", UNSET),
        output=found.get("output") or UNSET,
        doubt=found.get("doubt", UNSET),
    )


def _hint(exercise: Exercise, number: int) -> str:
    """The command that shows the hint, not the hint: a learner may want to think first."""
    return f"grade hint {exercise.id}" + (f" {number}" if number > 1 else "")


def _exercise_status(state: FileState, points: int, of: int) -> ExerciseStatus:
    if state.state in ("not_started", "missing", "unreadable"):
        return state.state  # type: ignore[return-value]
    if points == of and state.state == "loaded":
        return "passed"
    return "partial" if points else "failed"


def _reading_note(readings: Sequence[Mapping[str, Any] | None]) -> str | None:
    """One line on what was taken for what, where an engine does not use the usual names."""
    reading = next((r for r in readings if r), None)
    if reading is None:
        return None
    usual = {"cls": "Value", "data": "data", "grad": "grad"}
    unusual = any(reading[part] != name for part, name in usual.items())
    if not unusual and reading["inputs"] in ("_prev", "_children", ""):
        return None
    inputs = f"`{reading['inputs']}`" if reading["inputs"] else "nothing"
    return (
        f"read the class `{reading['cls']}` with `{reading['data']}` as data, "
        f"`{reading['grad']}` as gradient and {inputs} as inputs"
    )


def overall(exercises: Sequence[ExerciseResult]) -> ReportStatus:
    """The status of a whole report."""
    if all(exercise.status == "passed" for exercise in exercises):
        return "passed"
    if all(exercise.status in ("not_started", "missing") for exercise in exercises):
        return "not_started"
    return "partial" if any(exercise.score for exercise in exercises) else "failed"
