"""Load one learner's file into a module, and say in plain data what went wrong if it does not load."""

import ast
import builtins
import sys
from importlib.machinery import PathFinder
from types import ModuleType, TracebackType
from typing import Any

from . import frames, limits

MODULE = "submission"


class NotAvailable(ImportError):
    """A module that grading does not offer was used."""


class _Placeholder(ModuleType):
    """Stands for a missing module or a part of it; explains itself when it is used."""

    def __getattr__(self, name: str) -> "_Placeholder":
        if name.startswith("__"):
            raise AttributeError(name)
        return _Placeholder(f"{self.__name__}.{name}", self.__doc__)

    def _explain(self, *_: object, **__: object) -> Any:
        raise NotAvailable(f"{self.__name__} is not available while grading ({self.__doc__})")

    __call__ = __iter__ = __getitem__ = __mro_entries__ = __enter__ = __add__ = __mul__ = __sub__ = _explain


class _Allowed:
    """Finds the modules that the course allows, each in its own folder, and nothing beside them."""

    def __init__(self, folders: dict[str, str]) -> None:
        self.folders = folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        folder = self.folders.get(name)
        return PathFinder.find_spec(name, [folder]) if folder and path is None else None


def _guarded_lines(tree: ast.Module) -> set[int]:
    """Lines of imports inside a `try` with a handler: their authors expect an ImportError."""
    return {
        node.lineno
        for block in ast.walk(tree)
        if isinstance(block, ast.Try) and block.handlers
        for statement in block.body
        for node in ast.walk(statement)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }


def _importer(guarded: set[int], offered: str) -> Any:
    real = builtins.__import__

    def import_or_stand_in(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        try:
            return real(name, globals, locals, fromlist, level)
        except ModuleNotFoundError as missing:
            top = name.partition(".")[0]
            if level or sys._getframe(1).f_lineno in guarded or missing.name not in (top, name):
                raise
            shown = name if fromlist else top
            return _Placeholder(shown, offered)

    return import_or_stand_in


def load(source: str, filename: str, allow: dict[str, str]) -> ModuleType:
    """Execute the learner's source as a module named `submission`.

    `allow` maps the names of modules that the course allows to the folders they are in. Raises
    whatever the learner's code raises, `SyntaxError` and `SystemExit` included.
    """
    tree = ast.parse(source, filename)
    imported = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    sys.meta_path.append(_Allowed(allow))
    if "numpy" in imported and "numpy" in allow:
        frames.learn_numpy()
    offered = "there are only " + " and ".join(["the standard library", *sorted(allow)])
    module = ModuleType(MODULE)
    module.__file__ = filename
    hook = _importer(_guarded_lines(tree), offered)
    vars(module)["__builtins__"] = {**vars(builtins), "__import__": hook}
    sys.modules[MODULE] = module
    exec(compile(tree, filename, "exec"), vars(module))
    return module


def same_code(source: str, stub: str) -> bool:
    """Whether two sources have the same syntax tree (comments and layout aside)."""
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
    elif isinstance(error, SyntaxError) and error.filename == filename:
        return ["syntax", "SyntaxError", _text(error.msg), [error.lineno or 1]]
    elif isinstance(error, SystemExit):
        kind = "exit"
    elif isinstance(error, NotAvailable):
        kind = "module"
    else:
        kind = "raised"
    return [kind, frames.name_of(type(error)), _text(error), _lines(error.__traceback__, filename)]


def _text(value: object) -> str:
    try:
        text = str(value)
    except BaseException:  # a learner's own __str__
        text = "(its message cannot be shown)"
    return text[:300].encode("utf-8", "replace").decode("utf-8")


def _lines(traceback: TracebackType | None, filename: str) -> list[int]:
    lines = []
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return lines[-4:]
