"""Views for practice in a terminal: one exercise, the list of exercises, hints and the next step."""

import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from ..base.text import Style, columns, hint_lines, packed, shown_path
from ..course.load import Course, Exercise
from ..verdict.report import CheckResult, ExerciseResult, LastHint, Report, first_failure
from ..verdict.terminal import PLAIN, at_hand, check_lines, explained, headline, learnt, observed
from ..words import practice as words
from ..words.learner import part_text
from .workspace import Reset, next_exercise

_BAR = 24


def exercise_screen(result: ExerciseResult, *, everything: bool = False, style: Style = PLAIN) -> list[str]:
    """Return the lines of one exercise: its checks, then the explanation of the first failure.

    If `everything` is true, every failure is explained. The explanation comes last, so that it is visible
    at the bottom of the screen.
    """
    failures = [check for check in result.checks if check.status not in ("passed", "skipped", "not_started")]
    first = first_failure(result)
    lines = [headline(result, style), *check_lines(result, style), *learnt(result, style)]
    before = None
    for check in failures:
        if (everything or check is first) and not (check.bonus and result.status == "passed"):
            lines += ["", style.cut(style.clean(check.title), style.width)]
            explanation = explained(result, check, before, style)
            lines += explanation if everything else [*explanation, *observed(result, style, explanation)]
            before = check
    return [*lines, *observed(result, style)] if everything else lines


def first_verdict(exercise: Exercise, check: CheckResult, style: Style = PLAIN) -> list[str]:
    """Return the lines for a check that has just failed, before the other checks, the reason and the hint are known."""
    title = style.cut(style.clean(f"{exercise.number} {exercise.id}: {check.title}"), style.width - 9)
    # nothing else of the exercise is known yet
    bare = ExerciseResult(exercise.id, exercise.number, exercise.title, "failed", 0, exercise.max_score, 0, ())
    known = replace(check, hint=UNSET, hint_number=0, play=UNSET)
    return [f"{style.paint('FAIL', 'red')}     {title}", *explained(bare, known, style=style)]


def fitted(lines: Sequence[str], rows: int, style: Style = PLAIN) -> list[str]:
    """Return at most `rows` lines. Blank lines are omitted first.

    If that is not enough, return the first line, an ellipsis and the last lines.
    """
    if len(lines) <= rows:
        return list(lines)
    if sum(map(bool, lines)) <= rows:
        # only as many as needed, from the top, so that the end keeps its layout
        blank = [at for at, line in enumerate(lines) if not line][: len(lines) - rows]
        return [line for at, line in enumerate(lines) if at not in blank]
    # no room for the first line, an ellipsis and the last ones
    if rows <= 2:
        return list(lines[:rows])
    return [lines[0], f"  {style.ellipsis}", *lines[len(lines) - (rows - 2) :]]


