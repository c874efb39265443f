"""The feedback for one learner as text: the result, a line for each exercise, and the failures with their reasons."""

from collections.abc import Iterable, Iterator, Mapping

from ..report import CheckResult, ExerciseResult, Report
from ..report.decisions import decision_on
from ..words.feedback import COMMENT, DECISIONS, FACT, HINT, MISCONCEPTION, NOTES
from .terminal import PLAIN, check_line, compared_lines, file_lines, headline
from .told import reasons_of, result_of

_WIDTH = PLAIN.prose
_TEXT = len(MISCONCEPTION) + 4  # the column where text begins beside a label


def feedback_text(told: Report, title: str, hints: Mapping[str, str]) -> str:
    """Return the feedback for a learner.

    Args:
        told: the report without what the course hides from learners.
        title: the course's title.
        hints: the texts of hints, by the command that shows them.
    """
    result = result_of(told)
    lines = [PLAIN.clean(title), "", *PLAIN.wrap(result.headline, _WIDTH), *_wrapped(result.sentences)]
    if result.comment:
        lines += ["", COMMENT, *(f"  {line}" for line in _wrapped(result.comment.splitlines(), _WIDTH - 2))]
    for heading, items in ((DECISIONS, result.decisions), (NOTES, told.notes)):
        if items:
            lines += ["", heading, *(line for item in items for line in _item(item))]
    lines.append("")
    for exercise in told.exercises:
        lines += [headline(exercise), *file_lines(exercise)]
    for exercise in told.exercises:
        lines += _exercise(exercise, hints)
    return "\n".join(lines) + "\n"


def _exercise(exercise: ExerciseResult, hints: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines about an exercise if a check of it failed or has a decision."""
    checks = [line for check in exercise.checks for line in _check(exercise, check)]
    if not checks:
        return
    yield from ("", "", headline(exercise))
    reasons = reasons_of(exercise, hints)
    for fact in reasons.facts:
        yield from _labelled(FACT, fact)
    for name, explanation in reasons.misconceptions:
        yield from _labelled(MISCONCEPTION, f"{name}.")
        yield from _labelled("", explanation)
    for hint in reasons.hints:
        yield from _labelled(HINT, hint)
    yield from checks


def _check(exercise: ExerciseResult, check: CheckResult) -> Iterator[str]:
    """Yield the lines about a check if it failed or has a decision."""
    if check.status == "skipped" or (check.status == "passed" and not check.decided):
        return
    yield ""
    yield check_line(check)
    if check.decided:
        yield from (f"            {line}" for line in PLAIN.wrap(decision_on(check), _WIDTH - 12))
    if check.status != "passed":
        yield from compared_lines(exercise, check)


def _wrapped(texts: Iterable[str], room: int = _WIDTH) -> list[str]:
    return [line for text in texts for line in PLAIN.wrap(text, room) or [""]]


def _item(text: str) -> Iterator[str]:
    first, *rest = PLAIN.wrap(text, _WIDTH - 2) or [""]
    yield f"- {first}"
    yield from (f"  {line}" for line in rest)


def _labelled(label: str, text: str) -> Iterator[str]:
    """Break a text into lines, and yield them with a label before the first one."""
    begin = f"  {label}".ljust(_TEXT)
    for line in _wrapped(text.splitlines(), _WIDTH - _TEXT):
        yield begin + line
        begin = " " * _TEXT
