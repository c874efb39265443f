"""The commands for learners, and `grade` itself."""

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from .. import __version__
from ..base.files import UserError
from ..base.text import Style, hint_lines, plain, shown_path
from ..course.load import Course, Exercise, packaged_course
from ..practice.workspace import exercise_folder, exercise_path, find_exercise, learner_folders, next_exercise
from ..words import practice as words
from ..words.sentence import cannot_be_written
from .options import (
    About,
    CourseAround,
    GradeOptions,
    LearnerFolder,
    PlayOptions,
    TierName,
    course_of_folder,
    default_memo,
    exercise_ids,
    forms,
)
from .streams import INTERRUPTED, StatusLine, how_to_shorten, on_screen, say, style

if TYPE_CHECKING:
    from ..practice.progress import Progress
    from ..practice.session import Practice
    from ..verdict.report import ExerciseResult, Report

OneExercise = Annotated[str, About("the number or the id of the exercise", "EXERCISE", complete=exercise_ids)]


@forms("[EXERCISE [FILE] ...] [options]", "COMMAND [options]")
def grade(options: GradeOptions) -> int:
    """Grade your exercise files."""
    if options.version:
        print(f"grade {__version__}")
        return 0
    from .run import run_grade

    return run_grade(options)


# -- beginning and choosing --------------------------------------------------------------------------------


def start(
    folder: Annotated[Path, About("write to DIR/exercises (default DIR: .)", metavar="DIR")] = Path(),
    *,
    course: CourseAround = None,
) -> int:
    """Write the exercise files, a README and settings. Files that exist are not changed."""
    from ..author.release import start_files
    from ..base.files import write_files
    from ..course.oracle import read_book
    from ..practice.screens import with_command

    # write what does not exist yet
    own = course_of_folder(course)
    try:
        files = start_files(own, read_book(own.book)) | _workflow(own)
        written, kept = write_files(files, folder)
    except OSError as error:
        raise UserError(cannot_be_written(str(error.filename or folder), error.strerror or "")) from None
    # say what was written; the files that the workflow installs are of no interest to a learner
    exercises = [name for name in written if name.startswith("exercises/")]
    others = [name for name in written if name not in exercises and not name.startswith(".github/backward/")]
    texts = [words.started(len(exercises), plain(str(folder / "exercises")))] if exercises or not kept else []
    texts += [words.also_written(others)] if others else []
    texts += [words.left_alone(kept)] if kept else []
    # the next step, and how to type `grade` there
    look = style(folder)
    shorten = how_to_shorten(folder)
    tips = look.wrap(words.START_TIP) + (with_command(words.SHORTEN, shorten, look) if shorten else [])
    lines = [line for text in texts for line in look.wrap(text)]
    print("\n".join([*lines, *_first_step(own, folder, look), *tips]))
    return 0


def _first_step(course: Course, folder: Path, look: Style) -> list[str]:
    """Return the next step: to open the file of the first exercise that is not known to be passed."""
    from ..practice.progress import progress_of
    from ..practice.screens import with_command

    following = next_exercise(course, progress_of(folder / "exercises").passed)
    if following is None:
        return [words.all_passed(len(course.exercises))]
    inside = folder.resolve() == Path.cwd().resolve()
    first = words.next_step("open", f"exercises/{following.filename}", "" if inside else plain(str(folder)))
    return with_command(first, f"grade {following.number.lstrip('0')}", look)


def _workflow(course: Course) -> dict[str, bytes]:
    """Return the workflow that grades each push, with the files that it installs.

    Returns nothing if this installation is a checkout, or if the course is not the packaged one.
    """
    from ..author.ci import installed_wheel, platform_files

    wheel = installed_wheel()
    if wheel is None or course.folder != packaged_course():
        return {}
    return platform_files("github", wheel, None)


def list_(*, folder: LearnerFolder = None, course: CourseAround = None) -> int:
    """List the exercises with their status and points, and show which file to open next."""
    return _list(course_of_folder(course), folder)


def next_(*, folder: LearnerFolder = None, course: CourseAround = None) -> int:
    """Show which file to open next."""
    return _list(course_of_folder(course), folder, next_only=True)


def _list(course: Course, named: Path | None, *, next_only: bool = False) -> int:
    from ..practice.screens import exercise_list, next_step
    from ..practice.session import first_unfinished

    folder, results = _graded(course, named, course.exercises)
    following = first_unfinished(course, results)
    if not next_only:
        print("\n".join(exercise_list(course, results, following, style())))
    print("\n".join(next_step(course, following, folder, style())))
    return 0


