"""Select the parts of a report to show on a terminal, a page or in an export, and format its numbers."""

import shlex
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from ..base import lines
from ..words.learner import place
from .model import CheckResult, ExerciseResult, FaultFact

CELL = "notebook"  # the file of a report on one cell, which has no path


def first_failure(exercise: ExerciseResult) -> CheckResult | None:
    """Return the failure that is shown in full: the first one. Code still to be filled in comes last."""
    failures = [check for check in exercise.checks if check.status not in ("passed", "skipped")]
    return next((check for check in failures if check.status != "not_started"), next(iter(failures), None))


def facts_of(exercise: ExerciseResult, check: CheckResult | None) -> list[FaultFact]:
    """Return the fault facts to show with a check: those that explain it and no earlier failure.

    Without a check, return the facts that explain no failure. In a report of an older version, every fact belongs to
    the first failure.
    """
    first = first_failure(exercise)
    older = (first.id,) if first else ()
    places = ((fact, older if isinstance(fact.checks, UnsetType) else fact.checks) for fact in exercise.facts or ())
    return [fact for fact, checks in places if next(iter(checks), None) == (check and check.id)]


def unloaded(exercise: ExerciseResult) -> bool:
    """Return whether a file that the learner has begun could not be loaded or read, so that no check was run."""
    return exercise.status not in ("passed", "not_started", "missing") and first_failure(exercise) is None


def where(exercise: ExerciseResult, line: int | None) -> str:
    """Return a line of the learner's file as people name it: `file.py:5`, or `work.ipynb, cell 3, line 5`."""
    file = exercise.file or ""
    if not file or not line:
        return file
    return f"{file}, {place(exercise.cells, line)}" if exercise.cells else f"{file}:{line}"


def located(exercise: ExerciseResult, check: CheckResult | None) -> tuple[str, int | None]:
    """Return the path of the learner's file, and the line to which a check or the file's message refers.

    The line is None if it is not known.
    """
    line = (exercise.reason.line if exercise.reason else None) if check is None else (check.line or None)
    return exercise.file or "", line


def play_command(exercise: ExerciseResult, check: CheckResult) -> str:
    """Return the command that replays the failure of a check; empty if there is nothing to replay.

    If the file is not in its usual place, the command names it. A cell is replayed when it is run with an option.
    """
    if not check.play:
        return ""
    if exercise.file == CELL:
        return f"%%grade {exercise.id} --play"
    elsewhere = _elsewhere(exercise)
    return f"{check.play} --file {elsewhere}" if elsewhere else check.play


def all_command(exercise: ExerciseResult) -> str:
    """Return the command that explains every failure of an exercise; empty for a cell, which no command can grade."""
    if exercise.file == CELL:
        return ""
    return " ".join(filter(None, ("grade", exercise.id, _elsewhere(exercise), "--all")))


def _elsewhere(exercise: ExerciseResult) -> str:
    """Return the quoted path of the learner's file, or an empty text if it is in its usual place."""
    file = PurePath(exercise.file or "")
    usual = [f"{exercise.number}_{exercise.id}{suffix}" for suffix in (".py", ".ipynb")]
    in_place = str(file) in (*usual, *(str(PurePath("exercises", name)) for name in usual), ".")
    return "" if in_place else shlex.quote(str(file))


def hint_of(check: CheckResult) -> int:
    """Return the number of the hint for a failure: 0 if no hint fits, 1 if the learner may not see the number."""
    return 1 if isinstance(check.hint_number, UnsetType) else check.hint_number


def expected_by(check: CheckResult, *, one_of_several: bool) -> str:
    """Return the words before an expected value.

    `torch` stands for a number that torch alone computed. Of an order, there may be several right ones.
    """
    if one_of_several:
        return "a correct one is"
    return "torch" if check.expected_by == "torch" else "expected"


def digits(value: float | str) -> str:
    """Return a number with up to six digits. Text is returned unchanged."""
    return value if isinstance(value, str) else f"{value + 0.0:.6g}"  # + 0.0 turns -0 into 0


class Compared(NamedTuple):
    """A learner's answer and the right one, as text. `one_of_several` means that there are other right ones."""

    label: str
    actual: str
    expected: str
    one_of_several: bool


def compared(check: CheckResult) -> list[Compared]:
    """Return the comparisons of a check, with enough digits to make different numbers look different."""
    actual = {} if check.actual is UNSET else check.actual
    rows = []
    for label, right in ({} if check.expected is UNSET else check.expected).items():
        yours = actual.get(label, "nothing")
        shown, true = digits(yours), digits(right)
        if shown == true:
            shown, true = str(yours), str(right)
        rows.append(Compared(label, shown, true, isinstance(right, str)))
    return rows


def explanation(exercise: ExerciseResult, check: CheckResult) -> str:
    """Return the explanation of a check that did not pass as plain text, with everything that the report has.

    It consists of the program, the learner's and the expected numbers, the message, the facts, the misconception and
    the hint. For a skipped check, it is the reason why the exercise's file was not loaded.
    """
    if check.status == "skipped":
        return lines(exercise.status.replace("_", " ") if exercise.message is UNSET else exercise.message)
    return lines("\n".join(_explained(exercise, check)))


def _explained(exercise: ExerciseResult, check: CheckResult) -> Iterator[str]:
    if check.program is not UNSET:
        yield check.program
    for label, actual, expected, of_several in compared(check):
        yield f"{label}: yours {actual}, {expected_by(check, one_of_several=of_several)} {expected}"
    if check.message is not UNSET:
        yield check.message
    yield from (f"fact: {fact.text}" for fact in facts_of(exercise, check))
    if check.diagnosis:
        yield f"why: {check.diagnosis.explanation}"
    if check.hint is not UNSET:
        yield f"hint: {check.hint}"
