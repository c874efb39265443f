"""The imports of a learner's file: import what is available while files can be opened, and stand in for the rest."""

import ast
import builtins
import contextlib
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

from .arrays import learn_numpy
from .calls import placed
from .values import learn_numbers

BARE = "__bare_call__"  # in the builtins of the learner's module, so that no name of the file is changed
STARRED = "__star_import_of_a_missing_module__"  # in the module itself, with the placeholder
# parts of the names of modules that start programs, write files or open windows on import
_NOT_PREIMPORTED = {
    *("__future__", "__main__", "_pyinstaller", "antigravity", "conftest", "distutils", "ensurepip", "f2py"),
    *("idlelib", "lib2to3", "test", "tests", "this", "tkinter", "turtle", "turtledemo"),
}
# parts of numpy that numpy imports only when they are first used
_NUMPY_LATE = re.compile(r"\.(ctypeslib|fft|linalg|ma|polynomial|testing)\b")
_NAMESPACES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
_DOTTED = re.compile(r"[^\W\d][\w.]*")
_FROM_IMPORT = re.compile(r"\bfrom[ \t]+([\w.]+)[ \t]+import\b[ \t]*(\([^)]*|[^\n;]*)")
_IMPORT_CALL = re.compile(r"""\b(?:__import__|import_module)\s*\(\s*(['"])([\w.]+)\1""")
_IMPORT = re.compile(r"\bimport\b[ \t]*([^\n;(]*)")


class _Allowed:
    """An import hook that finds the modules allowed by the course in their folders, and no others."""

    def __init__(self, folders: dict[str, str]) -> None:
        self.folders = folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        folder = self.folders.get(name)
        return PathFinder.find_spec(name, [folder]) if folder and path is None else None


def preimport(source: str, allow: dict[str, str]) -> None:
    """Import the modules that a file seems to import, while files can still be opened.

    Also make the modules in `allow` (folders by name) importable. The file is not parsed, so a module whose name the
    file computes is missed here. It can be imported later if the sandbox allows reading files.
    """
    sys.meta_path.append(_Allowed(allow))  # last, so that the standard library comes first
    for name in _importable(source, allow):
        with contextlib.suppress(BaseException):
            module = import_module(name)
            if name.partition(".")[0] not in allow:
                _import_late(module, source)
    _prepare(allow)


def import_allowed(allow: dict[str, str]) -> None:
    """Import all modules in `allow`, as `preimport` does for a file that names them."""
    finder = _Allowed(allow)
    sys.meta_path.append(finder)
    for name in allow:
        with contextlib.suppress(BaseException):
            import_module(name)
    _prepare(allow)
    sys.meta_path.remove(finder)


def allowed_names(source: str, allow: Collection[str]) -> frozenset[str]:
    """Return the modules in `allow` that `preimport` imports for a file."""
    return frozenset(name.partition(".")[0] for name in _importable(source, allow)) & frozenset(allow)


def _importable(source: str, allow: Collection[str]) -> Iterator[str]:
    """Yield the modules that a file seems to import, as far as they are available and do nothing when imported."""
    for name in sorted(named_modules(source)):
        parts = name.split(".")
        known = parts[0] in allow or parts[0] in sys.stdlib_module_names
        if known and _NOT_PREIMPORTED.isdisjoint(parts):
            yield name


def _prepare(allow: Collection[str]) -> None:
    """Give modules that are imported by now the state that they have in each run."""
    if "platform" in sys.modules:  # otherwise it starts a program to find the processor's name
        vars(sys.modules["platform"].uname())["processor"] = ""
    learn_numbers()
    learn_numpy()
    if "numpy" in sys.modules and "numpy" in allow:
        with contextlib.suppress(BaseException):
            import_module("numpy.random").seed(0)  # like Python's own generator: a file draws the same in each run


def _import_late(module: ModuleType, source: str) -> None:
    """Import what a module imports only when a name that it offers is first used, for the names in a source."""
    if "__getattr__" in vars(module):
        for name in getattr(module, "__all__", ()):
            if name in source and name not in vars(module):
                with contextlib.suppress(BaseException):
                    getattr(module, name)


