"""Make the parser of a command from the function that runs it, and define the options that several commands have.

Each parameter of the function is a word or an option of the command. A keyword-only parameter is an option with the
same name, and any other parameter is a word. A command with many options has a function of one parameter: a struct,
whose fields then take the place of parameters. Each is annotated with its type and its `About`:

    kind                    on the command line
    `str`, `Utf8Text`       a word; `Utf8Text` is decoded as UTF-8 in any locale
    `int`, `Path`           a number, a path
    `tuple[str, ...]`       any number of words, or an option that may be repeated
    `bool = False`          a flag
    `bool | None = None`    two flags, `--name` and `--no-name`
"""

import contextlib
import inspect
import os
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin

import click
from msgspec import Struct

from ..base.files import UserError
from ..base.text import decoded
from ..course.load import PACKAGED, Course, CourseError, course_around, find_course, load_course, other_course_around
from ..words import author
from .streams import complain

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# -- the parser --------------------------------------------------------------------------------------------
Utf8Text = Annotated[str, "decoded as UTF-8"]
CommandFunction = Callable[..., int]
F = TypeVar("F", bound=CommandFunction)
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

    def __init__(
        self, name: str, run: CommandFunction, epilog: Callable[[click.HelpFormatter], None] | None = None
    ) -> None:
        parameters = inspect.signature(run).parameters
        # a function with many options has one parameter: a struct with a field for each of them
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
            # only now, because some texts need modules that take time to import
            text = self._abouts[parameter.name or ""].help
            parameter.help = text if isinstance(text, str) else text()
        super().format_help(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what follows the options."""
        if self._write_epilog is not None:
            self._write_epilog(formatter)


def about(run: CommandFunction) -> str:
    """Return the sentences that describe a command: the first paragraph of its docstring, in one line."""
    return " ".join((inspect.getdoc(run) or "").partition("\n\n")[0].split())


def _is_struct(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _parameter(parameter: inspect.Parameter) -> click.Parameter:
    """Return the word or the option that a parameter of a function describes."""
    # Python flattens nested `Annotated` types, so the mark of `Utf8Text` is between type and `About`
    kind, *encoding, about = get_args(parameter.annotation)
    # the type itself, without the None of an optional one and the dots of `tuple[str, ...]`
    (base,) = (one for one in get_args(kind) or (kind,) if one not in (NoneType, Ellipsis))
    base = Utf8Text if encoding else base
    several = get_origin(kind) is tuple
    required = parameter.default is parameter.empty
    settings: dict[str, Any] = {
        "type": click.Choice(list(about.choices())) if about.choices else _TYPES[base],
        "metavar": about.metavar,
        "required": required,
        "shell_complete": None if about.complete is None else _offered(about.complete),
    }
    # click's own default for several values is an empty tuple, as the functions expect
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
    # a flag that is on by default, such as `browser`, turns off what it names: `--no-open`
    elif parameter.default:
        settings["flag_value"] = False
    return click.Option([parameter.name, flag], is_flag=True, **settings)


def _offered(words: Words) -> "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]":
    """Return a function that offers the words with a given beginning to a shell."""

    def offer(context: click.Context, parameter: click.Parameter, begun: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in words() if word.startswith(begun)]

    return offer


class _Utf8Type(click.ParamType[str]):
    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = decoded(value)
        # Python hands over a byte that is not UTF-8 as a lone surrogate, which cannot be encoded
        if not text.isascii() and text.encode("utf-8", "replace").decode() != text:
            self.fail("it is not UTF-8", param, ctx)
        return text


_TYPES: dict[object, click.ParamType[Any]] = {
    str: click.STRING,
    Utf8Text: _Utf8Type(),
    int: click.INT,
    bool: click.BOOL,
    Path: click.Path(path_type=Path),
}


# -- the options that several commands have ---------------------------------------------------------------


def _tiers() -> list[str]:
    from ..runner.sandbox import TIERS

    return ["auto", *TIERS]


def exercise_ids() -> list[str]:
    """Return the ids of the exercises of the course around the current folder; none if it cannot be read."""
    # a shell that completes words cannot show an error
    with contextlib.suppress(CourseError):
        return [exercise.id for exercise in load_course(find_course(None, Path.cwd())).exercises]
    return []


def _course(default: str) -> About:
    return About(f"the course's folder (default: {default})", metavar="DIR")


# `--course` of each command; the help describes the course that is used without it
_AROUND = "the course of this folder or of one above, or else the packaged course"
CourseAround = Annotated[Path | None, _course(_AROUND)]
CourseOrPackaged = Annotated[Path | None, _course(f"{_AROUND}; with --official always the packaged course")]
CourseOfClass = Annotated[
    Path | None,
    _course(f"the packaged course; in the folder of another course, name one of the two: its folder, or `{PACKAGED}`"),
]
CourseOfResults = Annotated[Path | None, _course("the course that RESULTS was graded with")]
OwnCourse = Annotated[Path | None, _course("the course of this folder or of one above")]

LearnerFolder = Annotated[Path | None, About("the folder with your exercise files", metavar="DIR", flag="--from")]
TierName = Annotated[
    str,
    About("how to isolate the code (default: auto, the strongest that works on this machine)", choices=_tiers),
]
ResultsFolder = Annotated[Path, About("the folder that `grade cohort --out` wrote", metavar="RESULTS")]
Seed = Annotated[
    Utf8Text | None,
    About(
        "draw numbers and random programs from this seed instead of the course's; `course` names the course's own",
        metavar="TEXT",
    ),
]


# -- the commands with many options: their words, and in a subclass their options ---------------------------


def _formats_help() -> str:
    from ..verdict.formats import run_formats

    return author.formats_help(list(run_formats()))


# `kw_only` holds for all fields of a class, so the words are in a class of their own.
class _GradeWords(Struct, frozen=True):
    words: Annotated[
        tuple[str, ...],
        About(
            "the number or the id of an exercise, a range such as 3-5, or a file (default: every exercise)",
            metavar="EXERCISE",
            complete=exercise_ids,
        ),
    ] = ()


class GradeOptions(_GradeWords, frozen=True, kw_only=True):
    """The words and options of `grade` itself."""

    folder: Annotated[
        Path | None, About("grade the files in DIR or in DIR/exercises", metavar="DIR", flag="--from")
    ] = None
    report: Annotated[Path | None, About("write the report to FILE", metavar="FILE")] = None
    as_json: Annotated[bool, About("print the report as JSON, and do not write it to a file", flag="--json")] = False
    everything: Annotated[bool, About("show every check, and explain every failure", flag="--all")] = False
    fresh: Annotated[bool, About("also run the files that have not changed since they were graded last")] = False
    scalars: Annotated[
        bool, About("after `grade engine FILE`: grade the file as 12, even if its engine takes arrays")
    ] = False
    line: Annotated[
        bool | None,
        About("search for the line whose change makes every check pass (default: on a terminal, in your own folder)"),
    ] = None
    seed: Seed = None
    instructor: Annotated[bool, About("keep the seed and hidden details in the report")] = False
    isolation: TierName = "auto"
    formats: Annotated[tuple[str, ...], About(_formats_help, metavar="FORMAT[=FILE]", flag="--format")] = ()
    min_score: Annotated[
        int | None, About("exit with 0 if the score is N or more (default: full marks)", metavar="N")
    ] = None
    exit_zero: Annotated[bool, About("exit with 0 whatever the score is")] = False
    official: Annotated[bool, About("grade for the record: in a sandbox, with a secret seed")] = False
    course: CourseOrPackaged = None
    version: Annotated[bool, About("show the version")] = False


def _words_of_play() -> str:
    from ..practice.replay import presets

    names = ", ".join(preset.id for preset in presets())
    return (
        "an exercise, and a check by its number or id (default: the exercise that you work on); "
        f'a preset ({names}); or an expression and the values of its leaves, as in: "(a + b) * c" a=2 b=-3 c=10'
    )


class _PlayWords(Struct, frozen=True):
    words: Annotated[tuple[Utf8Text, ...], About(_words_of_play, metavar="WORD", complete=exercise_ids)] = ()


class PlayOptions(_PlayWords, frozen=True, kw_only=True):
    """The words and options of `grade play`."""

    exercise: Annotated[
        str | None,
        About(
            "run a preset or an expression with this exercise's file (default: the last exercise that you began and "
            "that has a backward pass)",
            metavar="EXERCISE",
            complete=exercise_ids,
        ),
    ] = None
    file: Annotated[Path | None, About("run FILE instead of the exercise's file", metavar="FILE")] = None
    folder: LearnerFolder = None
    landscape: Annotated[bool, About("show the steps of your `train` on the loss surface")] = False
    text: Annotated[Path | None, About("train your transformer on the words of FILE", metavar="FILE")] = None
    out: Annotated[
        Path | None, About("write the page to FILE (default: a file beside the exercises)", metavar="FILE")
    ] = None
    browser: Annotated[bool, About("do not open the page in a browser", flag="--no-open")] = True
    course: CourseAround = None


def _layouts() -> list[str]:
    from ..classes.intake import LAYOUTS

    return list(LAYOUTS)


class _CohortWords(Struct, frozen=True):
    submissions: Annotated[Path, About("a folder of submissions, or a platform's export", metavar="SUBMISSIONS")]


class CohortOptions(_CohortWords, frozen=True, kw_only=True):
    """The words and options of `grade cohort`."""

    out: Annotated[Path, About("write the results to this folder", metavar="RESULTS")]
    layout: Annotated[
        str | None, About("how SUBMISSIONS is arranged (default: recognised automatically)", choices=_layouts)
    ] = None
    assignment: Annotated[str | None, About("the assignment, if an nbgrader course has several", metavar="NAME")] = None
    since: Annotated[
        Path | None, About("copy the reports of unchanged submissions from earlier results", metavar="RESULTS")
    ] = None
    roster: Annotated[
        Path | None, About("a CSV file that lists the class: login, name, e-mail and so on", metavar="FILE")
    ] = None
    deadlines: Annotated[
        Path | None, About("a YAML file with due dates, the late penalty and extensions", metavar="FILE")
    ] = None
    again: Annotated[
        tuple[Utf8Text, ...],
        About("also grade the submissions of this learner whose reports are valid; may be repeated", metavar="LEARNER"),
    ] = ()
    jobs: Annotated[
        int, About("how many submissions to grade at the same time (default: the number of processors)", metavar="N")
    ] = os.cpu_count() or 1
    seed: Annotated[
        Utf8Text | None,
        About("draw numbers and random programs from this seed instead of a secret one", metavar="TEXT"),
    ] = None
    explain: Annotated[
        str | None,
        About("with `lines`, also search each failing file for the line that must change", choices=lambda: ["lines"]),
    ] = None
    isolation: TierName = "auto"
    allow_process: Annotated[bool, About("grade without a sandbox: only for code that you trust")] = False
    dask: Annotated[
        str | None, About("grade on the Dask cluster whose scheduler has this address", metavar="ADDRESS")
    ] = None
    course: CourseOfClass = None


Repeated = tuple[Utf8Text, ...]


class _DecideWords(Struct, frozen=True):
    results: ResultsFolder
    learner: Annotated[
        Utf8Text | None, About("a login, an e-mail address, or the id of a submission", metavar="LEARNER")
    ] = None


class DecideOptions(_DecideWords, frozen=True, kw_only=True):
    """The words and options of `grade decide`. Those that say what is decided have the names of a decision's fields."""

    why: Annotated[Utf8Text, About("the reason for the decision", metavar="TEXT")]
    everyone: Annotated[
        bool,
        About(
            "in place of LEARNER: with --points or --withdraw, decide about all learners; with --keep, close every "
            "open review for the reason",
            flag="--all",
        ),
    ] = False
    by: Annotated[Utf8Text | None, About("who decides (default: your user name)", metavar="NAME")] = None
    points: Annotated[Repeated, About("the points for a check", metavar="EXERCISE.CHECK=N")] = ()
    files: Annotated[
        Repeated, About("the file that counts for an exercise", metavar="EXERCISE=PATH", flag="--file")
    ] = ()
    submission: Annotated[Utf8Text | None, About("the submission that counts", metavar="ID")] = None
    submitted_at: Annotated[Utf8Text | None, About("the time of submission that counts", metavar="TIME")] = None
    penalty: Annotated[int | None, About("the points to subtract for lateness", metavar="N")] = None
    excused: Annotated[bool | None, About("excuse the learner, or take that back")] = None
    comment: Annotated[Utf8Text | None, About("a comment for the learner to read", metavar="TEXT")] = None
    ignored: Annotated[
        bool | None,
        About(
            "LEARNER is the id of a submission from outside the class: do not grade it, or grade it again",
            flag="--ignore",
        ),
    ] = None
    keep: Annotated[
        Repeated,
        About(
            "keep the result, and close the review for this reason, such as note or EXERCISE.syntax",
            metavar="REASON",
        ),
    ] = ()
    confirm: Annotated[
        Repeated,
        About(
            "apply an earlier decision to the present files, too; WHAT is EXERCISE.CHECK, EXERCISE (for its file) or "
            "submitted_at",
            metavar="WHAT",
        ),
    ] = ()
    withdraw: Annotated[
        Repeated,
        About(
            "take an earlier decision back; WHAT is EXERCISE.CHECK, EXERCISE (for its file) or a key such as penalty",
            metavar="WHAT",
        ),
    ] = ()
    course: CourseOfResults = None


# -- the course, and the memo --------------------------------------------------------------------------------


def course_of_folder(given: Path | None) -> Course:
    """Return the named course, or the one around the current folder, or else the packaged one."""
    return load_course(find_course(given, Path.cwd()))


def own_course(given: Path | None) -> Course:
    """Return the course that its author works on.

    The packaged course is never the default, because the commands for authors write to the course.
    """
    if given is None and course_around(Path.cwd()) is None:
        raise UserError(author.NO_COURSE)
    return course_of_folder(given)


def official_course(given: Path | None) -> Course:
    """Return the named course or else the packaged one. A course in the current folder may be part of the submission.

    If there is another course in or above the current folder, a message says that it is not used.
    """
    course = load_course(find_course(given, None))
    other = other_course_around(Path.cwd()) if given is None else None
    if other is not None:
        complain(author.packaged_course(course.id, course.version, str(other / "course.yaml")))
    return course


def class_course(given: Path | None, submissions: Path) -> Course:
    """Return the named course or else the packaged one.

    A course inside the folder of submissions is ignored. Raises `UserError` if no course is named and another course
    than the packaged one is in or above the current folder.
    """
    course = load_course(find_course(given, None))
    here, submissions = Path.cwd(), Path(os.path.realpath(submissions))
    # a course inside of the submissions may be a learner's
    start = submissions.parent if here.is_relative_to(submissions) else here
    other = other_course_around(start) if given is None else None
    if other is not None:
        from ..words import instructor as cohort

        packaged = f"{course.title} ({course.id} {course.version})"
        raise UserError(cohort.which_course(str(other / "course.yaml"), shlex.quote(str(other)), PACKAGED, packaged))
    return course


def default_memo(name: str = "oracle") -> Path:
    """Return the path of a memo, by default that of torch's answers. `BACKWARD_CACHE` may name its folder."""
    folder = os.environ.get("BACKWARD_CACHE")
    if folder:
        return Path(folder) / f"{name}.sqlite"
    import platformdirs

    return Path(platformdirs.user_cache_dir("backward")) / f"{name}.sqlite"
