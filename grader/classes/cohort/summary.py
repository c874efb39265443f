"""Summarise a class: scores, pass rate and discrimination of each check, misconceptions, and needed reviews."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from ... import __version__
from ...course.learners import Border, Decided, Learner, NeedsReview
from ...course.load import Check, Course, Exercise, Part, StrictStruct
from ...verdict.report import CourseStamp, Diagnosis, Report, review_reasons, schema_of
from ...words.instructor import (
    check_note,
    is_ready,
    keep_command,
    kept_name,
    review_command,
    review_question,
    review_text,
)
from ..people import Class, HandIn, Mark, digests, in_force, mark, settle

CohortSchema: TypeAlias = Literal["backward/cohort/v3"]
COHORT_SCHEMA: CohortSchema = "backward/cohort/v3"
WEAK = 0.2  # an item below this is usually called poor (Ebel and Frisbie, Essentials of Educational Measurement)
_BANDS = 10
Untried: TypeAlias = Literal["", "missing", "not_started"]  # no submission has the exercise, or none has begun it


class CheckStatistics(StrictStruct, frozen=True):
    """The statistics of one check.

    Attributes:
        passed: the number of submissions that pass the check.
        rate: the fraction of all graded submissions that pass the check, from 0 to 1.
        discrimination: the correlation of passing the check with the points from all other checks (corrected
            item-total correlation), from -1 to 1; null if all or none of the submissions pass it.
        note: advice for the instructor, or an empty text.
    """

    id: str
    title: str
    passed: int
    rate: float
    discrimination: float | None
    note: str


class ExerciseStatistics(StrictStruct, frozen=True):
    """The statistics of one exercise. `statuses` counts submissions by the exercise's status."""

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
    """The number of submissions that behave like a misconception.

    Attributes:
        example: the id of the first of these submissions.
        learners: the ids of the learners who own these submissions.
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
    """

    id: str
    names: tuple[str, ...]
    reasons: tuple[NeedsReview, ...]
    texts: tuple[str, ...]
    questions: tuple[str, ...]
    commands: tuple[str, ...]
    keeps: tuple[str, ...] = ()

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
        )

    @property
    def not_graded(self) -> bool:
        """Return whether the submission has no report."""
        return any(reason.kind == "not_graded" for reason in self.reasons)


class Scores(StrictStruct, frozen=True):
    """The points without bonus of all graded submissions. `bands` counts them by tenths of the maximum."""

    mean: float
    deviation: float
    median: float
    bands: tuple[int, ...]


