"""Render a report for a terminal: a line for each check, and below them the first failure in full."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ..base.style import Style, columns, packed, padded
from ..client import cut
from ..remarks import StartingFrom
from ..report import CheckResult, ExerciseResult, Report
from ..report.shown import all_command, digits, expected_by, facts_of, first_failure, play_command, unloaded, where
from ..words import practice as words

T = TypeVar("T")
_TEXT = 10  # the column where text begins under a status word
_LABEL = 17
_LINES = 10  # the usual maximum of lines for a failing check
_MOST_LINES = 14  # the maximum of lines for a failing check if parts cannot be shortened
_FILE_LINES = 20  # lines of a message about a whole file
_PROGRAM_LINES = 9  # lines of a program that is shown in full
_OUTPUT_LINES = 3  # printed lines shown
_MOST_OUTPUT = 20  # printed lines shown with `--all`
_RANKS = 5
_NUMBERS = 4  # the rank of numbers, the last parts to be shortened
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
    "not_earned": ("BONUS", "cyan"),  # a bonus check that did not pass, in an exercise with full marks
}
_OWN_LINE = re.compile(r"(cell \d+, )?line \d+: ")  # the start of a message line that quotes the learner's file
_NOT_STARTED = "not started"
_MISSED_BONUS = "not earned"
PLAIN = Style()


def render(report: Report, title: str, *, everything: bool = False, style: Style = PLAIN) -> str:
    """Return a report as text.

    The explanation of the first failure comes after the lines of all checks, so that it is visible at the bottom of the
    screen. If `everything` is true, every check is listed, and each failure is explained below its line.

    Args:
        title: the course's title.
    """
    lines = [style.cut(style.clean(title), style.width), ""]
    for note in report.notes:
        lines += [*_indented(f"Note: {note}", 0, style), ""]
    at, in_full = shown_in_full(report)
    alone = len(report.exercises) == 1
    for exercise in report.exercises:
        lines.append(headline(exercise, style))
        lines += _said(exercise, style)
        for check in exercise.checks:
            if check.status != "skipped" and (everything or alone or check.status != "passed"):
                aside = _not_earned(exercise, check) and not everything
                lines.append(_line("not_earned" if aside else check.status, check, style))
                if everything:
                    lines += _in_place(exercise, check, style)
        lines += observed(exercise, style) if everything else []
    if at is not None and in_full is not None and not everything and not _not_earned(at, in_full):
        explanation = explained(at, in_full, style=style)
        lines += ["", _explained_line(at, in_full, style, alone), *explanation]
        lines += observed(at, style, explanation)
    lines += ["", _total(report)]
    failures = [(e, c) for e in report.exercises for c in e.checks if c.status not in ("passed", "skipped")]
    if not everything and failures and all(_not_earned(e, c) for e, c in failures):
        lines += style.wrap(words.MISSED_BONUS, style.prose)
    elif not everything and at is not None and in_full is not None:
        whole, more = _is_whole(at, in_full, style), len(failures) > 1
        text = (words.FIRST_IN_FULL if whole else words.FIRST_IN_PART) if more else "" if whole else words.IN_PART
        lines += style.wrap(text, style.prose) if text else []
    return "\n".join(lines) + "\n"


def shown_in_full(report: Report) -> tuple[ExerciseResult | None, CheckResult | None]:
    """Return the failure that a report explains, and its exercise.

    This is the first failure in code that the learner has begun to fill in. Failures that cost points come before a
    bonus that was not earned.
    """
    exercises = sorted(report.exercises, key=lambda one: one.status == "passed")
    failures = [(one, check) for one in exercises if (check := first_failure(one)) is not None]
    begun = ((one, check) for one, check in failures if check.status != "not_started")
    return next(begun, next(iter(failures), (None, None)))


def at_hand(report: Report) -> tuple[ExerciseResult | None, CheckResult | None]:
    """Return the exercise to work on next, and the check that fails in it.

    This is the failure that is explained. If an earlier file could not be loaded or read, it is that file's exercise,
    without a check.
    """
    at, check = shown_in_full(report)
    begun = check is not None and check.status != "not_started"
    for exercise in report.exercises:
        if begun and exercise is at:
            break
        if unloaded(exercise):
            return exercise, None
    return at, check


def headline(exercise: ExerciseResult, style: Style = PLAIN, *, title: bool = False) -> str:
    """Return the line of an exercise: status, name, title and points. `title` shows the title even before a start."""
    name = f"{exercise.number} {exercise.id}"
    text = f"{name:<15} {_NOT_STARTED if exercise.status == 'not_started' and not title else exercise.title}"
    bonus = f" +{exercise.bonus}" if exercise.bonus else ""
    return _row(exercise.status, text, f"{exercise.score}/{exercise.max_score}{bonus}", style)


def status_word(status: str) -> str:
    """Return the word for the status of an exercise or a check, such as `PASS`."""
    return _WORDS[status][0]


def check_line(check: CheckResult, style: Style = PLAIN) -> str:
    """Return the line of a check: status, title and points."""
    return _line(check.status, check, style)


def file_lines(exercise: ExerciseResult, style: Style = PLAIN) -> list[str]:
    """Return the lines of the message about an exercise's file."""
    return _said(exercise, style)