class Hints(NamedTuple):
    """The hints for a failure of an exercise, or if nothing failed, those of the exercise.

    Attributes:
        exercise: the exercise.
        written: the numbers of its hints that fit, in order.
        of_failure: whether a check failed.
        asked: the hint from an edit with which checks passed. It comes last.
    """

    exercise: Exercise
    written: tuple[int, ...]
    of_failure: bool = True
    asked: LastHint | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of all hints. The one from an edit follows the last hint of the exercise."""
        return (*self.written, len(self.exercise.hints) + 1) if self.asked else self.written

    def end_after(self, shown: int) -> bool:
        """Return whether the hint after the hint `shown` is the last written one, or comes after it."""
        return self.of_failure and (len(self.written) < 2 or shown in self.written[-2:] or shown > self.written[-1])

    def lines(self, number: int, next_one: str, style: Style) -> list[str]:
        """Return the lines of a hint, and of what comes after it. `next_one` says how to see the next hint."""
        exercise, count = self.exercise, len(self.exercise.hints)
        # the failure has no hint, or none with the number of the hint that was shown last
        if number not in self.numbers:
            return style.wrap(words.no_hint(exercise.id, count))
        # the hint from an edit has the number after the last written one
        if self.asked and number > count:
            code = [f"    {style.cut(style.clean(line), style.width - 4)}" for line in self.asked.edit]
            shown = [*hint_lines(words.hint_from_search(exercise.stem), self.asked.text, style), *code]
        else:
            shown = hint_lines(words.hint_head(number, count, exercise.stem), exercise.hints[number - 1], style)
        if number != self.numbers[-1]:
            more = next_one
        elif not self.of_failure:
            more = words.LAST_HINT
        elif self.asked:
            more = words.hints_by_number(exercise.id, count)
        else:
            more = words.last_hint(exercise.id, count, only=len(self.written) == 1)
        return [*shown, "", *style.wrap(more)]


def progress(course: Course, results: Mapping[str, ExerciseResult], style: Style = PLAIN) -> str:
    """Return a progress bar with the points and the number of passed exercises."""
    score = sum(result.score for result in results.values())
    # 52 columns for the points and the count; a narrow terminal has no bar
    width = min(_BAR, max(0, style.width - 52))
    done = round(width * score / course.max_score) if course.max_score else width
    passed = sum(result.status == "passed" for result in results.values())
    bar = f"[{style.paint('#' * done, 'green')}{'.' * (width - done)}] " if width else ""
    count = len(course.exercises)
    return bar + words.points_and_passed(score, course.max_score, passed, count, short=not width)


def exercise_list(
    course: Course,
    results: Mapping[str, ExerciseResult],
    at: Exercise | None,
    style: Style = PLAIN,
    rows: int | None = None,
) -> list[str]:
    """Return a line for each exercise with status and points, then the progress. `>` marks the current exercise.

    If there are more lines than `rows`, without blank ones, other parts than the current one have only their total.
    """
    lines: list[str] = []
    # two columns for the mark
    inner = replace(style, width=style.width - 2)
    only: Sequence[str] | None = None
    if at is not None and rows is not None and len(course.exercises) + len(course.begins) + 1 > rows:
        only = next((part.exercises for part in course.begins.values() if at.id in part.exercises), None)
    for exercise in course.exercises:
        if part := course.begins.get(exercise.id):
            score = sum(results[id].score for id in part.exercises if id in results)
            lines += [""] * bool(lines) + style.wrap(part_text(part.title, score, part.max_score))
        if only is not None and exercise.id not in only:
            continue
        result = results.get(exercise.id)
        mark = ">" if at is not None and exercise.id == at.id else " "
        line = headline(result, inner, title=True) if result else f"{exercise.number} {exercise.id}"
        lines.append(f"{mark} {line}")
    return [*lines, "", progress(course, results, style)]


def next_step(course: Course, exercise: Exercise | None, folder: Path, style: Style = PLAIN) -> list[str]:
    """Return the next step: the file to open, relative to the current folder, or that all exercises are passed."""
    if exercise is None:
        return style.wrap(words.all_passed(len(course.exercises)))
    return style.wrap(words.next_file(shown_path(folder / exercise.filename), exercise.title))


def what_next(
    course: Course,
    report: Report,
    files: Mapping[str, Path],
    folder: Path,
    passed: Collection[str],
    flags: Sequence[str] = (),
    style: Style = PLAIN,
) -> list[str]:
    """Return the next step after a run: the file to change or open, and the command that grades it.

    Args:
        files: the path of each graded exercise, by its id.
        folder: the folder where `grade` looks for files whose paths are not given.
        passed: the ids of the exercises that are known to be passed.
        flags: the options that the command needs again.
    """
    by_id = course.by_id
    at, check = at_hand(report)
    # nothing failed: the first exercise that is not passed, perhaps because it has not been begun
    if at is None or at.status == "passed":
        at = next((result for result in report.exercises if result.status != "passed"), None)
        check = None
    if at is not None:
        begun = at.status != "not_started" and (check is None or check.status != "not_started")
        exercise, path = by_id[at.id], files[at.id]
        return (
            _missing(exercise, path, style)
            if at.status == "missing"
            else _same_again(exercise, path, folder, "change" if begun else "open", flags, style)
        )
    # everything that was graded is passed
    graded = [by_id[result.id] for result in report.exercises]
    if len(graded) == len(course.exercises):
        return farewell(course, style)
    return _following(course, graded, folder, passed, flags, style)


def _same_again(
    exercise: Exercise, path: Path, folder: Path, verb: str, flags: Sequence[str], style: Style
) -> list[str]:
    """Return the next step if an exercise is not passed: what to do with its file, and the command that grades it."""
    usual = os.path.realpath(path.parent) == os.path.realpath(folder)
    in_place = usual and path.name in (exercise.filename, exercise.notebook)
    # `grade` finds a file in its usual place by the number of the exercise alone
    names = [_short(exercise)] if in_place else [exercise.id, shown_path(path)]
    return _step(words.next_step(verb, shown_path(path)), names, flags, style)


def _following(
    course: Course,
    graded: Sequence[Exercise],
    folder: Path,
    passed: Collection[str],
    flags: Sequence[str],
    style: Style,
) -> list[str]:
    """Return the next step if all graded exercises are passed: the first one after them that is not known to be."""
    following = next_exercise(course, {*passed, *(exercise.id for exercise in graded)}, after=graded[-1].id)
    if following is None:
        return _step(None, [], flags, style)
    places = [folder / name for name in (following.filename, following.notebook)]
    existing = next((place for place in places if place.exists()), None)
    if existing is None:
        return _missing(following, places[0], style)
    return _step(words.next_step("open", shown_path(existing)), [_short(following)], flags, style)


def _missing(exercise: Exercise, path: Path, style: Style) -> list[str]:
    """Return the next step if an exercise's file does not exist: the command that writes it."""
    return style.wrap(words.next_missing(f"grade reset {_short(exercise)}", shown_path(path)))


