"""Views of practice in a terminal: an exercise on one screen, the list of exercises, hints and the next step."""

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from termcolor import colored

from ..course import Course, Exercise
from ..outside import plain
from ..report import ExerciseResult
from ..report.shown import first_failure
from .terminal import check_lines, explained, headline

_BAR = 24
_WIDTH = 78


def exercise_screen(result: ExerciseResult, *, everything: bool = False, color: bool = False) -> list[str]:
    """Return the lines of one exercise: its checks, then the explanation of the first failure.

    With `everything`, every failure is explained. The explanation comes last, so that it is visible
    at the bottom of a screen.
    """
    failures = [check for check in result.checks if check.status not in ("passed", "skipped", "not_started")]
    first = first_failure(result)
    lines = [headline(result, color=color), *check_lines(result, color=color)]
    before = None
    for check in failures:
        if (everything or check is first) and not (check.bonus and result.status == "passed"):
            lines += ["", plain(check.title), *explained(result, check, before)]
            before = check
    return lines


def fitted(lines: Sequence[str], rows: int) -> list[str]:
    """Return at most `rows` lines: the first one, `…` in place of omitted ones, and the last ones."""
    if len(lines) <= rows:
        return list(lines)
    return [lines[0], "  …", *lines[len(lines) - max(0, rows - 2) :]] if rows > 2 else list(lines[:rows])


def progress(course: Course, results: Mapping[str, ExerciseResult], color: bool = False) -> str:
    """Return a progress bar with the points and the number of exercises passed."""
    score = sum(result.score for result in results.values())
    done = round(_BAR * score / course.max_score) if course.max_score else _BAR
    bar = "#" * done
    painted = colored(bar, "green", force_color=True) if color and bar else bar
    passed = sum(result.status == "passed" for result in results.values())
    exercises = f"{passed} of {len(course.exercises)} exercises passed"
    return f"[{painted}{'.' * (_BAR - done)}] {score}/{course.max_score} points, {exercises}"


def exercise_list(
    course: Course, results: Mapping[str, ExerciseResult], at: Exercise | None, color: bool = False
) -> list[str]:
    """Return a line for each exercise with status and points, then the progress. `>` marks the current exercise."""
    lines = []
    for exercise in course.exercises:
        result = results.get(exercise.id)
        mark = ">" if at is not None and exercise.id == at.id else " "
        line = headline(result, color=color, title=True) if result else f"{exercise.number} {exercise.id}"
        lines.append(f"{mark} {line}")
    return [*lines, "", progress(course, results, color)]


def hint(exercise: Exercise, number: int) -> str:
    """Return a hint of an exercise as wrapped text, with its number, which counts from 1."""
    head = f"Hint {number} of {len(exercise.hints)} for {exercise.stem}"
    text = textwrap.fill(plain(exercise.hints[number - 1]), _WIDTH, initial_indent="  ", subsequent_indent="  ")
    return f"{head}\n\n{text}"


def next_step(course: Course, exercise: Exercise | None, folder: Path) -> str:
    """Return the next step: the file to open, relative to the current folder, or that all exercises are passed."""
    if exercise is None:
        return f"All {len(course.exercises)} exercises are passed."
    return f"Next: open {_from_here(folder / exercise.filename)} ({plain(exercise.title)})."


def reset_text(path: Path, copy: Path | None) -> str:
    """Return what became of a file that was reset, and where its copy is, if there is one."""
    kept = f" Your version is in {_from_here(copy)}." if copy else ""
    return f"{_from_here(path)} is the original file again.{kept}"


def _from_here(path: Path) -> str:
    """Return a path as it is named from the current folder."""
    here = Path.cwd()
    return plain(str(path.relative_to(here) if path.is_relative_to(here) else path))