def check_lines(exercise: ExerciseResult, style: Style = PLAIN) -> list[str]:
    """Return the lines of the message about an exercise's file, and a line for each check that was run."""
    checks = [check for check in exercise.checks if check.status != "skipped"]
    words = ["not_earned" if _not_earned(exercise, check) else check.status for check in checks]
    said = _said(exercise, style)
    return [*said, *(_line(word, check, style) for word, check in zip(words, checks, strict=True))]


def explained(
    exercise: ExerciseResult, check: CheckResult, after: CheckResult | None = None, style: Style = PLAIN
) -> list[str]:
    """Return the lines that explain a failing check, without repeating the explanation of the check `after`."""
    facts = facts_of(exercise, check)
    said = after.diagnosis.explanation if after and after.diagnosis else None
    return _failure(exercise, check, [fact.text for fact in facts], said, style)


def _is_whole(exercise: ExerciseResult, check: CheckResult, style: Style) -> bool:
    """Return whether the explanation of a failing check has every word that `grade --all` shows, besides the replay."""
    bare = replace(check, play=UNSET)
    facts = [fact.text for fact in facts_of(exercise, check)]
    whole = _failure(exercise, bare, facts, None, style, whole=True)
    shown = explained(exercise, check, style=style)
    kept, every = (Counter(word.strip(",:") for line in lines for word in line.split()) for lines in (shown, whole))
    return set(every - kept) <= {"yours", "expected", "torch"}  # words that several numbers may share


def observed(exercise: ExerciseResult, style: Style = PLAIN, below: Sequence[str] = ()) -> list[str]:
    """Return the fault facts that explain no failure of an exercise.

    Return nothing if there is too little room for them `below` the explanation of a failure.
    """
    facts = facts_of(exercise, None)
    if not facts or exercise.status == "passed":
        return []
    page = _Page(style)
    lines = page.indented(words.OBSERVED)
    for fact in facts:
        lines += page.labelled("fact", fact.text)
    return lines if not below or len(below) + len(lines) < _LINES else []


def compared_lines(exercise: ExerciseResult, check: CheckResult, style: Style = PLAIN) -> list[str]:
    """Return all details of a failing check, without facts, misconception, hint and commands."""
    page = _Page(style, whole=True, bounded=False)
    bare = replace(check, diagnosis=UNSET, hint=UNSET, play=UNSET)
    return [line for part in page.details(exercise, bare, (), None) for line in part.lines]


def _explained_line(exercise: ExerciseResult, check: CheckResult, style: Style, alone: bool) -> str:
    word, hue = _WORDS[check.status]
    title = check.title if alone else f"{exercise.number} {exercise.id}: {check.title}"
    return f"{style.paint(f'{word:<8}', hue)} {style.cut(style.clean(title), style.width - 9)}"


