"""Select the parts of a report to show on a terminal, a page or in an export, and format its numbers."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from ...base.text import lines
from ...course.facts import FaultFact
from ...course.remarks import CellStart, StartingFrom
from ...words.facts import place
from ...words.learner import digits, part_text, status_text
from ...words.repairs import edit_seen, repair_question, repairs_text
from .model import CheckResult, ExerciseResult, PartResult, Repairs

CELL = "notebook"  # the file of a report on one cell, which has no path
_DIGITS = 28  # characters of two numbers side by side


def first_failure(exercise: ExerciseResult) -> CheckResult | None:
    """Return the failure that is shown in full: the first one. Code still to be filled in comes last."""
    failures = [check for check in exercise.checks if check.status not in ("passed", "skipped")]
    return next((check for check in failures if check.status != "not_started"), next(iter(failures), None))


def facts_of(exercise: ExerciseResult, check: CheckResult | None) -> list[FaultFact]:
    """Return the fault facts to show with a check: those that explain it and no earlier failure.

    Without a check, return the facts that explain no failure, without those that say of another operation what an
    earlier one says of all. In a report of an older version, every fact belongs to the first failure.
    """
    first = first_failure(exercise)
    older = (first.id,) if first else ()
    facts = exercise.facts or ()
    places = ((fact, older if isinstance(fact.checks, UnsetType) else fact.checks) for fact in facts)
    shown = [fact for fact, checks in places if next(iter(checks), None) == (check and check.id)]
    of_all = next((fact for fact in facts if fact.kind == "overwrites" and fact.node), None)
    return (
        shown if check else [fact for fact in shown if fact is of_all or not (fact.kind == "overwrites" and fact.node)]
    )


def unloaded(exercise: ExerciseResult) -> bool:
    """Return whether a file that the learner has begun could not be loaded or read, so that no check was run."""
    return exercise.status not in ("passed", "not_started", "missing") and first_failure(exercise) is None


def part_texts(parts: Sequence[PartResult] | UnsetType) -> list[str]:
    """Return the points of each part; nothing if there are not at least two parts."""
    several = parts if parts and len(parts) > 1 else ()
    return [part_text(part.title, part.score, part.max_score, part.bonus) for part in several]


def where(exercise: ExerciseResult, line: int | None) -> str:
    """Return a line of the learner's file as people name it: `file.py:5`, or `work.ipynb, cell 3, line 5`."""
    file = exercise.file or ""
    if not file or not line:
        return file
    return f"{file}, {place(exercise.cells, line)}" if exercise.cells else f"{file}:{line}"


def located(exercise: ExerciseResult, check: CheckResult | None) -> tuple[str, int | None]:
    """Return the path of the learner's file, and the line to which a check or the file's message refers.

    If the check has no line, it is the first line of a rule that a fact about the check names, or else the line that
    must change. The line is None if none is known.
    """
    if check is None:
        return exercise.file or "", exercise.reason.line if exercise.reason else None
    lines = [check.line or 0, *(fact.lines[0] for fact in facts_of(exercise, check) if fact.lines)]
    if exercise.repairs and check is first_failure(exercise):
        lines += exercise.repairs.only_place
    return exercise.file or "", next(filter(None, lines), None)


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


class Compared(NamedTuple):
    """A learner's result and the right one, as text.

    Attributes:
        label: what was compared, such as `a.grad`.
        actual: the learner's result.
        expected: the right result.
        source: the words before the right result. `torch` stands for a number that torch alone computed.
        one_of_several: whether there are other right results, as for an order.
        short: whether both are numbers that differ in their first six digits.
    """

    label: str
    actual: str
    expected: str
    source: str
    one_of_several: bool
    short: bool


def compared(check: CheckResult) -> tuple[Compared, ...]:
    """Return the comparisons of a check, with enough digits to make different numbers look different."""
    actual = {} if check.actual is UNSET else check.actual
    return tuple(
        _compared(label, actual.get(label), right, "torch" if check.expected_by == "torch" else "expected")
        for label, right in ({} if check.expected is UNSET else check.expected).items()
    )


def _compared(label: str, actual: float | str | None, right: float | str, source: str) -> Compared:
    yours = "nothing" if actual is None else digits(actual)
    if isinstance(right, str):
        return Compared(label, yours, right, "a correct one is", one_of_several=True, short=False)
    # equal in six digits, so the difference is in the later ones
    if yours == digits(right):
        return Compared(label, *_apart(actual, right), source, one_of_several=False, short=False)
    return Compared(label, yours, digits(right), source, one_of_several=False, short=not isinstance(actual, str))


def _apart(actual: float | str | None, right: float) -> tuple[str, str]:
    """Return two numbers with all their digits, or if these are many, with just enough to tell the two apart."""
    every = repr(actual), repr(right)
    if not isinstance(actual, float | int) or sum(map(len, every)) <= _DIGITS:
        return every
    # 17 digits tell any two floats apart
    some = ((f"{actual:.{count}g}", f"{right:.{count}g}") for count in range(7, 18))
    return next(((one, other) for one, other in some if one != other), every)


