"""Read the outcome of each check from the report of pytest-json-report."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..course import CourseError, Exercise
from .finding import Finding, Status

METADATA = "backward"  # the key of the grader's data in pytest-json-report's metadata


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
    duration_s: float
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


def outcomes(report: Mapping[str, Any], exercise: Exercise) -> dict[str, CheckOutcome]:
    """Return the outcomes of an exercise's checks by their ids.

    Raises:
        CourseError: a hidden test is wrong.
        GraderFault: a check has no outcome, has two, or has one that contradicts pytest's outcome.
    """
    found: dict[str, CheckOutcome] = {}
    for test in report.get("tests", ()):
        one = _outcome(test)
        if one.exercise != exercise.id:
            continue
        if one.check in found:
            raise GraderFault(f"{test['nodeid']}: a second result for {one.check}")
        found[one.check] = one
    for check in exercise.checks:
        if check.id not in found:
            raise GraderFault(f"the check {exercise.id}.{check.id} has no result")
    return found


def _outcome(test: Mapping[str, Any]) -> CheckOutcome:
    said = test.get("metadata", {}).get(METADATA)
    if said is None:
        raise GraderFault(f"{test['nodeid']} says nothing of its check (outcome: {test['outcome']})")
    if "mistake" in said:
        raise CourseError(Path(said["mistake"]["path"]), said["mistake"]["line"], said["mistake"]["message"])
    if "fault" in said:
        raise GraderFault(f"{test['nodeid']}: {said['fault']}")
    try:
        one = msgspec.convert(said, CheckOutcome)
    except msgspec.ValidationError as error:
        raise GraderFault(f"{test['nodeid']}: its result is malformed: {error}") from None
    if (one.status == "passed") != (test["outcome"] == "passed"):
        raise GraderFault(f"{test['nodeid']}: {one.status}, but pytest says {test['outcome']}")
    return one
