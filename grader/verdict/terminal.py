"""Render a report for a terminal: a line for each check, and below them the first failure in full."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..base.text import Style, columns, packed, padded
from ..runner.client import cut
from ..words import practice as words
from .report import CheckResult, ExerciseResult, Report
from .report.shown import Compared, Failure, facts_of, failure, first_failure, part_texts, unloaded

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
    # one exercise alone is shown with the checks that passed
    alone = len(report.exercises) == 1
    for exercise in report.exercises:
        lines += [headline(exercise, style), *_file_message(exercise, style)]
        lines += _every_check(exercise, style) if everything else _checks(exercise, style, passed=alone)
        lines += learnt(exercise, style) if alone else []
    total = f"Score {report.score}/{report.max_score}" + (f" + {report.bonus} bonus" if report.bonus else "")
    parts = _indented("\n".join(part_texts(report.parts)), 2, style)
    if everything:
        lines += ["", total, *parts]
    else:
        lines += [*_first_failure(report, style), "", total, *parts, *_left_out(report, style)]
    return "\n".join(lines) + "\n"


def _checks(exercise: ExerciseResult, style: Style, *, passed: bool) -> Iterator[str]:
    """Yield a line for each check that was run.

    Args:
        passed: whether checks that passed have a line, too.
    """
    for check in exercise.checks:
        if check.status != "skipped" and (passed or check.status != "passed"):
            yield _line(_status(exercise, check), check, style)


def _every_check(exercise: ExerciseResult, style: Style) -> Iterator[str]:
    """Yield the lines of an exercise of which everything is shown.

    They are the text that the file printed, each check that was run, with its explanation, and the facts that explain
    no check.
    """
    yield from _printed(exercise.output or "", style)[:_OUTPUT_LINES]
    for check in exercise.checks:
        if check.status != "skipped":
            yield _line(check.status, check, style)
            yield from _in_place(exercise, check, style)
    yield from observed(exercise, style)


def _first_failure(report: Report, style: Style) -> list[str]:
    """Return the explanation of the first failure, below the lines of all checks. A missed bonus is not explained."""
    exercise, check = shown_in_full(report)
    if exercise is None or check is None or _not_earned(exercise, check):
        return []
    word, hue = _WORDS[check.status]
    title = check.title if len(report.exercises) == 1 else f"{exercise.number} {exercise.id}: {check.title}"
    explanation = explained(exercise, check, style=style)
    return [
        "",
        f"{style.paint(f'{word:<8}', hue)} {style.cut(style.clean(title), style.width - 9)}",
        *explanation,
        *observed(exercise, style, explanation),
    ]


def _left_out(report: Report, style: Style) -> list[str]:
    """Return a sentence that says what the explanation of the first failure leaves out."""
    failures = [(e, c) for e in report.exercises for c in e.checks if c.status not in ("passed", "skipped")]
    exercise, check = shown_in_full(report)
    if exercise is None or check is None or not failures:
        return []
    if all(_not_earned(*one) for one in failures):
        return style.wrap(words.MISSED_BONUS)
    whole, more = _is_whole(exercise, check, style), len(failures) > 1
    text = (words.FIRST_IN_FULL if whole else words.FIRST_IN_PART) if more else "" if whole else words.IN_PART
    return style.wrap(text) if text else []


def shown_in_full(report: Report) -> tuple[ExerciseResult | None, CheckResult | None]:
    """Return the failure that a report explains, and its exercise.

    This is the first failure in code that the learner has begun to fill in. Failures that cost points come before a
    bonus that was not earned.
    """
    # `sorted` keeps the order of the course among those that did not pass
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
        # an unreadable file after the explained failure can wait
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


def check_lines(exercise: ExerciseResult, style: Style = PLAIN) -> list[str]:
    """Return the lines of the message about an exercise's file, and a line for each check that was run."""
    return [*_file_message(exercise, style), *_checks(exercise, style, passed=True)]


def learnt(exercise: ExerciseResult, style: Style = PLAIN) -> list[str]:
    """Return what a passed exercise teaches, below its checks."""
    return ["", *style.wrap(words.learnt(exercise.learnt))] if exercise.learnt else []


def explained(
    exercise: ExerciseResult, check: CheckResult, after: CheckResult | None = None, style: Style = PLAIN
) -> list[str]:
    """Return the lines that explain a failing check, without repeating the explanation of the check `after`."""
    return _lines_of(_after(exercise, check, after), style)


def _after(exercise: ExerciseResult, check: CheckResult, before: CheckResult | None) -> Failure:
    """Return what to show of a failing check below the explanation of another one."""
    shown = failure(exercise, check)
    known = before is not None and before.diagnosis and before.diagnosis.explanation == shown.why
    return replace(shown, why="") if known else shown


