"""Render a report for a terminal: the first failure in full, one line for each other check."""

import itertools
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from msgspec import UNSET, UnsetType
from termcolor import colored

from ..client import cut
from ..outside import plain
from ..report import CheckResult, ExerciseResult, Report
from ..report.shown import digits, expected_by, first_failure

T = TypeVar("T")
_WIDTH = 78
_TEXT = 10  # where text begins under a status word
_LABEL = 17
_LINES = 10  # lines of a failing check, as a rule
_MOST_LINES = 14  # lines of a failing check, even if parts cannot be shortened
_FILE_LINES = 20  # lines of a message about a whole file
_OUTPUT_LINES = 3
_DIGITS = 28  # characters of two numbers side by side
_FACTS = 2  # fault facts shown
_WORDS = {
    "passed": ("PASS", "green"),
    "partial": ("PARTIAL", "yellow"),
    "failed": ("FAIL", "red"),
    "error": ("ERROR", "red"),
    "timeout": ("TIMEOUT", "red"),
    "crashed": ("CRASHED", "red"),
    "skipped": ("SKIPPED", "yellow"),
    "not_started": ("TODO", "cyan"),
    "missing": ("MISSING", "yellow"),
    "unreadable": ("ERROR", "red"),
    "not_earned": ("BONUS", "cyan"),  # a bonus check that is not passed, in an exercise with full marks
}
_NOT_STARTED = "not started"


def render(report: Report, title: str, *, everything: bool = False, color: bool = False) -> str:
    """Return a report as text.

    Args:
        title: the course's title.
        everything: whether to list every check, and show every failure in full.
        color: whether to use terminal colours.
    """
    paint = _painter(color)
    lines = [plain(title), ""]
    for note in report.notes:
        lines += [*_indented(f"Note: {note}", 0), ""]
    failures = [check for exercise in report.exercises if (check := first_failure(exercise)) is not None]
    in_full = next((check for check in failures if check.status != "not_started"), next(iter(failures), None))
    alone = len(report.exercises) == 1
    for exercise in report.exercises:
        lines.append(_headline(exercise, paint))
        message = _given(exercise.message)
        if message and exercise.status != "not_started":
            said = _indented(message, _TEXT)
            lines += said if len(said) <= _FILE_LINES else [*said[: _FILE_LINES - 1], " " * _TEXT + "…"]
        explained = None
        facts = [fact.text for fact in _given(exercise.facts) or ()]
        for check in exercise.checks:
            if check.status == "skipped":
                continue
            if check.status == "passed":
                if everything or alone:
                    lines.append(_line(check.status, check, paint))
                    lines += _printed(check) if everything else []
                continue
            aside = _not_earned(exercise, check) and not everything
            lines.append(_line("not_earned" if aside else check.status, check, paint))
            if aside:
                continue
            if everything or check is in_full:
                lines += _failure(exercise, check, facts, said=explained)
                explained = check.diagnosis.explanation if check.diagnosis else None
                facts = []
    lines += ["", _total(report)]
    if not everything and sum(c.status not in ("passed", "skipped") for e in report.exercises for c in e.checks) > 1:
        lines.append("The first failure is shown in full; grade --all shows every one.")
    return "\n".join(lines) + "\n"


def headline(exercise: ExerciseResult, *, color: bool = False, title: bool = False) -> str:
    """Return the line of an exercise: status, name, title, points; with `title`, also of one that was not started."""
    return _headline(exercise, _painter(color), title)


def check_lines(exercise: ExerciseResult, *, color: bool = False) -> list[str]:
    """Return the message about an exercise's file, and a line for each check that was run."""
    said = _indented(_given(exercise.message) or "", _TEXT) if exercise.status != "not_started" else []
    checks = [check for check in exercise.checks if check.status != "skipped"]
    paint = _painter(color)
    words = ["not_earned" if _not_earned(exercise, check) else check.status for check in checks]
    return [*said[:_FILE_LINES], *(_line(word, check, paint) for word, check in zip(words, checks, strict=True))]


def explained(exercise: ExerciseResult, check: CheckResult, after: CheckResult | None = None) -> list[str]:
    """Return the lines that explain a failing check, without repeating those of the check `after`."""
    facts = () if after else _given(exercise.facts) or ()
    said = after.diagnosis.explanation if after and after.diagnosis else None
    return _failure(exercise, check, [fact.text for fact in facts], said)


def _painter(color: bool) -> Callable[[str, str], str]:
    return (lambda text, hue: colored(text, hue, force_color=True)) if color else (lambda text, hue: text)


