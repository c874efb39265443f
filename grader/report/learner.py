"""Redact an instructor's report for its learner."""

from collections.abc import Mapping

from msgspec import UNSET
from msgspec.structs import replace

from ..words.facts import FaultFact
from .model import CheckResult, ExerciseResult, Report

Details = Mapping[tuple[str, str], str]


def for_learner(report: Report, details: Details) -> Report:
    """Return the report without its seed, and with hidden checks reduced to what the course's `detail` allows.

    The function is pure. Nothing else removes data from a report for learners.

    Args:
        details: `full`, `hint` or `score`, by the ids of exercise and check.
    """
    exercises = tuple(
        replace(
            exercise,
            checks=tuple(check_for_learner(exercise.id, check, details) for check in exercise.checks),
            facts=_facts(exercise, details) or UNSET,
        )
        for exercise in report.exercises
    )
    return replace(report, seed=UNSET, exercises=exercises)


def _facts(exercise: ExerciseResult, details: Details) -> tuple[FaultFact, ...]:
    """Return the facts that the learner may see.

    These are the facts that explain a failed check with details for the learner. If there is such a check, the facts
    that explain no check are included.
    """
    explained = {
        check.id
        for check in exercise.checks
        if check.status != "passed"
        and (check.visibility == "visible" or details.get((exercise.id, check.id), "score") != "score")
    }
    facts = []
    for fact in exercise.facts or () if explained else ():
        checks = tuple(check for check in fact.checks or () if check in explained)
        if checks or not fact.checks:
            facts.append(replace(fact, checks=checks) if fact.checks else fact)
    return tuple(facts)


def check_for_learner(exercise_id: str, check: CheckResult, details: Details) -> CheckResult:
    """Return the result of one check, reduced to what the course's `detail` allows."""
    detail = details.get((exercise_id, check.id), "score")
    if check.visibility == "visible" or detail == "full":
        return check
    reduced = replace(
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
    return reduced if detail == "hint" else replace(reduced, diagnosis=UNSET, hint=UNSET, hint_number=UNSET)
