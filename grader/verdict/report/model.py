"""The report: as data, as JSON, as its learner may read it, and as reasons for a review.

`report.json` has the fields of these classes, and its JSON Schema is made from them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from ...base.files import write_atomically
from ...base.text import json_text
from ...course.facts import FaultFact
from ...course.learners import Decided, Learner, NeedsReview, ReviewKind, Submitter
from ...course.load import Check, Course, Limits, Part, StrictStruct
from ...course.remarks import CellStart, Remark, Shown
from ...runner.client import CandidateKind, Reason

Schema: TypeAlias = Literal["backward/report/v3"]
SCHEMA: Schema = "backward/report/v3"

CheckStatus: TypeAlias = Literal["passed", "failed", "error", "timeout", "crashed", "not_started", "skipped"]
ExerciseStatus: TypeAlias = Literal["passed", "partial", "failed", "not_started", "missing", "unreadable"]
ReportStatus: TypeAlias = Literal["passed", "partial", "failed", "not_started"]
Points: TypeAlias = Annotated[int, Meta(ge=0)]


# A report with an unknown field is of another version, or was written by hand: it is refused.
class CourseStamp(StrictStruct, frozen=True):
    """The course that was graded. `hash` is a digest of everything that decides a verdict."""

    id: str
    version: str
    hash: str

    @classmethod
    def of(cls, course: Course) -> "CourseStamp":
        """Return the stamp of a course."""
        return cls(course.id, course.version, course.hash)


class SubmissionStamp(StrictStruct, frozen=True):
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


class Isolation(StrictStruct, frozen=True):
    """The tier of isolation in which the learner's code ran, and its limits."""

    tier: str
    limits: Limits


class Diagnosis(StrictStruct, frozen=True):
    """The misconception that behaves exactly like the learner's code on every program that was compared."""

    id: str
    title: str
    explanation: str


class CheckResult(StrictStruct, frozen=True):
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


class Repair(StrictStruct, frozen=True):
    """An edit of the learner's file with which every required check passes.

    Attributes:
        kind: the kind of the edit.
        lines: the first line of each statement that is edited. If the kind is `added`, the last line of the
            statement before the added one, or the line before the block's first statement.
        function: the function that was replaced by that of the course's solution, if the kind is `function`, or that a
            statement was added to, if the kind is `added`.
        edit: the edit itself, if the course reveals it and no part of a solution is in it: the lines that are removed,
            each after `-`, and the lines in their place, each after `+`.
    """

    kind: CandidateKind
    lines: tuple[Points, ...]
    function: str = ""
    edit: tuple[str, ...] | UnsetType = UNSET


class Repairs(StrictStruct, frozen=True):
    """The result of a search for an edit that makes every required check pass.

    Attributes:
        found: the edits with which the checks passed, one for each place.
        tried: how many edits were tried, without those that contain parts of a solution.
        exhaustive: whether all edits that the search knows, and that change what runs, were tried.
        check: the first check that failed, if the edits make this check pass and not all others; otherwise empty.
        ended: the limit at which the search ended before all edits were tried, and nothing was found: a `count` of
            edits or of steps, edited code that is `waiting`, or the `time` of all searches of the submission. Empty if
            there was none.
    """

    found: tuple[Repair, ...]
    tried: Points
    exhaustive: bool
    check: str = ""
    ended: Literal["", "count", "waiting", "time"] = ""

    @property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """Return the lines that the edits change, each place once.

        Edits that move statements count only if there are no others.
        """
        in_place = [one for one in self._edited if one.kind != "moved"]
        return tuple(dict.fromkeys(one.lines for one in in_place or self._edited))

    @property
    def _edited(self) -> list[Repair]:
        """Return the edits that change or move statements."""
        return [one for one in self.found if one.kind not in ("function", "added")]

    @property
    def only_place(self) -> tuple[int, ...]:
        """Return the lines of the place, or nothing if there is none or more than one."""
        return self.places[0] if len(self.places) == 1 else ()

    @property
    def only(self) -> Repair | None:
        """Return the edit of the only place, or else the only edit of another kind, or None.

        A statement that is added to one function at several places has no line.
        """
        if self.places:
            return next((one for one in self._edited if one.lines == self.only_place), None)
        if len(self.added) > 1 and len({one.function for one in self.added}) == 1:
            return replace(self.added[0], lines=())
        others = self.added or self.found
        return others[0] if len(others) == 1 else None

    @property
    def added(self) -> tuple[Repair, ...]:
        """Return the edits that add a statement, if no other edit was found."""
        return () if self.places else tuple(one for one in self.found if one.kind == "added")

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the names of functions. If one of them is replaced by the course's own, the checks pass."""
        return tuple(one.function for one in self.found if one.kind == "function")


