"""The reasons why a person should review a submission before its score counts, as data."""

from collections.abc import Iterator

from msgspec import UnsetType

from ..client import Reason
from ..learners import NeedsReview, ReviewKind
from .model import ExerciseResult, Report

# reasons that may be caused by this machine (a fault of the grader, too little memory, too much load), or by an attack
_SUSPECT: dict[str, ReviewKind] = {
    "answer_too_large": "protocol_error",
    "budget": "budget",
    "left_out": "left_out",
    "protocol_error": "protocol_error",
    "unanswered": "no_answer",
    "wall_limit": "no_answer",
}


def review_reasons(report: Report) -> tuple[NeedsReview, ...]:
    """Return the reasons to review a report, without repeats."""
    return tuple(dict.fromkeys(_reasons(report)))


def _reasons(report: Report) -> Iterator[NeedsReview]:
    messages = {exercise.message for exercise in report.exercises}
    for note in report.notes:
        if note not in messages:  # otherwise the exercise's own reason says the same, and is more specific
            yield NeedsReview("note", detail=note)
    for exercise in report.exercises:
        yield from _about(exercise)
    tried = [exercise for exercise in report.exercises if exercise.attempts]
    if tried:
        names = sorted({name for exercise in tried for name in exercise.attempts or ()})
        yield NeedsReview("attempt", detail=", ".join(exercise.id for exercise in tried), names=tuple(names))
    if all(exercise.status == "missing" for exercise in report.exercises):
        yield NeedsReview("no_files")


def _about(exercise: ExerciseResult) -> Iterator[NeedsReview]:
    if exercise.reason and exercise.reason.kind == "several_files":
        detail = exercise.message if isinstance(exercise.message, str) else None
        yield NeedsReview("several_files", exercise.id, detail=detail, names=exercise.reason.names)
        return
    if exercise.reason and exercise.reason.kind == "near_name":
        yield NeedsReview("near_name", exercise.id, names=exercise.reason.names)
        return
    if exercise.reason and exercise.reason.kind == "syntax":
        yield NeedsReview("syntax", exercise.id, line=exercise.reason.line)
        return
    if exercise.status == "unreadable":
        detail = exercise.message if isinstance(exercise.message, str) else None
        yield NeedsReview("unreadable", exercise.id, detail=detail)
        return
    found: dict[ReviewKind, list[str]] = {}
    of_file = _suspect(exercise.reason)
    if of_file is not None:
        found[of_file] = []
    for check in exercise.checks:
        kind = _suspect(check.reason)
        if kind is not None:
            found.setdefault(kind, []).append(check.id)
    for kind, checks in sorted(found.items()):
        yield NeedsReview(kind, exercise.id, tuple(checks))


def _suspect(reason: Reason | UnsetType) -> ReviewKind | None:
    if isinstance(reason, UnsetType):
        return None
    if reason.kind == "killed":
        return "killed" if reason.signal == "SIGKILL" else None
    return _SUSPECT.get(reason.kind)
