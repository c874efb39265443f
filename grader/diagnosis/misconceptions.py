"""Misconceptions: known wrong solutions, given as edits of the solution. Other lists of edited texts are read here too.

An edit is a passage that occurs once, and its replacement.
"""

import ast
import copy
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml
from msgspec import Meta

from ..course import CourseError, Document
from ..course.load import child, line

# returns the spans in which `old` is searched, from a text and the `in` of an edit
Where = Callable[[str, "str | None"], list[tuple[int, int]]]

_BEGIN = re.compile(r"^[ ]*# BEGIN SOLUTION.*$", re.MULTILINE)
_END = re.compile(r"^[ ]*# END SOLUTION[ ]*$", re.MULTILINE)
_HEAD = re.compile(r"^(?P<indent>[ ]*)(?:def|class) (?P<name>\w+)", re.MULTILINE)


class Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"within": "in"}):
    """A replacement of `old` by `new`. `old` must occur exactly once in the searched text.

    Attributes:
        within: The function to search; None for all of the text.
    """

    old: Annotated[str, Meta(min_length=1)]
    new: str
    within: str | None = None


def in_solution(text: str, within: str | None) -> list[tuple[int, int]]:
    """Return the solution regions, or those of one function. Raises `ValueError` if there are none."""
    spans = [(start, end) for name, start, end in regions(text) if within in (None, name)]
    if not spans:
        raise ValueError(f"there is no solution region in `{within}`")
    return spans


def anywhere(text: str, within: str | None) -> list[tuple[int, int]]:
    """Return the whole text as one span. Raises `ValueError` if a function is named, which only solutions support."""
    if within is not None:
        raise ValueError("`in` is for edits of a solution")
    return [(0, len(text))]


def apply_edits(text: str, edits: Iterable[Edit], where: Where = in_solution) -> str:
    """Return the text after all edits, one after the other. Raises `ValueError` if one does not fit exactly once."""
    for edit in edits:
        found = re.compile(re.escape(edit.old))
        places = [match.start() for span in where(text, edit.within) for match in found.finditer(text, *span)]
        if len(places) != 1:
            raise ValueError(f"{edit.old!r} stands {len(places)} times where it is looked for, not once")
        text = text[: places[0]] + edit.new + text[places[0] + len(edit.old) :]
    return text


def edited(document: Document, node: yaml.Node, text: str, where: Where = in_solution) -> str:
    """Return the text after the edits listed in a node of a document. Raises `CourseError` if one does not fit."""
    for one in child(node, "edits").value:
        try:
            text = apply_edits(text, [document.convert(one, Edit, "this edit")], where)
        except ValueError as error:
            raise document.error(one, str(error)) from None
    return text


def regions(solution: str) -> list[tuple[str, int, int]]:
    """Return the solution regions of a text: for each, the name of its function or class, its start and its end.

    Of nested functions, the outermost one below a class is named.
    """
    found = []
    for begin in _BEGIN.finditer(solution):
        end = _END.search(solution, begin.end())
        if end is None:
            raise CourseError(Path("solution"), None, "BEGIN SOLUTION without an END SOLUTION")
        found.append((_around(solution, begin.start()), begin.end() + 1, end.start()))
    return found


def without(solution: str, function: str) -> str:
    """Return the solution with one function still to be filled in."""
    for name, start, end in reversed(regions(solution)):
        if name == function:
            solution = _replaced(solution, start, end, "raise NotImplementedError")
    return solution


def unfinished(solution: str) -> Iterator[str]:
    """Yield unfinished versions of the solution.

    Some have only the first statements of a region. In others, one statement is missing, is emptied (a function, a
    loop, a condition) or is mistyped (`x + y` for `x += y`, `f` for `f()`).
    """
    yield from _beginnings(solution)
    tree = ast.parse(solution)
    lines = {
        number
        for _, start, end in regions(solution)
        for number in range(solution.count("\n", 0, start) + 1, solution.count("\n", 0, end) + 1)
    }
    for parent in ast.walk(tree):
        for _, statements in ast.iter_fields(parent):
            for index, statement in enumerate(statements if isinstance(statements, list) else []):
                if isinstance(statement, ast.stmt) and statement.lineno in lines:
                    for other in (ast.Pass(), _emptied(statement), _mistyped(statement)):
                        if other is not None:
                            statements[index] = ast.copy_location(other, statement)
                            yield ast.unparse(ast.fix_missing_locations(tree)) + "\n"
                    statements[index] = statement