def _not_earned(exercise: ExerciseResult, check: CheckResult) -> bool:
    """Return whether a check is a bonus that is not earned, in an exercise with full marks."""
    return check.bonus and check.status != "passed" and exercise.status == "passed"


def _headline(exercise: ExerciseResult, paint: Callable[[str, str], str], title: bool = False) -> str:
    word, hue = _WORDS[exercise.status]
    name = f"{exercise.number} {exercise.id}"
    text = f"{name:<15} {_NOT_STARTED if exercise.status == 'not_started' and not title else exercise.title}"
    bonus = f" +{exercise.bonus}" if exercise.bonus else ""
    points = f"{exercise.score}/{exercise.max_score}{bonus}"
    return _row(paint(f"{word:<8}", hue), text, points)


def _line(status: str, check: CheckResult, paint: Callable[[str, str], str]) -> str:
    word, hue = _WORDS[status]
    points = f"+{check.score} bonus" if check.bonus else f"{check.score}/{check.max_score}"
    return _row("  " + paint(f"{word:<8}", hue), check.title, points, indent=2)


def _row(word: str, text: str, points: str, indent: int = 0) -> str:
    text, room = plain(text), _WIDTH - 9 - indent - len(points) - 1
    if len(text) > room:
        text = text[: room - 1] + "…"
    return f"{word} {text:<{room}} {points}"


class _Part(NamedTuple):
    """Some lines about a failure.

    If there is too little room, parts are shortened in the order of their `rank`, down to `least`
    lines. A part with the rank None is never shortened.
    """

    lines: list[str]
    rank: int | None = None
    least: int = 0
    from_start: bool = False  # whether to remove lines at the beginning instead of the end


def _failure(exercise: ExerciseResult, check: CheckResult, facts: Sequence[str], said: str | None) -> list[str]:
    """Return the lines below the title of a failing check: as many as fit, with the reason always complete.

    If facts and a misconception do not fit together, the facts are shown, because they are certain.
    """
    lines, fits = _told(_details(exercise, check, facts, said))
    if not fits:
        lines, fits = _told(_details(exercise, check, facts, said, wide=True))
    if not fits and facts and check.diagnosis:
        lines, fits = _told(_details(exercise, check, facts, check.diagnosis.explanation, wide=True))
    if not fits and len(facts) > 1:
        return _failure(exercise, check, facts[:1], said)
    if len(lines) > _MOST_LINES:  # a message of unprintable characters, which are shown as escapes
        *_, hint = lines
        lines = [*lines[: _MOST_LINES - 2], f"{lines[_MOST_LINES - 2][: _WIDTH - 2]} …", hint]
    return lines


def _told(parts: Iterable[_Part]) -> tuple[list[str], bool]:
    """Shorten the parts. Return their lines, and whether they fit."""
    told = [part for part in parts if part.lines]
    too_many = sum(len(part.lines) for part in told) - (_LINES - 1)
    for rank in sorted({part.rank for part in told if part.rank is not None}):
        for at, part in enumerate(told):
            if part.rank == rank and too_many > 0:
                told[at] = _shortened(part, min(too_many, len(part.lines) - part.least))
                too_many -= len(part.lines) - len(told[at].lines)
    return [line for part in told for line in part.lines], too_many <= 0


def _shortened(part: _Part, by: int) -> _Part:
    if by <= 0:
        return part
    if part.from_start or by == len(part.lines):
        return part._replace(lines=part.lines[by:])
    kept = part.lines[:-by]
    last = kept[-1] if len(kept[-1]) <= _WIDTH - 2 else kept[-1][: _WIDTH - 2].rpartition(" ")[0]
    return part._replace(lines=[*kept[:-1], f"{last} …"])


