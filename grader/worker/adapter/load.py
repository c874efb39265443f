"""Load a learner's file into a module, and say in plain data what went wrong if it does not load."""

import ast
import builtins
import contextlib
import re
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.machinery import PathFinder
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple

from ..confine import limits
from . import calls
from .spelling import learn_numbers, name_of, text_of
from .stand_in import is_stand_in

MODULE = "submission"
_STARRED = "__star_import_of_a_missing_module__"
_UNFILLED = "NotImplementedError"  # what a generated stub raises where a solution goes
# parts of the names of modules that start programs, write files or open windows when they are imported
_NOT_BEFOREHAND = {
    "__future__",
    "__main__",
    "_pyinstaller",
    "antigravity",
    "conftest",
    "distutils",
    "ensurepip",
    "f2py",
}
_NOT_BEFOREHAND |= {"idlelib", "lib2to3", "test", "tests", "this", "tkinter", "turtle", "turtledemo"}
# parts of numpy that are loaded when they are first used
_NUMPY_LATE = ("ctypeslib", "fft", "linalg", "ma", "polynomial", "testing")
_DOTTED = re.compile(r"[^\W\d][\w.]*")
_FROM_IMPORT = re.compile(r"\bfrom[ \t]+([\w.]+)[ \t]+import\b[ \t]*(\([^)]*|[^\n;]*)")
_IMPORT = re.compile(r"\bimport\b[ \t]*([^\n;(]*)")


class NotAvailable(ImportError):
    """A module that grading does not offer was used; `line` is where it was imported, where the use has no line."""

    line: int | None = None


class Parsed(NamedTuple):
    """A learner's source, compiled; `guarded` are the lines of imports that stand in a `try`."""

    code: CodeType
    filename: str
    guarded: frozenset[int]


class _Placeholder(ModuleType):
    """Stands for a missing module or a part of it, imported in `line`; explains itself when it is used."""

    def __init__(self, name: str, offered: str | None, line: int) -> None:
        super().__init__(name, offered)
        self._line = line

    def __getattr__(self, name: str) -> "_Placeholder":
        if name.startswith("__"):
            raise AttributeError(f"{_not_available(self.__name__, self.__doc__)}, nor its {name}")
        return _Placeholder(f"{self.__name__}.{name}", self.__doc__, self._line)

    def _explain(self, *_: object, **__: object) -> Any:
        error = NotAvailable(_not_available(self.__name__, self.__doc__))
        error.line = self._line
        raise error

    __call__ = __iter__ = __getitem__ = __mro_entries__ = __enter__ = __exit__ = __len__ = __instancecheck__ = _explain
    __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = __neg__ = __float__ = __int__ = _explain
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __lt__ = __le__ = __gt__ = __ge__ = _explain


def _not_available(name: str, offered: str | None) -> str:
    return f"{name} is not available while grading ({offered})"


def need(module: ModuleType, name: str) -> Any:
    """Return what a file calls by a name; None for nothing.

    Raises `NotAvailable` where that stands for a part of a module that grading does not offer, or may have come from
    `import *` of one.
    """
    value = vars(module).get(name, vars(module).get(_STARRED))
    if isinstance(value, _Placeholder):
        value._explain()
    return value


class _Allowed:
    """Finds the modules that the course allows, each in its own folder, and nothing beside them."""

    def __init__(self, folders: dict[str, str]) -> None:
        self.folders = folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        folder = self.folders.get(name)
        return PathFinder.find_spec(name, [folder]) if folder and path is None else None


def preimport(source: str, allow: dict[str, str]) -> None:
    """Import what a file seems to import, while files can still be opened, without reading it as Python.

    Makes the modules that the course allows (name to folder) importable. A name that is missed, because the file
    computes it, can still be imported later wherever the sandbox lets files be read.
    """
    sys.meta_path.append(_Allowed(allow))
    for name in sorted(_named_modules(source)):
        parts = name.split(".")
        known = parts[0] in allow or parts[0] in sys.stdlib_module_names
        if known and _NOT_BEFOREHAND.isdisjoint(parts):
            with contextlib.suppress(BaseException):
                import_module(name)
    learn_numbers()
    if "numpy" in sys.modules and "numpy" in allow:
        with contextlib.suppress(BaseException):
            import_module("numpy.random").seed(0)  # as Python's own generator: a file draws the same each time