def _is_whole(exercise: ExerciseResult, check: CheckResult, style: Style) -> bool:
    """Return whether the explanation of a failing check has every word that `grade --all` shows, besides the replay."""
    whole = _lines_of(replace(failure(exercise, check), play=""), style, whole=True)
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
    layout = _Layout(style)
    lines = [*layout.indented(words.OBSERVED), *(line for fact in facts for line in layout.labelled("fact", fact.text))]
    return lines if not below or len(below) + len(lines) < _LINES else []


def _in_place(exercise: ExerciseResult, check: CheckResult, style: Style) -> list[str]:
    """Return the lines below the line of a check if everything is shown. Earlier explanations are not repeated."""
    if check.status == "passed":
        return _printed(check.output or "", style)[:_OUTPUT_LINES]
    before = list(itertools.takewhile(lambda one: one is not check, exercise.checks))
    failed = [one for one in before if one.status not in ("passed", "skipped")]
    if check.status == "not_started" and any(_same_place(check, one) for one in failed):
        return []
    return _lines_of(_after(exercise, check, failed[-1] if failed else None), style, whole=True)


def _same_place(check: CheckResult, other: CheckResult) -> bool:
    """Return whether two checks reached the same code that still has to be filled in."""
    lines = [one.reason.line if one.reason else None for one in (check, other)]
    return other.status == check.status and lines[0] == lines[1]


def _file_message(exercise: ExerciseResult, style: Style) -> list[str]:
    """Return the lines of the message about an exercise's file."""
    if not exercise.message or exercise.status == "not_started":
        return []
    indent = 4 if style.narrow else _TEXT
    lines = _indented(exercise.message, indent, style)
    return lines if len(lines) <= _FILE_LINES else [*lines[: _FILE_LINES - 1], " " * indent + style.ellipsis]


def _not_earned(exercise: ExerciseResult, check: CheckResult) -> bool:
    """Return whether a check is a bonus that was not earned, in an exercise with full marks."""
    return check.bonus and check.status != "passed" and exercise.status == "passed"


def _status(exercise: ExerciseResult, check: CheckResult) -> str:
    """Return the key of `_WORDS` for a check."""
    return "not_earned" if _not_earned(exercise, check) else check.status


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


class _FailurePart(NamedTuple):
    """Some lines about a failure.

    If there is too little room, parts are shortened to as few as `least` lines, in the order of `rank`.
    A part whose rank is None is never shortened.
    """

    lines: list[str]
    rank: int | None = None
    least: int = 0
    from_start: bool = False  # whether to remove lines at the beginning instead of the end
    brief: Sequence[str] = ()  # what replaces the lines if they have to be shortened, and is itself left out at rank 2
    added: bool = False  # whether there is additional room for the part if everything is shown


def _lines_of(failure: Failure, style: Style, *, whole: bool = False) -> list[str]:
    """Return the lines below the title of a failing check: as many as fit, with a complete reason.

    If `whole` is true, all facts, the misconception and the program are complete.
    """
    layout = _Layout(style, whole)
    for smaller in [failure] if whole else _smaller(failure):
        failure = smaller
        fitting = layout.fitted(failure)
        if fitting.fits:
            break
    lines, most = fitting.lines, fitting.most
    if len(lines) > most:  # a message of unprintable characters, which are shown as long escapes
        at = most - (3 if failure.play else 2)
        commands = lines[at + 1 - most :]
        lines = [*lines[:at], f"{_shorter(lines[at], style)} {style.ellipsis}", *commands]
    return lines


def _smaller(failure: Failure) -> Iterator[Failure]:
    """Yield a failure with less and less to show.

    The reason matters more than the replay. The misconception and the line that must change are shown with fewer
    facts. If the misconception does not fit even without facts, it is left out, and then the line.
    """
    failure = replace(failure, facts=failure.facts[:_FACTS])
    yield failure
    if failure.play:
        failure = replace(failure, play="")
        yield failure
    if failure.why:
        yield from (replace(failure, facts=failure.facts[:count]) for count in reversed(range(len(failure.facts))))
    if failure.line and failure.why:
        yield from (replace(failure, facts=failure.facts[:count], why="") for count in range(len(failure.facts), 0, -1))
    failure = replace(failure, line="", why="")
    yield from (replace(failure, facts=failure.facts[:count]) for count in range(len(failure.facts), 0, -1))


