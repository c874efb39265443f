"""The data of the page: a summary and its reports as one document without duplicates and long texts.

A learner is a list of indices into `results`, one for each exercise. Each check of a result is 0
(passed, full marks) or an index, counted from 1, into `details`. The longer texts of a detail are
indices into `texts`. So the text about a mistake is stored once, however many learners made it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from ...cohort import Summary
from ...report import CheckResult, ExerciseResult, Report
from ...report.formats.people import student_id
from ...report.person import Learner, Person
from ...report.shown import digits
from ...words.instructor import decided_text

T = TypeVar("T")
LINE, TEXT, PRINTED = 300, 2_000, 1_000  # characters: a name or a note; a program or a message; printed output
PER_LEARNER = 20_000  # characters of programs, messages and printed text together
MANY = 20  # notes, submitters, compared values


class _Pool:
    """A list of distinct items."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}

    def place(self, item: object) -> int:
        return self._places.setdefault(msgspec.json.encode(item), len(self._places))

    @property
    def items(self) -> list[msgspec.Raw]:
        return list(map(msgspec.Raw, self._places))


class _Pools:
    def __init__(self) -> None:
        self.results, self.details, self.texts = _Pool(), _Pool(), _Pool()


class _Room:
    """The budget of characters that is left for a learner's longer texts."""

    def __init__(self, texts: _Pool) -> None:
        self._left, self._texts = PER_LEARNER, texts

    def place(self, text: str | UnsetType, most: int = TEXT) -> int | None:
        given = _given(text)
        if not given:
            return None
        kept = cut(given, min(most, self._left))
        self._left -= min(len(given), most, self._left)
        return self._texts.place(kept)


def document(summary: Summary, reports: Iterable[Report]) -> dict[str, Any]:
    """Return the page's data, ready to be encoded.

    Reports of another course, or of another version of it, are left out and counted. A learner in
    the summary without a report has no score.
    """
    pools = _Pools()
    learners: list[dict[str, Any]] = []
    worth: dict[tuple[str, str], CheckResult] = {}
    rows: dict[str, list[Learner]] = {}
    for row in summary.learners:
        for submission in row.submissions:
            rows.setdefault(submission, []).append(row)
    left_out = 0
    for report in reports:
        if report.course != summary.course:
            left_out += 1
            continue
        if not worth:
            worth = {(e.id, c.id): c for e in report.exercises for c in e.checks}
        learners.append(_learner(report, summary, pools, rows.get(report.submission.id, ())))
    known = {learner["id"] for learner in learners}
    shown = {row.id: row.submission for row in summary.learners if row.submission in known}
    known |= shown.keys()
    absent = [row for row in summary.learners if row.id not in known and summary.roster]
    learners += [_said(id=row.id, people=[_names(row.person)], rows=[_row(row)]) for row in absent]
    known |= {row.id for row in absent}
    learners += [{"id": review.id} for review in summary.needs_review if review.id not in known]
    whole = msgspec.to_builtins(summary)
    return {
        **{key: whole[key] for key in ("title", "course", "grader_version", "submissions", "graded", "max_score")},
        **{key: whole[key] for key in ("scores", "misconceptions", "grades", "roster")},
        "borders": [{**one, "id": shown.get(one["id"], one["id"])} for one in whole["borders"]],
        "left_out": left_out,
        "beside": _few(summary.beside, "cohort.json"),
        "exercises": [_described(exercise, worth) for exercise in whole["exercises"]],
        "reviews": {shown.get(review.id, review.id): _few(review.texts) for review in summary.needs_review},
        "learners": sorted(learners, key=lambda learner: str(learner["id"])),
        "results": pools.results.items,
        "details": pools.details.items,
        "texts": pools.texts.items,
    }


def cut(text: str, most: int) -> str:
    """Return at most the first `most` characters of a text, with the number of characters that are missing."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters in the report)"


def _described(exercise: dict[str, Any], worth: Mapping[tuple[str, str], CheckResult]) -> dict[str, Any]:
    """Add the points, bonus and visibility of an exercise's checks, which only a report holds, to its statistics."""
    for check in exercise["checks"]:
        known = worth.get((exercise["id"], check["id"]))
        if known is not None:
            check |= {"max_score": known.max_score, "bonus": known.bonus, "hidden": known.visibility == "hidden"}
    return exercise


