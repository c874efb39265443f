"""Misconceptions as they stand beside a solution, and the solutions edited by them."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..course import CourseError, Document
from ..course.yaml_nodes import child, line

_BEGIN = re.compile(r"^[ ]*# BEGIN SOLUTION.*$", re.MULTILINE)
_END = re.compile(r"^[ ]*# END SOLUTION[ ]*$", re.MULTILINE)
_HEAD = re.compile(r"^(?P<indent>[ ]*)(?:def|class) (?P<name>\w+)", re.MULTILINE)


class Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"within": "in"}):
    """`old` stands exactly once in the solution region (that of the function `within`, if given)."""

    old: Annotated[str, Meta(min_length=1)]
    new: str
    within: str | None = None


class _Raw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
    believes: Annotated[str, Meta(min_length=1)]
    instead: Annotated[str, Meta(min_length=1)]
    hint: Annotated[int, Meta(ge=1)]
    edits: Annotated[list[Any], Meta(min_length=1)]
    on: str | None = None  # edits what this one, which stands before it, has made of the solution


class Misconception(msgspec.Struct, frozen=True):
    """A known-wrong way to solve an exercise: what somebody seems to believe, what to think instead, and the
    solution as it would be then."""

    id: str
    believes: str
    instead: str
    hint: int
    line: int
    source: str


def read_misconceptions(path: Path, solution: str, hints: int) -> list[Misconception]:
    """The misconceptions in a file (none if it does not exist), applied to the text of the solution beside it.

    Raises `CourseError` for a key that is unknown, an id given twice, a hint that does not exist, an edit whose
    `old` does not stand exactly once where it should.
    """
    if not path.exists():
        return []
    document = Document(path)
    document.convert(document.root, list[Any])
    found: list[Misconception] = []
    for node in document.root.value:
        raw = document.convert(node, _Raw)
        if any(raw.id == other.id for other in found):
            raise document.error(child(node, "id"), f"there are two misconceptions `{raw.id}`")
        if raw.hint > hints:
            raise document.error(child(node, "hint"), f"there is no hint {raw.hint}: the exercise has {hints}")
        start = solution if raw.on is None else next((m.source for m in found if m.id == raw.on), None)
        if start is None:
            raise document.error(child(node, "on"), f"no misconception `{raw.on}` stands before this one")
        edits = []
        for edit_node in child(node, "edits").value:
            edits.append(document.convert(edit_node, Edit))
            try:
                source = apply_edits(start, edits)
            except ValueError as error:
                raise document.error(edit_node, str(error)) from None
        found.append(Misconception(raw.id, raw.believes, raw.instead, raw.hint, line(node), source))
    return found


def apply_edits(solution: str, edits: Sequence[Edit]) -> str:
    """The solution with every edit made, one after the other. Raises `ValueError` if one does not fit exactly once."""
    for edit in edits:
        spans = [(start, end) for name, start, end in regions(solution) if edit.within in (None, name)]
        if not spans:
            raise ValueError(f"there is no solution region in `{edit.within}`")
        places = [
            match.start() for start, end in spans for match in re.finditer(re.escape(edit.old), solution[start:end])
        ]
        if len(places) != 1:
            raise ValueError(f"{edit.old!r} stands {len(places)} times in the solution region, not once")
        at = next(start + place for start, end in spans for place in [solution[start:end].find(edit.old)] if place >= 0)
        solution = solution[:at] + edit.new + solution[at + len(edit.old) :]
    return solution


def regions(solution: str) -> list[tuple[str, int, int]]:
    """The solution regions: the function or class around each (the outermost below a class), start and end."""
    found = []
    for begin in _BEGIN.finditer(solution):
        end = _END.search(solution, begin.end())
        if end is None:
            raise CourseError(Path("solution"), None, "BEGIN SOLUTION without an END SOLUTION")
        found.append((_around(solution, begin.start()), begin.end() + 1, end.start()))
    return found


def _around(solution: str, position: int) -> str:
    """The name of the method or function that a position lies in: of nested ones, the outermost within a class."""
    depth = len(solution[position:]) - len(solution[position:].lstrip(" "))
    name = ""
    for head in reversed(list(_HEAD.finditer(solution, 0, position))):
        indent = len(head["indent"])
        if indent < depth:
            if head.group().lstrip().startswith("class") and name:
                break
            name, depth = head["name"], indent
    return name
