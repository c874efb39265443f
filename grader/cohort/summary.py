"""Summarise a class: scores, pass rate and discrimination of each check, misconceptions, and reviews."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from .. import __version__
from ..course import Check, Course, Exercise
from ..report import Diagnosis, NeedsReview, Report, review_reasons
from ..report.model import CourseStamp
from ..words.instructor import review_text

CohortSchema: TypeAlias = Literal["backward/cohort/v2"]
COHORT_SCHEMA: CohortSchema = "backward/cohort/v2"
WEAK = 0.2  # below this an item is usually called poor (Ebel and Frisbie, Essentials of Educational Measurement)
_BANDS = 10


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class CheckStatistics(_Strict, frozen=True):
    """The statistics of one check.

    Attributes:
        passed: submissions that pass it.
        rate: the part of all graded submissions that pass it, from 0 to 1.
        discrimination: the correlation of passing it with the points from all other checks (corrected item-total
            correlation), from -1 to 1; null if everybody or nobody passes.
        note: advice for the instructor, or empty.
    """

    id: str
    title: str
    passed: int
    rate: float
    discrimination: float | None
    note: str


class ExerciseStatistics(_Strict, frozen=True):
    """The statistics of one exercise. `statuses` counts submissions by the exercise's status."""

    id: str
    number: str
    title: str
    max_score: int
    mean: float
    statuses: dict[str, int]
    checks: tuple[CheckStatistics, ...]


class MisconceptionCount(_Strict, frozen=True):
    """The number of submissions that behave like a misconception, and the id of the first one."""

    exercise: str
    id: str
    title: str
    explanation: str
    count: int
    example: str


class Border(_Strict, frozen=True):
    """A score, bonus included, that one check more or less would move across the border of a grade."""

    id: str
    score: int
    grade: str
    border: int


class Review(_Strict, frozen=True):
    """A submission that needs review: the reasons as data, and in words (`texts`) in the same order."""

    id: str
    reasons: tuple[NeedsReview, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, id: str, reasons: tuple[NeedsReview, ...]) -> "Review":
        return cls(id, reasons, tuple(map(review_text, reasons)))

    @property
    def not_graded(self) -> bool:
        """Whether the submission has no report."""
        return any(reason.kind == "not_graded" for reason in self.reasons)


class Scores(_Strict, frozen=True):
    """The points without bonus of all graded submissions. `bands` counts them by tenths of the maximum."""

    mean: float
    deviation: float
    median: float
    bands: tuple[int, ...]


class Summary(_Strict, frozen=True):
    """The content of `cohort.json`. `beside` lists files and folders that belong to no submission."""

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


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `cohort.json`."""
    made = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Summary)))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": COHORT_SCHEMA, **made}


class _Sums:
    """Running sums for the correlation of a check's points with the points from all others."""

    def __init__(self) -> None:
        self.n = self.x = self.y = self.xy = self.yy = 0

    def add(self, passed: bool, rest: int) -> None:
        self.n += 1
        self.x += passed
        self.y += rest
        self.xy += rest if passed else 0
        self.yy += rest * rest

    @property
    def correlation(self) -> float | None:
        """Pearson's correlation coefficient; None if it is undefined."""
        across = self.n * self.x - self.x * self.x
        down = self.n * self.yy - self.y * self.y
        if across <= 0 or down <= 0:
            return None
        return round((self.n * self.xy - self.x * self.y) / math.sqrt(across * down), 4)