def _details(
    exercise: ExerciseResult, check: CheckResult, facts: Sequence[str], said: str | None, wide: bool = False
) -> Iterator[_Part]:
    indent = " " * (_TEXT + 2)
    program: list[str] = []
    for line in (_given(check.program) or "").splitlines():
        shown = f"{indent}{plain(line)}"
        program += [shown] if len(shown) <= _WIDTH else _wrapped("", line)
    yield _Part(program, rank=1, least=1)
    expected, actual = _given(check.expected) or {}, _given(check.actual) or {}
    whose = expected_by(check)
    pairs = [list(_pair(plain(label), actual.get(label, "nothing"), right, whose)) for label, right in expected.items()]
    yield _Part([line for pair in pairs for line in pair], rank=4, least=len(pairs[0]) if pairs else 0)
    head, *rest = (_given(check.message) or "").splitlines() or [""]
    yield _Part(list(_wrapped("note" if expected else "", head)) if head else [], rank=3 if expected else None)
    own = [line for line in rest if line.startswith("line ")]
    yield _Part([_cut(f"{indent}    {plain(line)}") for line in own], rank=2, least=1, from_start=True)
    yield _Part([part for line in rest if line not in own for part in _indented(line, len(indent) + 4)])
    line_number = check.reason.line if not isinstance(check.reason, UnsetType) else None
    if line_number is not None and not isinstance(exercise.file, UnsetType):
        yield _Part([f"{indent}{_label('at')}{plain(exercise.file)}:{line_number}"], rank=0)
    for fact in facts[:_FACTS]:
        yield _Part(_indented(f"fact: {fact}", len(indent)) if wide else list(_wrapped("fact", fact)))
    if check.diagnosis and check.diagnosis.explanation != said:
        why = check.diagnosis.explanation
        yield _Part(_indented(f"why: {why}", len(indent)) if wide else list(_wrapped("why", why)))
    yield _Part(_printed(check), rank=0)
    yield _Part([f"{indent}{_label('hint')}{plain(_given(check.hint) or f'grade hint {exercise.id}')}"])


def _printed(check: CheckResult) -> list[str]:
    """Return the first lines that a check's code printed. Equal lines in sequence are shown once with a count."""
    groups = itertools.groupby((_given(check.output) or "").splitlines())
    lines = []
    for line, repeats in itertools.islice(groups, _OUTPUT_LINES):
        times = sum(1 for _ in repeats)
        lines.append(f"{' ' * (_TEXT + 2)}printed | {plain(line)[:50]}" + (f"  ({times} times)" if times > 1 else ""))
    return lines


def _label(name: str) -> str:
    return f"{plain(name)[: _LABEL - 1]:<{_LABEL}}"


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def _pair(label: str, yours: float | str, right: float | str, whose: str) -> Iterator[str]:
    indent = " " * (_TEXT + 2)
    if len(label) >= _LABEL:  # on a line of its own
        yield _cut(f"{indent}{label}")
        label = ""
    label = _label(label)
    if isinstance(right, str):
        one, other = f"yours {plain(str(yours))}", f"for example {plain(right)}"
        if len(one) + len(other) + 4 > _WIDTH - len(indent) - _LABEL:
            yield from (_cut(f"{indent}{label}{one}"), _cut(f"{indent}{'':<{_LABEL}}{other}"))
        else:
            yield f"{indent}{label}{one}    {other}"
        return
    shown, true = plain(digits(yours)), digits(right)
    if shown == true:
        shown, true = _apart(yours, right)
    beside = f"    {whose} {true}"
    room = _WIDTH - len(indent) - _LABEL - len("yours ") - len(beside)
    yield f"{indent}{label}yours {cut(shown, room)}{beside}"


def _apart(yours: float | str, right: float) -> tuple[str, str]:
    """Return two numbers with all their digits, or with as many as distinguish them if a line has no room for all."""
    every = repr(yours), repr(right)
    if isinstance(yours, str) or sum(map(len, every)) <= _DIGITS:
        return every
    some = ((f"{yours:.{count}g}", f"{right:.{count}g}") for count in range(7, 18))
    return next(((one, other) for one, other in some if one != other), every)


def _wrapped(label: str, text: str) -> Iterator[str]:
    """Yield a text in lines that fit, with a label before the first one."""
    width = _WIDTH - _TEXT - 2 - _LABEL
    line = ""
    for word in (long[at : at + width] for long in plain(text).split() for at in range(0, len(long), width)):
        if line and len(line) + 1 + len(word) > width + (0 if label else _LABEL):
            yield _placed(label, line)
            label, line = " " if label else "", word
        else:
            line = f"{line} {word}" if line else word
    yield _placed(label, line)


def _placed(label: str, line: str) -> str:
    return " " * (_TEXT + 2) + (f"{label:<{_LABEL}}" if label else "") + line


def _indented(text: str, width: int) -> list[str]:
    return [
        " " * width + part
        for line in text.splitlines()
        for part in textwrap.wrap(plain(line), _WIDTH - width, break_on_hyphens=False) or [""]
    ]


def _total(report: Report) -> str:
    bonus = f" + {report.bonus} bonus" if report.bonus else ""
    return f"Score {report.score}/{report.max_score}{bonus}"


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
