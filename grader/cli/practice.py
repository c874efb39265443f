"""Run a learner's commands: `grade watch`, `grade list`, `grade next`, `grade reset` and `grade solution`."""

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..base import shown_path
from ..course import Course, Exercise
from ..words import practice as said
from .run import default_memo
from .streams import INTERRUPTED, StatusLine, style
from .words import UsageError, exercise_folder, exercise_path

if TYPE_CHECKING:
    from ..practice import Practice
    from ..report import ExerciseResult, Report


def run_watch(course: Course, named: Path | None, start: Exercise | None, isolation: str) -> int:
    """Grade on every save until the learner quits. Returns 0, or the code of an interrupt after Ctrl-C."""
    from ..practice import Practice
    from ..practice.watch import Screen, Watch

    folder = exercise_folder(course, named)
    terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    screen = Screen(whole=terminal, keys=terminal and sys.stdin.isatty(), style=style)
    with Practice(course, folder, isolation=isolation, memo=default_memo()) as practice:

        def on_report(report: "Report") -> None:
            _remembered(folder, report)

        try:
            Watch(practice, screen, start, on_report, lambda exercise: _played(practice, exercise)).run()
        except KeyboardInterrupt:  # the usual end where no keys can be read
            screen.show([""])
            return INTERRUPTED
    return 0


def _played(practice: "Practice", exercise: Exercise) -> list[str]:
    """Write the replay of an exercise's first failing check, and open it. Return sentences about the replay."""
    from ..base.processes import open_in_browser
    from ..views.replay import build_replay_page
    from ..words import replay
    from ..workspace import keep_replay

    replays = practice.replays(exercise)
    if not replays:
        return [replay.nothing_to_play(exercise.stem)]
    path = keep_replay(build_replay_page(replays), practice.folder)
    opened = open_in_browser(path.resolve().as_uri())
    told = [replay.replayed(exercise.stem, replays[0].program), replay.replay_in(shown_path(path))]
    return told if opened else [*told, replay.OPEN_IT]


def run_list(course: Course, named: Path | None, *, next_only: bool = False) -> int:
    """Print every exercise with status and points, and the next file to open. With `next_only`, print only the file.

    Returns 0.
    """
    from ..practice import first_unfinished
    from ..views.practice import exercise_list, next_step

    folder, results = _graded(course, named)
    following = first_unfinished(course, results)
    if not next_only:
        print("\n".join(exercise_list(course, results, following, style())))
    print("\n".join(next_step(course, following, folder, style())))
    return 0


def run_reset(course: Course, named: Path | None, exercise: Exercise) -> int:
    """Replace an exercise's file with its stub, and print the path of the copy of the old file. Return 0."""
    from ..oracle.answer_book import read_book
    from ..views.practice import reset_text
    from ..workspace import reset

    folder = exercise_folder(course, named)
    path, there = folder / exercise.filename, exercise_path(folder, exercise)
    if there != path:
        raise UsageError(said.notebook_in_place(shown_path(there), shown_path(path)))
    try:
        done = reset(path, read_book(course.book).stubs[exercise.id])
    except OSError as error:
        raise UsageError(said.not_written(str(error.filename or path), error.strerror or "")) from None
    print("\n".join(reset_text(path, done, style())))
    return 0


def _remembered(folder: Path, report: "Report") -> None:
    """Save the learner's progress if it can be written."""
    from ..workspace import remember
    from .progress import taken_in

    with contextlib.suppress(OSError):
        remember(folder, taken_in(folder, report))


def run_solution(course: Course, named: Path | None, exercise: Exercise) -> int:
    """Print the solution of an exercise, or where the solutions can be read if they are not here. Return 0.

    Raises `UsageError` if learners may not see the solution, or if it is unknown where it is.
    """
    from ..author.build import without_markers
    from ..base import read_plain

    if course.solutions == "never":
        raise UsageError(said.NO_SOLUTIONS)
    path = course.solution(exercise)
    if not (path.is_file() or course.solutions_at):
        raise UsageError(said.SOLUTIONS_MISSING)
    if course.solutions == "passed":
        _, results = _graded(course, named, [exercise])
        if results[exercise.id].status != "passed":
            raise UsageError(said.solution_later(exercise.stem))
    if not path.is_file():
        drawn = style()
        lines = [*drawn.wrap(said.SOLUTIONS_ELSEWHERE, drawn.prose), *drawn.wrap(course.solutions_at, drawn.prose)]
        print("\n".join(lines))
        return 0
    print(without_markers(read_plain(path, follow=True).decode("utf-8")), end="")
    return 0


def _graded(
    course: Course, named: Path | None, exercises: "Sequence[Exercise] | None" = None
) -> "tuple[Path, dict[str, ExerciseResult]]":
    """Grade the given exercises, or all. Return the folder of the files, and the results by exercise id."""
    from ..practice import Practice

    folder = exercise_folder(course, named)
    with Practice(course, folder, memo=default_memo()) as practice:
        StatusLine().follow(practice.events(course.exercises if exercises is None else exercises), course)
    return folder, practice.results
