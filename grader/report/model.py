"""The report as data. Field by field it is what `report.json` holds; the schema is made from it."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ..client import Reason
from ..course import Limits
from ..remarks import CellStart, Remark, Shown
from .person import Decided, Learner
from .person import Submitter as Submitter

Schema: TypeAlias = Literal["backward/report/v2"]
SCHEMA: Schema = "backward/report/v2"

CheckStatus: TypeAlias = Literal["passed", "failed", "error", "timeout", "crashed", "not_started", "skipped"]
ExerciseStatus: TypeAlias = Literal["passed", "partial", "failed", "not_started", "missing", "unreadable"]
ReportStatus: TypeAlias = Literal["passed", "partial", "failed", "not_started"]
Points: TypeAlias = Annotated[int, Meta(ge=0)]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class CourseStamp(_Strict, frozen=True):
    """Which course was graded; `hash` is over everything that decides a verdict."""

    id: str
    version: str
    hash: str


class SubmissionStamp(_Strict, frozen=True):
    """The submission that was graded. `sha256` is over every exercise's file, or why there is none; `origin` is the
    name of its folder or file, `submitted_at` the time that the platform gave, in ISO 8601. Where it gave none, and
    the submission is a git clone, `commit` is the one that was checked out, and `submitted_at` its time. `late` is
    there where the platform says so and gives no time. `files` has the SHA-256 of the text of each exercise's file."""

    id: str
    sha256: str
    origin: str | UnsetType = UNSET
    submitters: tuple[Submitter, ...] | UnsetType = UNSET
    submitted_at: str | UnsetType = UNSET
    commit: str | UnsetType = UNSET
    late: bool | UnsetType = UNSET
    files: dict[str, str] | UnsetType = UNSET


class Isolation(_Strict, frozen=True):
    """How the learner's code was kept apart, and its limits."""

    tier: str
    limits: Limits


class Diagnosis(_Strict, frozen=True):
    """The misconception that behaves exactly like the learner's code on every program that was compared."""

    id: str
    title: str
    explanation: str


class FaultFact(_Strict, frozen=True):
    """One thing that is wrong for certain, from what the engine did on the grader's own programs; `text` says it in a
    sentence. The other fields are those of `grader.diagnosis.facts.Fact`."""

    kind: str
    text: str
    operation: str | UnsetType = UNSET
    input: str | UnsetType = UNSET
    expected: str | UnsetType = UNSET
    found: str | UnsetType = UNSET
    lines: tuple[int, int] | UnsetType = UNSET
    program: str | UnsetType = UNSET
    node: str | UnsetType = UNSET
    other: str | UnsetType = UNSET
    upstream: str | UnsetType = UNSET
    orders: tuple[int, int] | UnsetType = UNSET


class CheckResult(_Strict, frozen=True):
    """One check. `expected` and `actual` share their keys, such as `dL/da`; numbers that JSON has no form for
    (inf, nan) are words. `expected_by` says who computed what is expected: torch, or the check from torch's numbers.
    `hint` is the command that shows one, `play` the one that replays the program that failed. `reason` says as data why
    there is no number to compare, `remarks` what else the check says; `message` says it in words. `line` is the line of
    the learner's file that the failure is about: where the code raised, or where the rule begins that the exercise's
    first fact is about. `decided` is there where a person decided on `score`."""

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
    play: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    remarks: tuple[Remark, ...] | UnsetType = UNSET
    output: str | UnsetType = UNSET
    reason: Reason | UnsetType = UNSET
    line: Points | UnsetType = UNSET
    decided: Decided | UnsetType = UNSET


class ExerciseResult(_Strict, frozen=True):
    """One exercise. `max_score` leaves bonus out; `bonus` is what was earned beyond it. `facts` are of one that is not
    passed. `file` is relative to the folder that was graded in, or to the submission's. Where it is a notebook, lines
    count through its code cells one after the other, and `cells` says in which line each begins."""

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


class Report(_Strict, frozen=True):
    """A whole report. Two gradings of the same files differ in `graded_at` and durations alone. An export for a
    learner adds `learner`, the row of the class's final table."""

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
