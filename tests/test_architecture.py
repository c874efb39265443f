"""Packages import each other only in one direction."""

import ast
import io
import re
import sys
import tokenize
from functools import cache
from pathlib import Path

from every import every

GRADER = Path(__file__).resolve().parents[1] / "grader"

# Each package may import those before it. Where data goes: from what others wrote to what a command prints.
PACKAGES = ("base", "course", "words", "runner", "verdict", "practice", "classes", "author", "cli")
# The order inside of packages: each of these may import those before it in its package. What is not listed comes last.
INNER = {
    "course": ("remarks", "learners", "facts", "program", "load", "oracle"),
    "runner": ("worker", "sandbox", "client", "same_interpreter"),
    "verdict": ("checks", "diagnosis", "report", "submission", "grading", "formats", "terminal"),
    "classes": ("people", "intake", "cohort", "page", "feedback", "sources", "worksheet"),
    "author": ("build", "release", "verify", "site", "ci"),
}
# What users and hidden tests import. These modules only import names from the packages.
PUBLIC = ("checks", "program", "extension", "pytest_plugin")
# the one thing in the worker that is not in the standard library: learners may use it, so its numbers are read
FOREIGN = {"runner.worker.adapter.arrays": ["numpy"], "runner.worker.adapter.values": ["numpy"]}

# Every start of a process in the source. A fork is a copy of what runs already; `execv` is tried out, and must fail.
STARTS = {
    "classes.cohort.grading_process": ["os.fork"],
    "base.processes": ["subprocess.Popen", "webbrowser", "webbrowser", "webbrowser.Error", "webbrowser.open"],
    "runner.worker.confine.lockdown": ["os.execv", "os.fork", "os.fork"],
    "runner.worker.confine.server": ["os.fork", "os.fork"],
    "verdict.grading.side_by_side": ["os.fork"],
}
STARTER = re.compile(
    r"os\.(fork\w*|exec[lv]\w*|spawn\w+|posix_spawn\w*|popen|system|startfile)"
    r"|subprocess\.(Popen|run|call|check_\w+|get\w+)"
    r"|asyncio\.(subprocess|create_subprocess_\w+)"
    r"|(posix|pty|multiprocessing|concurrent|webbrowser|_posixsubprocess|_winapi)(\.\w+)*"
)

# the classes that are larger than a class should be
LARGE_CLASSES = {"runner.worker.adapter.candidates.ParsedFile", "runner.worker.adapter.execute.Graph"}
NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)