def _graded(
    course: Course, named: Path | None, exercises: Sequence[Exercise]
) -> "tuple[Path, dict[str, ExerciseResult]]":
    """Grade exercises. Return the folder of the files, and the results by exercise id."""
    from ..practice.session import Practice

    folder = exercise_folder(course, named)
    with Practice(course, folder, memo=default_memo()) as practice:
        StatusLine().follow(practice.events(exercises), course)
    return folder, practice.results


# -- while working on an exercise --------------------------------------------------------------------------


def hint(
    exercise: Annotated[
        str | None,
        About(
            "the exercise (default: the next hint for the failure that was explained last)",
            metavar="EXERCISE",
            complete=exercise_ids,
        ),
    ] = None,
    number: Annotated[int | None, About("the number of the hint (default: 1)", metavar="N")] = None,
    *,
    course: CourseAround = None,
) -> int:
    """Show a hint. Without an exercise, the command shows the next hint each time."""
    of, look = course_of_folder(course), style()
    # a bare `grade hint` goes on from the failure that was explained last
    if not exercise:
        lines = _next_hint(of, look)
        if lines is not None:
            print("\n".join(lines))
            return 0
    at = find_exercise(of, exercise) if exercise else _exercise_for_hint(of)
    shown, count = 1 if number is None else number, len(at.hints)
    if not 1 <= shown <= count:
        raise UserError(words.hint_range(at.id, count))
    more = words.more_hints(at.hint_command(shown + 1)) if shown < count else ""
    lines = [*hint_lines(words.hint_head(shown, count, at.stem), at.hints[shown - 1], look), "", *look.wrap(more)]
    print("\n".join(lines).rstrip("\n"))
    return 0


def _next_hint(course: Course, look: Style) -> list[str] | None:
    """Return the lines of the next hint for the failure that was explained last, or None if no failure is known."""
    from ..practice.progress import progress_of, remember
    from ..practice.screens import Hints
    from ..runner.client import read_exercise
    from ..verdict.report import last_hint

    folder = learner_folders(course)[1]
    progress = progress_of(folder)
    at = course.by_id.get(progress.at)
    if at is None:
        return None
    if not progress.check:
        return look.wrap(f"{words.not_loaded(at.filename, at.number.lstrip('0'))} {words.hints_later(at.id)}")
    # before the last written hint, search the file, so that the hint from an edit can follow it
    hints = Hints(at, at.hints_from(progress.hint))
    if hints.end_after(progress.shown):
        source = read_exercise(at, folder / at.filename)
        if progress.search_of(course, at, source.text) is None:
            _search(course, at, folder, progress)
        found = progress.search_of(course, at, source.text)
        hints = hints._replace(asked=last_hint(found, progress.check, source.text, source.cells) if found else None)
    if hints.numbers:
        progress.show_next(hints.numbers)
    # the hint is shown, also if the progress cannot be saved
    with contextlib.suppress(OSError):
        remember(folder, progress)
    return hints.lines(progress.shown, words.more_hints("grade hint"), look)


def _search(course: Course, exercise: Exercise, folder: Path, progress: "Progress") -> None:
    """Search an exercise's file for the line that must change. The result, if there is one in time, is progress."""
    from ..course.oracle import OracleError
    from ..practice.session import Practice
    from ..runner.sandbox import WorkerGone
    from ..verdict.checks import GraderFault  # these import pytest, which takes time

    # the written hints need no grading
    with (
        contextlib.suppress(UserError, GraderFault, OracleError, WorkerGone),
        Practice(course, folder, memo=default_memo()) as practice,
    ):
        progress.searched(StatusLine().follow(practice.searched_file(exercise), course))


def _exercise_for_hint(course: Course) -> Exercise:
    """Return an exercise that has not been passed.

    It is the one that was graded alone last, or else the last one whose file was changed, or else the first one after
    the passed ones.

    Raises `UserError` if all have been passed.
    """
    from ..course.oracle import read_book
    from ..practice.progress import progress_of
    from ..runner.client import read_exercise

    folder = learner_folders(course)[1]
    progress = progress_of(folder)
    passed = progress.passed
    if progress.begun in course.by_id:
        return course.by_id[progress.begun]
    last = next((one.id for one in reversed(course.exercises) if one.id in passed), "")
    following = next_exercise(course, passed, after=last)
    if following is None:
        raise UserError(words.no_failure(course.exercises[0].id))
    stubs = read_book(course.book).stubs
    # the last one whose file the learner has changed
    for one in reversed([one for one in course.exercises if one.id not in passed]):
        source = read_exercise(one, folder / one.filename)
        if source.problem is None and source.text != stubs.get(one.id):
            return one
    return following


