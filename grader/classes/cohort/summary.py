"""Summarise a class: scores, pass rate and discrimination of each check, misconceptions, and needed reviews."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from ... import __version__
from ...course.learners import Border, Decided, Learner, NeedsReview
from ...course.load import Check, Course, Exercise, Part, StrictStruct
from ...verdict.report import CourseStamp, Diagnosis, ExerciseStatus, Report, review_reasons, schema_of
from ...words.instructor import (
    again_command,
    check_note,
    is_ready,
    keep_command,
    kept_name,
    review_command,
    review_question,
    review_text,
)
from ..people import Class, HandIn, Mark, digests, in_force, mark, merged, settle, status_after

CohortSchema: TypeAlias = Literal["backward/cohort/v4"]
COHORT_SCHEMA: CohortSchema = "backward/cohort/v4"
WEAK = 0.2  # an item below this is usually called poor (Ebel and Frisbie, Essentials of Educational Measurement)
_ENOUGH = 30  # with fewer submissions, chance makes a correlation small or negative
_BANDS = 10
Untried: TypeAlias = Literal["", "missing", "not_started"]  # no submission has the exercise, or none has begun it


class CheckStatistics(StrictStruct, frozen=True):
    """The statistics of one check.

    Attributes:
        passed: the number of learners who pass the check. A check whose points somebody decided passes if it has all
            its points.
        rate: the fraction of all learners in the statistics who pass the check, from 0 to 1.
        discrimination: the correlation of passing the check with the points from all other checks (corrected
            item-total correlation), from -1 to 1; null if all or none of the learners pass it.
        note: advice for the instructor, or an empty text.
    """

    id: str
    title: str
    passed: int
    rate: float
    discrimination: float | None
    note: str


class ExerciseStatistics(StrictStruct, frozen=True):
    """The statistics of one exercise. `statuses` counts learners by the exercise's status."""

    id: str
    number: str
    title: str
    max_score: int
    mean: float
    statuses: dict[str, int]
    checks: tuple[CheckStatistics, ...]

    @property
    def untried(self) -> Untried:
        """Return `missing` if no submission has this exercise, `not_started` if none has begun it, or an empty text."""
        return _untried(self.statuses)


class PartStatistics(StrictStruct, frozen=True):
    """The statistics of a part of the course. `exercises` has the ids of its exercises."""

    title: str
    exercises: tuple[str, ...]
    max_score: int
    mean: float


class MisconceptionCount(StrictStruct, frozen=True):
    """The number of learners whose submission behaves like a misconception.

    Attributes:
        example: the id of the first of these submissions.
        learners: the ids of these learners.
    """

    exercise: str
    id: str
    title: str
    explanation: str
    count: int
    example: str
    learners: tuple[str, ...] = ()


class GradeCount(StrictStruct, frozen=True):
    """The number of learners with a grade. An empty `grade` counts the learners who reach no grade."""

    grade: str
    least: int
    count: int


class Review(StrictStruct, frozen=True):
    """A submission or a learner that needs review.

    Attributes:
        id: the id of the submission, or of the learner if the review is about several submissions.
        names: the names of the learners who own the submission.
        reasons: the reasons as data.
        texts: each reason in words.
        questions: for each reason, the question that a person has to decide.
        commands: for each reason, the command that records the decision.
        keeps: for each reason, the command that records that the result is kept, or an empty text if there is none.
        agains: for each reason, the command that grades the submission again, or an empty text if that is of no use.
    """

    id: str
    names: tuple[str, ...]
    reasons: tuple[NeedsReview, ...]
    texts: tuple[str, ...]
    questions: tuple[str, ...]
    commands: tuple[str, ...]
    keeps: tuple[str, ...] = ()
    agains: tuple[str, ...] = ()

    @classmethod
    def of(cls, id: str, reasons: tuple[NeedsReview, ...], names: Sequence[str] = ()) -> "Review":
        """Return the review of a submission or a learner.

        Reasons whose commands need only a text come first.

        Commands contain RESULTS instead of the folder of results, so that the summary is the same in every folder.
        """
        # `sorted` keeps the order of equal items
        reasons = tuple(sorted(reasons, key=lambda reason: not is_ready(reason)))
        return cls(
            id=id,
            names=tuple(names),
            reasons=reasons,
            texts=tuple(map(review_text, reasons)),
            questions=tuple(map(review_question, reasons)),
            commands=tuple(review_command(reason, id) for reason in reasons),
            keeps=tuple(keep_command(reason, id) for reason in reasons),
            agains=tuple(again_command(reason, id) for reason in reasons),
        )

    @property
    def not_graded(self) -> bool:
        """Return whether the submission has no report."""
        return any(reason.kind == "not_graded" for reason in self.reasons)


