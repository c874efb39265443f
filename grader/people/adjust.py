"""Apply the final table to reports, for exports and feedback."""

from collections.abc import Mapping

from msgspec.structs import replace

from ..report.model import CheckResult, ExerciseResult, Report, SubmissionStamp
from ..report.person import Decided, Learner
from ..scoring import overall, skipped


def adjusted(report: Report, learner: Learner) -> Report:
    """Return a report with the points that people decided, and with the learner's row of the final table."""
    decided = {name: one for one in learner.decisions for name in one.points}
    exercises = tuple(_exercise(exercise, decided) for exercise in report.exercises) if decided else report.exercises
    return replace(
        report,
        learner=learner,
        exercises=exercises,
        score=sum(exercise.score for exercise in exercises),
        bonus=sum(exercise.bonus for exercise in exercises),
        status=overall(exercises) if decided else report.status,
    )


def nothing_submitted(like: Report, learner: Learner) -> Report:
    """Return the report of a learner who submitted nothing, with every exercise missing.

    Args:
        like: any report of the same class.
    """
    exercises = tuple(
        ExerciseResult(
            id=exercise.id,
            number=exercise.number,
            title=exercise.title,
            status="missing",
            score=0,
            max_score=exercise.max_score,
            bonus=0,
            checks=tuple(skipped(check) for check in exercise.checks),
        )
        for exercise in like.exercises
    )
    return replace(
        like,
        submission=SubmissionStamp(learner.id, ""),
        status="not_started",
        score=0,
        bonus=0,
        notes=(),
        exercises=exercises,
        learner=learner,
    )


def _exercise(exercise: ExerciseResult, decided: Mapping[str, Decided]) -> ExerciseResult:
    checks = tuple(_check(exercise.id, check, decided) for check in exercise.checks)
    if checks == exercise.checks:
        return exercise
    score = sum(check.score for check in checks if not check.bonus)
    changed = "passed" if score == exercise.max_score else "partial" if score else "failed"
    return replace(
        exercise,
        checks=checks,
        score=score,
        bonus=sum(check.score for check in checks if check.bonus),
        status=exercise.status if score == exercise.score else changed,
    )


def _check(exercise: str, check: CheckResult, decided: Mapping[str, Decided]) -> CheckResult:
    name = f"{exercise}.{check.id}"
    one = decided.get(name)
    return check if one is None else replace(check, score=one.points[name], decided=one)
