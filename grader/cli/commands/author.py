"""The commands for authors of a course."""

from pathlib import Path

from ...words import author as said
from ..words import find_exercise
from .command import OWN, Command, Options, Parser, add_course, own_course, text


def _add_build(parser: Parser) -> None:
    parser.add_argument(
        "exercises", nargs="*", metavar="EXERCISE", help="the exercises whose answers to compute again (default: all)"
    )


def _build(options: Options) -> int:
    from ...oracle import require_torch
    from ..build import run_build

    course = own_course(options)
    require_torch("`grade build`")
    return run_build(course, tuple(find_exercise(course, word) for word in options.exercises) or None)


def _add_stubs(parser: Parser) -> None:
    parser.add_argument("--force", action="store_true", help="also overwrite files that somebody has worked on")


def _stubs(options: Options) -> int:
    from ..build import print_stubs, stubs_before

    course = own_course(options)
    if not print_stubs(course, stubs_before(course), force=options.force):
        print(said.ALL_AGREE)
    return 0


def _add_new(parser: Parser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="course|exercise", required=True)
    course = kinds.add_parser("course", help="write a course with one exercise to a new folder")
    course.add_argument("folder", type=Path, metavar="DIR")
    exercise = kinds.add_parser(
        "exercise", help="add a solution, a hidden test, misconceptions, an exercise file and an entry in course.yaml"
    )
    exercise.add_argument("name", metavar="NAME", help="the id of the exercise: lower-case letters, digits and _")
    add_course(exercise, OWN)
    for kind in (course, exercise):
        kind.add_argument("--title", type=text, metavar="TEXT", help="the title (default: made from the name)")


def _new(options: Options) -> int:
    from ..new import run_new_course, run_new_exercise

    if options.kind == "course":
        return run_new_course(options.folder, options.title)
    return run_new_exercise(own_course(options), options.name, options.title)


def _add_release(parser: Parser) -> None:
    parser.add_argument("folder", type=Path, metavar="OUT", help="write to the folder OUT")
    parser.add_argument("--replace", action="store_true", help="replace files in OUT that have other contents")


def _release(options: Options) -> int:
    from ..release import run_release

    return run_release(own_course(options), options.folder, replace=options.replace)


def _add_verify(parser: Parser) -> None:
    parser.add_argument("exercises", nargs="*", metavar="EXERCISE", help="the exercises to verify (default: all)")
    parser.add_argument("--table", type=Path, metavar="FILE", help="also write the table to FILE, as Markdown")
    parser.add_argument("--seed", metavar="TEXT", help="verify with this seed instead of the course's")
    parser.add_argument(
        "--seeds", type=int, default=0, metavar="N", help="also find scores that change between N seeds (slow)"
    )


def _verify(options: Options) -> int:
    from ...oracle import require_torch
    from ..verification import run_verify

    course = own_course(options)
    require_torch("`grade verify`")
    chosen = tuple(find_exercise(course, word) for word in options.exercises) or course.exercises
    return run_verify(course, chosen, options.table, options.seed, options.seeds)


AUTHOR = (
    Command(
        name="new",
        about="Begin a course, or add an exercise to your course.",
        add=_add_new,
        run=_new,
        course=None,
    ),
    Command(
        name="build",
        about="Compute the answer book, and write the exercise files that nobody has worked on.",
        add=_add_build,
        run=_build,
        course=OWN,
    ),
    Command(
        name="stubs",
        about="Write the exercise files again from the solutions. `grade build` does this, too.",
        add=_add_stubs,
        run=_stubs,
        course=OWN,
    ),
    Command(
        name="verify",
        about="Check the course itself: solutions, exercise files, misconceptions and mutants.",
        add=_add_verify,
        run=_verify,
        course=OWN,
    ),
    Command(
        name="release",
        about="Write what learners get: exercises, a README, and the workflow if there is one.",
        add=_add_release,
        run=_release,
        course=OWN,
    ),
)