@dataclass(frozen=True)
class Failure:
    """Everything to show about a check that did not pass. Text is empty where there is nothing to show.

    Attributes:
        begun: whether the learner has begun to fill in the code that was reached.
        program: the program that was run.
        compared: the learner's results beside the right ones.
        message: what happened; its first line is a sentence, and the others give details.
        starting: whether the message says from which gradients the program starts. Without them, its numbers are
            unclear.
        place: the line of the learner's file, as people name it.
        facts: the fault facts that explain this check and no earlier one, and that `compared` does not tell already.
        line: a sentence about the line that must change.
        why: the explanation of the misconception.
        output: the text that the code printed.
        hint: the command for the hint that fits.
        hints: the command for all hints of the exercise, if the report does not tell whether one of them fits.
        play: the command that replays the failure.
        every: the command that explains every failure of the exercise.
    """

    begun: bool
    program: str
    compared: tuple[Compared, ...]
    message: str
    starting: bool
    place: str
    facts: tuple[str, ...]
    line: str
    why: str
    output: str
    hint: str
    hints: str
    play: str
    every: str


def line_of(exercise: ExerciseResult) -> str:
    """Return a sentence about the line that must change, or nothing if none was found or a shown fact names it."""
    if not exercise.repairs:
        return ""
    first = first_failure(exercise)
    named = [{*fact.lines} for fact in facts_of(exercise, first) if fact.lines]
    known = not exercise.repairs.check and {*exercise.repairs.only_place} in named
    failed = [*filter(None, [first]), *(check for check in exercise.checks if check is not first)]
    return "" if known else repairs_text(exercise.repairs, exercise.cells or (), failed)


class LastHint(NamedTuple):
    """A hint from an edit with which checks passed: a sentence, and the lines of the edit if the course reveals it."""

    text: str
    edit: tuple[str, ...] = ()


def last_hint(repairs: Repairs, check: str, source: str, cells: Sequence[CellStart]) -> LastHint | None:
    """Return the last hint for the failure of a check, or None without an edit that makes it pass.

    If the course does not reveal edits, the hint is a question about the statement that was edited.

    Args:
        check: the id of the check.
        source: the text of the learner's file.
        cells: as in a report.
    """
    only = repairs.only
    # edits that make only another check pass say nothing about this one
    if only is None or repairs.check not in ("", check):
        return None
    if only.edit:
        return LastHint(edit_seen(repairs.check), only.edit)
    return LastHint(repair_question(only.kind, only.lines, only.function, source.split("\n"), cells))


def failure(exercise: ExerciseResult, check: CheckResult) -> Failure:
    """Return everything to show about a check that did not pass."""
    # a line is shown with a reason only: that of a wrong number is not known
    line = (check.line or check.reason.line) if check.reason else None
    # a list of all hints helps only if the report does not tell whether one of them fits
    pointless = check.hint or check.reason or check.hint_number == 0
    return Failure(
        begun=check.status != "not_started",
        program=check.program or "",
        compared=compared(check),
        message=check.message or "",
        starting=any(isinstance(remark, StartingFrom) for remark in check.remarks or ()),
        place=where(exercise, line) if line else "",
        facts=tuple(fact.text for fact in facts_of(exercise, check) if not _is_compared(fact, check)),
        line=line_of(exercise) if check is first_failure(exercise) else "",
        why=check.diagnosis.explanation if check.diagnosis else "",
        output=check.output or "",
        hint=check.hint or "",
        hints="" if pointless else f"grade hint {exercise.id}",
        play=play_command(exercise, check),
        every=all_command(exercise),
    )


def _is_compared(fact: FaultFact, check: CheckResult) -> bool:
    """Return whether a fact has only the value of the root that the check compares, for the same program."""
    values = check.expected or {}
    return fact.kind == "value" and fact.program == check.program and [*values] == ["L"]


def explanation(exercise: ExerciseResult, check: CheckResult) -> str:
    """Return the explanation of a check that did not pass as plain text, with everything that the report has.

    It consists of the program, the learner's and the expected numbers, the message, the facts, the line that must
    change, the misconception and the hint. For a skipped check, it is the reason why the exercise's file was not
    loaded.
    """
    if check.status == "skipped":
        return lines(status_text(exercise.status) if exercise.message is UNSET else exercise.message)
    shown = failure(exercise, check)
    numbers = [f"{row.label}: yours {row.actual}, {row.source} {row.expected}" for row in shown.compared]
    facts = [f"fact: {fact}" for fact in shown.facts]
    line = f"line: {shown.line}" if shown.line else ""
    why = f"why: {shown.why}" if shown.why else ""
    hint = f"hint: {shown.hint}" if shown.hint else ""
    return lines("\n".join(filter(None, (shown.program, *numbers, shown.message, *facts, line, why, hint))))
