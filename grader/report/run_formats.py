"""Write a graded run in formats that platforms read, for `grade --format FORMAT[=PATH]`."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..base import UserError, write_named
from ..course import Course
from ..words import author as words
from .learner import for_learner
from .model import Report
from .registry import Format, Request, run_formats


class Wanted(Struct, frozen=True):
    """A format and its path. A file that a variable names is `shared`: earlier steps may have written to it."""

    format: Format
    path: Path
    shared: bool = False


def wanted(choices: Sequence[str], variables: Mapping[str, str]) -> tuple[Wanted, ...]:
    """Return the formats that `--format` names. Raises `UserError` before grading if one cannot be written."""
    found = [_wanted(word, variables) for word in choices]
    if len({one.format.name for one in found}) < len(found):
        raise UserError(words.SAME_FORMAT)
    for one in found:
        missing = [name for name in one.format.variables if not variables.get(name)]
        if missing:
            raise UserError(words.no_variables(one.format.name, missing))
        if not one.path.parent.is_dir():
            raise UserError(words.no_folder(one.format.name, str(one.path.parent)))
    return tuple(found)


def _wanted(word: str, variables: Mapping[str, str]) -> Wanted:
    name, equals, path = word.partition("=")
    formats = run_formats()
    if name not in formats:
        raise UserError(words.no_format(word, list(formats)))
    known = formats[name]
    if equals:
        if not path:
            raise UserError(words.no_file(word))
        return Wanted(known, Path(path))
    if not known.run.startswith("$"):
        return Wanted(known, Path(known.run))
    variable = known.run.removeprefix("$")
    if not variables.get(variable):
        raise UserError(words.no_summary(name, variable))
    return Wanted(known, Path(variables[variable]), shared=True)


def write_formats(found: Sequence[Wanted], report: Report, course: Course, variables: Mapping[str, str]) -> None:
    """Write each format. All contain only what learners may read, even if `report` has more. Raises `UserError`."""
    redacted = for_learner(report, course.details)
    request = Request(title=course.title, details=course.details, hints=course.hints, variables=variables)
    for one in found:
        if one.format.text is not None:
            data = "".join(one.format.text([redacted], request)).encode()
        else:
            assert one.format.files is not None
            (data,) = (text.encode() for files in one.format.files([redacted], request) for text in files.values())
        try:
            if one.shared:
                with one.path.open("ab") as file:
                    file.write(data)
            else:
                write_named(one.path, data)
        except OSError as error:
            raise UserError(words.format_not_written(one.format.name, str(one.path), error.strerror)) from None
        if one.format.printed is not None:
            sys.stdout.writelines(one.format.printed(redacted, request))
            sys.stdout.flush()
