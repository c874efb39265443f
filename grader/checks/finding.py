"""The finding of a check. Only a finding counts as a learner's failure."""

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
