"""One report, two audiences: what an instructor reads, less what a learner is not told."""

from collections.abc import Mapping

from msgspec import UNSET
from msgspec.structs import replace

from .model import CheckResult, ExerciseResult, Report

Details = Mapping[tuple[str, str], str]


def for_learner(report: Report, details: Details) -> Report:
    """The report without its seed and, for hidden checks, without what the course's `detail` forbids.

    `details` maps (exercise id, check id) to `full`, `hint` or `score`; pure, and the only place that takes
    anything out.
    """
    exercises = tuple(
        replace(
            exercise,
            checks=tuple(check_for_learner(exercise.id, check, details) for check in exercise.checks),
            facts=exercise.facts if _explained(exercise, details) else UNSET,
        )
        for exercise in report.exercises
    )
    return replace(report, seed=UNSET, exercises=exercises)


def _explained(exercise: ExerciseResult, details: Details) -> bool:
    """Return whether a learner is told why at least one of the checks failed."""
    return any(
        check.visibility == "visible" or details.get((exercise.id, check.id), "score") != "score"
        for check in exercise.checks
        if check.status != "passed"
    )


def check_for_learner(exercise_id: str, check: CheckResult, details: Details) -> CheckResult:
    """The result of one check of an exercise, without what the course's `detail` forbids."""
    detail = details.get((exercise_id, check.id), "score")
    if check.visibility == "visible" or detail == "full":
        return check
    told = replace(
        check,
        program=UNSET,
        expected=UNSET,
        actual=UNSET,
        expected_by=UNSET,
        message=UNSET,
        remarks=UNSET,
        output=UNSET,
        reason=UNSET,
        line=UNSET,
        play=UNSET,
    )
    return told if detail == "hint" else replace(told, diagnosis=UNSET, hint=UNSET)