class _Fitting(NamedTuple):
    """The lines of an explanation after parts of it were shortened.

    Attributes:
        lines: the lines.
        most: how many lines an explanation may have at most.
        too_many: the number of lines for which there is no room; 0 or less if there is room for all.
        cut_numbers: whether numbers were left out.
    """

    lines: list[str]
    most: int
    too_many: int
    cut_numbers: bool

    @property
    def fits(self) -> bool:
        return self.too_many <= 0


class _Layout:
    """The layout of an explanation. It is indented and has a column of labels, both narrower in a narrow terminal."""

    def __init__(self, style: Style, whole: bool = False) -> None:
        self.style = style
        self.whole = whole
        self.indent = " " * (4 if style.narrow else _TEXT + 2)
        self.label_width = 9 if style.narrow else _LABEL

    def fitted(self, failure: Failure) -> _Fitting:
        """Return the lines of an explanation, in the first layout in which they fit.

        Numbers share a line, and reasons use the full width, only if something would be left out otherwise.
        """
        first = None
        for wide in (False, True):
            for joined in (False, True):
                parts = [part for part in self.parts(failure, wide=wide, joined=joined) if part.lines]
                fitting = self.shortened(parts)
                if self.whole or (fitting.fits and not fitting.cut_numbers):
                    return fitting
                if fitting.fits and first is None:  # better than no fitting at all, but perhaps another keeps numbers
                    first = fitting
        return first or fitting

    def shortened(self, parts: list[_FailurePart]) -> _Fitting:
        """Shorten the parts where there is too little room, and return their lines."""
        # if everything is shown, a program, facts, the misconception and printed lines come with room for themselves
        added = 0
        if self.whole and parts:
            added = max(1, len(parts[0].lines) - 1) + sum(len(part.lines) for part in parts if part.added)
        scale = 2 if self.style.narrow else 1
        too_many = sum(len(part.lines) for part in parts) - (scale * _LINES - 1 + max(0, added - 1))
        cut_numbers = False
        for rank in range(_RANKS):
            for at, part in enumerate(parts):
                if part.rank != rank or too_many <= 0:
                    continue
                if part.brief:
                    parts[at] = _FailurePart(list(part.brief), rank=2)
                else:
                    cut_numbers |= rank == _NUMBERS
                    parts[at] = _shortened(part, min(too_many, len(part.lines) - part.least), self.style)
                too_many -= len(part.lines) - len(parts[at].lines)
        lines = [line for part in parts for line in part.lines]
        return _Fitting(lines, scale * _MOST_LINES + added, too_many, cut_numbers)

    def parts(self, failure: Failure, *, wide: bool, joined: bool) -> Iterator[_FailurePart]:
        """Yield the parts of an explanation, in the order in which they are shown."""
        # code that is still to be filled in ran no further, so a program explains nothing without its numbers
        if failure.begun or failure.compared:
            program = [f"{self.indent}{line}" for line in self.program(failure.program)]
            if self.whole and len(program) > _PROGRAM_LINES:
                program = [*program[: _PROGRAM_LINES - 1], f"{self.indent}{self.style.ellipsis}"]
            yield _FailurePart(program, rank=1, least=len(program) if self.whole else 1)
        yield self.numbers(failure.compared, joined)
        yield from self.message(failure)
        if failure.place:
            yield _FailurePart([f"{self.indent}{self.label('at')}{self.style.clean(failure.place)}"], rank=0)
        for name, text in [*(("fact", fact) for fact in failure.facts), ("line", failure.line), ("why", failure.why)]:
            if text:
                lines = self.indented(f"{name}: {text}") if wide else self.labelled(name, text)
                yield _FailurePart(lines, added=True)
        yield self.printed(failure)
        hint = self.style.command(self.style.clean(failure.hint or failure.hints))
        yield _FailurePart([f"{self.indent}{self.label('hint')}{hint}"] if hint else [])
        play = self.style.command(self.style.clean(failure.play))
        forms = (f"{self.indent}{self.label('see it')}{play}", f"{self.indent}see it: {play}")  # a command is never cut
        yield _FailurePart([form for form in forms if play and columns(form) <= self.style.width][:1])

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
            yield from packed(pieces, room)
            if gap:
                yield from packed(re.split(r"(?<=,) ", f"with {values}"), room)

    def numbers(self, rows: Sequence[Compared], joined: bool) -> _FailurePart:
        """Return the learner's results beside the right ones."""
        pairs = [list(self.pair(row)) for row in rows]
        if joined and (line := self.joined(rows)):
            pairs = [[line]]
        return _FailurePart(
            [line for pair in pairs for line in pair], rank=_NUMBERS, least=len(pairs[0]) if pairs else 0
        )

    def pair(self, row: Compared) -> Iterator[str]:
        """Yield the learner's result and the right result: on one line, or on two if one is too short for both."""
        style, indent = self.style, self.indent
        label = style.clean(row.label)
        if columns(label) >= self.label_width:  # put the label on a separate line
            yield style.cut(f"{indent}{label}", style.width)
            label = ""
        label, blank = padded(label, self.label_width), " " * self.label_width
        room = style.width - len(indent) - self.label_width
        yours, right = style.clean(row.actual), f"{row.source} {style.clean(row.expected)}"
        if not row.one_of_several:
            yours = cut(yours, room - len("yours ") - (0 if style.narrow else len(right) + 4))
        if columns(f"yours {yours}    {right}") > room:
            yield style.cut(f"{indent}{label}yours {yours}", style.width)
            yield style.cut(f"{indent}{blank}{right}", style.width)
        else:
            yield f"{indent}{label}yours {yours}    {right}"

    def joined(self, rows: Sequence[Compared]) -> str:
        """Return several short numbers on one line; empty if they do not fit."""
        label = self.style.clean(", ".join(row.label for row in rows))
        if not rows or not all(row.short for row in rows) or len(label) >= self.label_width:
            return ""
        yours, right = (
            ", ".join(numbers) for numbers in zip(*((row.actual, row.expected) for row in rows), strict=True)
        )
        line = f"{self.indent}{padded(label, self.label_width)}yours {yours}    {rows[0].source} {right}"
        return line if columns(line) <= self.style.width else ""

    def message(self, failure: Failure) -> Iterator[_FailurePart]:
        """Yield the first line of the message, the lines of it that quote the learner's file, and the others."""
        head, *rest = failure.message.splitlines() or [""]
        rank = 3 if failure.compared and not failure.starting else None
        yield _FailurePart(self.labelled("note" if failure.compared else "", head) if head else [], rank=rank)
        own = [line for line in rest if _OWN_LINE.match(line)]
        if failure.begun or not failure.place:
            quoted = [self.style.cut(f"{self.indent}    {self.style.clean(line)}", self.style.width) for line in own]
            yield _FailurePart(quoted, rank=2, least=1, from_start=True)
        indent = len(self.indent) + 4
        yield _FailurePart([part for line in rest if line not in own for part in _indented(line, indent, self.style)])

    def printed(self, failure: Failure) -> _FailurePart:
        """Return the printed lines, or the number of lines where there is too little room."""
        lines = _printed(failure.output, self.style)
        if self.whole:
            return _FailurePart(lines[:_MOST_OUTPUT], added=True)
        count = len(failure.output.splitlines())
        every = len(lines) <= _MOST_OUTPUT
        brief = self.indented(words.printed(count, failure.every, every=every)) if count else []
        shown = lines if len(lines) <= _OUTPUT_LINES else [*lines[: _OUTPUT_LINES - 1], *brief]
        return _FailurePart(shown, rank=0, brief=brief)

    def label(self, name: str) -> str:
        return padded(self.style.cut(self.style.clean(name), self.label_width - 1), self.label_width)

    def labelled(self, label: str, text: str) -> list[str]:
        """Break a text into lines that fit, with a label before the first line."""
        style, width = self.style, self.style.prose - len(self.indent)
        if not label:
            return [f"{self.indent}{line}" for line in style.wrap(text, width)]
        first, *rest = style.wrap(text, width - self.label_width)
        blank = self.indent + " " * self.label_width
        return [f"{self.indent}{self.label(label)}{first}", *(blank + line for line in rest)]

    def indented(self, text: str) -> list[str]:
        return _indented(text, len(self.indent), self.style)


def _shortened(part: _FailurePart, by: int, style: Style) -> _FailurePart:
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


def _printed(output: str, style: Style) -> list[str]:
    """Return the lines that a check's code printed. Equal consecutive lines are shown once with a count."""
    indent = 4 if style.narrow else _TEXT + 2
    groups = itertools.groupby(output.splitlines())
    lines = []
    for line, repeats in itertools.islice(groups, _MOST_OUTPUT + 1):
        times = sum(1 for _ in repeats)
        room = style.width - indent - len("printed | ") - len("  (1000 times)")
        counted = f"  ({times} times)" if times > 1 else ""
        lines.append(f"{' ' * indent}printed | {style.cut(style.clean(line), room)}{counted}")
    return lines


def _indented(text: str, width: int, style: Style) -> list[str]:
    room = style.prose - width
    return [" " * width + part for line in text.splitlines() for part in style.wrap(line, room) or [""]]
