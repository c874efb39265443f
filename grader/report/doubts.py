"""Why a report may not say what its submitter deserves: a person should look before the score counts."""

from collections.abc import Iterator

from .model import CheckResult, ExerciseResult, Report

_STRANGE = ("gave no proper answer", "ended by SIGKILL", "no answer within")


def doubts(report: Report) -> tuple[str, ...]:
    """Each reason once: notes of the intake, what could not be read, answers that are strange or left something out,
    no file at all."""
    return tuple(dict.fromkeys(_doubts(report)))


def _doubts(report: Report) -> Iterator[str]:
    yield from report.notes
    for exercise in report.exercises:
        yield from _about(exercise)
    if all(exercise.status == "missing" for exercise in report.exercises):
        yield "no exercise file was found"


def _about(exercise: ExerciseResult) -> Iterator[str]:
    if exercise.status == "unreadable":
        yield exercise.message if isinstance(exercise.message, str) else f"{exercise.id} is unreadable"
        return
    left_out = [check.id for check in exercise.checks if check.doubt == "left_out"]
    if left_out:
        yield f"{exercise.id}: programs were left out of the answer to {', '.join(left_out)}"
    strange = [check.id for check in exercise.checks if _strange(check)]
    if strange:
        yield f"{exercise.id}: a strange answer to {', '.join(strange)}"


def _strange(check: CheckResult) -> bool:
    """Whether the engine's process sent what no engine sends, or was ended by what may have been this machine: a fault
    of ours, too little memory, too much else to do; or an attack."""
    return isinstance(check.message, str) and any(words in check.message for words in _STRANGE)