def _in_place(exercise: ExerciseResult, check: CheckResult, style: Style) -> list[str]:
    """Return the lines below the line of a check if everything is shown. Earlier explanations are not repeated."""
    if check.status == "passed":
        return _printed(check, style)[:_OUTPUT_LINES]
    before = list(itertools.takewhile(lambda one: one is not check, exercise.checks))
    failed = [one for one in before if one.status not in ("passed", "skipped")]
    if check.status == "not_started" and any(_same_place(check, one) for one in failed):
        return []
    facts = [fact.text for fact in facts_of(exercise, check)]
    said = next((one.diagnosis.explanation for one in reversed(failed[-1:]) if one.diagnosis), None)
    return _failure(exercise, check, facts, said, style, whole=True)


def _same_place(check: CheckResult, other: CheckResult) -> bool:
    """Return whether two checks reached the same code that still has to be filled in."""
    lines = [one.reason.line if one.reason else None for one in (check, other)]
    return other.status == check.status and lines[0] == lines[1]


def _said(exercise: ExerciseResult, style: Style) -> list[str]:
    """Return the lines of the message about an exercise's file."""
    message = _given(exercise.message)
    if not message or exercise.status == "not_started":
        return []
    indent = 4 if style.narrow else _TEXT
    said = _indented(message, indent, style)
    return said if len(said) <= _FILE_LINES else [*said[: _FILE_LINES - 1], " " * indent + style.ellipsis]


def _not_earned(exercise: ExerciseResult, check: CheckResult) -> bool:
    """Return whether a check is a bonus that was not earned, in an exercise with full marks."""
    return check.bonus and check.status != "passed" and exercise.status == "passed"


def _line(status: str, check: CheckResult, style: Style) -> str:
    points = f"+{check.score} bonus" if check.bonus else f"{check.score}/{check.max_score}"
    if status == "not_earned":
        points = _MISSED_BONUS
    return _row(status, check.title, points, style, indent=2)


def _row(status: str, text: str, points: str, style: Style, indent: int = 0) -> str:
    word, hue = _WORDS[status]
    room = style.prose - 9 - indent - len(points) - 1
    shown = padded(style.cut(style.clean(text), room), room)
    return f"{' ' * indent}{style.paint(f'{word:<8}', hue)} {shown} {points}"


class _Part(NamedTuple):
    """Some lines about a failure.

    If there is too little room, parts are shortened to as few as `least` lines, in the order of `rank`.
    A part whose rank is None is never shortened.
    """

    lines: list[str]
    rank: int | None = None
    least: int = 0
    from_start: bool = False  # whether to remove lines at the beginning instead of the end
    brief: Sequence[str] = ()  # what replaces the lines if they have to be shortened, and is itself left out at rank 2


def _failure(
    exercise: ExerciseResult,
    check: CheckResult,
    facts: Sequence[str],
    said: str | None,
    style: Style,
    *,
    whole: bool = False,
) -> list[str]:
    """Return the lines below the title of a failing check: as many as fit, with a complete reason.

    If facts and a misconception do not fit together, the misconception is shown with fewer facts. If it does not fit
    even without facts, it is left out. If `whole` is true, all facts, the misconception and the program are complete.
    """
    page = _Page(style, whole)
    facts = facts if whole else facts[:_FACTS]
    lines, fits = page.fitted(exercise, check, facts, said)
    if check.play and not whole and (not fits or len(lines) >= page.lines):  # the reason matters more than the replay
        check = replace(check, play=UNSET)
        lines, fits = page.fitted(exercise, check, facts, said)
    why = check.diagnosis.explanation if check.diagnosis and check.diagnosis.explanation != said else None
    fewer = [(facts[:count], said) for count in range(len(facts) - 1, -1, -1)] if why else []
    alone = [(facts[:count], why or said) for count in range(len(facts), 0, -1)]
    for some, known in [] if whole else [*fewer, *alone]:
        if not fits:
            lines, fits = page.fitted(exercise, check, some, known)
    most = page.most + (page.reasons if whole else 0)
    if len(lines) > most:  # a message of unprintable characters, which are shown as long escapes
        at = most - (3 if check.play else 2)
        commands = lines[at + 1 - most :]
        lines = [*lines[:at], f"{_shorter(lines[at], style)} {style.ellipsis}", *commands]
    return lines


