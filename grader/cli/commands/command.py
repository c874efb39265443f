"""One command of `grade`: its name, its options, and the function that runs it."""

import argparse
import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from ...base import decoded
from ...course import PACKAGED, Course, course_around, find_course, load_course, other_course_around
from ...words import author
from ...words.instructor import cohort
from ..streams import complain
from ..words import UsageError

# the courses that commands use without `--course`, as their help describes them
AROUND = "the course of this folder or of one above, or else the packaged course"
OFFICIAL = f"{AROUND}; with --official always the packaged course"
NAMED = f"the packaged course; in the folder of another course, name one of the two: its folder, or `{PACKAGED}`"
RESULTS = "the course that RESULTS was graded with"
OWN = "the course of this folder or of one above"

Options = argparse.Namespace
T = TypeVar("T")


class Parser(argparse.ArgumentParser):
    """A parser. `complete` adds the parts of its help that take time to compute, when the help is printed."""

    complete: Callable[[], None] = staticmethod(lambda: None)

    def format_help(self) -> str:
        """Return the whole help."""
        self.complete()
        return super().format_help()


def no_options(parser: Parser) -> None:
    """Add nothing to the parser of a command that has no options."""


class Command(Struct, frozen=True, kw_only=True):
    """A command of `grade`.

    Attributes:
        name: the first word after `grade`, or an empty text for `grade` itself.
        about: a sentence that says what the command does.
        add: adds the command's words and options to a parser.
        run: runs the command with the parsed options, and returns the exit code.
        course: the course that is used without `--course`; None if the command has no such option.
        mixed: whether options may stand between the words.
    """

    name: str
    about: str
    run: Callable[[Options], int]
    add: Callable[[Parser], None] = no_options
    course: str | None = AROUND
    mixed: bool = False

    def parser(self) -> Parser:
        """Return the command's parser."""
        parser = Parser(prog=f"grade {self.name}".strip(), description=self.about)
        if self.course is not None:
            add_course(parser, self.course)
        self.add(parser)
        return parser

    def __call__(self, words: Sequence[str]) -> int:
        """Parse the words after the command, run it, and return the exit code. Raises `SystemExit` for wrong words."""
        parser = self.parser()
        return self.run(parser.parse_intermixed_args(words) if self.mixed else parser.parse_args(words))


def add_course(parser: Parser, default: str) -> None:
    """Add `--course`. `default` describes the course that is used without this option."""
    parser.add_argument("--course", type=Path, metavar="DIR", help=f"the course's folder (default: {default})")


def add_isolation(parser: Parser) -> None:
    """Add `--isolation`."""
    from ...sandbox import TIERS

    parser.add_argument(
        "--isolation",
        choices=["auto", *TIERS],
        default="auto",
        help="how to isolate the code (default: auto, the strongest that works on this machine)",
    )


def add_results(parser: Parser) -> None:
    """Add the folder of a class's results as the first word."""
    parser.add_argument("results", type=Path, metavar="RESULTS", help="the folder that `grade cohort --out` wrote")


def filled(kind: Callable[..., T], options: Options, **others: Any) -> T:
    """Return an object of a class whose fields are the parsed options of the same names, and `others`."""
    names = kind.__annotations__.keys() & vars(options).keys() - others.keys()
    return kind(**{name: getattr(options, name) for name in names}, **others)


def text(word: str) -> str:
    """Return a word of the command line as text, decoded as UTF-8 in any locale."""
    found = decoded(word)
    if not found.isascii() and found.encode("utf-8", "replace").decode() != found:
        raise argparse.ArgumentTypeError("it is not UTF-8")
    return found


def course_of_folder(options: Options) -> Course:
    """Return the named course, or the one around the current folder, or else the packaged one."""
    return load_course(find_course(options.course, Path.cwd()))


def own_course(options: Options) -> Course:
    """Return the course that its author works on.

    The packaged course is never the default, because the commands for authors write to the course.
    """
    if options.course is None and course_around(Path.cwd()) is None:
        raise UsageError(author.NO_COURSE)
    return course_of_folder(options)


def official_course(options: Options) -> Course:
    """Return the named course or else the packaged one. A course in the current folder may be part of the submission.

    If there is another course in or above the current folder, a message says that it is not used.
    """
    course = load_course(find_course(options.course, None))
    other = other_course_around(Path.cwd()) if options.course is None else None
    if other is not None:
        complain(author.packaged_course(course.id, course.version, str(other / "course.yaml")))
    return course


def class_course(options: Options) -> Course:
    """Return the named course or else the packaged one.

    A course inside the folder of submissions is ignored. Raises `UsageError` if no course is named and another course
    than the packaged one is in or above the current folder.
    """
    course = load_course(find_course(options.course, None))
    here, submissions = Path.cwd(), Path(os.path.realpath(options.submissions))
    start = submissions.parent if here.is_relative_to(submissions) else here
    other = other_course_around(start) if options.course is None else None
    if other is not None:
        packaged = f"{course.title} ({course.id} {course.version})"
        raise UsageError(cohort.which_course(str(other / "course.yaml"), shlex.quote(str(other)), PACKAGED, packaged))
    return course
