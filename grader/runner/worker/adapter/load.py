"""Load a learner's file into a module, and describe errors as plain data."""

import __future__

import ast
import builtins
import contextlib
import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple, TypeVar

from ..confine import limits
from .arrays import learn_numpy
from .observer import is_stand_in
from .values import learn_numbers, name_of, text_of

_TreeNode = TypeVar("_TreeNode", bound=ast.AST)

MODULE = "submission"
_SPEND = "__spend_a_call__"  # in the builtins of the learner's module, so that no name of the file is changed
_free = itertools.repeat(None).__next__
_BARE = "__bare_call__"  # in the builtins as well
_STARRED = "__star_import_of_a_missing_module__"
_FAILED = "__cells_that_failed__"
_MOST_LINES = 4  # the most lines of an error
_UNFILLED = "NotImplementedError"  # raised by a generated stub in place of the solution
# parts of the names of modules that start programs, write files or open windows on import
_NOT_PREIMPORTED = {"__future__", "__main__", "_pyinstaller", "antigravity", "conftest", "distutils", "ensurepip"}
_NOT_PREIMPORTED |= {"f2py", "idlelib", "lib2to3", "test", "tests", "this", "tkinter", "turtle", "turtledemo"}
# parts of numpy that numpy imports only when they are first used
_NUMPY_LATE = ("ctypeslib", "fft", "linalg", "ma", "polynomial", "testing")
_NAMESPACES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
_FUTURE = 0  # the flags of a code that `from __future__` sets
for _feature in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _feature).compiler_flag
_REPEATING = (ast.While, ast.For, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DOTTED = re.compile(r"[^\W\d][\w.]*")
_FROM_IMPORT = re.compile(r"\bfrom[ \t]+([\w.]+)[ \t]+import\b[ \t]*(\([^)]*|[^\n;]*)")
_IMPORT_CALL = re.compile(r"""\b(?:__import__|import_module)\s*\(\s*(['"])([\w.]+)\1""")
_IMPORT = re.compile(r"\bimport\b[ \t]*([^\n;(]*)")
_loops: dict[str, list[tuple[int, int]]] = {}  # by file, the first and the last line of each loop


class NotAvailable(ImportError):
    """A module that is not available was used.

    `line` is the line of its import, which is reported if the use has no line in the file.
    """

    line: int | None = None


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


class _Placeholder(ModuleType):
    """A placeholder for a missing module or a part of it, imported in `line`. Using it raises `NotAvailable`.

    A call whose result is dropped, as in `matplotlib.use("Agg")`, does nothing at module level: `bare_calls`.
    """

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
    __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = __neg__ = __float__ = __int__ = __setitem__ = _explain
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __lt__ = __le__ = __gt__ = __ge__ = _explain


class _Partial(ModuleType):
    """An available module, with placeholders for the names that it cannot provide."""

    def __init__(self, module: ModuleType, offered: str, line: int) -> None:
        super().__init__(module.__name__, offered)
        self._module, self._line = module, line

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._module, name)
        except (AttributeError, ImportError):
            return _Placeholder(f"{self.__name__}.{name}", self.__doc__, self._line)


def _not_available(name: str, offered: str | None) -> str:
    return f"{name} is not available while grading ({offered})"


def need(module: ModuleType, name: str) -> Any:
    """Return the object of a name in a file; None if there is none.

    Raises:
        NotAvailable: the name belongs to a module that is not available, or may come from `import *` of one.
        Exception: the error of a notebook's cell that should have given the name a value.
    """
    for cell in vars(module).get(_FAILED, ()) if name not in vars(module) else ():
        if cell.binds(name):
            raise cell.error.with_traceback(cell.traceback)
    value = vars(module).get(name, vars(module).get(_STARRED))
    if isinstance(value, _Placeholder):
        value._explain()
    return value


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
    for name in sorted(named_modules(source)):
        parts = name.split(".")
        known = parts[0] in allow or parts[0] in sys.stdlib_module_names
        if known and _NOT_PREIMPORTED.isdisjoint(parts):
            with contextlib.suppress(BaseException):
                module = import_module(name)
                if parts[0] not in allow:
                    _import_late(module, source)
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
        names |= {f"numpy.{name}" for name in _NUMPY_LATE if f".{name}" in source}
    if "strptime" in source:
        names.add("_strptime")
    if not source.isascii() or r"\N{" in source:  # the compiler itself then imports it
        names.add("unicodedata")
    return names


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
    _loops[filename] = []  # `_compiled` fills it, once for each cell
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
    _loops[filename] += [(node.lineno, node.end_lineno or 0) for node in nodes if isinstance(node, _REPEATING)]
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
    return {**vars(builtins), "__import__": _importer(parsed.guarded, offered, allowed), _BARE: _called_bare}


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


