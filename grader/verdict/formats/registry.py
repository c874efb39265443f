"""The registry of formats of other programs, for `grade export --to` and `grade --format`.

Each module beside this one defines one `Format` or several that are alike. A format that needs the people
of a class is defined there, and calls `register`.
"""

import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from ...base.files import UserError, write_named
from ...course.learners import Learner, Standing
from ...course.load import Course
from ...words import author as words
from ..report.model import Details, Report, for_learner

ExportedFiles: TypeAlias = Mapping[str, str]
"""The text of each file, by its path in the folder of the export."""


@dataclass(frozen=True)
class ExportRequest:
    """Options and data that a format may use beside the reports.

    Attributes:
        results: the folder of a class's results.
        assignment: the assignment's name, if the format has one: from `--assignment` or from the course.
        platform: the platform that `--for` names, or None.
        title: the course's title.
        details: the course's visibility settings, as `for_learner` takes them; empty if the format has no `files`.
        hints: the texts of hints, by the command that shows them; empty like `details`.
        stubs: the stubs by their file names; empty like `details`.
        learners: the final table of the class.
        variables: the environment of a graded run.
        warnings: messages for the instructor; a format appends to them.
        left_out: the names of those for whose submission a format has no files; it appends to them.
    """

    results: Path = Path()
    assignment: str = ""
    platform: str | None = None
    title: str = ""
    details: Details = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    stubs: Mapping[str, str] = field(default_factory=dict)
    learners: tuple[Learner, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


Texts: TypeAlias = Callable[[Iterable[Report], ExportRequest], Iterator[str]]


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format: whom it has a row or a file for, where it goes, and how it is written.

    A format has either `text` or `files`. Both take the reports and the request. In an export, the reports contain the
    decisions and penalties of the final table, and are read one at a time.

    Attributes:
        name: the name for `--to` and `--format`.
        about: the description in the documentation.
        text: yields the pieces of one file. It may raise `ValueError` for a bad `--assignment`.
        files: yields the files of each report. Learners read them, so the reports come from `for_learner`. If the
            platform has no place for a report, yield no files (`{}`).
        export: the default path for `grade export`, below `RESULTS/exports`; empty if the format is not for a class.
        run: the default path for `grade --format`. `$NAME` is the file that the variable NAME names, to which the
            format is appended. Empty if the format is not for a single run.
        each: whether an export has an item for each learner, or for each submission. A learner without a submission is
            included only in a file of `text`.
        left_out: the standings of learners who have no row.
        assignment: whether the assignment has the course's title or its id, unless `--assignment` names it; empty if
            the format does not name the assignment.
        platforms: the choices of `--for`.
        variables: the environment variables that must be set for a run.
        printed: yields lines for the standard output of a run.
    """

    name: str
    about: str
    text: Texts | None = None
    files: Callable[[Iterable[Report], ExportRequest], Iterator[ExportedFiles]] | None = None
    export: str = ""
    run: str = ""
    each: str = "submission"
    left_out: tuple[Standing, ...] = ()
    assignment: Literal["", "title", "id"] = ""
    platforms: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    printed: Callable[[Report, ExportRequest], Iterator[str]] | None = None


# formats by name; those of `classes` come when their module is imported
_REGISTERED: dict[str, Format] = {}


def register(added: Format) -> None:
    """Add a format to the registry."""
    _REGISTERED[added.name] = added


def export_formats() -> dict[str, Format]:
    """Return the formats of `grade export`, by name."""
    return {name: one for name, one in _formats().items() if one.export}


def run_formats() -> dict[str, Format]:
    """Return the formats of `grade --format`, by name."""
    return {name: one for name, one in _formats().items() if one.run}


def _formats() -> dict[str, Format]:
    # found by listing the folder, so that a new format needs no entry anywhere
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        for one in vars(import_module(f"{__package__}.{module.name}")).values():
            if isinstance(one, Format):
                register(one)
    return dict(sorted(_REGISTERED.items()))


# -- A graded run in the formats of `grade --format FORMAT[=PATH]`


class Output(Struct, frozen=True):
    """A format and its path. A file that a variable names is `shared`: earlier steps may have written to it."""

    format: Format
    path: Path
    shared: bool = False


def outputs(choices: Sequence[str], variables: Mapping[str, str]) -> tuple[Output, ...]:
    """Return the formats that `--format` names. Raises `UserError` before grading if one cannot be written."""
    chosen = [_output(word, variables) for word in choices]
    if len({one.format.name for one in chosen}) < len(chosen):
        raise UserError(words.SAME_FORMAT)
    for one in chosen:
        # the platform's runner sets these variables; elsewhere, they have to be set by hand
        missing = [name for name in one.format.variables if not variables.get(name)]
        if missing:
            raise UserError(words.no_variables(one.format.name, missing))
        if not one.path.parent.is_dir():
            raise UserError(words.no_folder(one.format.name, str(one.path.parent)))
    return tuple(chosen)


def _output(word: str, variables: Mapping[str, str]) -> Output:
    name, equals, path = word.partition("=")
    formats = run_formats()
    if name not in formats:
        raise UserError(words.no_format(word, list(formats)))
    known = formats[name]
    if equals:
        if not path:
            raise UserError(words.no_file(word))
        return Output(known, Path(path))
    if not known.run.startswith("$"):
        return Output(known, Path(known.run))
    variable = known.run.removeprefix("$")
    if not variables.get(variable):
        raise UserError(words.no_summary(name, variable))
    return Output(known, Path(variables[variable]), shared=True)


def write_formats(chosen: Sequence[Output], report: Report, course: Course, variables: Mapping[str, str]) -> None:
    """Write each format. All contain only what learners may read, even if `report` has more. Raises `UserError`."""
    # also for formats that contain everything in an export, such as JUnit's
    redacted = for_learner(report, course.details)
    request = ExportRequest(title=course.title, details=course.details, hints=course.hints, variables=variables)
    for one in chosen:
        if one.format.text is not None:
            data = "".join(one.format.text([redacted], request)).encode()
        else:
            assert one.format.files is not None
            # a single report has a single file
            (data,) = (text.encode() for files in one.format.files([redacted], request) for text in files.values())
        try:
            if one.shared:
                # earlier steps of the job may have written to the file
                with one.path.open("ab") as file:
                    file.write(data)
            else:
                write_named(one.path, data)
        except OSError as error:
            raise UserError(words.format_not_written(one.format.name, str(one.path), error.strerror)) from None
        if one.format.printed is not None:
            sys.stdout.writelines(one.format.printed(redacted, request))
            sys.stdout.flush()