def named_modules(source: str) -> set[str]:
    """Return the names in positions where an import statement or a call has a module, submodules included."""
    names = {name for _, name in _IMPORT_CALL.findall(source)}
    for module, imported in _FROM_IMPORT.findall(source):
        names.add(module)
        names |= {f"{module}.{name}" for name in _DOTTED.findall(imported)}
    for imported in _IMPORT.findall(source):
        names |= {name for name in _DOTTED.findall(imported) if not name.endswith(".")}
    if "numpy" in names or any(name.startswith("numpy.") for name in names):
        names |= {f"numpy.{name}" for name in _NUMPY_LATE.findall(source)}
    if "strptime" in source:
        names.add("_strptime")
    if not source.isascii() or r"\N{" in source:  # the compiler itself then imports it
        names.add("unicodedata")
    return names


# -- placeholders for what is not available -----------------------------------------------------------


class NotAvailable(ImportError):
    """A module that is not available was used.

    `line` is the line of its import, which is reported if the use has no line in the file.
    """

    line: int | None = None


class Placeholder(ModuleType):
    """A placeholder for a missing module or a part of it, imported in `line`. Using it raises `NotAvailable`.

    A call whose result is dropped, as in `matplotlib.use("Agg")`, does nothing at module level: `bare_calls`.
    """

    def __init__(self, name: str, offered: str | None, line: int) -> None:
        super().__init__(name, offered)
        self._line = line  # underscored, because a learner may use any other name of the module

    def __getattr__(self, name: str) -> "Placeholder":
        if name.startswith("__"):
            raise AttributeError(f"{refused(self)}, nor its {name}")
        return Placeholder(f"{self.__name__}.{name}", self.__doc__, self._line)

    def _explain(self, *_: object, **__: object) -> Any:
        raise refused(self)

    __call__ = __iter__ = __getitem__ = __mro_entries__ = __enter__ = __exit__ = __len__ = __instancecheck__ = _explain
    __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = __neg__ = __float__ = __int__ = __setitem__ = _explain
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __lt__ = __le__ = __gt__ = __ge__ = _explain


def refused(placeholder: Placeholder) -> NotAvailable:
    """Return the error of using a placeholder."""
    error = NotAvailable(f"{placeholder.__name__} is not available while grading ({placeholder.__doc__})")
    error.line = placeholder._line
    return error


class _Partial(ModuleType):
    """An available module, with placeholders for the names that it cannot provide."""

    def __init__(self, module: ModuleType, offered: str, line: int) -> None:
        super().__init__(module.__name__, offered)
        self._module, self._line = module, line

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._module, name)
        except (AttributeError, ImportError):
            return Placeholder(f"{self.__name__}.{name}", self.__doc__, self._line)


def importer(guarded: frozenset[int], offered: str, allowed: Sequence[str]) -> Any:
    """Return an `__import__` that returns placeholders for modules that are not available.

    Args:
        guarded: the lines of imports inside a `try` with handlers, whose errors the file expects.
        offered: what is available, for messages.
        allowed: the modules that the course allows beside the standard library.
    """
    real = builtins.__import__

    def import_or_placeholder(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        try:
            return real(name, globals, locals, fromlist, level)
        except ImportError as missing:
            top, line = name.partition(".")[0], sys._getframe(1).f_lineno
            named = f"{name}.".startswith(f"{missing.name}.")  # otherwise, what is missing is a part of what is named
            if level or line in guarded or (named and missing.name != top):
                raise
            if fromlist and name in sys.modules:
                return _Partial(sys.modules[name], offered, line)
            if top in allowed:  # it is missing only if the file computes its name (see `preimport`)
                raise
            placeholder = Placeholder(name if fromlist else top, offered, line)
            if "*" in (fromlist or ()) and globals is not None:  # no names are defined; `need` looks for this instead
                globals.setdefault(STARRED, placeholder)
            return placeholder

    return import_or_placeholder


def bare_calls(statements: Iterable[ast.stmt]) -> None:
    """Let statements that only call a placeholder do nothing, such as `matplotlib.use("Agg")`.

    Those in functions and classes are left as they are, and so are those that an `except` may be meant for.
    """
    for statement in statements:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            called = statement.value.func
            statement.value.func = placed(ast.Call(placed(ast.Name(BARE, ast.Load()), called), [called], []), called)
        elif not isinstance(statement, _NAMESPACES):
            for name in _BLOCKS[1:] if getattr(statement, "handlers", None) else _BLOCKS:
                bare_calls(getattr(statement, name, ()))


def called_bare(function: Any) -> Any:
    """Return what a statement calls at module level, when it is about to call `function`."""
    return _nothing if type(function) is Placeholder else function


def _nothing(*_: object, **__: object) -> None:
    pass
