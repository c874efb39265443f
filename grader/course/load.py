"""Read a course folder. Errors name file and line."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml
from msgspec import Meta

from ..outside import did_you_mean, read_plain
from .codes import CODES, is_code
from .model import COMMANDS, Check, Course, CourseError, Detail, Exercise, Limits, Solutions, Visibility
from .yaml_nodes import Document, child, items, line

FORMAT_VERSION = 1
_MOST = 1_000_000_000  # of points and limits: far above any sensible value, and small enough for system calls
ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ID_RULE = "an id begins with a lower-case letter and has at most 40 lower-case letters, digits and _"
_NUMBERED = re.compile(r"(?P<number>\d\d)_(?P<id>[a-z][a-z0-9_]*)\.py")


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _Head(_Strict, frozen=True):
    id: str
    version: str
    title: str
    total: Annotated[int, Meta(ge=1, le=_MOST)]


class _Defaults(_Strict, frozen=True):
    visibility: Visibility = "visible"
    detail: Detail = "full"


class _Check(_Strict, frozen=True):
    points: Annotated[int, Meta(ge=0, le=_MOST)]
    title: Annotated[str, Meta(min_length=1)]
    visibility: Visibility | None = None
    detail: Detail | None = None
    bonus: bool = False
    hint: Annotated[int, Meta(ge=1)] | None = None


class _Exercise(_Strict, frozen=True):
    id: str
    title: Annotated[str, Meta(min_length=1)]
    checks: dict[str, Any]
    hints: Annotated[list[str], Meta(min_length=1)]
    learnt: str = ""
    hint_for: dict[str, Annotated[int, Meta(ge=0)]] = {}


class _Course(_Strict, frozen=True):
    format_version: int
    course: _Head
    exercises: Annotated[list[Any], Meta(min_length=1)]
    allow_imports: list[str] = []
    limits: Limits = Limits()
    defaults: _Defaults = _Defaults()
    grades: dict[str, int] = {}
    further: list[str] = []
    solutions: Solutions = "passed"
    solutions_at: Annotated[str, Meta(min_length=1)] | None = None


def load_course(folder: Path) -> Course:
    """Return the course in `folder`. Raises `CourseError`."""
    document = Document(folder / "course.yaml")
    raw = document.convert(document.root, _Course)
    if raw.format_version != FORMAT_VERSION:
        where = child(document.root, "format_version")
        raise document.error(where, f"format_version {raw.format_version} is not supported; write 1")
    _positive(document, raw.limits)
    _modules(document, raw.allow_imports)
    numbers = _numbers(folder)
    exercises: list[Exercise] = []
    for node in child(document.root, "exercises").value:
        exercise = _exercise(document, node, raw.defaults, numbers)
        for other in exercises:
            first = f"the first is in line {other.line}"
            if exercise.id == other.id:
                problem = f"there are two exercises `{exercise.id}`; {first}. Give each its own id."
                raise document.error(child(node, "id"), problem)
            if exercise.number == other.number:
                files = f"{other.filename} and {exercise.filename}"
                problem = f"there are two exercises {exercise.number}, {files}; {first}. Give each its own number."
                raise document.error(child(node, "id"), problem)
        exercises.append(exercise)
    total = sum(exercise.max_score for exercise in exercises)
    if total != raw.course.total:
        where = child(child(document.root, "course"), "total")
        raise document.error(where, f"the points of the checks add up to {total}, but `total` is {raw.course.total}")
    _grades(document, raw.grades, total)
    return Course(
        folder=folder,
        id=raw.course.id,
        version=raw.course.version,
        title=raw.course.title,
        allow_imports=tuple(raw.allow_imports),
        limits=raw.limits,
        exercises=tuple(exercises),
        hash=_hash(folder),
        grades=raw.grades,
        further=tuple(raw.further),
        solutions=raw.solutions,
        solutions_at=raw.solutions_at or "",
    )


def _positive(document: Document, limits: Limits) -> None:
    for name in limits.__struct_fields__:
        if not 0 < getattr(limits, name) <= _MOST:
            where = child(child(document.root, "limits"), name)
            raise document.error(where, f"the limit `{name}` must be greater than 0 and at most {_MOST:,}")


def _grades(document: Document, grades: Mapping[str, int], total: int) -> None:
    better: tuple[str, int] | None = None
    for grade, border in grades.items():
        where = child(child(document.root, "grades"), grade)
        if not 0 < border <= total:
            raise document.error(where, f"the grade `{grade}` begins at {border}, which is not between 1 and {total}")
        if better is not None and border >= better[1]:
            before = f"the grade before it, `{better[0]}`, begins at {better[1]}"
            remedy = "List the grades from the best down, with decreasing points."
            raise document.error(where, f"the grade `{grade}` begins at {border}, but {before}. {remedy}")
        better = grade, border


def _modules(document: Document, names: Sequence[str]) -> None:
    for name, node in zip(names, child(document.root, "allow_imports").value, strict=False):
        if not name.isidentifier():
            raise document.error(node, f"`{name}` is not the name of a module; name the package without submodules")


def _numbers(folder: Path) -> dict[str, list[str]]:
    """Return the numbers of the exercise files, by id.

    If a learner deleted a file, its number is taken from its hidden tests.
    """
    found: dict[str, list[str]] = {}
    for path in sorted((folder / "exercises").glob("*.py")):
        match = _NUMBERED.fullmatch(path.name)
        if match:
            found.setdefault(match["id"], []).append(match["number"])
    for path in sorted((folder / "tests" / "hidden").glob("test_*.py")):
        match = _NUMBERED.fullmatch(path.name.removeprefix("test_"))
        if match:
            found.setdefault(match["id"], [match["number"]])
    return found


def _exercise(document: Document, node: yaml.Node, defaults: _Defaults, numbers: dict[str, list[str]]) -> Exercise:
    raw = document.convert(node, _Exercise, "this exercise")
    where = child(node, "id")
    if not ID.fullmatch(raw.id):
        raise document.error(where, f"`{raw.id}` is not a valid id; {_ID_RULE}")
    if raw.id in COMMANDS:
        raise document.error(where, f"`{raw.id}` is a command of `grade`; choose another id")
    files = numbers.get(raw.id, [])
    if len(files) != 1:
        problem = f"there is no file exercises/NN_{raw.id}.py" if not files else "several exercise files have this id"
        raise document.error(where, problem + did_you_mean(raw.id, [i for i in numbers if i != raw.id]))
    checks = tuple(
        _check(document, key, value, defaults, len(raw.hints)) for key, value in items(child(node, "checks"))
    )
    if not checks:
        raise document.error(node, f"`{raw.id}` has no checks")
    _hint_for(document, child(node, "hint_for"), raw)
    return Exercise(
        raw.id, files[0], raw.title, checks, tuple(raw.hints), line(node), raw.learnt, tuple(raw.hint_for.items())
    )


def _hint_for(document: Document, node: yaml.Node, raw: _Exercise) -> None:
    for key, value in items(node) if raw.hint_for else ():
        if not is_code(key.value):
            near = did_you_mean(key.value, CODES) or "; docs/authoring.md lists the codes"
            raise document.error(key, f"`{key.value}` is not the code of a failure{near}")
        _hint_exists(document, value, raw.hint_for[key.value], len(raw.hints))


def _hint_exists(document: Document, node: yaml.Node, hint: int, hints: int) -> None:
    if hint > hints:
        have = "1 hint" if hints == 1 else f"{hints} hints"
        raise document.error(node, f"there is no hint {hint}; the exercise has {have}")


def _check(document: Document, key: yaml.Node, value: yaml.Node, defaults: _Defaults, hints: int) -> Check:
    raw = document.convert(value, _Check, f"the check `{key.value}`")
    if not ID.fullmatch(key.value):
        raise document.error(key, f"`{key.value}` is not a valid id; {_ID_RULE}")
    _hint_exists(document, child(value, "hint"), raw.hint or 0, hints)
    return Check(
        id=key.value,
        title=raw.title,
        points=raw.points,
        bonus=raw.bonus,
        visibility=raw.visibility or defaults.visibility,
        detail=raw.detail or defaults.detail,
        hint=raw.hint or 0,
        line=line(key),
    )


def _hash(folder: Path) -> str:
    """Return the SHA-256 of the files that determine verdicts: `course.yaml`, hidden tests and answer book."""
    digest = hashlib.sha256()
    hidden = folder / "tests" / "hidden"
    for path in [folder / "course.yaml", *sorted(hidden.glob("*.py")), hidden / "answers.json"]:
        try:
            content = read_plain(path, follow=True)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise CourseError(path, None, f"cannot be read: {error.strerror}") from None
        digest.update(os.fsencode(path.name) + f":{len(content)}\n".encode() + content)
    return digest.hexdigest()
