"""The commands of `grade` by audience, and one parser for all of them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import click

from . import author, instructor, learner
from .options import exercise_ids
from .parser import About, Command, Run, about

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ASKED = "_GRADE_COMPLETE"  # the variable by which a shell asks for words


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
    print(kind(GRADE, {}, "grade", ASKED).source())
    return 0


def completed(instruction: str) -> int:
    """Print the words that fit a command line. The shell passes the line in variables of the environment."""
    from click.shell_completion import shell_complete

    return shell_complete(GRADE, {}, "grade", ASKED, instruction)


AUDIENCES: Mapping[str, Sequence[Run]] = {
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
    "authors of a course": (author.new, author.build, author.stubs, author.verify, author.release),
}
COMMANDS = {run.__name__.rstrip("_"): run for commands in AUDIENCES.values() for run in commands}


class _Grade(click.Group):
    """The parser of all commands. If the first word is not a command, all words belong to `grade` itself."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = not args and ctx.resilient_parsing  # a shell asks for the first word
        return super().parse_args(ctx, args if first or (args[:1] and args[0] in COMMANDS) else ["", *args])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
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
