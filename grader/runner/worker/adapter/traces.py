"""Tell from a file's text whether it can leave something behind in the interpreter that runs it.

The answer may be yes for a file that leaves nothing. It is no only for code that can be undone: it imports some modules
of the standard library and uses what they export, but never reaches a module's namespace, a frame, or what the
interpreter keeps of a function or a class.
"""

import ast
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType

# their functions and classes give no way to other modules or to frames, and their contents are restored
_HARMLESS = {"abc", "bisect", "collections", "collections.abc", "copy", "dataclasses", "enum", "fractions", "functools"}
_HARMLESS |= {"__future__", "graphlib", "heapq", "itertools", "math", "numbers", "operator", "random", "statistics"}
_HARMLESS |= {"string", "time", "typing"}
# builtins that run texts, reach namespaces, or name an attribute with a text
_NAMES = {"__builtins__", "__import__", "__loader__", "__spec__", "breakpoint", "compile", "delattr", "eval", "exec"}
_NAMES |= {"exit", "getattr", "globals", "help", "locals", "open", "quit", "setattr", "type", "vars"}
# what reads an attribute that a text names, runs code later, or changes a class
_ATTRIBUTES = {"attrgetter", "methodcaller", "get_type_hints", "make_dataclass", "update_wrapper", "wraps", "__del__"}
_OPERATORS = set(dir(int)) | set(dir(list)) | {"__call__", "__enter__", "__exit__", "__matmul__", "__next__"}
_SPECIAL = (_OPERATORS - set(dir(object))) | {"__class__", "__doc__", "__eq__", "__hash__", "__init__", "__name__"}
_SPECIAL |= {"__ge__", "__gt__", "__le__", "__lt__", "__ne__", "__new__", "__post_init__", "__repr__", "__slots__"}
_SPECIAL |= {"__array_priority__", "__array_ufunc__", "__str__"}
_FRAMES = ("ag_", "cr_", "f_", "gi_", "tb_")  # how the attributes of frames and of what has one begin


def leaves_traces(source: str, restored: Mapping[str, str]) -> bool:
    """Return whether a file, when it runs, can leave something behind that is not undone.

    Args:
        restored: The modules beyond the standard library that are as harmless as one of it, because what can be changed
            in them is restored: the name under which each is imported here, by its name in files.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # it never runs
    # the modules and names that the file imports
    known = {name: name for name in _HARMLESS} | dict(restored)
    nodes = list(ast.walk(tree))
    modules: dict[str, ModuleType] = {}  # by the name that the file gives to it
    imported = set[str]()  # the names of what the file imports from modules
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name not in known:
                    return True
                top = alias.name.partition(".")[0]
                modules[alias.asname or top] = import_module(known[alias.name if alias.asname else top])
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module not in known:
                return True
            names = [alias.name for alias in node.names]
            if not all(_exported(import_module(known[node.module]), name) for name in names if name != "*"):
                return True
            imported |= {alias.asname or alias.name for alias in node.names}
    # what it does with them
    return any(_reaches(node, modules, imported) for node in nodes) or _handed_on(nodes, modules)


def _exported(module: ModuleType, name: str) -> bool:
    return name in getattr(module, "__all__", vars(module)) and not isinstance(vars(module).get(name), ModuleType)


def _reaches(node: ast.AST, modules: dict[str, ModuleType], imported: set[str]) -> bool:
    """Return whether a node of a syntax tree reaches what the grader uses, too."""
    match node:
        case ast.Name(id=name):
            return name in _NAMES or (name.startswith("__") and name not in _SPECIAL)
        case ast.Attribute(value=value, attr=name, ctx=context):
            if name in _ATTRIBUTES or name.startswith(_FRAMES) or (name.startswith("__") and name not in _SPECIAL):
                return name.endswith("__") or not name.startswith("__")  # other names with `__` are private to a class
            root = _root(value)
            if isinstance(value, ast.Name) and value.id in modules:
                return not isinstance(context, ast.Load) or not _exported(modules[value.id], name)
            return not isinstance(context, ast.Load) and (root is None or root in modules or root in imported)
        case ast.alias(name=name):
            return name in _ATTRIBUTES
        case ast.FunctionDef(name="__del__"):
            return True
        case ast.MatchClass():
            return bool(node.kwd_attrs)
    return False


def _root(node: ast.expr) -> str | None:
    """Return the name at the root of attributes and subscripts, or None if it is no name."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _handed_on(nodes: Iterable[ast.AST], modules: dict[str, ModuleType]) -> bool:
    """Return whether a module is used in another way than by one of its attributes."""
    read = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    names = (node for node in nodes if isinstance(node, ast.Name))
    return any(node.id in modules and id(node) not in read for node in names)
