"""Edits of a text, as YAML lists them: what stands there once, and what to write instead."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import msgspec
import yaml
from msgspec import Meta

from ..course import CourseError, Document
from ..course.yaml_nodes import child

# from a text and an edit's `in` to the spans in which `old` is looked for
Where = Callable[[str, "str | None"], list[tuple[int, int]]]

_BEGIN = re.compile(r"^[ ]*# BEGIN SOLUTION.*$", re.MULTILINE)
_END = re.compile(r"^[ ]*# END SOLUTION[ ]*$", re.MULTILINE)
_HEAD = re.compile(r"^(?P<indent>[ ]*)(?:def|class) (?P<name>\w+)", re.MULTILINE)


class Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"within": "in"}):
    """`old` stands exactly once where it is looked for (in the function `within`, if given)."""

    old: Annotated[str, Meta(min_length=1)]
    new: str
    within: str | None = None


def in_solution(text: str, within: str | None) -> list[tuple[int, int]]:
    """The solution regions, or those of one function. Raises `ValueError` where there is none."""
    spans = [(start, end) for name, start, end in regions(text) if within in (None, name)]
    if not spans:
        raise ValueError(f"there is no solution region in `{within}`")
    return spans


def anywhere(text: str, within: str | None) -> list[tuple[int, int]]:
    """The whole text. Raises `ValueError` where a function is named: solutions alone are taken apart."""
    if within is not None:
        raise ValueError("`in` is for edits of a solution")
    return [(0, len(text))]


def apply_edits(text: str, edits: Iterable[Edit], where: Where = in_solution) -> str:
    """The text with every edit made, one after the other. Raises `ValueError` if one does not fit exactly once."""
    for edit in edits:
        found = re.compile(re.escape(edit.old))
        places = [match.start() for span in where(text, edit.within) for match in found.finditer(text, *span)]
        if len(places) != 1:
            raise ValueError(f"{edit.old!r} stands {len(places)} times where it is looked for, not once")
        text = text[: places[0]] + edit.new + text[places[0] + len(edit.old) :]
    return text


def edited(document: Document, node: yaml.Node, text: str, where: Where = in_solution) -> str:
    """The text with the edits made that a node of a document lists. Raises `CourseError` at one that does not fit."""
    for one in child(node, "edits").value:
        try:
            text = apply_edits(text, [document.convert(one, Edit)], where)
        except ValueError as error:
            raise document.error(one, str(error)) from None
    return text


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
