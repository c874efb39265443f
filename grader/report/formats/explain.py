"""Explain a check that did not pass, in a few lines of plain text."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from ...outside import lines
from ..model import CheckResult, ExerciseResult
from ..shown import digits, expected_by, facts_of


def explanation(exercise: ExerciseResult, check: CheckResult) -> str:
    """Return the explanation of a check that did not pass, with everything that the report has.

    It consists of the program, the learner's and the expected numbers, the message, the reason and the hint. For a
    skipped check, it is the reason why the exercise's file was not loaded.
    """
    if check.status == "skipped":
        return lines(exercise.status.replace("_", " ") if exercise.message is UNSET else exercise.message)
    facts = [fact.text for fact in facts_of(exercise, check)]
    return lines("\n".join(_said(check, facts)))


def _said(check: CheckResult, facts: Sequence[str]) -> Iterator[str]:
    if check.program is not UNSET:
        yield check.program
    actual = {} if check.actual is UNSET else check.actual
    for label, right in ({} if check.expected is UNSET else check.expected).items():
        yours = actual.get(label, "nothing")
        as_is = digits(yours) == digits(right)  # they differ only beyond the sixth digit
        true = f"{expected_by(check, right)} {right if as_is else digits(right)}"
        yield f"{label}: yours {yours if as_is else digits(yours)}, {true}"
    if check.message is not UNSET:
        yield check.message
    yield from (f"fact: {fact}" for fact in facts)
    if check.diagnosis:
        yield f"why: {check.diagnosis.explanation}"
    if check.hint is not UNSET:
        yield f"hint: {check.hint}"
