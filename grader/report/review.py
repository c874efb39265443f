"""The reasons why a person should review a submission before its score counts, as data."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec
from msgspec import UnsetType

from ..client import Reason
from .model import ExerciseResult, Report
from .person import Decided

ReviewKind: TypeAlias = Literal[
    "ambiguous",
    "attempt",
    "budget",
    "killed",
    "late_unknown",
    "left_out",
    "near_name",
    "no_answer",
    "no_files",
    "not_graded",
    "note",
    "other_files",
    "protocol_error",
    "several",
    "several_files",
    "stranger",
    "syntax",
    "unreadable",
]

# reasons that may be caused by this machine (a fault of the grader, too little memory, too much load), or by an attack
_SUSPECT: dict[str, ReviewKind] = {
    "answer_too_large": "protocol_error",
    "budget": "budget",
    "left_out": "left_out",
    "protocol_error": "protocol_error",
    "unanswered": "no_answer",
    "wall_limit": "no_answer",
}


class NeedsReview(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A reason why a person should review a submission.

    | kind             | meaning                                                                         |
    |------------------|---------------------------------------------------------------------------------|
    | `ambiguous`      | the submitter may be each of `names`, people of the roster                      |
    | `attempt`        | files attempted the system calls `names`, which were refused; `detail` says where |
    | `budget`         | it used up the budget of a submission, so checks were not run                   |
    | `killed`         | the kernel ended its process (SIGKILL): out of memory, or an attack             |
    | `late_unknown`   | the platform says that it is late, but not by how much                          |
    | `left_out`       | its answers lack programs that were sent                                        |
    | `near_name`      | an exercise is missing, and the files `names` have a similar name               |
    | `no_answer`      | no answer came in time, though its CPU time was not used up                     |
    | `no_files`       | no exercise file was found                                                      |
    | `not_graded`     | the grader could not grade it; `detail` says why                                |
    | `note`           | the intake made a note, which is in `detail`                                    |
    | `other_files`    | `decided` refers to files other than those that count now, and is not applied   |
    | `protocol_error` | its process sent data that no engine sends                                      |
    | `several`        | the learner has the submissions `names`, and not all of them have a time        |
    | `several_files`  | the files `names` differ, and each could be the exercise; `detail` says so      |
    | `stranger`       | the submitter is not in the roster                                              |
    | `syntax`         | a syntax error in line `line` costs the whole exercise                          |
    | `unreadable`     | a file cannot be read; `detail` says why                                        |
    """

    kind: ReviewKind
    exercise: str | None = None
    checks: tuple[str, ...] = ()
    detail: str | None = None
    names: tuple[str, ...] = ()
    line: int | None = None
    decided: Decided | None = None


def review_reasons(report: Report) -> tuple[NeedsReview, ...]:
    """Return the reasons to review a report, without repeats."""
    return tuple(dict.fromkeys(_reasons(report)))


def _reasons(report: Report) -> Iterator[NeedsReview]:
    told = {exercise.message for exercise in report.exercises}
    for note in report.notes:
        if note not in told:  # otherwise the exercise's own reason says the same, and is more specific
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
    whole = _suspect(exercise.reason)
    if whole is not None:
        found[whole] = []
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
