"""Select what of a report is shown, and format its numbers: on a terminal, on a page, in an export."""

import shlex
from pathlib import PurePath
from typing import NamedTuple

from msgspec import UNSET

from ..words.learner import place
from .model import CheckResult, ExerciseResult


def first_failure(exercise: ExerciseResult) -> CheckResult | None:
    """The failure that is told in full: the first one, before what is still to be filled in."""
    failures = [check for check in exercise.checks if check.status not in ("passed", "skipped")]
    return next((check for check in failures if check.status != "not_started"), next(iter(failures), None))


def hint_number(check: CheckResult) -> int:
    """Return the number of the hint that a failing check names by its command; the first where it names none."""
    words = check.hint.split() if check.hint else []
    return int(words[-1]) if words and words[-1].isdecimal() else 1


def where(exercise: ExerciseResult, line: int | None) -> str:
    """Return how a person finds a line of the learner's file: `file.py:5`, or `work.ipynb, cell 3, line 5`."""
    file = exercise.file or ""
    if not file or not line:
        return file
    return f"{file}, {place(exercise.cells, line)}" if exercise.cells else f"{file}:{line}"


def located(exercise: ExerciseResult, check: CheckResult | None) -> tuple[str, int | None]:
    """Return where the learner's file is, and the line that a check, or the message on the file, is about; None for a
    line that is not known."""
    line = (exercise.reason.line if exercise.reason else None) if check is None else (check.line or None)
    return exercise.file or "", line


def play_command(exercise: ExerciseResult, check: CheckResult) -> str:
    """Return the command that replays what a check failed on, with the file where it is not where it belongs; empty
    where there is nothing to replay."""
    if not check.play:
        return ""
    file = PurePath(exercise.file or "")
    usual = [f"{exercise.number}_{exercise.id}{suffix}" for suffix in (".py", ".ipynb")]
    in_place = str(file) in (*usual, *(str(PurePath("exercises", name)) for name in usual), ".")
    return check.play if in_place else f"{check.play} --file {shlex.quote(str(file))}"


def expected_by(check: CheckResult, right: float | str) -> str:
    """Return the words before what is expected: torch's where torch alone computed it. Of orders, several are right."""
    if isinstance(right, str):
        return "a correct one is"
    return "torch" if check.expected_by == "torch" else "expected"


def digits(value: float | str) -> str:
    """A number with up to six digits; words as they are."""
    return value if isinstance(value, str) else f"{value + 0.0:.6g}"  # + 0.0: no -0


class Compared(NamedTuple):
    """An answer beside the right one, in words. `one_of_several` means that others are right too."""

    label: str
    actual: str
    expected: str
    one_of_several: bool


def compared(check: CheckResult) -> list[Compared]:
    """Return what a check compared, with as many digits as the answers need to look different."""
    actual = {} if check.actual is UNSET else check.actual
    rows = []
    for label, right in ({} if check.expected is UNSET else check.expected).items():
        yours = actual.get(label, "nothing")
        shown, true = digits(yours), digits(right)
        if shown == true:
            shown, true = str(yours), str(right)
        rows.append(Compared(label, shown, true, isinstance(right, str)))
    return rows
