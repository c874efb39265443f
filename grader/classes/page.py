"""The results of a class, for instructors: as one HTML page that needs no network, and as a summary on the terminal.

The page's data is a summary and its reports as one document without duplicates and long texts.
A learner is a list of indices into `results`, one for each exercise. Each check of a result is 0
(passed with full marks) or an index into `details`, counted from 1. The longer texts of a detail are
indices into `texts`. So the text about a mistake is stored only once, even if many learners made it.

The learners' code is stored outside the document, in packed parts of `PART` learners each. A part is
a list of texts for each exercise. A learner's `code` is the number of the part and the index in it.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UnsetType
from termcolor import colored

from ..base.page import REPORT_STYLE, Parts, pack, write_page
from ..base.text import columns, few, instant, packed, padded, plain
from ..course.learners import ChangedTotal, Learner, NeedsReview, Person
from ..verdict.formats import decision_on, student_id
from ..verdict.report import CheckResult, Compared, Diagnosis, ExerciseResult, Report, failure, line_of
from ..words import instructor as words
from ..words.instructor import (
    WORDS,
    again_command,
    cause_text,
    cut_text,
    decided_text,
    is_ready,
    keep_all_commands,
    keep_command,
    more_text,
    review_command,
    review_question,
    review_text,
)
from .cohort import ExerciseStatistics, Review, Summary
from .people import adjusted

_HERE = Path(__file__).resolve().with_suffix("")
PARTS = Parts(
    template=_HERE / "template.html",
    about="the class",
    own=tuple(_HERE / name for name in ("text.js", "tables.js", "charts.js", "learner.js", "learners.js", "page.js")),
    style=_HERE / "page.css",
    shared_style=REPORT_STYLE,
)
LINE, TEXT, PRINTED = 300, 2_000, 1_000  # characters: of a name or note; of a program or message; of printed output
PER_LEARNER = 30_000  # characters of programs, messages and printed text together
MANY = 20  # the most notes, submitters or compared values
CODE, CODE_PER_LEARNER = 30_000, 150_000  # characters: of a file; of all files of a learner
PART = 64  # learners whose code is packed together, so that similar texts compress well


class _Pool:
    """A list of distinct items."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}

    def place(self, item: object) -> int:
        # the index of an equal item, or that of a new one at the end
        return self._places.setdefault(msgspec.json.encode(item), len(self._places))

    @property
    def items(self) -> list[msgspec.Raw]:
        return list(map(msgspec.Raw, self._places))


class _Pools:
    def __init__(self) -> None:
        self.results, self.details, self.diagnoses, self.texts = _Pool(), _Pool(), _Pool(), _Pool()

    @property
    def items(self) -> dict[str, list[msgspec.Raw]]:
        return {name: pool.items for name, pool in vars(self).items()}


class _Room:
    """The remaining budget of characters for a learner's texts."""

    def __init__(self, most: int) -> None:
        self._left = most

    def take(self, text: str, most: int) -> str:
        kept = cut(text, min(most, self._left))
        # without the note on what is missing, which `cut` adds
        self._left -= min(len(text), most, self._left)
        return kept


@dataclass(frozen=True)
class Beside:
    """The contents of a page in addition to a summary and its reports.

    Attributes:
        code: returns the files that a report was made from, by exercise.
        hints: the texts of hints, by the command that shows them.
        changes: the changes since an earlier run; None for no comparison.
        earlier: the name of the earlier run.
    """

    code: Callable[[Report], Mapping[str, str]] = lambda report: {}
    hints: Mapping[str, str] = field(default_factory=dict)
    changes: Sequence[ChangedTotal] | None = None
    earlier: str = ""