class ExerciseResult(StrictStruct, frozen=True):
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
        output: the text that the file printed when it was loaded.
        learnt: what the exercise teaches, in one sentence, if it is passed.
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
    output: str | UnsetType = UNSET
    learnt: str | UnsetType = UNSET


class PartResult(StrictStruct, frozen=True):
    """The result of a part of the course.

    Attributes:
        exercises: the ids of the part's exercises that are in the report.
        max_score: the maximum score of these exercises without bonus.
        bonus: the bonus points that were earned.
    """

    title: str
    exercises: tuple[str, ...]
    score: Points
    max_score: Points
    bonus: Points


class Report(StrictStruct, frozen=True):
    """A report. Two gradings of the same files differ only in `graded_at` and durations.

    Attributes:
        parts: the parts of the course with exercises in the report, in a course that has parts.
        pending: the exercises that are still to be searched for the line that must change. The report is final all the
            same: a search adds `repairs` to these exercises, and changes nothing else.
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
    parts: tuple[PartResult, ...] | UnsetType = UNSET
    seed: str | UnsetType = UNSET
    pending: tuple[str, ...] | UnsetType = UNSET
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


def with_results(report: Report, exercises: Sequence[ExerciseResult], parts: Iterable[Part] | None = None) -> Report:
    """Return a report with these results of exercises. Its points are their sums.

    Args:
        parts: the parts of the course, if the report lacks one of the exercises; by default, those of the report.
    """
    return replace(
        report,
        exercises=tuple(exercises),
        parts=part_results(parts or report.parts or (), exercises),
        status=overall(exercises),
        **_totals(exercises),
    )


def part_results(
    parts: Iterable[Part | PartResult], exercises: Sequence[ExerciseResult]
) -> tuple[PartResult, ...] | UnsetType:
    """Return the results of the parts that have at least one of these exercises; UNSET if there is no such part."""
    # a run may grade some exercises only
    found = ((part.title, [one for one in exercises if one.id in part.exercises]) for part in parts)
    return tuple(PartResult(title, tuple(e.id for e in own), **_totals(own)) for title, own in found if own) or UNSET


def _totals(exercises: Sequence[ExerciseResult]) -> dict[str, int]:
    return {name: sum(getattr(exercise, name) for exercise in exercises) for name in _FIELDS}


# -- JSON. A report that was edited or damaged may still have the right form, so it is checked for contradictions

_FIELDS = ("score", "max_score", "bonus")


def contradiction(report: Report) -> str | None:
    """Return the first contradiction in a report; None if it is consistent."""
    return next(_contradictions(report), None)


def _contradictions(report: Report) -> Iterator[str]:
    yield from _twice("exercise", Counter(exercise.id for exercise in report.exercises))
    for exercise in report.exercises:
        yield from _of_exercise(exercise)
    yield from _unequal("the report", report, _totals(report.exercises))
    for part in report.parts or ():
        yield from _unequal(
            f"the part `{part.title}`", part, _totals([one for one in report.exercises if one.id in part.exercises])
        )
    if report.status == "passed" and any(exercise.status != "passed" for exercise in report.exercises):
        yield "the report is `passed`, and not all of its exercises are"


def _of_exercise(exercise: ExerciseResult) -> Iterator[str]:
    yield from _twice(f"check of `{exercise.id}`", Counter(check.id for check in exercise.checks))
    for check in exercise.checks:
        # a person may give a check any points; without a decision, it has all of them or none
        if not check.decided and check.score != (check.max_score if check.status == "passed" else 0):
            found = f"{check.status} with {check.score} of {check.max_score} points"
            yield f"the check `{exercise.id}.{check.id}` is {found}"
    totals = {
        "score": sum(check.score for check in exercise.checks if not check.bonus),
        "max_score": sum(check.max_score for check in exercise.checks if not check.bonus),
        "bonus": sum(check.score for check in exercise.checks if check.bonus),
    }
    yield from _unequal(f"the exercise `{exercise.id}`", exercise, totals)
    if exercise.status == "passed" and exercise.score != exercise.max_score:
        yield f"the exercise `{exercise.id}` is `passed`, with {exercise.score} of {exercise.max_score} points"


def _twice(what: str, counted: Counter[str]) -> Iterator[str]:
    yield from (f"the {what} `{one}` occurs {count} times" for one, count in counted.items() if count > 1)


def _unequal(what: str, whole: Report | ExerciseResult | PartResult, totals: dict[str, int]) -> Iterator[str]:
    for name, total in totals.items():
        if getattr(whole, name) != total:
            yield f"{what} has {name} {getattr(whole, name)}, and its parts add up to {total}"


def to_json(report: Report) -> bytes:
    """Return the report as indented JSON with a final newline.

    Invisible characters and text that would act as a command in a terminal or a CI job's log (`::`, `##[`) are
    written as JSON escapes. The decoded data is the same.
    """
    return json_text(report).encode()


def read_report(data: bytes) -> Report:
    """Parse a report. Raises `ValueError` for any other data, and for a report that contradicts itself."""
    report = msgspec.json.decode(data, type=Report)
    wrong = contradiction(report)
    if wrong is not None:
        raise ValueError(f"it does not add up: {wrong}")
    return report


def write_report(report: Report, path: Path) -> None:
    """Write a report's JSON atomically. Raises `OSError`."""
    write_atomically(path, to_json(report))


