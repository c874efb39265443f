"""The commands for learners."""

from pathlib import Path

from ..words import find_exercise
from .command import (
    Command,
    Options,
    Parser,
    add_isolation,
    course_of_folder,
    filled,
    text,
)


def _add_hint(parser: Parser) -> None:
    parser.add_argument(
        "exercise",
        nargs="?",
        metavar="EXERCISE",
        help="the exercise (default: the next hint for the failure that was explained last)",
    )
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="the number of the hint (default: 1)")


def _hint(options: Options) -> int:
    from ..hint import run_hint

    course = course_of_folder(options)
    return run_hint(course, find_exercise(course, options.exercise) if options.exercise else None, options.number)


def _add_folder(parser: Parser) -> None:
    parser.add_argument("--from", dest="folder", type=Path, metavar="DIR", help="the folder with your exercise files")


def _add_exercise(parser: Parser) -> None:
    _add_folder(parser)
    parser.add_argument("exercise", metavar="EXERCISE")


def _solution(options: Options) -> int:
    from ..practice import run_solution

    course = course_of_folder(options)
    return run_solution(course, options.folder, find_exercise(course, options.exercise))


def _reset(options: Options) -> int:
    from ..practice import run_reset

    course = course_of_folder(options)
    return run_reset(course, options.folder, find_exercise(course, options.exercise))


def _add_start(parser: Parser) -> None:
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="write to DIR/exercises (default DIR: .)",
    )


def _start(options: Options) -> int:
    from ..start import run_start

    return run_start(course_of_folder(options), options.folder)


def _add_watch(parser: Parser) -> None:
    _add_folder(parser)
    parser.add_argument(
        "exercise",
        nargs="?",
        metavar="EXERCISE",
        help="the first one (default: the first that is not passed)",
    )
    add_isolation(parser)


def _watch(options: Options) -> int:
    from ..practice import run_watch

    course = course_of_folder(options)
    start = find_exercise(course, options.exercise) if options.exercise else None
    return run_watch(course, options.folder, start, options.isolation)


def _list(options: Options) -> int:
    from ..practice import run_list

    return run_list(course_of_folder(options), options.folder)


def _next(options: Options) -> int:
    from ..practice import run_list

    return run_list(course_of_folder(options), options.folder, next_only=True)


def _add_play(parser: Parser) -> None:
    from ...replay.presets import presets

    _add_folder(parser)
    parser.usage = (
        "grade play [EXERCISE [CHECK]] [options]\n       grade play PRESET [options]\n"
        "       grade play EXPRESSION NAME=VALUE ... [options]"
    )
    names = ", ".join(preset.id for preset in presets())
    parser.add_argument(
        "words",
        nargs="*",
        type=text,
        metavar="WORD",
        help="an exercise, and a check by its number or id (default: the exercise that you work on); "
        f'a preset ({names}); or an expression and the values of its leaves, as in: "(a + b) * c" a=2 b=-3 c=10',
    )
    parser.add_argument(
        "--exercise",
        metavar="EXERCISE",
        help="run a preset or an expression with this exercise's file (default: the last exercise that you began and "
        "that has a backward pass)",
    )
    parser.add_argument("--file", type=Path, metavar="FILE", help="run FILE instead of the exercise's file")
    parser.add_argument("--landscape", action="store_true", help="show the steps of your `train` on the loss surface")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write the page to FILE (default: a file beside the exercises)"
    )
    parser.add_argument("--no-open", dest="browser", action="store_false", help="do not open the page in a browser")


def _play(options: Options) -> int:
    from ..play import PlayOptions, run_play

    return run_play(course_of_folder(options), filled(PlayOptions, options, words=tuple(options.words)))


LEARNER = (
    Command(
        name="start",
        about="Write the exercise files, a README and settings. Files that exist are not changed.",
        add=_add_start,
        run=_start,
    ),
    Command(name="next", about="Show which file to open next.", add=_add_folder, run=_next),
    Command(name="list", about="List the exercises with their status and points.", add=_add_folder, run=_list),
    Command(name="hint", about="Show a hint. Repeat the command for the next one.", add=_add_hint, run=_hint),
    Command(name="watch", about="Grade an exercise whenever you save its file.", add=_add_watch, run=_watch),
    Command(
        name="play",
        about="Replay your own backward pass, step by step, on a page in your browser.",
        add=_add_play,
        run=_play,
        mixed=True,
    ),
    Command(
        name="reset",
        about="Start an exercise again. A copy of your file is kept.",
        add=_add_exercise,
        run=_reset,
    ),
    Command(
        name="solution",
        about="Show the solution of an exercise that you have passed.",
        add=_add_exercise,
        run=_solution,
    ),
)