class _Page:
    """The layout of an explanation. It is indented and has a column of labels, both narrower in a narrow terminal."""

    def __init__(self, style: Style, whole: bool = False, bounded: bool = True) -> None:
        self.style = style
        self.whole = whole
        self.bounded = bounded  # whether to shorten programs and name the command for a hint
        self.indent = " " * (4 if style.narrow else _TEXT + 2)
        self.label_width = 9 if style.narrow else _LABEL
        scale = 2 if style.narrow else 1
        self.lines = scale * _LINES
        self.most = scale * _MOST_LINES
        self.reasons = 0  # the lines of facts and misconception, for which there is additional room in a whole page
        self.cut_numbers = False  # whether there was too little room for all numbers in the last explanation
        self.grown = False  # whether `most` already includes the room for a program that is shown in full

    def fitted(
        self, exercise: ExerciseResult, check: CheckResult, facts: Sequence[str], said: str | None
    ) -> tuple[list[str], bool]:
        """Return the lines of an explanation and whether they fit.

        Numbers share a line, and reasons use the full width, only if something would be left out otherwise.
        """
        fitting: list[str] | None = None
        for wide in (False, True):
            for joined in (False, True):
                lines, fits = self.told(self.details(exercise, check, facts, said, wide, joined))
                if self.whole or (fits and not self.cut_numbers):
                    return lines, fits
                fitting = lines if fits and fitting is None else fitting
        return (lines, False) if fitting is None else (fitting, True)

    def told(self, parts: Iterable[_Part]) -> tuple[list[str], bool]:
        """Shorten the parts. Return their lines and whether they fit."""
        told = [part for part in parts if part.lines]
        room = self.lines - 1 + (max(0, len(told[0].lines) - 2) + self.reasons if self.whole and told else 0)
        too_many = sum(len(part.lines) for part in told) - room
        self.cut_numbers = False
        for rank in range(_RANKS):
            for at, part in enumerate(told):
                if part.rank == rank and too_many > 0 and part.brief:
                    told[at] = _Part(list(part.brief), rank=2)
                    too_many -= len(part.lines) - len(told[at].lines)
                elif part.rank == rank and too_many > 0:
                    self.cut_numbers |= rank == _NUMBERS
                    told[at] = _shortened(part, min(too_many, len(part.lines) - part.least), self.style)
                    too_many -= len(part.lines) - len(told[at].lines)
        return [line for part in told for line in part.lines], too_many <= 0

    def details(
        self,
        exercise: ExerciseResult,
        check: CheckResult,
        facts: Sequence[str],
        said: str | None,
        wide: bool = False,
        joined: bool = False,
    ) -> Iterator[_Part]:
        style, indent = self.style, self.indent
        unfilled = check.status == "not_started"
        program = [f"{indent}{part}" for part in self.program(_given(check.program) or "")]
        if self.whole and self.bounded and len(program) > _PROGRAM_LINES:
            program = [*program[: _PROGRAM_LINES - 1], f"{indent}{style.ellipsis}"]
        self.most += max(0, len(program) - 1) if self.whole and not unfilled and not self.grown else 0
        self.grown = True
        yield _Part([] if unfilled else program, rank=1, least=len(program) if self.whole else 1)
        expected, actual = _given(check.expected) or {}, _given(check.actual) or {}
        pairs = [
            list(
                self.pair(
                    label,
                    actual.get(label, "nothing"),
                    right,
                    expected_by(check, one_of_several=isinstance(right, str)),
                )
            )
            for label, right in expected.items()
        ]
        if joined and (line := self.joined(expected, actual, expected_by(check, one_of_several=False))):
            pairs = [[line]]
        yield _Part([line for pair in pairs for line in pair], rank=_NUMBERS, least=len(pairs[0]) if pairs else 0)
        head, *rest = (_given(check.message) or "").splitlines() or [""]
        started = any(isinstance(remark, StartingFrom) for remark in _given(check.remarks) or ())
        cut_with = 3 if expected and not started else None  # numbers are unclear without the gradients they start from
        yield _Part(self.labelled("note" if expected else "", head) if head else [], rank=cut_with)
        line_number = (check.line or check.reason.line) if not isinstance(check.reason, UnsetType) else None
        placed = line_number is not None and not isinstance(exercise.file, UnsetType)
        own = [line for line in rest if _OWN_LINE.match(line)]
        quoted = [style.cut(f"{indent}    {style.clean(line)}", style.width) for line in own]
        yield _Part([] if unfilled and placed else quoted, rank=2, least=1, from_start=True)
        yield _Part([part for line in rest if line not in own for part in _indented(line, len(indent) + 4, style)])
        if placed:
            yield _Part([f"{indent}{self.label('at')}{style.clean(where(exercise, line_number))}"], rank=0)
        reasons = [("fact", fact) for fact in facts]
        if check.diagnosis and check.diagnosis.explanation != said:
            reasons.append(("why", check.diagnosis.explanation))
        shown = [self.indented(f"{name}: {text}") if wide else self.labelled(name, text) for name, text in reasons]
        self.reasons = sum(map(len, shown))
        yield from map(_Part, shown)
        printed = _printed(check, style)
        self.reasons += min(len(printed), _MOST_OUTPUT)
        if self.whole:
            yield _Part(printed[:_MOST_OUTPUT])
        else:
            every = len(printed) <= _MOST_OUTPUT
            count = len((_given(check.output) or "").splitlines())
            brief = self.indented(words.printed(count, all_command(exercise), every=every)) if count else []
            first = printed if len(printed) <= _OUTPUT_LINES else [*printed[: _OUTPUT_LINES - 1], *brief]
            yield _Part(first, rank=0, brief=brief)
        # without details, and so without the number of a hint, the exercise's hints are the only pointer
        hint = _given(check.hint) or ("" if check.reason or check.hint_number == 0 else f"grade hint {exercise.id}")
        yield _Part(
            [f"{indent}{self.label('hint')}{style.command(style.clean(hint))}"] if self.bounded and hint else []
        )
        play = style.command(style.clean(play_command(exercise, check)))
        forms = (f"{indent}{self.label('see it')}{play}", f"{indent}see it: {play}")  # a command is never cut
        yield _Part([form for form in forms if play and columns(form) <= style.width][:1])

    def program(self, text: str) -> Iterator[str]:
        """Yield the lines of a program. A line that is too long is broken between assignments, or else at spaces."""
        room = self.style.width - len(self.indent)
        for line in text.splitlines():
            shown = self.style.clean(line)
            if columns(shown) <= room:
                yield shown
                continue
            body, gap, values = shown.partition("    with ")
            parts = [part for part in re.split(r"(?<=;) ", body) if part.strip()]
            pieces = [piece for part in parts for piece in (part.split() if columns(part) > room else [part])]
            yield from packed(pieces, room, room)
            if gap:
                yield from packed(re.split(r"(?<=,) ", f"with {values}"), room, room)

    def label(self, name: str) -> str:
        return padded(self.style.cut(self.style.clean(name), self.label_width - 1), self.label_width)

    def pair(self, label: str, yours: float | str, right: float | str, whose: str) -> Iterator[str]:
        """Yield the learner's result and the right result: on one line, or on two if one is too short for both."""
        style, indent = self.style, self.indent
        label = style.clean(label)
        if columns(label) >= self.label_width:  # put the label on a separate line
            yield style.cut(f"{indent}{label}", style.width)
            label = ""
        label, blank = padded(label, self.label_width), " " * self.label_width
        room = style.width - len(indent) - self.label_width
        if isinstance(right, str):
            one, other = f"yours {style.clean(str(yours))}", f"{whose} {style.clean(right)}"
        else:
            shown, true = style.clean(digits(yours)), digits(right)
            if shown == true:
                shown, true = _apart(yours, right)
            other = f"{whose} {true}"
            beside = room - len("yours ") - len(other) - 4
            one = f"yours {cut(shown, room - len('yours ') if self.style.narrow else beside)}"
        if columns(one) + columns(other) + 4 > room:
            yield from (
                style.cut(f"{indent}{label}{one}", style.width),
                style.cut(f"{indent}{blank}{other}", style.width),
            )
        else:
            yield f"{indent}{label}{one}    {other}"

    def joined(self, expected: Mapping[str, float | str], actual: Mapping[str, float | str], whose: str) -> str:
        """Return several short numbers on one line; empty if they do not fit, or are text, or look equal."""
        yours = {label: digits(actual.get(label, "nothing")) for label in expected}
        right = {label: digits(number) for label, number in expected.items()}
        label = self.style.clean(", ".join(expected))
        texts = any(isinstance(number, str) for number in (*expected.values(), *actual.values()))
        if texts or len(label) >= self.label_width or any(yours[one] == right[one] for one in expected):
            return ""
        line = f"yours {', '.join(yours.values())}    {whose} {', '.join(right.values())}"
        return (
            ""
            if columns(line) > self.style.width - len(self.indent) - self.label_width
            else (f"{self.indent}{padded(label, self.label_width)}{line}")
        )

    def labelled(self, label: str, text: str) -> list[str]:
        """Break a text into lines that fit, with a label before the first line."""
        style, width = self.style, self.style.prose - len(self.indent)
        if not label:
            return [f"{self.indent}{line}" for line in style.wrap(text, width)]
        beside = width - self.label_width
        first, *rest = style.wrap(text, beside)
        blank = self.indent + " " * self.label_width
        return [f"{self.indent}{self.label(label)}{first}", *(blank + line for line in rest)]

    def indented(self, text: str) -> list[str]:
        return _indented(text, len(self.indent), self.style)