def _names(person: Person) -> list[str]:
    return [cut(word, LINE) for word in (person.name or person.key, student_id(person) or person.login, person.email)]


def _row(row: Learner) -> dict[str, Any]:
    """Return a learner's row of the final table for the page; the class page reads it as `rows`."""
    return _said(
        id=row.id,
        name=_line(row.person.name),
        section=_line(row.person.section),
        group=_line(row.person.group),
        standing=row.standing,
        submission=row.submission or None,
        submitted_at=_line(row.submitted_at),
        due=_line(row.due),
        late_s=row.late_s,
        penalty=row.penalty,
        total=row.total,
        grade=row.grade or None,
        comment=_line(row.comment),
        decisions=_few(map(decided_text, row.decisions), "overrides.yaml"),
    )


def _learner(report: Report, summary: Summary, pools: _Pools, rows: Sequence[Learner]) -> dict[str, Any]:
    room = _Room(pools.texts)
    results = {exercise.id: pools.results.place(_result(exercise, room, pools)) for exercise in report.exercises}
    stamp = report.submission
    return _said(
        id=stamp.id,
        people=[_names(row.person) for row in rows[:MANY]]
        if summary.roster and rows
        else [[cut(word, LINE) for word in (p.name, p.id, p.email)] for p in (_given(stamp.submitters) or ())[:MANY]],
        rows=[_row(row) for row in rows[:MANY]],
        origin=_line(stamp.origin),
        submitted_at=_line(stamp.submitted_at),
        commit=_line(stamp.commit),
        score=report.score,
        bonus=report.bonus,
        status=report.status,
        notes=_few(report.notes),
        results=[results.get(exercise.id) for exercise in summary.exercises],
    )


def _result(exercise: ExerciseResult, room: _Room, pools: _Pools) -> dict[str, Any]:
    return _said(
        status=exercise.status,
        score=exercise.score,
        bonus=exercise.bonus,
        message=room.place(exercise.message),
        file=_line(exercise.file),
        facts=[room.place(fact.text) for fact in exercise.facts or ()],
        checks=[_check(check, room, pools) for check in exercise.checks],
    )


def _check(check: CheckResult, room: _Room, pools: _Pools) -> int:
    if check.status == "passed" and check.score == check.max_score:
        return 0
    detail = _said(
        status=check.status,
        score=check.score,
        program=room.place(check.program),
        compared=_compared(check),
        message=room.place(check.message),
        mistake=room.place(check.diagnosis.title) if check.diagnosis else None,
        diagnosis=room.place(check.diagnosis.explanation) if check.diagnosis else None,
        hint=room.place(check.hint),
        output=room.place(check.output, PRINTED),
    )
    return 1 + pools.details.place(detail)


def _compared(check: CheckResult) -> list[list[str]]:
    """Return rows of a label, the learner's answer, the right answer, and `word` if it is one of several right ones."""
    actual = _given(check.actual) or {}
    rows = []
    for label, right in list((_given(check.expected) or {}).items())[:MANY]:
        yours = actual.get(label, "nothing")
        shown, true = digits(yours), digits(right)
        if shown == true:
            shown, true = str(yours), str(right)
        rows.append([cut(label, LINE), cut(shown, LINE), cut(true, LINE), "word" if isinstance(right, str) else ""])
    return rows


def _said(**fields: object) -> dict[str, Any]:
    """Drop None and empty lists; keep 0."""
    return {key: value for key, value in fields.items() if value is not None and value != []}


def _few(lines: Iterable[str], rest: str = "the report") -> list[str]:
    every = list(lines)
    more = [f"and {len(every) - MANY} more in {rest}"] if len(every) > MANY else []
    return [cut(line, LINE) for line in every[:MANY]] + more


def _line(text: str | UnsetType) -> str | None:
    given = _given(text)
    return cut(given, LINE) if given else None


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