def _emptied(statement: ast.stmt) -> ast.stmt | None:
    if not isinstance(statement, ast.FunctionDef | ast.For | ast.While | ast.If):
        return None
    empty = copy.copy(statement)
    empty.body = [ast.Pass()]
    return empty


def _mistyped(statement: ast.stmt) -> ast.stmt | None:
    if isinstance(statement, ast.AugAssign):
        left = copy.copy(statement.target)
        left.ctx = ast.Load()
        return ast.Expr(ast.BinOp(left, statement.op, statement.value))
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        left = copy.copy(statement.targets[0])
        left.ctx = ast.Load()
        return ast.Expr(ast.Compare(left, [ast.Eq()], [statement.value]))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return ast.Expr(statement.value.func)
    return None


def _beginnings(solution: str) -> Iterator[str]:
    """Yield the solution with only the first statements of one region, from none to all but the last."""
    for _, start, end in regions(solution):
        body = textwrap.dedent(solution[start:end])
        lines = body.splitlines()
        for statement in ast.parse(body).body:
            kept = "\n".join(lines[: _first_line(statement) - 1]).rstrip()
            yield _replaced(solution, start, end, kept or "pass")


def _first_line(statement: ast.stmt) -> int:
    placed: list[ast.stmt | ast.expr] = [statement, *getattr(statement, "decorator_list", [])]
    return min(node.lineno for node in placed)


def _replaced(solution: str, start: int, end: int, body: str) -> str:
    """Return the solution with another text in a region, indented like its end marker."""
    marker = solution[end:]
    indent = marker[: len(marker) - len(marker.lstrip(" "))]
    return f"{solution[:start]}{textwrap.indent(body, indent)}\n{marker}"


def _around(solution: str, position: int) -> str:
    """Return the name of the function around a position. Of nested functions, return the outermost within a class."""
    depth = len(solution[position:]) - len(solution[position:].lstrip(" "))
    name = ""
    for head in reversed(list(_HEAD.finditer(solution, 0, position))):
        indent = len(head["indent"])
        if indent < depth:
            if head.group().lstrip().startswith("class") and name:
                break
            name, depth = head["name"], indent
    return name


# -- the misconceptions listed beside a solution

LONGEST_TITLE = 60


class _Raw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
    title: Annotated[str, Meta(min_length=1)]
    explanation: Annotated[str, Meta(min_length=1)]
    hint: Annotated[int, Meta(ge=0)]
    edits: Annotated[list[Any], Meta(min_length=1)]
    about: str | None = None
    unfinished: bool = False
    on: str | None = None  # an earlier misconception; the edits apply to its source instead of the solution


class Misconception(msgspec.Struct, frozen=True):
    """A known wrong way to solve an exercise, and the solution edited by it.

    Attributes:
        title: The mistake in a few words, for the list on a class page.
        explanation: The text for the learner: what their code behaves like, and what is right.
        hint: The number of the hint that helps, or 0 if none does.
        line: The line of the file at which the misconception begins.
        source: The text of the solution after its edits.
        about: The check whose title describes the mistake, and which fails before any other.
        unfinished: Whether the explanation is also true of an unfinished solution that behaves the same.
    """

    id: str
    title: str
    explanation: str
    hint: int
    line: int
    source: str
    about: str | None = None
    unfinished: bool = False


def read_misconceptions(path: Path, solution: str, hints: int) -> list[Misconception]:
    """Return the misconceptions in a file, applied to the text of the solution beside it.

    If the file does not exist, there are none.

    Raises:
        CourseError: A key is unknown, an id is given twice, a title is too long, a hint does not exist, or the `old`
            of an edit does not occur exactly once where it should.
    """
    if not path.exists():
        return []
    document = Document(path)
    document.convert(document.root, list[Any])
    found: list[Misconception] = []
    for node in document.root.value:
        raw = document.convert(node, _Raw, "this misconception")
        if any(raw.id == other.id for other in found):
            raise document.error(child(node, "id"), f"there are two misconceptions `{raw.id}`")
        if len(raw.title) > LONGEST_TITLE:
            message = f"a title has at most {LONGEST_TITLE} characters; this one has {len(raw.title)}"
            raise document.error(child(node, "title"), message)
        if raw.hint > hints:
            raise document.error(child(node, "hint"), f"there is no hint {raw.hint}: the exercise has {hints}")
        start = solution if raw.on is None else next((m.source for m in found if m.id == raw.on), None)
        if start is None:
            raise document.error(child(node, "on"), f"no misconception `{raw.on}` stands before this one")
        source = edited(document, node, start)
        about = raw.about, raw.unfinished
        found.append(Misconception(raw.id, raw.title, raw.explanation, raw.hint, line(node), source, *about))
    return found
