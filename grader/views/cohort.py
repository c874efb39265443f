"""The summary of a class, for the terminal."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from termcolor import colored

from ..base import few, plain
from ..base.text import columns, packed, padded
from ..cohort import ExerciseStatistics, Review, Summary
from ..learners import Learner, NeedsReview
from ..words import instructor as words
from ..words.instructor import keep_all_commands, keep_command, review_command

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
    lines += [words.scores(scores.mean, scores.median, summary.max_score)]
    lines += [words.part_mean(plain(part.title), part.mean, part.max_score) for part in summary.parts or ()]
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
        yield from ("", *_wrapped(words.grades([(plain(one.grade), one.least, one.count) for one in summary.grades])))
    if summary.borders:
        near = dict.fromkeys(f"{plain(border.name or border.id)} ({border.total})" for border in summary.borders)
        yield from ("", *_wrapped(words.borders(_some(list(near)))))


def _reviews(summary: Summary, results: str, color: bool) -> Iterator[str]:
    """Yield what people have to decide, and the commands that keep every result as it is."""
    if not summary.needs_review:
        return
    yield from ("", colored(words.REVIEW, attrs=["bold"], force_color=color, no_color=not color))
    for review in summary.needs_review[:_SHOWN]:
        yield from _review(review, results)
    yield from _more(len(summary.needs_review))
    every = keep_all_commands((one for review in summary.needs_review for one in review.reasons), results)
    yield from ("", words.KEEP_ALL, *(f"  {plain(command)}" for command in every)) if every else ()


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
    """Yield lines that name the exercises which nobody submitted, and those which nobody began."""
    for kind in ("missing", "not_started"):
        names = [f"{one.number}_{one.id}" for one in summary.exercises if one.untried == kind]
        if names:
            yield from ("", *_wrapped(words.untried(kind, names)))


def _misconceptions(summary: Summary) -> Iterator[str]:
    if not summary.misconceptions:
        return
    yield from ("", words.MISCONCEPTIONS)
    names = {submission: one for one in summary.learners for submission in one.submissions}
    for found in summary.misconceptions[:_SHOWN]:
        whose = names.get(found.example)
        example = plain(whose.person.name or whose.id) if whose else plain(found.example)
        yield from _wrapped(words.misconception(found.exercise, plain(found.title), example), f"  {found.count:>5}  ")
    yield from _more(len(summary.misconceptions))


def _review(review: Review, results: str) -> Iterator[str]:
    """Yield the lines of a review: the learner, and each reason with its question and the command that decides it."""
    for reason, text, question in list(zip(review.reasons, review.texts, review.questions, strict=True))[:_SHOWN]:
        yield from _wrapped(f"{_who(review)}: {plain(text)}", "  ", 4)
        yield from _wrapped(plain(question), "      ")
        yield f"      {plain(review_command(reason, review.id, results))}"
        keep = keep_command(reason, review.id, results)
        yield from (f"      {words.KEEP}", f"      {plain(keep)}") if keep else ()
    yield from _more(len(review.reasons))


def _who(review: Review) -> str:
    """Return the names of a review, followed by the id if it differs."""
    names = plain(", ".join(review.names))
    return f"{names} ({plain(review.id)})" if names and names != review.id else plain(review.id)


def _people(summary: Summary, results: str) -> Iterator[str]:
    """Yield lists of the learners who are absent, late or excused, without a time, and with a decision."""
    ambiguous = {one.id for one in summary.needs_review if any(reason.kind == "ambiguous" for reason in one.reasons)}
    counts = Counter(one.person.name for one in summary.learners)
    lists: dict[str, list[str]] = {kind: [] for kind in words.PEOPLE}
    for one in summary.learners:
        name = _called(one, counts)
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
    decided = any(decision.penalty is not None for decision in learner.decisions)
    if learner.standing in ("graded", "unclaimed") and learner.due and not learner.submitted_at and not decided:
        yield "untimed"
    if learner.decisions:
        yield "decided"


def _called(learner: Learner, counts: Mapping[str, int]) -> str:
    """Return a learner's name. The learner's key follows if several learners have this name."""
    name = learner.person.name
    return plain(f"{name} ({learner.id})" if name and counts[name] > 1 else name or learner.id)


def _bands(summary: Summary) -> Iterator[str]:
    """Yield a bar for each tenth of the points. Each `#` is one submission, or several in a large class."""
    bands, most = summary.scores.bands, summary.max_score
    scale = max(1.0, max(bands) / _BAR)
    begins = [-(-most * band // len(bands)) for band in range(len(bands))]
    ends = [*(begin - 1 for begin in begins[1:]), most]
    for count, begin, end in zip(bands, begins, ends, strict=True):
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


def _more(count: int) -> list[str]:
    return [f"  {words.more(count - _SHOWN)}"] if count > _SHOWN else []