def _shortened(part: _Part, by: int, style: Style) -> _Part:
    if by <= 0:
        return part
    if part.from_start or by == len(part.lines):
        return part._replace(lines=part.lines[by:])
    kept = part.lines[:-by]
    return part._replace(lines=[*kept[:-1], f"{_shorter(kept[-1], style)} {style.ellipsis}"])


def _shorter(line: str, style: Style) -> str:
    """Cut a line so that an ellipsis fits after it."""
    room = style.width - len(style.ellipsis) - 1
    return line if columns(line) <= room else line[:room].rpartition(" ")[0]


def _printed(check: CheckResult, style: Style) -> list[str]:
    """Return the lines that a check's code printed. Equal consecutive lines are shown once with a count."""
    indent = 4 if style.narrow else _TEXT + 2
    groups = itertools.groupby((_given(check.output) or "").splitlines())
    lines = []
    for line, repeats in itertools.islice(groups, _MOST_OUTPUT + 1):
        times = sum(1 for _ in repeats)
        room = style.width - indent - len("printed | ") - len("  (1000 times)")
        counted = f"  ({times} times)" if times > 1 else ""
        lines.append(f"{' ' * indent}printed | {style.cut(style.clean(line), room)}{counted}")
    return lines


def _apart(yours: float | str, right: float) -> tuple[str, str]:
    """Return two numbers with all their digits. If a line is too short, return just enough to tell them apart."""
    every = repr(yours), repr(right)
    if isinstance(yours, str) or sum(map(len, every)) <= _DIGITS:
        return every
    some = ((f"{yours:.{count}g}", f"{right:.{count}g}") for count in range(7, 18))
    return next(((one, other) for one, other in some if one != other), every)


def _indented(text: str, width: int, style: Style) -> list[str]:
    room = style.prose - width
    return [" " * width + part for line in text.splitlines() for part in style.wrap(line, room) or [""]]


def _total(report: Report) -> str:
    bonus = f" + {report.bonus} bonus" if report.bonus else ""
    return f"Score {report.score}/{report.max_score}{bonus}"


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