def summarise(
    course: Course, reports: Iterable[Report], faults: Mapping[str, str], beside: Sequence[str] = ()
) -> Summary:
    """Return the summary of a class. Only numbers are kept of each report.

    Args:
        faults: for each submission without a report, the reason.
        beside: names of files and folders that belong to no submission.
    """
    totals: Counter[int] = Counter()
    statuses: dict[str, Counter[str]] = defaultdict(Counter)
    points: Counter[str] = Counter()
    sums: dict[tuple[str, str], _Sums] = defaultdict(_Sums)
    diagnosed: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], tuple[Diagnosis, str]] = {}
    borders: list[Border] = []
    reviews = [Review.of(name, (NeedsReview("not_graded", detail=why),)) for name, why in faults.items()]
    for report in reports:
        totals[report.score] += 1
        for exercise in report.exercises:
            statuses[exercise.id][exercise.status] += 1
            points[exercise.id] += exercise.score
            for check in exercise.checks:
                rest = report.score - (0 if check.bonus else check.score)
                sums[exercise.id, check.id].add(check.status == "passed", rest)
            for found in {check.diagnosis for check in exercise.checks if check.diagnosis}:
                diagnosed[exercise.id, found.id] += 1
                examples.setdefault((exercise.id, found.id), (found, report.submission.id))
        borders += _borders(course, report)
        reasons = review_reasons(report)
        if reasons:
            reviews.append(Review.of(report.submission.id, reasons))
    graded = totals.total()
    return Summary(
        schema=COHORT_SCHEMA,
        grader_version=__version__,
        course=CourseStamp(course.id, course.version, course.hash),
        title=course.title,
        submissions=graded + len(faults),
        graded=graded,
        max_score=course.max_score,
        scores=_scores(totals, course.max_score),
        exercises=tuple(_exercise(e, graded, points[e.id], statuses[e.id], sums) for e in course.exercises),
        misconceptions=tuple(
            _misconception(exercise, count, *examples[exercise, name])
            for (exercise, name), count in sorted(diagnosed.items(), key=lambda item: (-item[1], item[0]))
        ),
        borders=tuple(sorted(borders, key=lambda border: (-border.border, -border.score, border.id))),
        needs_review=tuple(sorted(reviews, key=lambda review: review.id)),
        beside=tuple(beside),
    )


def _misconception(exercise: str, count: int, found: Diagnosis, example: str) -> MisconceptionCount:
    return MisconceptionCount(exercise, found.id, found.title, found.explanation, count, example)


def _scores(totals: Counter[int], of: int) -> Scores:
    n = totals.total()
    if not n:
        return Scores(0.0, 0.0, 0.0, (0,) * _BANDS)
    mean = sum(score * count for score, count in totals.items()) / n
    variance = sum(count * (score - mean) ** 2 for score, count in totals.items()) / n
    bands = [0] * _BANDS
    for score, count in totals.items():
        bands[min(_BANDS - 1, score * _BANDS // of)] += count
    ordered = sorted(totals.elements())
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    return Scores(round(mean, 4), round(math.sqrt(variance), 4), median, tuple(bands))


def _exercise(
    exercise: Exercise,
    graded: int,
    points: int,
    statuses: Counter[str],
    sums: Mapping[tuple[str, str], _Sums],
) -> ExerciseStatistics:
    return ExerciseStatistics(
        id=exercise.id,
        number=exercise.number,
        title=exercise.title,
        max_score=exercise.max_score,
        mean=round(points / graded, 4) if graded else 0.0,
        statuses=dict(sorted(statuses.items())),
        checks=tuple(_check(check, sums.get((exercise.id, check.id), _Sums())) for check in exercise.checks),
    )


def _check(check: Check, sums: _Sums) -> CheckStatistics:
    found = sums.correlation
    note = ""
    if sums.n and sums.x == sums.n:
        note = "everybody passes, so it does not separate submissions"
    elif sums.n and sums.x == 0:
        note = "nobody passes; review the check and the lesson"
    elif found is not None and found < 0:
        note = "those who pass it have fewer points elsewhere; review the check"
    elif found is not None and found < WEAK:
        note = "it hardly separates strong from weak submissions"
    rate = round(sums.x / sums.n, 4) if sums.n else 0.0
    return CheckStatistics(check.id, check.title, sums.x, rate, found, note)


def _borders(course: Course, report: Report) -> Iterable[Border]:
    """Yield the borders of grades that one check could move a score across.

    That is the largest failed check if it passed, or the largest passed one if it failed.
    Bonus points count, as in every export with a single number.
    """
    checks = [check for exercise in report.exercises for check in exercise.checks]
    gain = max((check.max_score for check in checks if check.status != "passed"), default=0)
    loss = max((check.max_score for check in checks if check.status == "passed"), default=0)
    points = report.score + report.bonus
    for grade, border in course.grades.items():
        if points < border <= points + gain or points - loss < border <= points:
            yield Border(report.submission.id, points, grade, border)