def schema() -> dict[str, Any]:
    """Return the report's JSON Schema (draft 2020-12)."""
    return schema_of(Report, SCHEMA)


def schema_of(kind: type[msgspec.Struct], name: str) -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) of the files that hold a struct. `name` becomes its `$id`."""
    # as JSON and back, because the defaults in msgspec's schema may be tuples
    plain = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(kind)))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name, **plain}


# -- An instructor's report, redacted for its learner

Details = Mapping[tuple[str, str], str]


def for_learner(report: Report, details: Details) -> Report:
    """Return the report without its seed, and with hidden checks reduced to what the course's `detail` allows.

    The searches that are pending are left out, too.

    The function is pure. Nothing else removes data from a report for learners.

    Args:
        details: `full`, `hint` or `score`, by the ids of exercise and check.
    """
    exercises = tuple(
        replace(
            exercise,
            checks=tuple(check_for_learner(exercise.id, check, details) for check in exercise.checks),
            facts=_facts(exercise, details) or UNSET,
            repairs=exercise.repairs if _checks_with_details(exercise, details) else UNSET,
        )
        for exercise in report.exercises
    )
    return replace(report, seed=UNSET, pending=UNSET, exercises=exercises)


def _checks_with_details(exercise: ExerciseResult, details: Details) -> set[str]:
    """Return the failed checks with details for the learner."""
    return {
        check.id
        for check in exercise.checks
        if check.status != "passed"
        and (check.visibility == "visible" or details.get((exercise.id, check.id), "score") != "score")
    }


def _facts(exercise: ExerciseResult, details: Details) -> tuple[FaultFact, ...]:
    """Return the facts that the learner may see.

    These are the facts that explain a failed check with details for the learner. If there is such a check, the facts
    that explain no check are included.
    """
    explained = _checks_with_details(exercise, details)
    facts = []
    # a fact names the checks that it explains; those without details are removed from it
    for fact in exercise.facts or () if explained else ():
        checks = tuple(check for check in fact.checks or () if check in explained)
        if checks or not fact.checks:
            facts.append(replace(fact, checks=checks) if fact.checks else fact)
    return tuple(facts)


def check_for_learner(exercise_id: str, check: CheckResult, details: Details) -> CheckResult:
    """Return the result of one check, reduced to what the course's `detail` allows."""
    # a check that the course does not have is hidden most strictly
    detail = details.get((exercise_id, check.id), "score")
    if check.visibility == "visible" or detail == "full":
        return check
    # every field that could tell the program, its numbers, or a line of the code
    reduced = replace(
        check,
        program=UNSET,
        expected=UNSET,
        actual=UNSET,
        expected_by=UNSET,
        message=UNSET,
        remarks=UNSET,
        output=UNSET,
        reason=UNSET,
        line=UNSET,
        play=UNSET,
    )
    return reduced if detail == "hint" else replace(reduced, diagnosis=UNSET, hint=UNSET, hint_number=UNSET)


