"""The outcome of a check, and the finding of one that did not pass. Only a finding counts as a learner's failure."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal, NoReturn, TypeAlias

import msgspec

from ..base import of_type
from ..client import Died, Odd, Problem, Reason, bounds, cut
from ..client.protocol import RAN_OUT, Observed
from ..program import BINARY, METHODS, REFLECTED
from ..remarks import Remark, Shown, Stopped

ExpectedBy: TypeAlias = Literal["torch", "check"]
Status: TypeAlias = Literal["failed", "error", "timeout", "crashed", "not_started"]

_STATUS: dict[str, Status] = {
    "shape": "failed",
    "not_offered": "failed",
    "wants_argument": "failed",
    **dict.fromkeys(RAN_OUT, "timeout"),
}


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A check's failure as data: the program, the expected numbers, the learner's numbers.

    Attributes:
        remarks: Further remarks on the failure.
        reason: Why there are no numbers to compare, as a code.
        stopped: Why there are no numbers to compare, as the problem in the learner's code.
        expected_by: Who computed the expected numbers: torch alone, or the check from torch's numbers.
    """

    status: Status
    program: str | None = None
    expected: dict[str, Shown] = {}
    actual: dict[str, Shown] = {}
    remarks: tuple[Remark, ...] = ()
    reason: Reason | None = None
    stopped: Stopped | None = None
    expected_by: ExpectedBy = "check"


class CheckFailed(Exception):
    """The failure of a check, with its `Finding`. Only the grader's comparisons raise it."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding)
        self.finding = finding


def fail(
    *remarks: Remark,
    program: str | None = None,
    expected: dict[str, Shown] | None = None,
    actual: dict[str, Shown] | None = None,
    status: Status = "failed",
    reason: Reason | None = None,
    expected_by: ExpectedBy = "check",
) -> NoReturn:
    """Raise `CheckFailed` with these fields of a `Finding`."""
    finding = Finding(status, program, expected or {}, actual or {}, remarks, reason, expected_by=expected_by)
    raise CheckFailed(finding)


def fail_for(cause: Problem | Died, source: str, program: str | None = None) -> NoReturn:
    """Fail because the learner's code raised an error, ran out of a limit, or died. `source` is the file's text."""
    reason = reason_of(cause)
    if isinstance(cause, Died):
        raise CheckFailed(Finding(cause.status, program, reason=reason))
    status: Status = "not_started" if cause.unfilled else _STATUS.get(cause.kind, "error")
    raise CheckFailed(Finding(status, program, reason=reason, stopped=stopped(cause, source)))


def shown(value: Observed) -> Shown:
    """Return an observed number for a report. JSON has no infinity, so it becomes text."""
    if isinstance(value, Odd):
        return of_type(value.type)
    return value if math.isfinite(value) else str(value)


class GraderFault(RuntimeError):
    """The grader itself failed, so there is no verdict. Learner code never causes this."""


class EngineShape(msgspec.Struct, frozen=True):
    """The names that were recognised in a learner's engine, by their role."""

    cls: str
    data: str
    grad: str
    inputs: str


class CheckOutcome(msgspec.Struct, frozen=True):
    """The outcome of a check that was run.

    Attributes:
        finding: Why the check did not pass; None if it passed.
        left_out: Whether the answers lack programs although no limit was reached.
        not_run: Methods that were not called because they need an argument.
        replayable: Whether `grade play` can show the run that failed.
        operations: The operations of the program that failed.
        single: Whether the program that failed has one operation only.
        once: Whether each gradient was 0 at first and at most one contribution was stored in it. Then `=` and `+=` give
            the same gradients.
        wrong_value: Whether the value of a node is wrong, before any gradient.
        passes: Whether the run that failed calls `backward()`. True if it is not known.
        calls: The functions of the file that the run that failed calls.
    """

    exercise: str
    check: str
    status: Literal["passed"] | Status
    duration_s: float = 0.0
    output: str = ""
    finding: Finding | None = None
    shape: EngineShape | None = None
    left_out: bool = False
    not_run: tuple[str, ...] = ()
    replayable: bool = False
    operations: tuple[str, ...] = ()
    single: bool = False
    once: bool = False
    wrong_value: bool = False
    passes: bool = True
    calls: tuple[str, ...] = ()