MODULES = sorted(GRADER.rglob("*.py"))
INITIALS = sorted(GRADER.rglob("__init__.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a parsed module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    """Return the name of a module: `cli.main` for grader/cli/main.py, and `cli` for its `__init__`."""
    parts = path.relative_to(GRADER).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def names_imported_by(path: Path) -> list[tuple[str, str, int]]:
    """Return what a module imports, at any place in it: the absolute name of a module, a name of it, and the line.

    For `import module`, the name is empty.
    """
    here = ["grader", *path.relative_to(GRADER).with_suffix("").parts]
    found: list[tuple[str, str, int]] = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += ((alias.name, "", node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: -node.level] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            found += ((module, alias.name, node.lineno) for alias in node.names)
    return found


@cache
def imported_by(path: Path) -> list[tuple[str, int]]:
    """Return the absolute names of all modules that a module imports, with the lines.

    A name of a package counts as a module, because it may be one.
    """
    return [
        (f"{module}.{name}" if name and is_package(module) else module, line)
        for module, name, line in names_imported_by(path)
    ]


def within(path: Path) -> list[tuple[str, int]]:
    """Return the modules of the grader that a module imports, such as `verdict.report`, with the lines."""
    return [(target, line) for module, line in imported_by(path) if (target := inside(module)) is not None]


def is_package(module: str) -> bool:
    return (GRADER.parent / Path(*module.split("."))).is_dir()


def inside(module: str) -> str | None:
    """Return `cli.main` for `grader.cli.main`, and None for a module of another package."""
    return module.removeprefix("grader.") if module.startswith("grader.") else None


def test_every_package_has_its_place() -> None:
    """Every folder and file directly in grader/ is a package of the order, or a public module."""
    found = {path.stem for path in GRADER.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert {"__init__", "__main__", *PACKAGES, *PUBLIC} == found


@every("path", MODULES, ids=name_of)
def test_imports_run_one_way(path: Path) -> None:
    """A module imports only its own package and the packages before it."""
    package = name_of(path).split(".")[0]
    if package not in PACKAGES:
        return
    later = (*PACKAGES[PACKAGES.index(package) + 1 :], *PUBLIC, "__main__")
    assert [] == [f"line {line}: {target}" for target, line in within(path) if target.split(".")[0] in later]


@every("path", MODULES, ids=name_of)
def test_imports_in_a_package_run_one_way(path: Path) -> None:
    """In a package, inner packages and modules import those before them."""
    package, _, inner = name_of(path).partition(".")
    order = INNER.get(package, ())
    if inner.split(".")[0] not in order:
        return
    later = order[order.index(inner.split(".")[0]) + 1 :]
    assert [] == [
        f"line {line}: {target}"
        for target, line in within(path)
        if target.split(".")[:1] == [package] and target.split(".")[1:2] and target.split(".")[1] in later
    ]


@every("path", MODULES, ids=name_of)
def test_packages_import_no_inner_modules_of_others(path: Path) -> None:
    """A module names at most two steps of another package, as `verdict.report`, whose `__init__` has what is public."""
    package = name_of(path).split(".")[0]
    if package not in PACKAGES:
        return
    assert [] == [
        f"line {line}: {module}.{name}"
        for module, name, line in names_imported_by(path)
        if (target := inside(module)) is not None
        and target.split(".")[0] in PACKAGES
        and target.split(".")[0] != package
        and not is_public(target, name)
    ]


def is_public(module: str, name: str) -> bool:
    """Return whether another package may import a name from a module: `verdict.report` and `Report`, for example."""
    steps = module.split(".")
    if len(steps) > 2:
        return False
    initial = GRADER.joinpath(*steps, "__init__.py")
    # a module; a module of a package; what an inner package makes public
    return len(steps) == 1 or not initial.is_file() or name in bound_in(initial)


@cache
def bound_in(path: Path) -> set[str]:
    """Return the names that a module imports."""
    imports = [node for node in tree_of(path).body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


@every("name", PACKAGES)
def test_a_package_begins_by_saying_what_it_is(name: str) -> None:
    """The `__init__` of each package says what enters, what leaves and what it must never do, and imports nothing."""
    tree = tree_of(GRADER / name / "__init__.py")
    text = ast.get_docstring(tree) or ""
    assert 1 == len(tree.body)
    assert (True, True, True) == ("\nIn: " in text, "Out: " in text, "never" in text)


@every("name", PUBLIC)
def test_public_modules_are_thin(name: str) -> None:
    """A public module imports names, or defines one function that imports what it needs."""
    body = tree_of(GRADER / f"{name}.py").body
    assert len(body) <= 3


def test_no_two_modules_import_each_other() -> None:
    """There is no cycle of imports, neither in a package nor between packages. Lazy imports count."""
    names = {name_of(path) for path in MODULES}
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        targets = {inside(module) for module, _ in imported_by(path)} - {None}
        longest = {next((n for n in (t, t.rpartition(".")[0]) if n in names), "") for t in targets if t}
        graph[name_of(path)] = longest - {"", name_of(path)}
    while True:
        free = {name for name, targets in graph.items() if not targets & graph.keys()}
        if not free:
            break
        graph = {name: targets for name, targets in graph.items() if name not in free}
    assert {} == graph


@every("path", [path for path in MODULES if name_of(path).startswith("runner.worker")], ids=name_of)
def test_the_worker_stands_alone(path: Path) -> None:
    """Modules beside learner code import only the standard library, their own package and numpy."""
    outside = [
        module
        for module, _ in imported_by(path)
        if not module.startswith("grader.runner.worker.") and not is_standard(module)
    ]
    assert outside in ([], FOREIGN.get(name_of(path)))


@every("path", [path for path in MODULES if name_of(path).startswith("runner.worker.")], ids=name_of)
def test_confine_can_be_read_alone(path: Path) -> None:
    """Modules of `confine` import nothing from `adapter`, and `adapter` imports only the limits from `confine`."""
    half = name_of(path).split(".")[2]
    ours = {inside(module) for module, _ in imported_by(path)} - {None}
    if half == "confine":
        assert [] == [module for module in ours if not str(module).startswith("runner.worker.confine.")]
    elif half == "adapter":
        assert [] == [
            m for m in ours if not str(m).startswith("runner.worker.adapter.") and m != "runner.worker.confine.limits"
        ]


def is_standard(module: str | None) -> bool:
    return module is not None and module.split(".")[0] in sys.stdlib_module_names


def test_processes_are_started_in_one_place() -> None:
    """Only `processes` starts other programs. A few other modules may fork."""
    found = {name_of(path): starts_in(path) for path in MODULES}
    assert STARTS == {name: starts for name, starts in found.items() if starts}


def starts_in(path: Path) -> list[str]:
    """Return the calls with which a module starts processes, by their names in the standard library."""
    tree = tree_of(path)
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update({alias.asname: alias.name for alias in node.names if alias.asname})
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    types = {node.value for node in ast.walk(tree) if isinstance(node, ast.Subscript)}  # subprocess.Popen[bytes]
    used = [
        names.get(base, base) + dot + rest
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute) and node not in types
        for base, dot, rest in [dotted(node).partition(".")]
    ]
    return sorted(name for name in used if STARTER.fullmatch(name))


def dotted(node: ast.AST) -> str:
    """Return a name with its attributes, as in `os.path.join`; empty for attributes of anything else."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(attributes)]) if isinstance(node, ast.Name) else ""


def test_torch_stays_in_one_module() -> None:
    """Only the module of the oracle's own process imports torch."""
    users = {name_of(path) for path in MODULES for module, _ in imported_by(path) if module.split(".")[0] == "torch"}
    assert {"course.oracle.compute"} == users
    importers = {
        name_of(path) for path in MODULES for m, _ in imported_by(path) if m.startswith("grader.course.oracle.compute")
    }
    assert set() == importers


@every("path", INITIALS, ids=name_of)
def test_a_package_only_hands_names_on(path: Path) -> None:
    """An `__init__` has only a docstring and imports, and perhaps the names that it exports."""
    first, *rest = tree_of(path).body
    assert isinstance(first, ast.Expr)
    assert isinstance(first.value, ast.Constant)
    assert [] == [ast.unparse(node) for node in rest if not hands_a_name_on(node)]


def hands_a_name_on(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        named = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return named in (["__all__"], ["__version__"])
    return isinstance(node, ast.ImportFrom)


@every("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is(path: Path) -> None:
    """Every module begins with a docstring."""
    assert ast.get_docstring(tree_of(path))


def test_classes_can_be_read_in_one_sitting() -> None:
    """No class but those listed has more than 250 lines of code, without blank lines, comments and docstrings."""
    larger = set()
    for path in MODULES:
        for node in tree_of(path).body:
            lines = {*range(node.lineno, (node.end_lineno or 0) + 1)}
            if isinstance(node, ast.ClassDef) and len(lines) > 250 and len(lines & lines_of_code(path)) > 250:
                larger.add(f"{name_of(path)}.{node.name}")
    assert LARGE_CLASSES == larger


def lines_of_code(path: Path) -> set[int]:
    """Return the numbers of the lines that have a token, but for docstrings."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    lines = {line for t in tokens if t.type not in NO_CODE for line in range(t.start[0], t.end[0] + 1)}
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = [
        node.body[0] for node in ast.walk(tree_of(path)) if isinstance(node, documented) and ast.get_docstring(node)
    ]
    return lines - {line for node in first for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def test_a_type_has_one_name_and_a_name_one_type() -> None:
    """No two modules define a class or a type alias of the same name. `_Name` is another name than `Name`.

    A module may have both: `_Name` is then the form of a `Name` that is sent or written in a file. Type variables of
    one letter may recur.
    """
    modules: dict[str, set[str]] = {}
    for path in MODULES:
        for name in types_of(path):
            modules.setdefault(name, set()).add(name_of(path))
    assert {name: sorted(where) for name, where in modules.items() if len(where) > 1} == {}


def types_of(path: Path) -> set[str]:
    """Return the names of the classes of a module, also of inner ones, and of its type aliases."""
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name) and _TYPE.fullmatch(target.id)}
    return found


# the name of a type: a capital letter first, and a small one after it
_TYPE = re.compile(r"_?[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")


def test_types_of_a_module_are_found(tmp_path: Path) -> None:
    """Classes, inner classes and aliases are types. Constants and type variables of one letter are not."""
    path = tmp_path / "module.py"
    path.write_text(
        "LIMIT = 1\nT = TypeVar('T')\nWord = str\nif LIMIT:\n    _Pair: TypeAlias = tuple[int, int]\n"
        "class Outer:\n    class _Inner:\n        size = 1\n",
        encoding="utf-8",
    )
    assert types_of(path) == {"Word", "_Pair", "Outer", "_Inner"}
