"""The outcome of a check, and the finding of one that did not pass. Only a finding counts as a learner's failure."""

import math
from typing import Literal, NoReturn, TypeAlias

import msgspec

from ..base import of_type
from ..client import Died, Odd, Problem, Reason, reason_of, stopped
from ..client.protocol import RAN_OUT, Observed
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
        wrong_value: Whether the value of a node is wrong, before any gradient.
        passes: Whether the run that failed calls `backward()`. True if it is not known.
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
    wrong_value: bool = False
    passes: bool = True
