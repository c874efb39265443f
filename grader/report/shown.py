"""Select what of a report is shown, and format its numbers: on a terminal, on a page, in an export."""

from .model import CheckResult, ExerciseResult


def first_failure(exercise: ExerciseResult) -> CheckResult | None:
    """The failure that is told in full: the first one, before what is still to be filled."""
    failures = [check for check in exercise.checks if check.status not in ("passed", "skipped")]
    return next((check for check in failures if check.status != "not_started"), next(iter(failures), None))


def place(exercise: ExerciseResult, check: CheckResult | None) -> tuple[str, int | None]:
    """Return where the learner's file is, and the line that a check, or the message on the file, is about; None for a
    line that is not known."""
    line = (exercise.reason.line if exercise.reason else None) if check is None else (check.line or None)
    return exercise.file or "", line


def expected_by(check: CheckResult) -> str:
    """Return the label of the expected numbers of a check: torch's where torch alone computed them."""
    return "torch" if check.expected_by == "torch" else "expected"


def digits(value: float | str) -> str:
    """A number with up to six digits; words as they are."""
    return value if isinstance(value, str) else f"{value + 0.0:.6g}"  # + 0.0: no -0