def _named_modules(source: str) -> set[str]:
    """Names that stand where an import statement would have a module, submodules included."""
    names = set()
    for module, imported in _FROM_IMPORT.findall(source):
        names.add(module)
        names |= {f"{module}.{name}" for name in _DOTTED.findall(imported)}
    for imported in _IMPORT.findall(source):
        names |= {name for name in _DOTTED.findall(imported) if not name.endswith(".")}
    if "numpy" in names or any(name.startswith("numpy.") for name in names):
        names |= {f"numpy.{name}" for name in _NUMPY_LATE if f".{name}" in source}
    if "strptime" in source:
        names.add("_strptime")
    if not source.isascii() or r"\N{" in source:  # what the compiler itself imports
        names.add("unicodedata")
    return names


def parse(source: str, filename: str) -> Parsed:
    """Parse and compile a source without running it. Raises `SyntaxError`, `RecursionError`, `MemoryError`."""
    tree = ast.parse(source, filename)
    nodes = _every_node(tree)
    guarded = {
        node.lineno
        for block in nodes
        if isinstance(block, ast.Try) and block.handlers
        for statement in block.body
        for node in _every_node(statement)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    calls.count_calls(nodes)
    return Parsed(compile(tree, filename, "exec"), filename, frozenset(guarded))


def _every_node(tree: ast.AST) -> list[ast.AST]:
    """Return the nodes of a syntax tree, as `ast.walk` does in twice the time."""
    found = [tree]
    for node in found:  # which grows meanwhile
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
    return found


def builtins_for(parsed: Parsed, allow: Iterable[str]) -> dict[str, Any]:
    """Return the builtins for `execute`; its `import` explains modules that are not available."""
    offered = "there are only " + " and ".join(["the standard library", *sorted(allow)])
    return {**vars(builtins), "__import__": _importer(parsed.guarded, offered)}


def execute(parsed: Parsed, builtins: dict[str, Any], budget: int | None = None) -> ModuleType:
    """Run the file as a module named `submission`, its functions called no more than `budget` times meanwhile.

    Raises whatever the learner's code raises, `SystemExit` included.
    """
    module = ModuleType(MODULE)
    module.__file__ = parsed.filename
    offered = dict(builtins)
    vars(module)["__builtins__"] = offered
    sys.modules[MODULE] = module
    with calls.CallBudget(offered, budget):
        exec(parsed.code, vars(module))
    return module


def _importer(guarded: frozenset[int], offered: str) -> Any:
    real = builtins.__import__

    def import_or_stand_in(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        try:
            return real(name, globals, locals, fromlist, level)
        except ModuleNotFoundError as missing:
            top = name.partition(".")[0]
            if level or sys._getframe(1).f_lineno in guarded or missing.name != top:
                raise
            placeholder = _Placeholder(name if fromlist else top, offered, sys._getframe(1).f_lineno)
            if "*" in (fromlist or ()) and globals is not None:  # it brings no names; whoever misses one looks here
                globals.setdefault(_STARRED, placeholder)
            return placeholder

    return import_or_stand_in


def same_code(source: str, stub: str) -> bool:
    """Whether two sources have the same syntax tree (comments and layout aside)."""
    if _UNFILLED in stub and _UNFILLED not in source:  # the usual case, told apart without reading either
        return False
    try:
        return ast.dump(ast.parse(source)) == ast.dump(ast.parse(stub))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def describe(error: BaseException, filename: str) -> list[Any]:
    """An exception as plain data: `[kind, type, message, line numbers in the learner's file]`."""
    if isinstance(error, calls.OutOfCalls):
        kind = "calls"
    elif isinstance(error, limits.OutOfTime):
        kind = "cpu"
    elif isinstance(error, limits.Stalled):
        kind = "stalled"
    elif isinstance(error, SyntaxError) and error.filename == filename:
        return ["syntax", "SyntaxError", text_of(error.msg), [error.lineno or 1]]
    elif isinstance(error, SystemExit):
        kind = "exit"
    elif isinstance(error, NotAvailable):
        kind = "module"
    else:
        kind = "raised"
    lines = _lines(error.__traceback__, filename)
    if isinstance(error, NotAvailable) and error.line and not lines:
        lines = [error.line]
    return [kind, name_of(type(error)), text_of(error), lines]


def _lines(traceback: TracebackType | None, filename: str) -> list[int]:
    lines = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == filename and not is_stand_in(code):
            lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return lines[-4:]
