"""Make the parser of a command from the function that runs it.

The parameters of the function are the command's words and options. If there are many, the function has one parameter
instead: a struct with a field for each word and option. A parameter before `*` is a word, and a parameter after `*` is
an option with the same name; so are the fields that are `kw_only`. Each is annotated with its type and its `About`:

    kind                    on the command line
    `str`, `Text`           a word; `Text` is decoded as UTF-8 in any locale
    `int`, `Path`           a number, a path
    `tuple[str, ...]`       any number of words, or an option that may be repeated
    `bool = False`          a flag
    `bool | None = None`    two flags, `--name` and `--no-name`
"""

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin

import click
from msgspec import Struct

from ..base import decoded

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Text = Annotated[str, "decoded as UTF-8"]
Run = Callable[..., int]
F = TypeVar("F", bound=Run)
Words = Callable[[], Iterable[str]]


class About(Struct, frozen=True):
    """A description of a word or an option in the help.

    Attributes:
        help: a text, or a function that returns one; it is called only when help is printed.
        metavar: the name of the value.
        flag: the name of the option, if it is not that of the parameter.
        choices: returns the possible values.
        complete: returns the values that a shell offers; others are possible, too.
    """

    help: str | Callable[[], str]
    metavar: str | None = None
    flag: str | None = None
    choices: Words | None = None
    complete: Words | None = None


def forms(*usage: str) -> Callable[[F], F]:
    """Set what a command's help shows as its usage: a line for each of several forms."""

    def set_forms(run: F) -> F:
        run.forms = usage  # type: ignore[attr-defined]
        return run

    return set_forms


class Command(click.Command):
    """A command that runs a function. Its help is the first paragraph of the function's docstring."""

    def __init__(self, name: str, run: Run, epilog: Callable[[click.HelpFormatter], None] | None = None) -> None:
        parameters = inspect.signature(run).parameters
        options: Any = next((one.annotation for one in parameters.values() if _is_struct(one.annotation)), None)
        if options is not None:
            parameters = inspect.signature(options).parameters
        self._forms: tuple[str, ...] = getattr(run, "forms", ())
        self._write_epilog = epilog
        self._abouts: dict[str, About] = {key: get_args(one.annotation)[-1] for key, one in parameters.items()}
        super().__init__(
            name,
            callback=run if options is None else lambda **given: run(options(**given)),
            help=about(run),
            params=[_parameter(one) for one in parameters.values()],
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        )

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each form of the command."""
        if not self._forms:
            super().format_usage(ctx, formatter)
        for number, form in enumerate(self._forms):
            formatter.write_usage(ctx.command_path.strip(), form, prefix=" " * 7 if number else None)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole help."""
        for parameter in self.params:
            text = self._abouts[parameter.name or ""].help
            parameter.help = text if isinstance(text, str) else text()
        super().format_help(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what follows the options."""
        if self._write_epilog is not None:
            self._write_epilog(formatter)


def about(run: Run) -> str:
    """Return the sentences that describe a command: the first paragraph of its docstring, in one line."""
    return " ".join((inspect.getdoc(run) or "").partition("\n\n")[0].split())


def _is_struct(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _parameter(parameter: inspect.Parameter) -> click.Parameter:
    """Return the word or the option that a parameter of a function describes."""
    kind, *encoding, about = get_args(parameter.annotation)
    (base,) = (one for one in get_args(kind) or (kind,) if one not in (NoneType, Ellipsis))
    base = Text if encoding else base
    several = get_origin(kind) is tuple
    required = parameter.default is parameter.empty
    settings: dict[str, Any] = {
        "type": click.Choice(list(about.choices())) if about.choices else _TYPES[base],
        "metavar": about.metavar,
        "required": required,
        "shell_complete": None if about.complete is None else _offered(about.complete),
    }
    if not required and not several:
        settings["default"] = parameter.default

    # a word
    if parameter.kind is not parameter.KEYWORD_ONLY:
        if about.metavar is not None and not required:
            settings["metavar"] = f"[{about.metavar}]" + ("..." if several else "")
        return click.Argument([parameter.name], nargs=-1 if several else 1, **settings)

    # an option
    flag = about.flag or f"--{parameter.name.replace('_', '-')}"
    if base is not bool:
        return click.Option([parameter.name, flag], multiple=several, **settings)
    if parameter.default is None:
        flag += f"/--no-{flag.removeprefix('--')}"
    elif parameter.default:
        settings["flag_value"] = False
    return click.Option([parameter.name, flag], is_flag=True, **settings)


def _offered(words: Words) -> "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]":
    """Return a function that offers the words with a given beginning to a shell."""

    def offer(context: click.Context, parameter: click.Parameter, begun: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in words() if word.startswith(begun)]

    return offer


class _Text(click.ParamType[str]):
    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = decoded(value)
        if not text.isascii() and text.encode("utf-8", "replace").decode() != text:
            self.fail("it is not UTF-8", param, ctx)
        return text


_TYPES: dict[object, click.ParamType[Any]] = {
    str: click.STRING,
    Text: _Text(),
    int: click.INT,
    bool: click.BOOL,
    Path: click.Path(path_type=Path),
}