def _step(first: str | None, names: Sequence[str], flags: Sequence[str], style: Style) -> list[str]:
    command = " ".join(["grade", *map(shlex.quote, (*names, *flags))])
    if first is None:
        return style.wrap(words.next_all(command))
    return with_command(first, command, style)


def with_command(text: str, command: str, style: Style = PLAIN) -> list[str]:
    """Return the lines of a text that ends with a command.

    The command stays in one piece so that it can be copied. If it is longer than a line, the terminal breaks it.
    """
    pieces, quoted = style.clean(text).split(), f"`{style.command(command)}`"
    if columns(quoted) > style.prose:
        return [*packed(pieces, style.prose), quoted]
    return packed([*pieces, quoted], style.prose)


def welcome(
    course: Course,
    report: Report,
    files: Mapping[str, Path],
    flags: Sequence[str],
    style: Style,
    shorten: str = "",
) -> list[str]:
    """Return the first screen: a text about the exercises, and the file to open.

    Args:
        shorten: a command that lets the learner type `grade` alone. It is empty if that is possible already.
    """
    folder = files[report.exercises[0].id].parent
    count, points = len(course.exercises), course.max_score
    where = shown_path(folder)
    text = words.welcome(count, points, "this folder" if where == "." else where)
    return [
        style.cut(style.clean(course.title), style.width),
        "",
        *style.wrap(text),
        "",
        *style.wrap(words.WELCOME_TIP),
        *(with_command(words.SHORTEN, shorten, style) if shorten else []),
        "",
        f"Score 0/{points}",
        *what_next(course, report, files, folder, (), flags, style),
    ]


def farewell(course: Course, style: Style = PLAIN) -> list[str]:
    """Return the last screen: the lessons of the exercises, and sources for further study."""
    lines = ["", words.all_passed(len(course.exercises))]
    lessons = [exercise for exercise in course.exercises if exercise.learnt]
    lines += ["", words.LEARNT] if lessons else []
    for exercise in lessons:
        if part := course.begins.get(exercise.id):
            lines += style.wrap(part.title)
        # 5 columns for the number of the exercise and the blanks around it
        first, *rest = packed(style.clean(exercise.learnt).split(), style.prose - 5)
        lines += [f"  {exercise.number} {first}", *(f"     {line}" for line in rest)]
    for exercise in course.exercises:
        if _has_transformer(course, exercise):
            lines += ["", words.MADE, *style.wrap(words.train_yours(_short(exercise)))]
    if course.further:
        lines += ["", words.FURTHER]
        for text in course.further:
            first, *rest = packed(style.clean(text).split(), style.prose - 4)
            lines += [f"  - {first}", *(f"    {line}" for line in rest)]
    return lines


def _has_transformer(course: Course, exercise: Exercise) -> bool:
    """Return whether learners write a transformer in an exercise."""
    from .replay import is_transformer  # here, because most screens need nothing of the replay

    try:
        return is_transformer(course.exercise_file(exercise).read_text(encoding="utf-8"))
    except OSError:
        return False


def reset_text(path: Path, done: Reset, style: Style = PLAIN) -> list[str]:
    """Return a text about the reset of a file: whether it was reset, and the path of the copy if there is one."""
    name = shown_path(path)
    if not done.written:
        return style.wrap(words.reset_not_needed(name))
    return style.wrap(words.reset_done(name, shown_path(done.copy) if done.copy else ""))


def _short(exercise: Exercise) -> str:
    """Return the shortest name of an exercise for a command: its number without a leading zero."""
    return exercise.number.lstrip("0") or exercise.id