def watch(
    exercise: Annotated[
        str | None,
        About("the first one (default: the first that is not passed)", metavar="EXERCISE", complete=exercise_ids),
    ] = None,
    *,
    folder: LearnerFolder = None,
    isolation: TierName = "auto",
    course: CourseAround = None,
) -> int:
    """Grade an exercise whenever you save its file.

    Return 0 if the learner quits, or the code of an interrupt after Ctrl-C.
    """
    from ..practice.progress import progress_of, remember
    from ..practice.session import Practice
    from ..practice.watch import Screen, Watch

    own = course_of_folder(course)
    first = find_exercise(own, exercise) if exercise else None
    files = exercise_folder(own, folder)
    terminal = on_screen()
    screen = Screen(whole=terminal, keys=terminal and sys.stdin.isatty(), style=style)
    with Practice(own, files, isolation=isolation, memo=default_memo()) as practice:

        def on_report(report: "Report") -> None:
            progress = progress_of(files)
            progress.graded(report)
            # a full disk must not end the watch
            with contextlib.suppress(OSError):
                remember(files, progress)

        try:
            Watch(practice, screen, first, on_report, lambda exercise: _played(practice, exercise)).run()
        except KeyboardInterrupt:  # the usual end where no keys can be read
            screen.show([""])
            return INTERRUPTED
    return 0


def _played(practice: "Practice", exercise: Exercise) -> list[str]:
    """Write the replay of an exercise's first failing check, and open it. Return sentences about the replay."""
    from ..base.processes import open_in_browser
    from ..practice.replay import build_replay_page
    from ..practice.workspace import keep_replay

    played = practice.replays(exercise)
    if not played.shows:
        return [words.nothing_to_play(exercise.stem)]
    path = keep_replay(build_replay_page(played), practice.folder)
    opened = open_in_browser(path.resolve().as_uri())
    sentences = [words.replayed(exercise.stem, played.about), words.replay_in(shown_path(path))]
    return sentences if opened else [*sentences, words.OPEN_IT]


@forms("[EXERCISE [CHECK]] [options]", "PRESET [options]", "EXPRESSION NAME=VALUE ... [options]")
def play(options: PlayOptions) -> int:
    """Replay your own backward pass, step by step, on a page in your browser."""
    from .play import run_play

    return run_play(course_of_folder(options.course), options)


# -- after an exercise -------------------------------------------------------------------------------------


def reset(exercise: OneExercise, *, folder: LearnerFolder = None, course: CourseAround = None) -> int:
    """Start an exercise again. A copy of your file is kept."""
    from ..course.oracle import read_book
    from ..practice.screens import reset_text
    from ..practice.workspace import reset

    own = course_of_folder(course)
    chosen = find_exercise(own, exercise)
    files = exercise_folder(own, folder)
    path, present = files / chosen.filename, exercise_path(files, chosen)
    # a stub beside a notebook would leave two files for one exercise, and neither would be graded
    if present != path:
        raise UserError(words.notebook_in_place(shown_path(present), shown_path(path)))
    try:
        done = reset(path, read_book(own.book).stubs[chosen.id])
    except OSError as error:
        raise UserError(cannot_be_written(str(error.filename or path), error.strerror or "")) from None
    print("\n".join(reset_text(path, done, style())))
    return 0


def solution(exercise: OneExercise, *, folder: LearnerFolder = None, course: CourseAround = None) -> int:
    """Show the solution of an exercise that you have passed."""
    from ..author.build import shown_solution

    own = course_of_folder(course)
    chosen = find_exercise(own, exercise)
    if own.solutions == "never":
        raise UserError(words.NO_SOLUTIONS)
    # learners' copies have no solutions; the course may say where they are
    path = own.solution(chosen)
    if not (path.is_file() or own.solutions_at):
        raise UserError(words.SOLUTIONS_MISSING)
    if own.solutions == "passed":
        _, results = _graded(own, folder, [chosen])
        if results[chosen.id].status != "passed":
            raise UserError(words.solution_later(chosen.stem))
    if not path.is_file():
        say(words.solution_elsewhere(chosen.filename), own.solutions_at)
        return 0
    print(shown_solution(own, chosen), end="")
    return 0
