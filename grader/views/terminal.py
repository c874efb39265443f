"""A report as a learner reads it in a terminal: the first failure in full, the rest a line each."""

import itertools
import textwrap
from collections.abc import Callable, Iterator
from typing import TypeVar

from msgspec import UNSET, UnsetType
from termcolor import colored

from ..outside import plain
from ..report import CheckResult, ExerciseResult, Report
from ..report.shown import digits

T = TypeVar("T")
_WIDTH = 78
_TEXT = 10  # where text begins under a status word
_LABEL = 17
_LINES = 10  # a failing check takes at most this many
_FILE_LINES = 20  # and what became of a file
_OUTPUT_LINES = 3
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
}
_NOT_STARTED = "not started"


def render(report: Report, title: str, *, everything: bool = False, color: bool = False) -> str:
    """The report as text. With `everything`, every check is listed and every failure shown in full."""
    paint: Callable[[str, str], str] = (lambda t, c: colored(t, c, force_color=True)) if color else (lambda t, c: t)
    lines = [plain(title), ""]
    for note in report.notes:
        lines += [*_indented(f"Note: {note}", 0), ""]
    first = True
    alone = len(report.exercises) == 1
    for exercise in report.exercises:
        lines.append(_headline(exercise, paint))
        message = _given(exercise.message)
        if message and exercise.status != "not_started":
            said = _indented(message, _TEXT)
            lines += said if len(said) <= _FILE_LINES else [*said[: _FILE_LINES - 1], " " * _TEXT + "…"]
        explained = None
        for check in exercise.checks:
            if check.status == "skipped":
                continue
            if check.status == "passed":
                if everything or alone:
                    lines.append(_line(check.status, check.title, check.score, check, paint))
                continue
            lines.append(_line(check.status, check.title, check.score, check, paint))
            if first or everything:
                lines += _failure(exercise, check, said=explained)
                explained = check.diagnosis.explanation if check.diagnosis else None
            first = False
    lines += ["", _total(report)]
    if not everything and sum(c.status not in ("passed", "skipped") for e in report.exercises for c in e.checks) > 1:
        lines.append("The first failure is shown in full; grade --all shows every one.")
    return "\n".join(lines) + "\n"


def _headline(exercise: ExerciseResult, paint: Callable[[str, str], str]) -> str:
    word, hue = _WORDS[exercise.status]
    name = f"{exercise.number} {exercise.id}"
    text = f"{name:<15} {_NOT_STARTED if exercise.status == 'not_started' else exercise.title}"
    bonus = f" +{exercise.bonus}" if exercise.bonus else ""
    points = f"{exercise.score}/{exercise.max_score}{bonus}"
    return _row(paint(f"{word:<8}", hue), text, points)


def _line(status: str, title: str, score: int, check: CheckResult, paint: Callable[[str, str], str]) -> str:
    word, hue = _WORDS[status]
    points = f"+{score} bonus" if check.bonus else f"{score}/{check.max_score}"
    return _row("  " + paint(f"{word:<8}", hue), title, points, indent=2)


def _row(word: str, text: str, points: str, indent: int = 0) -> str:
    text, room = plain(text), _WIDTH - 9 - indent - len(points) - 1
    if len(text) > room:
        text = text[: room - 1] + "…"
    return f"{word} {text:<{room}} {points}"


def _failure(exercise: ExerciseResult, check: CheckResult, said: str | None) -> Iterator[str]:
    lines = list(_details(exercise, check, said))
    if len(lines) > _LINES - 1:  # its own row is one; the hint, last, stays
        lines = [*lines[: _LINES - 3], " " * (_TEXT + 2) + "…", lines[-1]]
    return iter(lines)


def _details(exercise: ExerciseResult, check: CheckResult, said: str | None) -> Iterator[str]:
    indent = " " * (_TEXT + 2)
    program = _given(check.program)
    if program:
        for line in program.splitlines():
            shown = f"{indent}{plain(line)}"
            yield from [shown] if len(shown) <= _WIDTH else _wrapped("", line)
    expected, actual = _given(check.expected) or {}, _given(check.actual) or {}
    for label, right in expected.items():
        yield from _pair(_label(label), actual.get(label, "nothing"), right)
    message = _given(check.message)
    if message:
        head, *rest = message.splitlines()
        yield from _wrapped("note" if expected else "", head)
        for line in rest:  # the learner's own lines may be cut, what explains them not
            own = line.startswith("line ")
            yield from [_cut(f"{indent}    {plain(line)}")] if own else _indented(line, len(indent) + 4)
    if check.diagnosis and check.diagnosis.explanation != said:
        yield from _wrapped("why", check.diagnosis.explanation)
    output = _given(check.output)
    if output:
        for line, repeats in itertools.islice(itertools.groupby(output.splitlines()), _OUTPUT_LINES):
            times = sum(1 for _ in repeats)
            yield f"{indent}printed | {plain(line)[:50]}" + (f"  ({times} times)" if times > 1 else "")
    yield f"{indent}{_label('hint')}{plain(_given(check.hint) or f'grade hint {exercise.id}')}"


def _label(name: str) -> str:
    return f"{plain(name)[: _LABEL - 1]:<{_LABEL}}"


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def _pair(label: str, yours: float | str, right: float | str) -> Iterator[str]:
    indent = " " * (_TEXT + 2)
    if isinstance(right, str):
        one, other = f"yours {plain(str(yours))}", f"for example {plain(right)}"
        if len(one) + len(other) + 4 > _WIDTH - len(indent) - _LABEL:
            yield from (_cut(f"{indent}{label}{one}"), _cut(f"{indent}{'':<{_LABEL}}{other}"))
        else:
            yield f"{indent}{label}{one}    {other}"
        return
    shown, true = plain(digits(yours)), digits(right)
    if shown == true:
        shown, true = repr(yours), repr(right)
    yield f"{indent}{label}yours {shown}    torch {true}"


def _wrapped(label: str, text: str) -> Iterator[str]:
    """Text in lines that fit, the first one behind a label."""
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