class _Code:
    """The learners' code, packed in parts."""

    def __init__(self, exercises: Iterable[str]) -> None:
        self._exercises = tuple(exercises)
        self._count = 0
        self._part: list[list[str]] = []
        self.packed: list[str] = []

    def place(self, files: Mapping[str, str]) -> list[int] | None:
        """Add a learner's files. Return the number of the part and the index in it, or None if there are no files."""
        if not files:
            return None
        at = [self._count // PART, self._count % PART]
        if not self._part:
            self._part = [[] for _ in self._exercises]
        room = _Room(CODE_PER_LEARNER)
        # an exercise without a file has an empty text, so that every list has the same indices
        for texts, name in zip(self._part, self._exercises, strict=True):
            texts.append(room.take(files.get(name, ""), CODE))
        self._count += 1
        if self._count % PART == 0:
            self.close()
        return at

    def close(self) -> None:
        if self._part:
            self.packed.append(pack(self._part))
        self._part = []


@dataclass(frozen=True)
class PageData:
    """The data of a page, ready to be encoded, and the packed parts of the learners' code."""

    data: dict[str, Any]
    code: list[str]


def document(summary: Summary, reports: Iterable[Report], beside: Beside | None = None) -> PageData:
    """Return the page's data.

    Reports on another course, or on another version of the course, are left out and counted. A learner
    who is in the summary but has no report gets no score.
    """
    beside = beside or Beside()
    table = _ClassTable(summary)
    pools, code = _Pools(), _Code(exercise.id for exercise in summary.exercises)
    learners: list[dict[str, Any]] = []
    worth: dict[tuple[str, str], CheckResult] = {}
    left_out = shown = 0
    # the learners of each report
    for report in reports:
        if report.course != summary.course:
            left_out += 1
            continue
        # any report has the points of all checks, which the summary lacks
        worth = worth or {(e.id, c.id): c for e in report.exercises for c in e.checks}
        shown += 1
        if report.submission.id in table.others:  # another submission of its owners counts
            continue
        rows = table.rows.get(report.submission.id, ())
        learner = _learner(_with_decisions(report, rows), summary, _Reader(pools, beside.hints), rows)
        learners.append(learner | _given_fields(code=code.place(beside.code(report))))
    # the last part is rarely full
    code.close()
    learners += table.without_report({learner["id"] for learner in learners})
    # the class
    # only what the page reads: the rows of the final table are with the learners
    whole = msgspec.to_builtins(summary)
    data = {
        **{key: whole[key] for key in ("title", "course", "grader_version", "submissions", "graded", "max_score")},
        "for_all": _few(map(decided_text, summary.for_all), "overrides.yaml"),
        **{key: whole[key] for key in ("scores", "misconceptions", "borders", "grades", "roster")},
        **({"parts": whole["parts"]} if summary.parts else {}),
        "left_out": left_out,
        "shown": shown,
        "beside": _few(summary.beside, "cohort.json"),
        "exercises": [_exercise_data(exercise, worth) for exercise in whole["exercises"]],
        "reviews": {review.id: _review_rows(review) for review in summary.needs_review},
        "close_all": keep_all_commands(one for review in summary.needs_review for one in review.reasons),
        # in one order, whatever the order of the reports
        "learners": sorted(learners, key=lambda learner: str(learner["id"])),
        **pools.items,
        "words": WORDS,
    }
    if beside.changes is not None:
        data["changes"] = {"since": cut(beside.earlier, LINE), "learners": list(map(_change_data, beside.changes))}
    return PageData(data, code.packed)


class _ClassTable:
    """The final table of a class, by submission.

    Attributes:
        rows: the learners of each submission that counts, or of each submission if none of a learner's counts.
        others: the submissions of which another one of the same learners counts.
    """

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self.rows: dict[str, list[Learner]] = {}
        for row in summary.learners:
            # a learner of whom no submission counts is shown with each of them
            for submission in [row.submission] if row.submission else row.submissions:
                self.rows.setdefault(submission, []).append(row)
        self.others = {name for row in summary.learners for name in _others(row)} - self.rows.keys()

    def without_report(self, shown: set[str]) -> Iterator[dict[str, Any]]:
        """Yield the learners and reviews that no report has shown.

        Args:
            shown: the ids of the submissions that are shown.
        """
        summary = self._summary
        # learners of the roster without a report, then reviews that no row has shown
        known = shown | {row.id for row in summary.learners if row.submission in shown}
        for row in summary.learners if summary.roster else ():
            if row.id not in known:
                yield _given_fields(id=row.id, people=[_names(row.person)], rows=[_row(row)])
        known |= self.others | ({row.id for row in summary.learners} if summary.roster else set())
        yield from ({"id": review.id} for review in summary.needs_review if review.id not in known)


def build_page(summary: Summary, reports: Iterable[Report], beside: Beside | None = None) -> str:
    """Return the page of a class as HTML.

    The page does not contain the time of grading, so the same results give the same text.

    Args:
        summary: the summary of the class.
        reports: the reports that the summary was made from; consumed one at a time.
        beside: the learners' code, the texts of hints, and an earlier run to compare with.
    """
    content = document(summary, reports, beside)
    return write_page(PARTS, summary.title, content.data, content.code)


def _with_decisions(report: Report, rows: Sequence[Learner]) -> Report:
    """Return a report with the points that people decided, if the decisions are the same for all its owners."""
    # members of a group share a report, but may have different decisions
    same = rows and all(row.decisions == rows[0].decisions for row in rows)
    return adjusted(report, rows[0]) if same and rows[0].decisions else report


def cut(text: str, most: int) -> str:
    """Return at most the first `most` characters of a text, followed by the number of missing characters."""
    return text if len(text) <= most else cut_text(text[:most], len(text) - most)


def _exercise_data(exercise: dict[str, Any], worth: Mapping[tuple[str, str], CheckResult]) -> dict[str, Any]:
    """Add the points, bonus and visibility of each check to an exercise's statistics. Only a report contains them."""
    for check in exercise["checks"]:
        known = worth.get((exercise["id"], check["id"]))
        if known is not None:
            check |= {"max_score": known.max_score, "bonus": known.bonus, "hidden": known.visibility == "hidden"}
    return exercise


def _review_rows(review: Review) -> list[list[str]]:
    """Return each reason in words, the question to decide, and the commands that decide, keep or repeat the result."""
    found = zip(review.texts, review.questions, review.commands, review.keeps, review.agains, strict=True)
    return [[cut(words, LINE) for words in one] for one in islice(found, MANY)]


def _change_data(change: ChangedTotal) -> dict[str, object]:
    return _given_fields(
        id=change.id,
        name=_line(change.name),
        before=change.before,
        after=change.after,
        why=_few(map(cause_text, change.reasons), "grade compare"),
    )


def _names(person: Person) -> list[str]:
    return [cut(word, LINE) for word in (person.name or person.key, student_id(person) or person.login, person.email)]


def _row(row: Learner) -> dict[str, object]:
    """Return a learner's row of the final table for the page, which reads it as an item of `rows`."""
    return _given_fields(
        id=row.id,
        name=_line(row.person.name),
        section=_line(row.person.section),
        group=_line(row.person.group),
        standing=row.standing,
        submission=row.submission or None,
        others=_few(_others(row), "cohort.json"),
        submitted_at=_line(_in_zone_of(row.due, row.submitted_at)),
        due=_line(row.due),
        late_s=row.late_s,
        penalty=row.penalty,
        total=row.total,
        grade=row.grade or None,
        comment=_line(row.comment),
        decisions=_few((decided_text(one) for one in row.decisions if not one.for_all), "overrides.yaml"),
    )


def _others(row: Learner) -> list[str]:
    """Return the submissions of a learner, except the one that counts."""
    return [name for name in row.submissions if row.submission and name != row.submission]


def _in_zone_of(due: str, time: str) -> str:
    """Return a time in the time zone of the due date, so that people can compare the two."""
    at, end = instant(time), instant(due)
    return at.astimezone(end.tzinfo).isoformat() if at and end else time


class _Reader:
    """Adds the contents of a learner's report to the pools."""

    def __init__(self, pools: _Pools, hints: Mapping[str, str]) -> None:
        self.pools, self._hints, self._room = pools, hints, _Room(PER_LEARNER)

    def text(self, text: str | UnsetType, most: int = TEXT) -> int | None:
        return self.pools.texts.place(self._room.take(text, most)) if text else None

    def hint(self, command: str) -> int | None:
        """Place the text of a hint. If the text is unknown, place the command that shows the hint."""
        # hints are the course's own texts, so they take nothing of a learner's room
        known = self._hints.get(command)
        return self.text(command) if known is None else self.pools.texts.place(known)

    def diagnosis(self, diagnosis: Diagnosis | UnsetType) -> int | None:
        if not diagnosis:
            return None
        title, explanation = self.text(diagnosis.title), self.text(diagnosis.explanation)
        return self.pools.diagnoses.place([cut(diagnosis.id, LINE), title, explanation])


def _learner(report: Report, summary: Summary, reader: _Reader, rows: Sequence[Learner]) -> dict[str, object]:
    results = {exercise.id: reader.pools.results.place(_result(exercise, reader)) for exercise in report.exercises}
    stamp = report.submission
    return _given_fields(
        id=stamp.id,
        # the people of the roster, or else those whom the platform names
        people=[_names(row.person) for row in rows[:MANY]]
        if summary.roster and rows
        else [[cut(word, LINE) for word in (p.name, p.id, p.email)] for p in (stamp.submitters or ())[:MANY]],
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


def _place(exercise: ExerciseResult) -> tuple[int, ...]:
    """Return the first and the last line that must change, if there is a single place."""
    lines = exercise.repairs.only_place if exercise.repairs else ()
    return (lines[0], lines[-1]) if lines else ()


def _result(exercise: ExerciseResult, reader: _Reader) -> dict[str, object]:
    return _given_fields(
        status=exercise.status,
        score=exercise.score,
        bonus=exercise.bonus,
        message=reader.text(exercise.message),
        file=_line(exercise.file),
        facts=[
            *([reader.text(fact.text), *(fact.lines or ())] for fact in exercise.facts or ()),
            *([reader.text(text), *_place(exercise)] for text in [line_of(exercise)] if text),
        ],
        checks=[_check(exercise, check, reader) for check in exercise.checks],
    )


def _check(exercise: ExerciseResult, check: CheckResult, reader: _Reader) -> int:
    if check.status == "passed" and check.score == check.max_score:
        return 0
    shown = failure(exercise, check)
    detail = _given_fields(
        status=check.status,
        score=check.score,
        line=check.line or None,
        decided=reader.text(decision_on(check)),
        program=reader.text(shown.program),
        compared=_compared(shown.compared),
        message=reader.text(shown.message),
        diagnosis=reader.diagnosis(check.diagnosis),
        hint=reader.hint(shown.hint),
        output=reader.text(shown.output, PRINTED),
    )
    # 0 stands for full marks
    return 1 + reader.pools.details.place(detail)


def _compared(rows: Sequence[Compared]) -> list[list[str]]:
    """Return rows of a label, the learner's answer, a right answer, and `word` if there are several right answers."""
    return [
        [cut(row.label, LINE), cut(row.actual, LINE), cut(row.expected, LINE), "word" if row.one_of_several else ""]
        for row in rows[:MANY]
    ]


def _given_fields(**fields: object) -> dict[str, object]:
    """Drop None and empty lists, but keep 0."""
    return {key: value for key, value in fields.items() if value is not None and value != []}


def _few(lines: Iterable[str], rest: str = "the report") -> list[str]:
    every = list(lines)
    more = [more_text(len(every) - MANY, rest)] if len(every) > MANY else []
    return [cut(line, LINE) for line in every[:MANY]] + more


def _line(text: str | UnsetType) -> str | None:
    return cut(text, LINE) if text else None


# -- The summary on the terminal

_SHOWN = 12
_BAR = 40
_WIDTH = 79
_STATUSES = ("passed", "partial", "failed", "not_started", "missing", "unreadable")


def render_cohort(summary: Summary, *, results: str = "RESULTS", kept: int = 0, color: bool = False) -> str:
    """Return the summary as text: scores, exercises, checks with a note, misconceptions, and reviews.

    A command stays on one line, so that it can be copied. Every other line has at most 79 columns.

    Args:
        results: the folder of results, for the commands that record decisions.
        kept: the number of submissions whose report comes from an earlier run.
        color: whether to use terminal colours.
    """
    scores = summary.scores
    lines = _wrapped(words.headline(plain(summary.title), summary.graded, summary.submissions, kept))
    lines += _wrapped(words.scores(scores.mean, scores.median, summary.max_score, scores.learners))
    lines += [words.part_mean(plain(part.title), part.mean, part.max_score) for part in summary.parts or ()]
    lines += [line for one in summary.for_all for line in _wrapped(words.for_all(plain(decided_text(one))))]
    lines += [""]
    lines += [*_bands(summary), "", *_exercises(summary), *_untried(summary)]
    lines += [*_checks(summary), *_misconceptions(summary), *_grades(summary)]
    lines += [*_people(summary, results), *_reviews(summary, results, color)]
    if summary.beside:
        lines += ["", *_wrapped(words.beside(_some([plain(name) for name in summary.beside])))]
    return "\n".join(lines) + "\n"


def _checks(summary: Summary) -> Iterator[str]:
    """Yield the checks with a note. A single submission has none."""
    noted = [(e, check) for e in summary.exercises if not e.untried for check in e.checks if check.note]
    if noted and summary.graded > 1:
        texts = (words.check(f"{e.number}_{e.id}", plain(c.title), c.note) for e, c in noted[:_SHOWN])
        yield from ("", words.CHECKS, *_items(texts), *_more(len(noted)))


def _grades(summary: Summary) -> Iterator[str]:
    """Yield how many learners have each grade, and the learners near a border."""
    if any(one.grade for one in summary.grades):
        counts = [(plain(one.grade), one.least, one.count) for one in summary.grades]
        yield from ("", *_wrapped(words.grades(counts, plain(summary.graded_part or ""))))
    if summary.borders:
        # a learner may be near two borders, and is named once
        near = dict.fromkeys(f"{plain(border.name or border.id)} ({border.total})" for border in summary.borders)
        yield from ("", *_wrapped(words.borders(_some(list(near)))))


def _reviews(summary: Summary, results: str, color: bool) -> Iterator[str]:
    """Yield what people have to decide, each question once, and the commands that keep every result as it is."""
    if not summary.needs_review:
        return
    yield from ("", colored(words.REVIEW, attrs=["bold"], force_color=color, no_color=not color))
    shown = [(review, reason) for review in summary.needs_review[:_SHOWN] for reason in review.reasons[:_SHOWN]]
    by_question: dict[str, list[tuple[Review, NeedsReview]]] = {}
    # `sorted` keeps the order of equal items, so that the reasons whose commands are complete come first
    for review, reason in sorted(shown, key=lambda one: not is_ready(one[1])):
        by_question.setdefault(review_question(reason), []).append((review, reason))
    kept = any(keep_command(reason, review.id) for review, reason in shown)
    yield from [f"  {words.KEEP}"] if kept else ()
    for question, found in by_question.items():
        yield from _wrapped(question, "  ")
        for review, reason in found:
            yield from _review(review, reason, results)
    every = [reason for review in summary.needs_review for reason in review.reasons]
    yield from _more(len(every), len(shown))
    commands = keep_all_commands(every, results)
    yield from ("", words.KEEP_ALL, *(f"  {plain(command)}" for command in commands)) if commands else ()


def _exercises(summary: Summary) -> Iterator[str]:
    """Yield a table with a row for each exercise."""
    first, *rest = words.COLUMNS
    rows = [(f"{one.number}_{one.id}", [_mean(one), *_counts(one)]) for one in summary.exercises]
    room = max([len(first), *(columns(name) for name, _ in rows)])
    widths = [max(len(word), 7) + 1 for word in rest]
    for name, cells in [(first, list(rest)), *rows]:
        yield padded(name, room) + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _mean(exercise: ExerciseStatistics) -> str:
    return words.NO_MEAN if exercise.untried else f"{exercise.mean:.1f}/{exercise.max_score}"


def _counts(exercise: ExerciseStatistics) -> list[str]:
    return [str(exercise.statuses.get(status, 0)) for status in _STATUSES]


def _untried(summary: Summary) -> Iterator[str]:
    """Yield a text for the exercises without a submission, and one for those without a file that was begun."""
    for kind in ("missing", "not_started"):
        names = [f"{one.number}_{one.id}" for one in summary.exercises if one.untried == kind]
        if names:
            yield from ("", *_wrapped(words.untried(kind, names)))


def _misconceptions(summary: Summary) -> Iterator[str]:
    if not summary.misconceptions:
        return
    yield from ("", words.MISCONCEPTIONS)
    # the example by the name of its learner, because instructors know names and not ids
    names = {submission: one for one in summary.learners for submission in one.submissions}
    for found in summary.misconceptions[:_SHOWN]:
        whose = names.get(found.example)
        example = plain(whose.person.name or whose.id) if whose else plain(found.example)
        yield from _wrapped(words.misconception(found.exercise, plain(found.title), example), f"  {found.count:>5}  ")
    yield from _more(len(summary.misconceptions))


def _review(review: Review, reason: NeedsReview, results: str) -> Iterator[str]:
    """Yield the lines of a reason for a review: the learner and the reason, and the commands that decide it."""
    yield from _wrapped(f"{_who(review)}: {plain(review_text(reason))}", "    ", 4)
    yield f"      {plain(review_command(reason, review.id, results))}"
    keep, again = keep_command(reason, review.id, results), again_command(reason, review.id, results)
    yield from [f"      {plain(keep)}"] if keep else ()
    yield from (f"      {words.AGAIN}", f"      {plain(again)}") if again else ()


def _who(review: Review) -> str:
    """Return the names of a review, followed by the id if it differs."""
    names = plain(", ".join(review.names))
    return f"{names} ({plain(review.id)})" if names and names != review.id else plain(review.id)


def _people(summary: Summary, results: str) -> Iterator[str]:
    """Yield lists of the learners who are absent, late or excused, without a time, and with a decision."""
    ambiguous = {one.id for one in summary.needs_review if any(reason.kind == "ambiguous" for reason in one.reasons)}
    # the id of a learner is shown only if the name is not enough
    counts = Counter(one.person.name for one in summary.learners)
    lists: dict[str, list[str]] = {kind: [] for kind in words.PEOPLE}
    for one in summary.learners:
        name = _name_of(one, counts)
        for kind in _kinds(one, one.id in ambiguous):
            lists[kind].append(words.late(name, one.late_s) if kind == "late" else name)
    for kind, names in lists.items():
        if names:
            yield from ("", *_wrapped(words.people(kind, len(names), _some(names))))
            if kind == "untimed":
                yield from _wrapped(words.UNTIMED_REMEDY, "  ")
                yield f"  {plain(review_command(NeedsReview('late_unknown'), 'LEARNER', results))}"


def _kinds(learner: Learner, ambiguous: bool) -> Iterator[str]:
    """Yield the lists in which a learner is named, as keys of `words.PEOPLE`."""
    kind = "ambiguous" if learner.standing == "unclaimed" and ambiguous else learner.standing
    if kind in words.PEOPLE:
        yield kind
    if learner.late_s:
        yield "late"
    # a decided penalty does not depend on a time
    decided = any(decision.penalty is not None for decision in learner.decisions)
    if learner.standing in ("graded", "unclaimed") and learner.due and not learner.submitted_at and not decided:
        yield "untimed"
    if any(not decision.for_all for decision in learner.decisions):
        yield "decided"


def _name_of(learner: Learner, counts: Mapping[str, int]) -> str:
    """Return a learner's name. The learner's key follows if several learners have this name."""
    name = learner.person.name
    return plain(f"{name} ({learner.id})" if name and counts[name] > 1 else name or learner.id)


def _bands(summary: Summary) -> Iterator[str]:
    """Yield a bar for each tenth of the points. Each `#` is one learner, or several in a large class."""
    bands, most = summary.scores.bands, summary.max_score
    scale = max(1.0, max(bands) / _BAR)
    # rounded up: the first whole number of points that falls into the tenth
    begins = [-(-most * band // len(bands)) for band in range(len(bands))]
    ends = [*(begin - 1 for begin in begins[1:]), most]
    for count, begin, end in zip(bands, begins, ends, strict=True):
        # with under ten points in all, some tenths have no whole number
        if begin <= end:
            yield f"  {begin:>4} to {end:<4} {'#' * math.ceil(count / scale)} {count}"


def _items(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from _wrapped(text, "  ", 4)


def _wrapped(text: str, begin: str = "", indent: int | None = None) -> list[str]:
    """Break a text into lines. The first begins with `begin`. Others are indented by `indent`, or as far as `begin`."""
    left = len(begin) if indent is None else indent
    first, *rest = packed(text.split(" "), _WIDTH - left, _WIDTH - len(begin)) or [""]
    return [begin + first, *(" " * left + line for line in rest)]


def _some(names: Sequence[str]) -> str:
    return few(names, _SHOWN, "more in cohort.json")


def _more(count: int, shown: int = _SHOWN) -> list[str]:
    return [f"  {words.more(count - shown)}"] if count > shown else []
