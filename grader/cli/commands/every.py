"""`grade` itself, the commands that know all others, and the list of every command."""

import os
import shutil
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from textwrap import wrap

from ... import __version__
from ...base.style import NARROWEST
from ...words import author as for_ci
from ...words import practice as said
from ..words import UsageError
from .author import AUTHOR
from .command import OFFICIAL, Command, Options, Parser, add_isolation, course_of_folder, filled, official_course, text
from .instructor import INSTRUCTOR
from .learner import LEARNER


def _add_grade(parser: Parser) -> None:
    parser.usage = "grade [EXERCISE [FILE] ...] [options]\n       grade COMMAND [options]"
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument(
        "words",
        nargs="*",
        metavar="EXERCISE",
        help="the number or the id of an exercise, a range such as 3-5, or a file (default: every exercise)",
    )
    parser.add_argument(
        "--from", dest="folder", type=Path, metavar="DIR", help="grade the files in DIR or in DIR/exercises"
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the report to FILE")
    parser.add_argument(
        "--json", dest="as_json", action="store_true", help="print the report as JSON, and do not write it to a file"
    )
    parser.add_argument(
        "--all", dest="everything", action="store_true", help="show every check, and explain every failure"
    )
    parser.add_argument(
        "--seed",
        type=text,
        metavar="TEXT",
        help="draw numbers and random programs from this seed instead of the course's; `course` names the course's own",
    )
    parser.add_argument("--instructor", action="store_true", help="keep the seed and hidden details in the report")
    add_isolation(parser)
    formats = parser.add_argument("--format", action="append", default=[], metavar="FORMAT[=FILE]", help="")
    parser.add_argument(
        "--min-score", type=int, metavar="N", help="exit with 0 if the score is N or more (default: full marks)"
    )
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever the score is")
    parser.add_argument(
        "--official", action="store_true", help="grade for the record: in a sandbox, with a secret seed"
    )
    parser.add_argument("--version", action="version", version=f"grade {__version__}")

    def complete() -> None:
        from ...report.registry import run_formats

        formats.help = for_ci.formats_help(list(run_formats()))
        parser.epilog = _list_of_commands()

    parser.complete = complete


def _list_of_commands() -> str:
    width = max(NARROWEST, shutil.get_terminal_size().columns - 2)
    lines = []
    for audience, commands in AUDIENCES.items():
        lines.append(f"commands for {audience}:")
        for command in commands:
            lines += wrap(f"  {command.name:<11} {command.about}", width, subsequent_indent=" " * 14)
        lines.append("")
    return "\n".join([*lines, "`grade COMMAND --help` describes a command."])


def _grade(options: Options) -> int:
    from ..formats import wanted
    from ..run import Options as GradeOptions
    from ..run import run_grade

    formats = wanted(options.format, os.environ)
    printing = [one.format.name for one in formats if one.format.printed]
    if options.as_json and printing:
        raise UsageError(for_ci.json_and_format(printing[0]))
    if options.folder is not None and not options.folder.is_dir():
        raise UsageError(said.no_folder("--from", str(options.folder)))
    course = official_course(options) if options.official else course_of_folder(options)
    return run_grade(course, filled(GradeOptions, options, words=tuple(options.words), formats=formats))


def _add_completion(parser: Parser) -> None:
    from ..completion import SHELLS

    parser.add_argument("shell", choices=SHELLS, help="the shell; in bash, run: source <(grade completion bash)")


def _completion(options: Options) -> int:
    from ..completion import completion

    parsers = {name: command.parser() for name, command in {"": GRADE, **COMMANDS}.items()}
    print(completion(options.shell, course_of_folder(options), parsers), end="")
    return 0


COMPLETION = Command(
    name="completion",
    about="Print a script that completes commands, options and exercises in a shell.",
    add=_add_completion,
    run=_completion,
)
GRADE = Command(name="", about="Grade your exercise files.", add=_add_grade, run=_grade, course=OFFICIAL, mixed=True)

AUDIENCES = {"learners": (*LEARNER, COMPLETION), "instructors": INSTRUCTOR, "authors of a course": AUTHOR}
COMMANDS = {command.name: command for commands in AUDIENCES.values() for command in commands}