def _importer(guarded: frozenset[int], offered: str, allowed: Sequence[str]) -> Any:
    real = builtins.__import__

    def import_or_stand_in(
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
            placeholder = _Placeholder(name if fromlist else top, offered, line)
            if "*" in (fromlist or ()) and globals is not None:  # no names are defined; `need` looks for this instead
                globals.setdefault(_STARRED, placeholder)
            return placeholder

    return import_or_stand_in


def bare_calls(statements: Iterable[ast.stmt]) -> None:
    """Let statements that only call a placeholder do nothing, such as `matplotlib.use("Agg")`.

    Those in functions and classes are left as they are, and so are those that an `except` may be meant for.
    """
    for statement in statements:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            called = statement.value.func
            statement.value.func = _placed(ast.Call(_placed(ast.Name(_BARE, ast.Load()), called), [called], []), called)
        elif not isinstance(statement, _NAMESPACES):
            for name in _BLOCKS[1:] if getattr(statement, "handlers", None) else _BLOCKS:
                bare_calls(getattr(statement, name, ()))


def _called_bare(function: Any) -> Any:
    """Return what a statement calls at module level, when it is about to call `function`."""
    return _nothing if type(function) is _Placeholder else function


def _nothing(*_: object, **__: object) -> None:
    pass


def same_code(source: str, stub: str) -> bool:
    """Return whether two sources have the same syntax tree, that is, differ only in comments and layout."""
    if _UNFILLED in stub and _UNFILLED not in source:  # the usual case, decided without parsing
        return False
    try:
        return ast.dump(ast.parse(source)) == ast.dump(ast.parse(stub))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


# -- calls: they are limited by code that is compiled into the learner's functions -----------------


class OutOfCalls(BaseException):
    """The learner's functions were called more often than the budget allows."""


class _Spent:
    """An exhausted iterator that raises `OutOfCalls` at each step."""

    def __iter__(self) -> "_Spent":
        return self

    def __next__(self) -> None:
        raise OutOfCalls


class CallBudget:
    """A limit on the calls of the functions in a learner's file. A context manager.

    Inside the block, a call beyond the limit raises `OutOfCalls`. Resuming a generator counts as a
    call. Outside the block the limit is what it was before.

    Args:
        builtins: the builtins of the file, which was compiled after `count_calls`.
        calls: the number of calls; None for no limit.
    """

    def __init__(self, builtins: dict[str, Any], calls: int | None) -> None:
        self.builtins = builtins
        self.calls = calls

    def __enter__(self) -> "CallBudget":
        self._before = self.builtins.get(_SPEND, _free)
        if self.calls is None:
            self.builtins[_SPEND] = _free
        else:
            # after so many steps, the next step of the iterator raises `OutOfCalls`
            self.builtins[_SPEND] = itertools.chain(itertools.repeat(None, self.calls), _Spent()).__next__
        return self

    def __exit__(self, *_: object) -> None:
        self.builtins[_SPEND] = self._before


def count_calls(nodes: Iterable[ast.AST], *, loops: bool = False) -> None:
    """Instrument functions, lambdas and yields among these nodes to decrement the call budget.

    The C function called there costs a tenth of what tracing the calls would cost.

    Args:
        loops: whether each step of a loop counts as a call, too.
    """
    for node in nodes:
        if loops and isinstance(node, (ast.While, ast.For, ast.AsyncFor)):
            node.body.insert(0, _placed(ast.Expr(_spending(node.body[0])), node.body[0]))
        elif loops and isinstance(node, ast.comprehension):
            spent = _placed(ast.UnaryOp(ast.Not(), _spending(node.iter)), node.iter)  # true, because spending is None
            node.ifs.insert(0, spent)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            # a docstring has to stay the first statement of its function
            after = 1 if ast.get_docstring(node, clean=False) is not None else 0
            at = node.body[min(after, len(node.body) - 1)]
            node.body.insert(after, _placed(ast.Expr(_spending(at)), at))
        elif isinstance(node, ast.Lambda):
            node.body = _spending_first(node.body)
        elif isinstance(node, ast.Yield):
            node.value = _spending_first(node.value or _placed(ast.Constant(None), node))


def _spending(at: ast.AST) -> ast.expr:
    return _placed(ast.Call(_placed(ast.Name(_SPEND, ast.Load()), at), [], []), at)


def _spending_first(value: ast.expr) -> ast.expr:
    """Return the expression `spend() or value`. Spending returns None."""
    return _placed(ast.BoolOp(ast.Or(), [_spending(value), value]), value)


def _placed(node: _TreeNode, at: ast.AST) -> _TreeNode:
    return ast.copy_location(node, at)


# -- errors ---------------------------------------------------------------------------------------

_KINDS = (
    (OutOfCalls, "calls"),
    (limits.OutOfTime, "cpu"),
    (limits.Stalled, "stalled"),
    (SystemExit, "exit"),
    (NotAvailable, "module"),
)


def describe(error: BaseException, filename: str) -> list[Any]:
    """Return an exception as plain data: `[kind, type, message, line numbers in the learner's file]`."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return ["syntax", "SyntaxError", text_of(error.msg), [error.lineno or 1]]
    kind = next((kind for cls, kind in _KINDS if isinstance(error, cls)), "raised")
    lines = lines_to_loop(error, filename) if kind in ("cpu", "stalled") else lines_in(error, filename)
    if isinstance(error, NotAvailable) and error.line and not lines:
        lines = [error.line]
    if (starred := _starred(error, filename)) is not None:
        missing = NotAvailable(_not_available(starred.__name__, starred.__doc__))
        return ["module", name_of(NotAvailable), text_of(missing), [starred._line, *lines][:_MOST_LINES]]
    return [kind, name_of(type(error)), text_of(error), lines]


def _starred(error: BaseException, filename: str) -> _Placeholder | None:
    """Return the missing module that the name in a `NameError` may come from, by `import *`; else None."""
    if type(error) is not NameError:
        return None
    starred, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            starred = traceback.tb_frame.f_globals.get(_STARRED)
        traceback = traceback.tb_next
    return starred


def lines_in(error: BaseException, filename: str) -> list[int]:
    """Return the lines of the learner's file through which an error passed, the innermost last."""
    return [line for _, line in _places(error, filename)][-_MOST_LINES:]


def lines_to_loop(error: BaseException, filename: str) -> list[int]:
    """Return the lines of the learner's file through which an error passed, up to the first loop or recursive call.

    A loop is given by its first line. The lines inside of it depend on the moment at which time ran out.
    """
    lines: list[int] = []
    codes: list[CodeType] = []
    for code, line in _places(error, filename):
        # the loops of the running function that contain the line
        around = [first for first, last in _loops.get(filename, ()) if code.co_firstlineno <= first <= line <= last]
        if around or code not in codes:
            lines.append(min(around, default=line))
        # a code that occurs twice is recursive; how deep it is when time runs out depends on the
        # machine
        if around or code in codes or len(lines) == _MOST_LINES:
            break
        codes.append(code)
    return lines


def _places(error: BaseException, filename: str) -> Iterator[tuple[CodeType, int]]:
    """Yield the code and the line of each frame of the learner's file in a traceback, the innermost last."""
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == filename and not is_stand_in(code):
            yield code, _line(traceback)
        traceback = traceback.tb_next


def _line(traceback: TracebackType) -> int:
    """Return the line at which a frame is. If it is at an instruction without a line, return that of the one before.

    In Python 3.10 and 3.11, the jump back to an outer loop has no line.
    """
    line: int | None = traceback.tb_lineno
    if line is not None and line > 0:  # Python 3.10 gives -1 in place of None
        return line
    code = traceback.tb_frame.f_code
    before = [line for start, _, line in code.co_lines() if line is not None and start <= traceback.tb_lasti]
    return before[-1] if before else code.co_firstlineno