# -- the reason why learner code gave no answer, and what stopped it, as data for `grader.words`


def reason_of(cause: Died | Problem) -> Reason:
    """Return the reason for a death, or for a problem in the learner's code."""
    if isinstance(cause, Died):
        return Reason(**msgspec.structs.asdict(cause))
    raised = cause.type_name if cause.kind == "raised" else None
    detail = cause.type_name if cause.kind == "shape" else cause.method
    return Reason(cause.kind, type=raised, line=cause.lines[-1] if cause.lines else None, detail=detail)


def stopped(problem: Problem, source: str) -> Stopped:
    """Return a problem with the learner's own lines.

    Args:
        source: the text of the learner's file.
    """
    every = source.split("\n")
    known = [number for number in problem.lines if 1 <= number <= len(every)][-bounds.SHOWN_LINES :]
    lines = [(number, cut(every[number - 1].strip(), bounds.SOURCE_LINE)) for number in known]
    return Stopped(
        problem.kind,
        problem.where,
        problem.type_name,
        # a message of the maximum length is probably cut
        cut(problem.message, bounds.MESSAGE - 1),
        names=tuple(problem.names),
        counts=(bounds.STALLED_S,) if problem.kind == "stalled" else tuple(problem.counts),
        lines=tuple(dict.fromkeys(lines)),
        in_file=bool(problem.lines),
        unfilled=problem.unfilled,
        begun=problem.unfilled and bool(known) and not _stands_alone(every, known[-1]),
        notebook=is_notebook(source),
        operand=_operand(every, known),
    )


_NEAR = 1_000  # lines that are searched before or after another one
_OF_TWO = re.compile(r"[\w.]+ *[-+]?= *(([A-Za-z_]\w*) *([-+*/]) *[\w.]+)")


def _operand(lines: Sequence[str], known: Sequence[int]) -> tuple[str, str, str] | None:
    """Return the operation in the line that called the innermost function, its left operand, and the function.

    The result is None unless the operation is the only one of its line, the innermost function is the method of this
    operation, and the file does not define the reflected method. Then the left operand is an object of the method's
    class.
    """
    if len(known) < 2:
        return None
    written = _OF_TWO.fullmatch(lines[known[-2] - 1].partition("#")[0].strip())
    inner = lines[known[-1] - 1]
    depth = len(inner) - len(inner.lstrip())
    heads = (re.match(r"( *)def (\w+)\(", lines[number]) for number in range(known[-1] - 2, -1, -1)[:_NEAR])
    function = next((head[2] for head in heads if head and len(head[1]) < depth), "")
    op = next((op for op, symbol in BINARY.items() if written and symbol == written[3]), None)
    if written is None or op is None or METHODS[op] != function or any(REFLECTED[op] in line for line in lines):
        return None
    return (written[1], written[2], function) if len(written[1]) <= bounds.SOURCE_LINE else None


_HEAD = re.compile(r"(async )?def |\)")  # the first or the last line of a function's head
_DOCSTRING = ('"""', "'''", '"', "'")


def _stands_alone(lines: Sequence[str], number: int) -> bool:
    """Return whether a line is the only statement of a function, from the lines around it.

    The text is not parsed, because the grader never gives learner code to Python's compiler.
    """

    def code(numbers: Iterable[int]) -> str:
        texts = (lines[other] for other in numbers)
        return next((text for text in texts if text.strip() and not text.lstrip().startswith("#")), "")

    def indent(text: str) -> int:
        return len(text) - len(text.lstrip())

    here = lines[number - 1]
    before, after = code(range(number - 2, -1, -1)[:_NEAR]), code(range(number, len(lines))[:_NEAR])
    first = _HEAD.match(before.lstrip()) or (indent(before) == indent(here) and before.rstrip().endswith(_DOCSTRING))
    return bool(first) and indent(after) < indent(here)


def is_notebook(source: str) -> bool:
    """Return whether a file's text is that of a Jupyter notebook: JSON with cells."""
    return source.lstrip().startswith("{") and '"cells"' in source and '"nbformat"' in source