class Summary(StrictStruct, frozen=True):
    """The content of `cohort.json`.

    Attributes:
        scores, exercises, misconceptions: statistics of all graded submissions as the checks scored them.
        beside: the files and folders that belong to no submission.
        learners: the final table, after decisions and penalties.
        grades, borders: statistics of the final table.
        roster: whether the class has a roster.
        rules: the digest of the roster, the deadlines and the decisions.
        parts: statistics of the parts, in a course that has parts.
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
    parts: tuple[PartStatistics, ...] | UnsetType = UNSET


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
    statistics = _Statistics()
    marks: dict[str, list[Mark]] = {}
    reasons: dict[str, tuple[NeedsReview, ...]] = {}
    # each report once
    for report in reports:
        statistics.add(report)
        name = report.submission.id
        decisions = people.decisions(name)
        marks[name] = _marks(report, earlier(name), decisions)
        # a decision that was made for these files settles reasons for a review
        applied = in_force(decisions, digests(report), people.found(name)).applied
        undecided = tuple(reason for reason in review_reasons(report) if not _is_decided(reason, applied))
        if undecided:
            reasons[name] = undecided
    reasons |= {name: (NeedsReview("not_graded", detail=why),) for name, why in faults.items()}
    # the final table, and what people have to decide about it
    table = settle(people, marks, course.grades, _small(course))
    for id, reason in table.open:
        reasons[id] = (reason, *reasons.get(id, ()))
    return Summary(
        schema=COHORT_SCHEMA,
        grader_version=__version__,
        course=CourseStamp.of(course),
        title=course.title,
        submissions=statistics.graded + len(faults),
        graded=statistics.graded,
        max_score=course.max_score,
        scores=statistics.scores(course.max_score),
        exercises=tuple(map(statistics.exercise, course.exercises)),
        misconceptions=tuple(statistics.misconceptions(people)),
        borders=table.borders,
        needs_review=tuple(Review.of(name, every, _names(people, name)) for name, every in sorted(reasons.items())),
        beside=tuple(beside),
        learners=tuple(_with_zeros(one, course) for one in table.learners),
        grades=_grades(course, table.learners),
        roster=people.roster is not None,
        rules=rules,
        parts=tuple(map(statistics.part, course.parts)) or UNSET,
    )


def _marks(report: Report, earlier: Iterable[tuple[str, Report]], decisions: Sequence[Decided]) -> list[Mark]:
    """Return the mark of each attempt of a submission, oldest first.

    Args:
        report: the report on the last attempt.
        earlier: the earlier reports with their files, oldest first.
    """
    # of several reports on the same files, the last one; another version of the course has other points
    attempts = {old.submission.sha256: (file, old) for file, old in earlier if old.course == report.course}
    attempts.pop(report.submission.sha256, None)  # these are the same files, graded again
    last = mark(report, f"reports/{report.submission.id}.json", decisions)
    return [*(mark(old, file, decisions) for file, old in attempts.values()), last]


class _Statistics:
    """Running statistics of all graded submissions, as the checks scored them."""

    def __init__(self) -> None:
        self._totals: Counter[int] = Counter()
        self._statuses: dict[str, Counter[str]] = defaultdict(Counter)
        self._points: Counter[str] = Counter()
        # by exercise and check, in one order: whether each submission passes it, and the points from all others
        self._passed: dict[tuple[str, str], list[bool]] = defaultdict(list)
        self._rest: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._submissions: dict[tuple[str, str], list[str]] = defaultdict(list)  # by exercise and misconception
        self._diagnoses: dict[tuple[str, str], Diagnosis] = {}

    @property
    def graded(self) -> int:
        return self._totals.total()

    def add(self, report: Report) -> None:
        """Add the numbers of one report."""
        self._totals[report.score] += 1
        for exercise in report.exercises:
            self._statuses[exercise.id][exercise.status] += 1
            self._points[exercise.id] += exercise.score
            for check in exercise.checks:
                self._passed[exercise.id, check.id].append(check.status == "passed")
                self._rest[exercise.id, check.id].append(report.score - (0 if check.bonus else check.score))
            for diagnosis in {check.diagnosis for check in exercise.checks if check.diagnosis}:
                self._submissions[exercise.id, diagnosis.id].append(report.submission.id)
                self._diagnoses.setdefault((exercise.id, diagnosis.id), diagnosis)

    def scores(self, most: int) -> Scores:
        """Return the distribution of the points. `most` is the maximum of points without bonus."""
        points = sorted(self._totals.elements())
        bands = Counter(min(_BANDS - 1, score * _BANDS // most) for score in points)
        return Scores(
            mean=round(statistics.fmean(points), 4) if points else 0.0,
            deviation=round(statistics.pstdev(points), 4) if points else 0.0,
            median=float(statistics.median(points)) if points else 0.0,
            bands=tuple(bands[band] for band in range(_BANDS)),
        )

    def exercise(self, exercise: Exercise) -> ExerciseStatistics:
        """Return the statistics of an exercise and of its checks."""
        statuses = self._statuses[exercise.id]
        untried = _untried(statuses)
        return ExerciseStatistics(
            id=exercise.id,
            number=exercise.number,
            title=exercise.title,
            max_score=exercise.max_score,
            mean=self._mean([exercise.id]),
            statuses=dict(sorted(statuses.items())),
            checks=tuple(
                _check(check, self._passed[exercise.id, check.id], self._rest[exercise.id, check.id], untried)
                for check in exercise.checks
            ),
        )

    def part(self, part: Part) -> PartStatistics:
        """Return the statistics of a part of the course."""
        return PartStatistics(part.title, part.exercises, part.max_score, self._mean(part.exercises))

    def _mean(self, exercises: Iterable[str]) -> float:
        """Return the mean of the points of exercises together."""
        points = sum(self._points[id] for id in exercises)
        return round(points / self.graded, 4) if self.graded else 0.0

    def misconceptions(self, people: Class) -> Iterator[MisconceptionCount]:
        """Yield each misconception, the most frequent one first."""
        owners, order = people.joined.owners, {one.id: place for place, one in enumerate(people.submissions)}
        for key, found in sorted(self._submissions.items(), key=lambda item: (-len(item[1]), item[0])):
            names = sorted(found, key=order.__getitem__)
            learners = dict.fromkeys(owner for name in names for owner in owners.get(name, (name,)))
            yield MisconceptionCount(
                exercise=key[0],
                id=key[1],
                title=self._diagnoses[key].title,
                explanation=self._diagnoses[key].explanation,
                count=len(names),
                example=names[0],
                learners=tuple(learners),
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
    checks. Any other reason needs an excuse. A decision to keep the result for this reason settles each of them.
    """
    points = {name for one in decisions for name in one.points}
    if any(kept_name(reason) in one.keep for one in decisions):
        return True
    if reason.checks:
        return all(f"{reason.exercise}.{check}" in points for check in reason.checks)
    if reason.exercise:
        return any(name.startswith(f"{reason.exercise}.") for name in points)
    return any(one.excused for one in decisions)


def _small(course: Course) -> int:
    """Return the most points of a small check: 2 % of the course's points, or those of its smallest check."""
    least = min((check.points for e in course.exercises for check in e.checks if check.points), default=1)
    return max(least, course.max_score * 2 // 100)


def _grades(course: Course, learners: Sequence[Learner]) -> tuple[GradeCount, ...]:
    counted = Counter(one.grade for one in learners if one.standing in ("graded", "absent"))
    return tuple(GradeCount(grade, least, counted[grade]) for grade, least in {**course.grades, "": 0}.items())


def _untried(statuses: Mapping[str, int]) -> Untried:
    found = {status for status, count in statuses.items() if count}
    if not found or found - {"missing", "not_started"}:
        return ""
    # somebody has submitted the stub
    return "not_started" if "not_started" in found else "missing"


def _check(check: Check, passed: Sequence[bool], rest: Sequence[int], untried: Untried) -> CheckStatistics:
    rate = round(statistics.fmean(passed), 4) if passed else 0.0
    # a correlation with numbers that are all equal is not defined
    defined = len(set(passed)) > 1 and len(set(rest)) > 1
    correlation = round(statistics.correlation(passed, rest), 4) if defined else None
    note = check_note(untried or _kind(passed, correlation))
    return CheckStatistics(check.id, check.title, sum(passed), rate, correlation, note)


def _kind(passed: Sequence[bool], correlation: float | None) -> str:
    """Return the kind of a remark on a check, or an empty text."""
    if passed and len(set(passed)) == 1:
        return "everybody" if passed[0] else "nobody"
    if correlation is None or correlation >= WEAK:
        return ""
    return "negative" if correlation < 0 else "weak"