# -- The reasons why a person should review a submission before its score counts, as data

# reasons that may be caused by this machine (a fault of the grader, too little memory, too much load), or by an attack
_SUSPECT: dict[str, ReviewKind] = {
    "answer_too_large": "protocol_error",
    "budget": "budget",
    "left_out": "left_out",
    "protocol_error": "protocol_error",
    "unanswered": "no_answer",
    "wall_limit": "no_answer",
}


def waited_too_long(report: Report) -> bool:
    """Return whether code was ended because the grader waited too long for it, which may be due to a busy machine."""
    reasons = [exercise.reason for exercise in report.exercises]
    reasons += [check.reason for exercise in report.exercises for check in exercise.checks]
    kinds = {(one.kind, one.clock) for one in reasons if one}
    return not kinds.isdisjoint({("wall_limit", None), ("unanswered", None), ("budget", "wall")})


def review_reasons(report: Report) -> tuple[NeedsReview, ...]:
    """Return the reasons to review a report, without repeats."""
    return tuple(dict.fromkeys(_reasons(report)))


def _reasons(report: Report) -> Iterator[NeedsReview]:
    messages = {exercise.message for exercise in report.exercises}
    for note in report.notes:
        if note not in messages:  # otherwise the exercise's own reason says the same, and is more specific
            yield NeedsReview("note", detail=note)
    for exercise in report.exercises:
        yield from _about(exercise)
    # one reason for the whole submission, because one person has to look at all attempts together
    tried = [exercise for exercise in report.exercises if exercise.attempts]
    if tried:
        names = sorted({name for exercise in tried for name in exercise.attempts or ()})
        yield NeedsReview("attempt", detail=", ".join(exercise.id for exercise in tried), names=tuple(names))
    if all(exercise.status == "missing" for exercise in report.exercises):
        yield NeedsReview("no_files")


def _about(exercise: ExerciseResult) -> Iterator[NeedsReview]:
    # these reasons explain all failures of the exercise, so nothing else is asked about it
    if exercise.reason and exercise.reason.kind == "several_files":
        detail = exercise.message if isinstance(exercise.message, str) else None
        yield NeedsReview("several_files", exercise.id, detail=detail, names=exercise.reason.names)
        return
    if exercise.reason and exercise.reason.kind == "near_name":
        yield NeedsReview("near_name", exercise.id, names=exercise.reason.names)
        return
    if exercise.reason and exercise.reason.kind == "syntax":
        yield NeedsReview("syntax", exercise.id, line=exercise.reason.line)
        return
    if exercise.status == "unreadable":
        detail = exercise.message if isinstance(exercise.message, str) else None
        yield NeedsReview("unreadable", exercise.id, detail=detail)
        return
    # the file was run: reasons of its process and of single checks, the same ones together
    found: dict[ReviewKind, list[str]] = {}
    # a reason of the file concerns no single check
    of_file = _suspect(exercise.reason)
    if of_file is not None:
        found[of_file] = []
    for check in exercise.checks:
        kind = _suspect(check.reason)
        if kind is not None:
            found.setdefault(kind, []).append(check.id)
    for kind, checks in sorted(found.items()):
        yield NeedsReview(kind, exercise.id, tuple(checks))


def _suspect(reason: Reason | UnsetType) -> ReviewKind | None:
    if isinstance(reason, UnsetType):
        return None
    if reason.kind == "killed":
        # the kernel sends SIGKILL when memory runs out; other signals come of what the code does
        return "killed" if reason.signal == "SIGKILL" else None
    return _SUSPECT.get(reason.kind)
