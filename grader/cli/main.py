"""Run the command that the first word names, report errors, and return the exit code."""

import difflib
import errno
import os
import sys
from collections.abc import Sequence

import click

from ..base import UserError, paragraph, printable
from ..words import practice as said
from .commands import ASKED, COMMANDS, GRADE, completed
from .streams import INTERRUPTED, complain, prepare, unwritable

# errors that come from the disk, or from a path that the user named
_NOT_OURS = {
    getattr(errno, name, None)
    for name in ("ENAMETOOLONG", "EACCES", "EPERM", "ELOOP", "ENOTDIR", "ENOSPC", "EDQUOT", "EROFS", "EFBIG", "EIO")
}

OK, SHORT, WRONG_USE, OUR_FAULT = 0, 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `grade`. Return the exit code: 0 full marks, 1 fewer points, 2 wrong use or course, 3 fault of the grader."""
    prepare()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if ASKED in os.environ:
        return completed(os.environ[ASKED])
    if words == ["help"]:
        words = ["--help"]
    try:
        code = _run(words)
    except BrokenPipeError:
        code = SHORT
    stuck = unwritable(sys.stdout)
    if stuck is not None and not isinstance(stuck, BrokenPipeError):
        complain(said.output_not_written(stuck.strerror))
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
        complain(f"{' '.join(error.format_message().split())} {said.described_by(path)}")
        _name_command(words)
        return WRONG_USE
    except UserError as error:
        complain(error)
        _name_command(words)
        return WRONG_USE
    except KeyboardInterrupt:
        print(f"\ngrade: {said.INTERRUPTED}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        if os.environ.get("GRADE_DEBUG"):
            raise
        if isinstance(error, OSError) and error.errno in _NOT_OURS:
            if unwritable(sys.stdout) is None:
                complain(": ".join(printable(str(part)) for part in (error.filename, error.strerror) if part))
            return WRONG_USE
        complain(said.GRADER_FAILED)
        print(paragraph(f"  {type(error).__name__}: {error}\n"), file=sys.stderr)
        print(said.NO_FAULT_OF_YOURS, file=sys.stderr)
        return OUR_FAULT


def _see_that_there_is_a_folder() -> None:
    try:
        os.getcwd()
    except OSError:
        raise UserError(said.NO_CURRENT_FOLDER) from None


def _name_command(words: list[str]) -> None:
    """Print the name of a command if the first word is similar to it."""
    if words and words[0] not in COMMANDS:
        for meant in difflib.get_close_matches(words[0], COMMANDS, n=1, cutoff=0.75):
            print(said.command_like(meant), file=sys.stderr)
