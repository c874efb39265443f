"""Write a graded run in formats that platforms read, for `grade --format FORMAT[=PATH]`."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath

from msgspec import Struct

from ..course import Course
from ..outside import write_named
from ..report import Report, for_learner
from ..words import ci as said
from .words import UsageError

# The default path of each format. GitHub sets the path of the job summary in a variable.
PLACES = {
    "github": None,
    "gradescope": Path("/autograder/results/results.json"),
    "classroom50": Path("result.json"),
    "junit": Path("junit.xml"),
}
_SUMMARY = "GITHUB_STEP_SUMMARY"
_ROOT = "GITHUB_WORKSPACE"


class Wanted(Struct, frozen=True):
    """A format and its path. GitHub's job summary is `shared`, because earlier steps may have written to it."""

    name: str
    path: Path
    shared: bool = False


def wanted(words: Sequence[str], variables: Mapping[str, str]) -> tuple[Wanted, ...]:
    """Return the formats that `--format` names. Raises `UsageError` before grading if one cannot be written."""
    found = [_wanted(word, variables) for word in words]
    if len({one.name for one in found}) < len(found):
        raise UsageError(said.SAME_FORMAT)
    for one in found:
        if one.name == "classroom50":
            from ..report.formats.classroom50 import VARIABLES

            missing = [name for name in VARIABLES.values() if not variables.get(name)]
            if missing:
                raise UsageError(said.no_variables(missing))
        if not one.path.parent.is_dir():
            raise UsageError(said.no_folder(one.name, str(one.path.parent)))
    return tuple(found)


def _wanted(word: str, variables: Mapping[str, str]) -> Wanted:
    name, equals, path = word.partition("=")
    if name not in PLACES:
        raise UsageError(said.no_format(word, list(PLACES)))
    if equals:
        if not path:
            raise UsageError(said.no_file(word))
        return Wanted(name, Path(path))
    place = PLACES[name]
    if place is not None:
        return Wanted(name, place)
    if not variables.get(_SUMMARY):
        raise UsageError(said.no_summary(_SUMMARY))
    return Wanted(name, Path(variables[_SUMMARY]), shared=True)


def write_formats(
    found: Sequence[Wanted],
    report: Report,
    course: Course,
    variables: Mapping[str, str],
) -> None:
    """Write each format. All contain only what learners may read, even if `report` has more. Raises `UsageError`."""
    if not found:
        return
    from ..report.formats import annotations, classroom50, gradescope, junit, summary  # few runs need them

    told = for_learner(report, course.details)
    texts: dict[str, Callable[[], str]] = {
        "github": lambda: summary(told, course.title),
        "gradescope": lambda: next(text for _, text in gradescope([report], course.details)),
        "classroom50": lambda: classroom50(told, variables),
        "junit": lambda: "".join(junit([told])),
    }
    for one in found:
        data = texts[one.name]().encode()
        try:
            if one.shared:
                with one.path.open("ab") as file:
                    file.write(data)
            else:
                write_named(one.path, data)
        except OSError as error:
            raise UsageError(said.format_not_written(one.name, str(one.path), error.strerror)) from None
        if one.name == "github":
            sys.stdout.writelines(annotations(told, _folder(variables)))
            sys.stdout.flush()


def _folder(variables: Mapping[str, str]) -> str:
    """Return the path from the root of GitHub's checkout to the current folder, or an empty text outside of it."""
    root = variables.get(_ROOT)
    if not root:
        return ""
    here, above = os.path.realpath(os.getcwd()), os.path.realpath(root)
    inside = here == above or here.startswith(above.rstrip(os.sep) + os.sep)
    return PurePath(os.path.relpath(here, above)).as_posix() if inside else ""
