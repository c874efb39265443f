"""What there is to say of a check that did not pass, as a few lines of plain text."""

from collections.abc import Iterator

from msgspec import UNSET

from ..model import CheckResult, ExerciseResult
from .neutral import lines


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
            yield f"{label}: yours {_shown(yours)}, for example {right}"
        else:
            as_is = _shown(yours) == _shown(right)  # they differ beyond the sixth digit
            yield f"{label}: yours {yours if as_is else _shown(yours)}, torch {right if as_is else _shown(right)}"
    if check.message is not UNSET:
        yield check.message
    if check.diagnosis is not UNSET:
        yield f"why: {check.diagnosis}"
    if check.hint is not UNSET:
        yield f"hint: {check.hint}"


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value + 0.0:.6g}"  # + 0.0: no -0
