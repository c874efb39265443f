"""The report as data. `report.json` has the same fields, and the JSON Schema is made from these classes."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ..client import CandidateKind, Reason
from ..course import Check, Limits
from ..learners import Decided, Learner, Submitter
from ..remarks import CellStart, Remark, Shown
from ..words.facts import FaultFact

Schema: TypeAlias = Literal["backward/report/v3"]
SCHEMA: Schema = "backward/report/v3"

CheckStatus: TypeAlias = Literal["passed", "failed", "error", "timeout", "crashed", "not_started", "skipped"]
ExerciseStatus: TypeAlias = Literal["passed", "partial", "failed", "not_started", "missing", "unreadable"]
ReportStatus: TypeAlias = Literal["passed", "partial", "failed", "not_started"]
Points: TypeAlias = Annotated[int, Meta(ge=0)]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class CourseStamp(_Strict, frozen=True):
    """The course that was graded. `hash` is a digest of everything that decides a verdict."""

    id: str
    version: str
    hash: str


class SubmissionStamp(_Strict, frozen=True):
    """The submission that was graded.

    Attributes:
        sha256: a digest of every exercise's file, or of the reason why there is none.
        origin: the name of the submission's folder or file.
        submitted_at: the time given by the platform, in ISO 8601. If there is none, and the submission is a git
            clone, it is the time of `commit`.
        commit: the commit that was checked out, if its time is `submitted_at`.
        late: whether the submission is late. Present only if the platform says so without a time.
        files: the SHA-256 of the text of each exercise's file.
    """

    id: str
    sha256: str
    origin: str | UnsetType = UNSET
    submitters: tuple[Submitter, ...] | UnsetType = UNSET
    submitted_at: str | UnsetType = UNSET
    commit: str | UnsetType = UNSET
    late: bool | UnsetType = UNSET
    files: dict[str, str] | UnsetType = UNSET


class Isolation(_Strict, frozen=True):
    """The tier of isolation in which the learner's code ran, and its limits."""

    tier: str
    limits: Limits


class Diagnosis(_Strict, frozen=True):
    """The misconception that behaves exactly like the learner's code on every program that was compared."""

    id: str
    title: str
    explanation: str


class CheckResult(_Strict, frozen=True):
    """The result of a check.

    Attributes:
        duration_s: the seconds that the check took, without those that torch took to compute answers.
        expected: the expected numbers, by names such as `dL/da` or `a.grad`. Numbers that JSON cannot represent (inf,
            nan) are text.
        actual: the learner's numbers, by the same names.
        expected_by: who computed the expected numbers: torch, or the check from torch's numbers.
        hint: the command that shows a hint.
        hint_number: the number of that hint. Hints are counted from 1. It is 0 if no hint fits the failure.
        play: the command that replays the program that failed.
        message: the failure in words.
        remarks: further remarks of the check, as data.
        reason: why there is no number to compare, as data.
        line: the line of the learner's file where the code raised an error or was stopped: the innermost one that was
            not given out. A wrong number has no line, because the line of its cause is not known.
        decided: a person's decision on `score`, if there is one.
    """

    id: str
    title: str
    visibility: Literal["visible", "hidden"]
    status: CheckStatus
    score: Points
    max_score: Points
    bonus: bool
    duration_s: float
    program: str | UnsetType = UNSET
    expected: dict[str, Shown] | UnsetType = UNSET
    actual: dict[str, Shown] | UnsetType = UNSET
    expected_by: Literal["torch", "check"] | UnsetType = UNSET
    diagnosis: Diagnosis | UnsetType = UNSET
    hint: str | UnsetType = UNSET
    hint_number: Points | UnsetType = UNSET
    play: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    remarks: tuple[Remark, ...] | UnsetType = UNSET
    output: str | UnsetType = UNSET
    reason: Reason | UnsetType = UNSET
    line: Points | UnsetType = UNSET
    decided: Decided | UnsetType = UNSET


class Repair(_Strict, frozen=True):
    """An edit of the learner's file with which every required check passes.

    Attributes:
        kind: the kind of the edit.
        lines: the first line of each statement that is edited. If there are two, both are edited in the same way.
        function: the function that was replaced by that of the course's solution, if the kind is `function`.
    """

    kind: CandidateKind
    lines: tuple[Points, ...]
    function: str = ""


class Repairs(_Strict, frozen=True):
    """The result of a search for an edit that makes every required check pass.

    Attributes:
        found: the edits with which the checks passed.
        tried: how many edits were tried.
        exhaustive: whether these were all edits that the search knows.
    """

    found: tuple[Repair, ...]
    tried: Points
    exhaustive: bool

    @property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """Return the lines that the edits change, each place once. A statement that moves has no place."""
        return tuple(dict.fromkeys(one.lines for one in self.found if one.kind not in ("moved", "function")))

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the functions of which each, replaced by that of the course's solution, makes the checks pass."""
        return tuple(one.function for one in self.found if one.kind == "function")


class ExerciseResult(_Strict, frozen=True):
    """The result of an exercise.

    Attributes:
        max_score: the maximum score without bonus.
        bonus: the bonus points that were earned.
        facts: the fault facts, if the exercise did not pass.
        file: the path of the file, relative to the folder that was graded or to the submission's folder.
        cells: for a notebook, the line in which each code cell begins. Lines are numbered through all code cells, one
            after the other.
        attempts: the system calls that the file's processes attempted and the sandbox refused and reported, in
            alphabetical order.
        repairs: the result of the search for a repair, if one was made.
    """

    id: str
    number: str
    title: str
    status: ExerciseStatus
    score: Points
    max_score: Points
    bonus: Points
    checks: tuple[CheckResult, ...]
    message: str | UnsetType = UNSET
    file: str | UnsetType = UNSET
    reason: Reason | UnsetType = UNSET
    facts: tuple[FaultFact, ...] | UnsetType = UNSET
    cells: tuple[CellStart, ...] | UnsetType = UNSET
    attempts: tuple[str, ...] | UnsetType = UNSET
    repairs: Repairs | UnsetType = UNSET


class Report(_Strict, frozen=True):
    """A report. Two gradings of the same files differ only in `graded_at` and durations.

    Attributes:
        learner: the row of the class's final table, in an export for a learner.
    """

    schema: Schema
    grader_version: str
    course: CourseStamp
    submission: SubmissionStamp
    graded_at: str
    isolation: Isolation
    status: ReportStatus
    score: Points
    max_score: Points
    bonus: Points
    notes: tuple[str, ...]
    exercises: tuple[ExerciseResult, ...]
    seed: str | UnsetType = UNSET
    learner: Learner | UnsetType = UNSET


def skipped(check: Check | CheckResult) -> CheckResult:
    """Return the result of a check that was not run, from the course or from another report."""
    return CheckResult(
        id=check.id,
        title=check.title,
        visibility=check.visibility,
        status="skipped",
        score=0,
        max_score=check.points if isinstance(check, Check) else check.max_score,
        bonus=check.bonus,
        duration_s=0.0,
    )


def overall(exercises: Sequence[ExerciseResult]) -> ReportStatus:
    """Return the status of a whole report."""
    if all(exercise.status == "passed" for exercise in exercises):
        return "passed"
    if all(exercise.status in ("not_started", "missing") for exercise in exercises):
        return "not_started"
    return "partial" if any(exercise.score for exercise in exercises) else "failed"