class Scores(StrictStruct, frozen=True):
    """The points of all learners in the statistics, without bonus, after decisions and before penalties.

    Attributes:
        learners: the number of these learners.
        bands: the number of learners by tenths of the maximum.
    """

    learners: int
    mean: float
    deviation: float
    median: float
    bands: tuple[int, ...]


class Summary(StrictStruct, frozen=True):
    """The content of `cohort.json`.

    Attributes:
        scores, exercises, parts, misconceptions: statistics of the learners of the class with a graded submission,
            after decisions. Each member of a group counts. The excused are left out.
        beside: the files and folders that belong to no submission.
        learners: the final table, after decisions and penalties.
        grades, borders: statistics of the final table.
        graded_part: the title of the part whose points count towards a grade; absent if those of all exercises do.
        roster: whether the class has a roster.
        rules: the digest of the roster, the deadlines and the decisions.
        for_all: the decisions about all learners that hold.
    """

    schema: CohortSchema
    grader_version: str
    course: CourseStamp
    title: str
    submissions: int
    graded: int
    max_score: int
    scores: Scores
    exercises: tuple[ExerciseStatistics, ...]
    misconceptions: tuple[MisconceptionCount, ...]
    borders: tuple[Border, ...]
    needs_review: tuple[Review, ...]
    beside: tuple[str, ...]
    learners: tuple[Learner, ...]
    grades: tuple[GradeCount, ...]
    roster: bool
    rules: str
    for_all: tuple[Decided, ...]
    parts: tuple[PartStatistics, ...] | UnsetType = UNSET
    graded_part: str | UnsetType = UNSET


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `cohort.json`."""
    return schema_of(Summary, COHORT_SCHEMA)


def summarise(
    course: Course,
    reports: Iterable[Report],
    faults: Mapping[str, str],
    beside: Sequence[str] = (),
    people: Class | None = None,
    earlier: Callable[[str], Iterable[tuple[str, Report]]] = lambda submission: (),
    *,
    rules: str = "",
) -> Summary:
    """Return the summary of a class. Only numbers from each report stay in memory.

    Args:
        reports: the reports, in any order.
        faults: the reason for each submission without a report. Read after the last report, because a run that grades
            while its reports are taken adds to it.
        beside: the names of files and folders that belong to no submission.
        people: the people of the class and the rules for them; None if there is no roster and there are no rules.
        earlier: returns the earlier reports on a submission with their files, oldest first.
        rules: the digest of the roster, the deadlines and the decisions.
    """
    if people is None:
        reports = list(reports)
        handed = [HandIn.of(report.submission) for report in reports]
        people = Class((*handed, *(HandIn(name, name, ()) for name in faults)))
    results: dict[str, _Result] = {}
    marks: dict[str, list[Mark]] = {}
    reasons: dict[str, tuple[NeedsReview, ...]] = {}
    # each report once
    for report in reports:
        name = report.submission.id
        decisions = people.decisions(name)
        attempts = _attempts(report, earlier(name))
        marks[name] = [mark(one, file, decisions, course.grades) for file, one in attempts]
        results |= {file: _Result.of(one, course) for file, one in attempts}
        # a decision that was made for these files settles reasons for a review
        applied = in_force(decisions, digests(report), people.found(name)).applied
        undecided = tuple(reason for reason in review_reasons(report) if not _is_decided(reason, applied))
        if undecided:
            reasons[name] = undecided
    reasons |= {name: (NeedsReview("not_graded", detail=why),) for name, why in faults.items()}
    # the final table, what people have to decide about it, and the statistics
    table = settle(people, marks, course.grades, _small(course))
    statistics = _Statistics(table.learners, results, course)
    for id, reason in table.open:
        reasons[id] = (reason, *reasons.get(id, ()))
    return Summary(
        schema=COHORT_SCHEMA,
        grader_version=__version__,
        course=CourseStamp.of(course),
        title=course.title,
        submissions=len(marks) + len(faults),
        graded=len(marks),
        max_score=course.max_score,
        scores=statistics.scores(),
        exercises=tuple(map(statistics.exercise, course.exercises)),
        misconceptions=tuple(statistics.misconceptions()),
        borders=table.borders,
        needs_review=tuple(Review.of(name, every, _names(people, name)) for name, every in sorted(reasons.items())),
        beside=tuple(beside),
        learners=tuple(_with_zeros(one, course) for one in table.learners),
        grades=_grades(course, table.learners),
        roster=people.roster is not None,
        rules=rules,
        for_all=in_force(people.overrides.of(), {}, {}).applied,
        parts=tuple(map(statistics.part, course.parts)) or UNSET,
        graded_part=course.grades.part or UNSET,
    )


def _attempts(report: Report, earlier: Iterable[tuple[str, Report]]) -> list[tuple[str, Report]]:
    """Return the report of each attempt of a submission with its file, oldest first.

    Args:
        report: the report on the last attempt.
        earlier: the earlier reports with their files, oldest first.
    """
    # of several reports on the same files, the last one; another version of the course has other points
    attempts = {old.submission.sha256: (file, old) for file, old in earlier if old.course == report.course}
    attempts.pop(report.submission.sha256, None)  # these are the same files, graded again
    return [*attempts.values(), (f"reports/{report.submission.id}.json", report)]


class _Result(NamedTuple):
    """The numbers of a report.

    Attributes:
        statuses: the status of each exercise.
        points: the points of each check of each exercise.
        passed: whether each of these checks passed.
        diagnoses: the misconceptions, each with its exercise.
    """

    statuses: tuple[ExerciseStatus, ...]
    points: tuple[tuple[int, ...], ...]
    passed: tuple[tuple[bool, ...], ...]
    diagnoses: frozenset[tuple[str, Diagnosis]]

    @classmethod
    def of(cls, report: Report, course: Course) -> "_Result":
        """Return the numbers of a report in the order of the course. What the report lacks is missing."""
        found = {one.id: one for one in report.exercises}
        checks = {(one.id, check.id): check for one in report.exercises for check in one.checks}
        rows = [[checks.get((one.id, check.id)) for check in one.checks] for one in course.exercises]
        return cls(
            tuple(found[one.id].status if one.id in found else "missing" for one in course.exercises),
            tuple(tuple(check.score if check else 0 for check in row) for row in rows),
            tuple(tuple(check is not None and check.status == "passed" for check in row) for row in rows),
            frozenset((id, check.diagnosis) for (id, _), check in checks.items() if check.diagnosis),
        )

    def after(self, decided: Mapping[str, int], course: Course) -> "_Result":
        """Return the numbers after decisions on the points of checks. A check with all its points passes."""
        statuses, points, passed = list(self.statuses), list(self.points), list(self.passed)
        for at, exercise in enumerate(course.exercises):
            # the points of each decided check, by its place in the exercise
            new = {
                place: decided[name]
                for place, check in enumerate(exercise.checks)
                if (name := f"{exercise.id}.{check.id}") in decided
            }
            if not new:
                continue
            points[at] = tuple(new.get(place, own) for place, own in enumerate(self.points[at]))
            passed[at] = tuple(
                new[place] == exercise.checks[place].points if place in new else own
                for place, own in enumerate(self.passed[at])
            )
            before, after = (_without_bonus(exercise, one[at]) for one in (self.points, points))
            statuses[at] = status_after(self.statuses[at], before, after, exercise.max_score)
        return _Result(tuple(statuses), tuple(points), tuple(passed), self.diagnoses)


def _without_bonus(exercise: Exercise, points: Sequence[int]) -> int:
    return sum(own for check, own in zip(exercise.checks, points, strict=True) if not check.bonus)


class _Statistics:
    """Statistics of the learners of the class with a graded submission, after decisions.

    Args:
        learners: the final table.
        results: the numbers of each report, by its file.
    """

    def __init__(self, learners: Iterable[Learner], results: Mapping[str, _Result], course: Course) -> None:
        self._course = course
        self._learners = [one for one in learners if one.standing == "graded"]
        self._results = [results[one.report].after(merged(one.decisions).points, course) for one in self._learners]
        # the members of a group have the same results, so they are no evidence of their own about a check
        self._enough = len({one.submission for one in self._learners}) >= _ENOUGH

    def scores(self) -> Scores:
        """Return the distribution of the points."""
        points, most = [one.score for one in self._learners], self._course.max_score
        bands = Counter(min(_BANDS - 1, score * _BANDS // most) for score in points)
        return Scores(
            learners=len(points),
            mean=round(statistics.fmean(points), 4) if points else 0.0,
            deviation=round(statistics.pstdev(points), 4) if points else 0.0,
            median=float(statistics.median(points)) if points else 0.0,
            bands=tuple(bands[band] for band in range(_BANDS)),
        )

    def exercise(self, exercise: Exercise) -> ExerciseStatistics:
        """Return the statistics of an exercise and of its checks."""
        at = self._course.exercises.index(exercise)
        statuses = Counter[str](one.statuses[at] for one in self._results)
        return ExerciseStatistics(
            id=exercise.id,
            number=exercise.number,
            title=exercise.title,
            max_score=exercise.max_score,
            mean=self._mean([exercise.id]),
            statuses=dict(sorted(statuses.items())),
            checks=tuple(self._check(at, place, _untried(statuses)) for place in range(len(exercise.checks))),
        )

    def _check(self, at: int, place: int, untried: Untried) -> CheckStatistics:
        check = self._course.exercises[at].checks[place]
        passed = [one.passed[at][place] for one in self._results]
        own = [0 if check.bonus else one.points[at][place] for one in self._results]
        rest = [learner.score - points for learner, points in zip(self._learners, own, strict=True)]
        return _check(check, passed, rest, untried, self._enough)

    def part(self, part: Part) -> PartStatistics:
        """Return the statistics of a part of the course."""
        return PartStatistics(part.title, part.exercises, part.max_score, self._mean(part.exercises))

    def _mean(self, exercises: Collection[str]) -> float:
        """Return the mean of the points of exercises together."""
        places = [(at, one) for at, one in enumerate(self._course.exercises) if one.id in exercises]
        points = sum(_without_bonus(one, result.points[at]) for result in self._results for at, one in places)
        return round(points / len(self._results), 4) if self._results else 0.0

    def misconceptions(self) -> Iterator[MisconceptionCount]:
        """Yield each misconception, the most frequent one first."""
        found: dict[tuple[str, str], list[Learner]] = defaultdict(list)
        diagnoses: dict[tuple[str, str], Diagnosis] = {}
        for learner, result in zip(self._learners, self._results, strict=True):
            for exercise, diagnosis in result.diagnoses:
                found[exercise, diagnosis.id].append(learner)
                diagnoses.setdefault((exercise, diagnosis.id), diagnosis)
        for key, learners in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
            yield MisconceptionCount(
                exercise=key[0],
                id=key[1],
                title=diagnoses[key].title,
                explanation=diagnoses[key].explanation,
                count=len(learners),
                example=learners[0].submission,
                learners=tuple(one.id for one in learners),
            )


def _with_zeros(learner: Learner, course: Course) -> Learner:
    """Return the row of a learner, with 0 points for every exercise if nothing was submitted."""
    if learner.points or learner.submissions:
        return learner
    return msgspec.structs.replace(learner, points={exercise.id: 0 for exercise in course.exercises})


def _names(people: Class, name: str) -> list[str]:
    """Return the names of the people who own a submission, or of the person with this key."""
    keys = people.joined.owners.get(name, ()) or ([name] if name in people.people else [])
    return [people.people[key].name for key in keys if people.people[key].name]


def _is_decided(reason: NeedsReview, decisions: Sequence[Decided]) -> bool:
    """Return whether decisions settle a reason for review.

    A reason with checks needs a decision on each of them. A reason with only an exercise needs a decision on one of its
    checks that is not about all learners. Any other reason needs an excuse. A decision to keep the result for this
    reason settles each of them.
    """
    points = {name for one in decisions for name in one.points}
    if any(kept_name(reason) in one.keep for one in decisions):
        return True
    if reason.checks:
        return all(f"{reason.exercise}.{check}" in points for check in reason.checks)
    if reason.exercise:
        own = {name for one in decisions if not one.for_all for name in one.points}
        return any(name.startswith(f"{reason.exercise}.") for name in own)
    return any(one.excused for one in decisions)


def _small(course: Course) -> int:
    """Return the most points of a small check: 2 % of those that count towards a grade, or the smallest check's."""
    counting = [one for one in course.exercises if one.id in (course.grades.exercises or course.by_id)]
    least = min((check.points for e in counting for check in e.checks if check.points), default=1)
    return max(least, sum(e.max_score for e in counting) * 2 // 100)


def _grades(course: Course, learners: Sequence[Learner]) -> tuple[GradeCount, ...]:
    counted = Counter(one.grade for one in learners if one.standing in ("graded", "absent"))
    return tuple(GradeCount(grade, least, counted[grade]) for grade, least in {**course.grades.borders, "": 0}.items())


def _untried(statuses: Mapping[str, int]) -> Untried:
    found = {status for status, count in statuses.items() if count}
    if not found or found - {"missing", "not_started"}:
        return ""
    # somebody has submitted the stub
    return "not_started" if "not_started" in found else "missing"


def _check(
    check: Check, passed: Sequence[bool], rest: Sequence[int], untried: Untried, enough: bool
) -> CheckStatistics:
    rate = round(statistics.fmean(passed), 4) if passed else 0.0
    # a correlation with numbers that are all equal is not defined
    defined = len(set(passed)) > 1 and len(set(rest)) > 1
    correlation = round(statistics.correlation(passed, rest), 4) if defined else None
    note = check_note(untried or _kind(passed, correlation if enough else None))
    return CheckStatistics(check.id, check.title, sum(passed), rate, correlation, note)


def _kind(passed: Sequence[bool], correlation: float | None) -> str:
    """Return the kind of a remark on a check, or an empty text.

    Args:
        correlation: the discrimination; None if it is not defined, or comes from too few submissions.
    """
    if passed and len(set(passed)) == 1:
        return "everybody" if passed[0] else "nobody"
    if correlation is None or correlation >= WEAK:
        return ""
    return "negative" if correlation < 0 else "weak"
