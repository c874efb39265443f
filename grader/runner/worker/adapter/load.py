"""Load a learner's file: parse and compile it, or each cell of a notebook, and run it as a module."""

import __future__

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Sequence
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple

from .calls import CallBudget, count_calls
from .errors import LOOPS
from .imports import BARE, STARRED, Placeholder, bare_calls, called_bare, importer, refused

MODULE = "submission"
_FAILED = "__cells_that_failed__"
_UNFILLED = "NotImplementedError"  # raised by a generated stub in place of the solution
_FUTURE = 0  # the flags of a code that `from __future__` sets
for _feature in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _feature).compiler_flag
_REPEATING = (ast.While, ast.For, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Parsed(NamedTuple):
    """A learner's source, compiled. A file has one code object, a notebook one for each cell.

    Attributes:
        guarded: the lines of imports inside a `try` with handlers.
        cells: the texts of a notebook's compiled cells.
        failed: the cells of a notebook that cannot be compiled.
    """

    codes: tuple[CodeType, ...]
    filename: str
    guarded: frozenset[int]
    cells: tuple[str, ...] = ()
    failed: "tuple[FailedCell, ...]" = ()


class FailedCell(NamedTuple):
    """A cell of a notebook that raised an error, or cannot be compiled. The cells after it are run all the same."""

    text: str
    error: Exception
    traceback: TracebackType | None

    def binds(self, name: str) -> bool:
        """Return whether the cell would have given the name a value if it had run to its end."""
        name = re.escape(name)
        return bool(re.search(rf"(?m)^[ \t]*(?:def|class)[ \t]+{name}\b|^{name}[ \t]*[:=]", self.text))


def need(module: ModuleType, name: str) -> Any:
    """Return the object of a name in a file; None if there is none.

    Raises:
        NotAvailable: the name belongs to a module that is not available, or may come from `import *` of one.
        Exception: the error of a notebook's cell that should have given the name a value.
    """
    for cell in vars(module).get(_FAILED, ()) if name not in vars(module) else ():
        if cell.binds(name):
            raise cell.error.with_traceback(cell.traceback)
    value = vars(module).get(name, vars(module).get(STARRED))
    if isinstance(value, Placeholder):
        raise refused(value)
    return value


def parse(source: str, filename: str, cells: Sequence[int] = (), *, loops: bool = False) -> Parsed:
    """Parse and compile a source without running it.

    Args:
        cells: the lines in which a notebook's cells begin. If there are several, each cell is compiled separately. A
            `from __future__` import in one cell also applies to the later cells, as in Jupyter.
        loops: as for `count_calls`.

    Raises:
        SyntaxError: the source of a file is wrong. A notebook's cell that cannot be compiled is put into `failed`.
        RecursionError: the source of a file is nested too deeply.
        MemoryError: the source needs too much memory.
    """
    LOOPS[filename] = []  # `_compiled` fills it, once for each cell
    if len(cells) < 2:
        code, guarded = _compiled(ast.parse(source, filename), filename, loops=loops)
        return Parsed((code,), filename, guarded)
    # a notebook: compile each cell at its own lines
    lines, flags = source.split("\n"), 0
    codes, texts, failed, every = [], [], [], set[int]()
    for first, end in zip(cells, [*cells[1:], len(lines) + 1], strict=True):
        text = "\n".join(lines[first - 1 : end - 1])
        try:
            tree = _moved(text, filename, first - 1)
            code, guarded = _compiled(tree, filename, flags, loops=loops)
        except (SyntaxError, ValueError, RecursionError) as error:
            failed.append(FailedCell(text, error, None))
            continue
        codes.append(code)
        texts.append(text)
        every |= guarded
        flags |= code.co_flags & _FUTURE
    return Parsed(tuple(codes), filename, frozenset(every), tuple(texts), tuple(failed))


def _moved(text: str, filename: str, by: int) -> ast.Module:
    """Parse a cell whose first line comes after `by` other lines.

    Raises the same errors as `ast.parse`, with line numbers that include those lines.
    """
    try:
        return ast.increment_lineno(ast.parse(text, filename), by)
    except SyntaxError as error:
        error.lineno = (error.lineno or 1) + by
        raise


def _compiled(tree: ast.Module, filename: str, flags: int = 0, *, loops: bool) -> tuple[CodeType, frozenset[int]]:
    """Compile a tree; return the code, and the lines of imports inside a `try` with handlers."""
    nodes = _every_node(tree)
    guarded = {
        node.lineno
        for block in nodes
        if isinstance(block, ast.Try) and block.handlers
        for statement in block.body
        for node in _every_node(statement)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    bare_calls(tree.body)
    LOOPS[filename] += [(node.lineno, node.end_lineno or 0) for node in nodes if isinstance(node, _REPEATING)]
    count_calls(nodes, loops=loops)
    return compile(tree, filename, "exec", flags, dont_inherit=True), frozenset(guarded)


def compile_part(tree: ast.Module, filename: str, whole: CodeType, *, loops: bool = False) -> CodeType:
    """Compile a part of a file as the whole was compiled. Errors in it do not know its loops."""
    count_calls(_every_node(tree), loops=loops)
    code: CodeType = compile(tree, filename, "exec", whole.co_flags & _FUTURE, dont_inherit=True)
    return code


def _every_node(tree: ast.AST) -> list[ast.AST]:
    """Return the nodes of a syntax tree, in half the time of `ast.walk`."""
    nodes = [tree]
    for node in nodes:  # the list grows during the loop
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                nodes.append(value)
            elif isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
    return nodes


def builtins_for(parsed: Parsed, allow: Iterable[str]) -> dict[str, Any]:
    """Return the builtins for `execute`. Their `__import__` returns placeholders for modules that are not available."""
    allowed = sorted(allow)
    standard = f"there {'are' if allowed else 'is'} only the standard library"
    offered = " and ".join([standard, *allowed])
    return {**vars(builtins), "__import__": importer(parsed.guarded, offered, allowed), BARE: called_bare}


def execute(parsed: Parsed, builtins: dict[str, Any], budget: int | None = None) -> ModuleType:
    """Run the file as a module named `submission`, and return the module.

    If a cell of a notebook raises an error, the rest of the cell is skipped and the next cell is run.

    Args:
        budget: the number of calls of its functions while it runs; None for no limit.

    Raises:
        BaseException: any error of learner code, including `SystemExit`.
    """
    module = ModuleType(MODULE)
    module.__file__ = parsed.filename
    # a copy, because the call budget and the numbering of objects change it
    offered = dict(builtins)
    vars(module)["__builtins__"] = offered
    sys.modules[MODULE] = module
    with CallBudget(offered, budget):
        if not parsed.cells and not parsed.failed:
            exec(parsed.codes[0], vars(module))
            return module
        failed = list(parsed.failed)
        for code, text in zip(parsed.codes, parsed.cells, strict=True):
            try:
                exec(code, vars(module))
            except Exception as error:
                failed.append(FailedCell(text, error, error.__traceback__))
    vars(module)[_FAILED] = tuple(failed)
    return module


def same_code(source: str, stub: str) -> bool:
    """Return whether two sources have the same syntax tree, that is, differ only in comments and layout."""
    if _UNFILLED in stub and _UNFILLED not in source:  # the usual case, decided without parsing
        return False
    try:
        return ast.dump(ast.parse(source)) == ast.dump(ast.parse(stub))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
