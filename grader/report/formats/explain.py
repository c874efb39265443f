"""What there is to say of a check that did not pass, as a few lines of plain text."""

from collections.abc import Iterator

from msgspec import UNSET

from ...outside import lines
from ..model import CheckResult, ExerciseResult
from ..shown import digits, expected_by


def explanation(exercise: ExerciseResult, check: CheckResult) -> str:
    """The program, what came back and what should have, the message, why, and the hint; whatever the report has. Of a
    skipped check, why its exercise's file was not loaded."""
    if check.status == "skipped":
        return lines(exercise.status.replace("_", " ") if exercise.message is UNSET else exercise.message)
    return lines("\n".join(_said(check)))


def _said(check: CheckResult) -> Iterator[str]:
    if check.program is not UNSET:
        yield check.program
    actual = {} if check.actual is UNSET else check.actual
    for label, right in ({} if check.expected is UNSET else check.expected).items():
        yours = actual.get(label, "nothing")
        if isinstance(right, str):
            yield f"{label}: yours {digits(yours)}, for example {right}"
        else:
            as_is = digits(yours) == digits(right)  # they differ beyond the sixth digit
            true = f"{expected_by(check)} {right if as_is else digits(right)}"
            yield f"{label}: yours {yours if as_is else digits(yours)}, {true}"
    if check.message is not UNSET:
        yield check.message
    if check.diagnosis:
        yield f"why: {check.diagnosis.explanation}"
    if check.hint is not UNSET:
        yield f"hint: {check.hint}"
