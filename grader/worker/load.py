"""Load one learner's file into a module, and say in plain data what went wrong if it does not load.

Reading the source runs nothing of it; `execute` does, and only in a process that has given up its rights.
"""

import ast
import builtins
import contextlib
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple

from . import frames, limits

MODULE = "submission"
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
# attributes with which a module is loaded that no import names
_LOADED_LATE = {"strptime": "_strptime"} | {
    name: f"numpy.{name}" for name in ("ctypeslib", "fft", "linalg", "ma", "polynomial", "testing")
}


class NotAvailable(ImportError):
    """A module that grading does not offer was used."""


class Parsed(NamedTuple):
    """A learner's source, read and compiled: its code, what it imports, and the lines of guarded imports."""

    code: CodeType
    filename: str
    imports: frozenset[str]
    guarded: frozenset[int]


class _Placeholder(ModuleType):
    """Stands for a missing module or a part of it; explains itself when it is used."""

    def __getattr__(self, name: str) -> "_Placeholder":
        if name.startswith("__"):
            raise AttributeError(f"{self.__name__} is not available while grading ({self.__doc__}), nor its {name}")
        return _Placeholder(f"{self.__name__}.{name}", self.__doc__)

    def _explain(self, *_: object, **__: object) -> Any:
        raise NotAvailable(f"{self.__name__} is not available while grading ({self.__doc__})")

    __call__ = __iter__ = __getitem__ = __mro_entries__ = __enter__ = __exit__ = __len__ = __instancecheck__ = _explain
    __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = __neg__ = __float__ = __int__ = _explain
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __lt__ = __le__ = __gt__ = __ge__ = _explain


class _Allowed:
    """Finds the modules that the course allows, each in its own folder, and nothing beside them."""

    def __init__(self, folders: dict[str, str]) -> None:
        self.folders = folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        folder = self.folders.get(name)
        return PathFinder.find_spec(name, [folder]) if folder and path is None else None


def parse(source: str, filename: str) -> Parsed:
    """Parse and compile a source without running it. Raises `SyntaxError`, `RecursionError`, `MemoryError`."""
    tree = ast.parse(source, filename)
    nodes = list(ast.walk(tree))
    found = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = [alias.name for node in found if isinstance(node, ast.Import) for alias in node.names]
    for node in found:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]  # a name, or a module
    late = {_LOADED_LATE[a.attr] for a in nodes if isinstance(a, ast.Attribute) and a.attr in _LOADED_LATE}
    names += [name for name in late if not name.startswith("numpy.") or "numpy" in names]
    guarded = {
        node.lineno
        for block in nodes
        if isinstance(block, ast.Try) and block.handlers
        for statement in block.body
        for node in ast.walk(statement)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    limits.count_calls(nodes)
    return Parsed(compile(tree, filename, "exec"), filename, frozenset(names), frozenset(guarded))


def offer(parsed: Parsed, allow: dict[str, str]) -> dict[str, Any]:
    """Import beforehand what the file will import, while files can still be opened, and make the modules that
    the course allows (name to folder) importable. Returns the builtins for `execute`, made once for all forks."""
    sys.meta_path.append(_Allowed(allow))
    for name in sorted(parsed.imports):
        parts = name.split(".")
        known = parts[0] in allow or parts[0] in sys.stdlib_module_names
        if known and parts[-1] != "*" and _NOT_BEFOREHAND.isdisjoint(parts):
            with contextlib.suppress(BaseException):
                import_module(name)
    frames.learn_numbers()
    if "numpy" in sys.modules and "numpy" in allow:
        with contextlib.suppress(BaseException):
            import_module("numpy.random").seed(0)  # as Python's own generator: a file draws the same each time
    offered = "there are only " + " and ".join(["the standard library", *sorted(allow)])
    return {**vars(builtins), "__import__": _importer(parsed.guarded, offered)}


def execute(parsed: Parsed, offered: dict[str, Any], calls: int | None = None) -> ModuleType:
    """Run the file as a module named `submission`, its functions called no more than `calls` times meanwhile.

    Raises whatever the learner's code raises, `SystemExit` included.
    """
    module = ModuleType(MODULE)
    module.__file__ = parsed.filename
    vars(module)["__builtins__"] = offered
    sys.modules[MODULE] = module
    with limits.CallBudget(offered, calls):
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
            shown = name if fromlist else top
            return _Placeholder(shown, offered)

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
    if isinstance(error, limits.OutOfCalls):
        kind = "calls"
    elif isinstance(error, limits.OutOfTime):
        kind = "cpu"
    elif isinstance(error, limits.Waiting):
        kind = "waiting"
    elif isinstance(error, SyntaxError) and error.filename == filename:
        return ["syntax", "SyntaxError", text_of(error.msg), [error.lineno or 1]]
    elif isinstance(error, SystemExit):
        kind = "exit"
    elif isinstance(error, NotAvailable):
        kind = "module"
    else:
        kind = "raised"
    return [kind, frames.name_of(type(error)), text_of(error), _lines(error.__traceback__, filename)]


def text_of(value: object) -> str:
    """What `str` says of a learner's object, at most 300 characters, whatever its `__str__` does."""
    try:
        text = str(value)
    except BaseException:
        text = "(its message cannot be shown)"
    return text[:300].encode("utf-8", "replace").decode("utf-8")


def _lines(traceback: TracebackType | None, filename: str) -> list[int]:
    lines = []
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return lines[-4:]
