"""Make mechanical edits of a solution. Each is a small mistake that some check has to catch.

Operators and signs are exchanged, `+=` becomes `=`, statements are dropped, names are swapped, and numbers are
changed. Each mutant has one edit, and only solution regions are edited.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..diagnosis import regions

_BINARY: dict[type[ast.operator], list[type[ast.operator]]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Add, ast.Div],
    ast.Div: [ast.Mult],
    ast.Pow: [ast.Mult],
}
_COMPARE: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Gt: [ast.GtE, ast.Lt],
    ast.Lt: [ast.LtE, ast.Gt],
    ast.GtE: [ast.Gt],
    ast.LtE: [ast.Lt],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
}
_NAMES = {"self": "other", "other": "self", "out": "self"}
_ATTRIBUTES = {"data": "grad", "grad": "data"}


@dataclass(frozen=True)
class Mutant:
    """One edit: the line number, the line before and after the edit, and the whole edited file."""

    line: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        """Return the edit as one line, which is the key in the list of equivalent mutants."""
        return f"{self.before} -> {self.after}"


def mutants(solution: str) -> Iterator[Mutant]:
    """Yield every mutant of a solution, in the order of its syntax tree. Mutants with the same text appear once."""
    tree = ast.parse(solution)
    lines = set()
    for _, start, end in regions(solution):
        lines |= set(range(solution.count("\n", 0, start) + 1, solution.count("\n", 0, end) + 1))
    seen = {ast.unparse(tree)}
    for position, node in enumerate(ast.walk(tree)):
        if getattr(node, "lineno", 0) not in lines:
            continue
        for edit in _edits(node):
            mutated = copy.deepcopy(tree)
            target = next(n for i, n in enumerate(ast.walk(mutated)) if i == position)
            edit(target)
            source = ast.unparse(ast.fix_missing_locations(mutated))
            if source not in seen:
                seen.add(source)
                yield Mutant(node.lineno, *_difference(ast.unparse(tree), source), source)  # type: ignore[attr-defined]


def _difference(before: str, after: str) -> tuple[str, str]:
    old, new = before.splitlines(), after.splitlines()
    first = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)) - 1)
    if len(old) != len(new):
        return old[first].strip(), "(dropped)"
    return old[first].strip(), new[first].strip()


def _edits(node: ast.AST) -> Iterator[Callable[[ast.AST], None]]:
    """Yield every change of one node: of an operator, of a value or name, and of the statements in it."""
    yield from _edits_of_operator(node)
    yield from _edits_of_value(node)
    for field in ("body", "orelse"):
        statements = getattr(node, field, None)
        for index, statement in enumerate(statements if isinstance(statements, list) else ()):
            if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)) and not _is_text(statement):
                yield _drop(field, index)
    if isinstance(node, ast.IfExp):
        yield _swap_branches
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "reversed":
        yield _unreversed


def _edits_of_operator(node: ast.AST) -> Iterator[Callable[[ast.AST], None]]:
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        for op in _BINARY.get(type(node.op), []):
            yield _set("op", op)
    if isinstance(node, ast.AugAssign):
        yield _assign_instead
    if isinstance(node, ast.Compare):
        for comparison in _COMPARE.get(type(node.ops[0]), []):
            yield _set_first_comparison(comparison)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield _set("op", ast.UAdd)


def _edits_of_value(node: ast.AST) -> Iterator[Callable[[ast.AST], None]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield _constant(node.value + 1)
        if node.value:
            yield _constant(0)
    if isinstance(node, ast.Name) and node.id in _NAMES and isinstance(node.ctx, ast.Load):
        yield _rename("id", _NAMES[node.id])
    if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
        yield _rename("attr", _ATTRIBUTES[node.attr])


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _set(field: str, kind: type[ast.AST]) -> Callable[[ast.AST], None]:
    return lambda node: setattr(node, field, kind())


def _set_first_comparison(kind: type[ast.cmpop]) -> Callable[[ast.AST], None]:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.Compare)
        node.ops[0] = kind()

    return edit


def _constant(value: float | bool) -> Callable[[ast.AST], None]:
    return lambda node: setattr(node, "value", value)


def _rename(field: str, name: str) -> Callable[[ast.AST], None]:
    return lambda node: setattr(node, field, name)


def _assign_instead(node: ast.AST) -> None:
    assert isinstance(node, ast.AugAssign)
    replacement = ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno)
    node.__class__ = ast.Assign  # type: ignore[assignment]
    node.__dict__.clear()
    node.__dict__.update(replacement.__dict__)


def _drop(field: str, index: int) -> Callable[[ast.AST], None]:
    def edit(node: ast.AST) -> None:
        getattr(node, field)[index] = ast.Pass()

    return edit


def _swap_branches(node: ast.AST) -> None:
    assert isinstance(node, ast.IfExp)
    node.body, node.orelse = node.orelse, node.body


def _unreversed(node: ast.AST) -> None:
    assert isinstance(node, ast.Call)
    node.func = ast.Name(id="list", ctx=ast.Load())
