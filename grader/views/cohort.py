"""The summary of a class, for the terminal."""

from collections import Counter
from collections.abc import Sequence

from termcolor import colored

from ..cohort import Review, Summary
from ..outside import few, plain
from ..report.person import Learner
from ..words.durations import duration_text
from ..words.instructor import review_command

_SHOWN = 12
_BAR = 40


def render_cohort(summary: Summary, *, results: str = "RESULTS", kept: int = 0, color: bool = False) -> str:
    """Return the summary as text: scores, exercises, checks with a note, misconceptions, and reviews.

    Args:
        results: the folder of results, for the commands that decide about a review.
        kept: the number of submissions whose report is from an earlier run.
        color: whether to use terminal colours.
    """
    lines = [_headline(summary, kept), ""]
    lines += _bands(summary)
    lines += ["", f"{'exercise':<18} {'mean':>9}   passed  partial   failed  not started  missing  unreadable"]
    for exercise in summary.exercises:
        counts = exercise.statuses
        done = "".join(f"{counts.get(status, 0):>9}" for status in ("passed", "partial", "failed"))
        rest = f"{counts.get('not_started', 0):>13}{counts.get('missing', 0):>9}{counts.get('unreadable', 0):>12}"
        mean = f"{exercise.mean:.1f}/{exercise.max_score}"
        name = f"{exercise.number}_{exercise.id}"
        lines.append(f"{name:<18} {mean:>9} {done}{rest}")
    noted = [(e, check) for e in summary.exercises for check in e.checks if check.note]
    if noted and summary.graded > 1:
        lines += ["", "Checks with a note"]
        lines += [f"  {e.number}_{e.id}, {plain(c.title)}: {c.note} ({c.passed})" for e, c in noted[:_SHOWN]]
        lines += _more(len(noted), "cohort.json")
    if summary.misconceptions:
        lines += ["", "Misconceptions"]
        lines += [
            f"  {m.count:>5}  {m.exercise}: {plain(m.title)}  (as in {plain(m.example)})"
            for m in summary.misconceptions[:_SHOWN]
        ]
        lines += _more(len(summary.misconceptions), "cohort.json")
    if any(one.grade for one in summary.grades):
        counted = ", ".join(f"{plain(one.grade) or 'below'} {one.count}" for one in summary.grades)
        lines += ["", f"Grades: {counted}"]
    if summary.borders:
        near = dict.fromkeys(f"{plain(border.name or border.id)} ({border.total})" for border in summary.borders)
        lines += ["", f"One small check from a grade's border: {_some(list(near))}"]
    lines += _people(summary)
    if summary.needs_review:
        lines += ["", colored("Needs review", attrs=["bold"], force_color=color, no_color=not color)]
        for review in summary.needs_review[:_SHOWN]:
            more = f" (and {len(review.texts) - 1} more)" if len(review.texts) > 1 else ""
            lines.append(f"  {_who(review)}: {plain(review.texts[0])}{more}")
            command = review_command(review.reasons[0], review.id, results)
            lines.append(f"      {plain(review.questions[0])}  {plain(command)}")
        lines += _more(len(summary.needs_review), "cohort.json")
    if summary.beside:
        lines += ["", f"Not part of any submission: {_some([plain(name) for name in summary.beside])}"]
    return "\n".join(lines) + "\n"


def _who(review: Review) -> str:
    """Return the names of a review, with the id where it says more."""
    names = plain(", ".join(review.names))
    return f"{names} ({plain(review.id)})" if names and names != review.id else plain(review.id)


def _people(summary: Summary) -> list[str]:
    """Return lines on people: who is absent, late or excused, and for whom somebody decided."""
    counted = Counter(one.person.name for one in summary.learners)

    def called(one: Learner) -> str:
        """Return a name, with the key of a learner whose name is not theirs alone."""
        name = one.person.name
        return plain(f"{name} ({one.id})" if name and counted[name] > 1 else name or one.id)

    ambiguous = {one.id for one in summary.needs_review if any(reason.kind == "ambiguous" for reason in one.reasons)}
    unclaimed = _standing(summary, "unclaimed")
    decided = [one for one in summary.learners if one.decisions]
    lists = (
        ("Submitted nothing", [called(one) for one in _standing(summary, "absent")]),
        ("Not in the roster", [called(one) for one in unclaimed if one.id not in ambiguous]),
        ("Ambiguous in the roster", [called(one) for one in unclaimed if one.id in ambiguous]),
        ("Excused", [called(one) for one in _standing(summary, "excused")]),
        ("Late", [f"{called(one)} by {duration_text(one.late_s)}" for one in summary.learners if one.late_s]),
        ("With decisions in overrides.yaml", [called(one) for one in decided]),
    )
    return [line for title, names in lists if names for line in ("", f"{title} ({len(names)}): {_some(names)}")]


def _standing(summary: Summary, standing: str) -> list[Learner]:
    return [one for one in summary.learners if one.standing == standing]


def _headline(summary: Summary, kept: int) -> str:
    submissions = "submission" if summary.submissions == 1 else "submissions"
    parts = [f"{summary.graded} of {summary.submissions} {submissions} graded"]
    if kept:
        parts.append(f"{kept} of them in an earlier run")
    scores = summary.scores
    parts.append(f"mean {scores.mean:.1f}, median {scores.median:g} of {summary.max_score}")
    return f"{plain(summary.title)}: " + ", ".join(parts)


def _bands(summary: Summary) -> list[str]:
    bands = summary.scores.bands
    most = max(bands) or 1
    width = summary.max_score / len(bands)
    return [
        f"  {round(i * width):>4} to {round((i + 1) * width):<4} {'#' * round(_BAR * count / most)} {count}"
        for i, count in enumerate(bands)
    ]


def _some(names: Sequence[str]) -> str:
    return few(names, _SHOWN, "more in cohort.json")


def _more(count: int, where: str) -> list[str]:
    return [f"  and {count - _SHOWN} more in {where}"] if count > _SHOWN else []
