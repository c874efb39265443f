"""Run the command that the first word names, report errors, and return the exit code."""

import difflib
import errno
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import click

from ..base.files import UserError
from ..base.text import paragraph, printable
from ..words import practice
from . import author, instructor, learner
from .options import About, Command, CommandFunction, about, exercise_ids
from .streams import INTERRUPTED, complain, prepare, unwritable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# -- Complete words in a shell

COMPLETION_VARIABLE = "_GRADE_COMPLETE"  # the variable by which a shell asks for words


def completion(
    shell: Annotated[
        str,
        About("the shell; in bash, run: source <(grade completion bash)", choices=lambda: ("bash", "zsh", "fish")),
    ],
) -> int:
    """Print a script that completes commands, options and exercises in a shell."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    print(kind(GRADE, {}, "grade", COMPLETION_VARIABLE).source())
    return 0


def completed(instruction: str) -> int:
    """Print the words that fit a command line, and return the exit code.

    The shell passes the line in variables of the environment.

    Args:
        instruction: what the shell asks for, such as `bash_complete`: the value of `COMPLETION_VARIABLE`.
    """
    from click.shell_completion import shell_complete

    return shell_complete(GRADE, {}, "grade", COMPLETION_VARIABLE, instruction)


# -- The commands of `grade` by audience, and one parser for all of them

AUDIENCES: Mapping[str, Sequence[CommandFunction]] = {
    "learners": (
        learner.start,
        learner.next_,
        learner.list_,
        learner.hint,
        learner.watch,
        learner.play,
        learner.reset,
        learner.solution,
        completion,
    ),
    "instructors": (
        instructor.cohort,
        instructor.page,
        instructor.decide,
        instructor.export,
        instructor.compare,
        instructor.ci,
    ),
    "authors of a course": (author.new, author.build, author.stubs, author.verify, author.release, author.site),
}
_OF_A_CLASS = ("cohort", "page", "decide", "export", "compare")  # they lock files as only POSIX systems do
COMMANDS = {run.__name__.rstrip("_"): run for commands in AUDIENCES.values() for run in commands}


class _Grade(click.Group):
    """The parser of all commands. If the first word is not a command, all words belong to `grade` itself."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        completes_first_word = not args and ctx.resilient_parsing
        if completes_first_word or (args and args[0] in COMMANDS):
            return super().parse_args(ctx, args)
        # click needs the name of a command; that of `grade` itself is empty
        return super().parse_args(ctx, ["", *args])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name in _OF_A_CLASS:
            from ..runner.sandbox import see_that_it_forks

            see_that_it_forks(f"`grade {cmd_name}`")
        return Command(cmd_name, COMMANDS[cmd_name]) if cmd_name else Command("", learner.grade, _list_commands)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return self.get_command(ctx, "").shell_complete(ctx, incomplete)
        return [CompletionItem(word) for word in (*COMMANDS, *exercise_ids(), "all") if word.startswith(incomplete)]


def _list_commands(formatter: click.HelpFormatter) -> None:
    for audience, commands in AUDIENCES.items():
        with formatter.section(f"Commands for {audience}"):
            formatter.write_dl([(run.__name__.rstrip("_"), about(run)) for run in commands])
    formatter.write_paragraph()
    formatter.write_text("`grade COMMAND --help` describes a command.")


GRADE = _Grade("grade", add_help_option=False)


# -- Run a command, and report errors

# errors that come from the disk, or from a path that the user named
_NOT_OURS = {
    *(errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENOTDIR),
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO),
}

OK, SHORT, WRONG_USE, OUR_FAULT = 0, 1, 2, 3  # exit codes; `main` says what they mean


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `grade`, and return the exit code.

    Args:
        arguments: the words after `grade`; None for those of this process.

    Returns:
        0 for full marks, 1 for fewer points, 2 for wrong use or an error in the course or of the disk, 3 for a fault of
        the grader, and `INTERRUPTED` after Ctrl-C. If the output is a pipe and its reader closes it, the code is 1.
    """
    # before anything is printed: a text or a name may have a character that the stream cannot encode
    prepare()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if COMPLETION_VARIABLE in os.environ:
        return completed(os.environ[COMPLETION_VARIABLE])
    if words == ["help"]:
        words = ["--help"]
    try:
        code = _run(words)
    # the reader, such as `head`, has read enough
    except BrokenPipeError:
        code = SHORT
    # write the rest of the buffer now: if this fails while Python exits, no message can be printed
    stuck = unwritable(sys.stdout)
    if stuck is not None and not isinstance(stuck, BrokenPipeError):
        complain(practice.output_not_written(stuck.strerror))
        return WRONG_USE
    return code if stuck is None else SHORT


def _run(words: list[str]) -> int:
    try:
        _see_that_there_is_a_folder()
        with GRADE.make_context("grade", words) as context:
            code: int = GRADE.invoke(context)
            return code
    except click.exceptions.Exit as left:  # after `--help`
        return left.exit_code
    except click.ClickException as error:
        path = error.ctx.command_path.strip() if isinstance(error, click.UsageError) and error.ctx else "grade"
        message = " ".join(error.format_message().split())
        stop = "" if message.endswith((".", "?", "?)")) else "."  # some of click's messages have none
        complain(f"{message}{stop} {practice.described_by(path)}")
        _name_command(words)
        return WRONG_USE
    except UserError as error:
        complain(error)
        _name_command(words)
        return WRONG_USE
    except KeyboardInterrupt:
        print(f"\ngrade: {practice.INTERRUPTED}", file=sys.stderr)
        return INTERRUPTED
    # not an error: `main` returns the exit code without a message
    except BrokenPipeError:
        raise
    except Exception as error:
        # any other exception is a fault of the grader, unless the disk or a path is the cause
        if os.environ.get("GRADE_DEBUG"):
            raise
        if isinstance(error, OSError) and error.errno in _NOT_OURS:
            if unwritable(sys.stdout) is None:
                complain(": ".join(printable(str(part)) for part in (error.filename, error.strerror) if part))
            return WRONG_USE
        # no score is written: a fault must not look like a learner's failure
        complain(practice.GRADER_FAILED)
        print(paragraph(f"  {type(error).__name__}: {error}\n"), file=sys.stderr)
        print(practice.NO_FAULT_OF_YOURS, file=sys.stderr)
        return OUR_FAULT


def _see_that_there_is_a_folder() -> None:
    try:
        os.getcwd()
    except OSError:
        raise UserError(practice.NO_CURRENT_FOLDER) from None


def _name_command(words: list[str]) -> None:
    """Print the name of a command if the first word is similar to it."""
    if words and words[0] not in COMMANDS:
        for meant in difflib.get_close_matches(words[0], COMMANDS, n=1, cutoff=0.75):
            print(practice.command_like(meant), file=sys.stderr)
