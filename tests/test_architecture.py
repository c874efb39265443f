"""Packages import each other only in one direction."""

import ast
import re
import sys
from functools import cache
from pathlib import Path

from every import every

GRADER = Path(__file__).resolve().parents[1] / "grader"

# Each room may import those before it. A new room is put where the reader meets it.
ROOMS = (
    "search_path",
    "base",
    "program",
    "remarks",
    "learners",
    "words",
    "course",
    "worker",
    "sandbox",
    "client",
    "oracle",
    "checks",
    "diagnosis",
    "workspace",
    "report",
    "grading",
    "replay",
    "people",
    "intake",
    "cohort",
    "views",
    "author",
    "practice",
    "ci",
    "cli",
    "extension",
    "pytest_plugin",
)
# the one thing in the worker that is not in the standard library: learners may use it, so its numbers are read
FOREIGN = {"worker.adapter.values": ["numpy"]}

# Every start of a process in the source. A fork is a copy of what runs already; `execv` is tried out, and must fail.
STARTS = {
    "cohort.grading_process": ["os.fork"],
    "base.processes": ["subprocess.Popen", "webbrowser", "webbrowser", "webbrowser.Error", "webbrowser.open"],
    "worker.confine.lockdown": ["os.execv", "os.fork", "os.fork"],
    "worker.confine.server": ["os.fork"],
}
STARTER = re.compile(
    r"os\.(fork\w*|exec[lv]\w*|spawn\w+|posix_spawn\w*|popen|system|startfile)"
    r"|subprocess\.(Popen|run|call|check_\w+|get\w+)"
    r"|asyncio\.(subprocess|create_subprocess_\w+)"
    r"|(posix|pty|multiprocessing|concurrent|webbrowser|_posixsubprocess|_winapi)(\.\w+)*"
)

MODULES = sorted(GRADER.rglob("*.py"))
PACKAGES = sorted(GRADER.rglob("__init__.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a parsed module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    """Return the name of a module: `checks.session` for grader/checks/session.py, `checks` for its `__init__`."""
    parts = path.relative_to(GRADER).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imported_by(path: Path) -> list[tuple[str, int]]:
    """Return the absolute names of everything that a module imports, at any place in it, with the lines."""
    here = ["grader", *path.relative_to(GRADER).with_suffix("").parts]
    found: list[tuple[str, int]] = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: -node.level] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            if node.module is None or is_package(module):
                found += ((f"{module}.{alias.name}", node.lineno) for alias in node.names)
            else:
                found.append((module, node.lineno))
    return found


def is_package(module: str) -> bool:
    return (GRADER.parent / Path(*module.split("."))).is_dir()


def inside(module: str) -> str | None:
    """Return `checks.session` for `grader.checks.session`, and None for a module of another package."""
    return module.removeprefix("grader.") if module.startswith("grader.") else None


def test_every_room_has_its_place() -> None:
    """Every folder and file directly in grader/ is listed in the order of packages."""
    found = {path.stem for path in GRADER.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert set() == found - {"__init__", "__main__", *ROOMS}


@every("path", MODULES, ids=name_of)
def test_imports_run_one_way(path: Path) -> None:
    """A module imports only its own package and the packages before it."""
    room = name_of(path).split(".")[0]
    if room in ("", "__main__"):
        return
    upward = [
        f"line {line}: {module}"
        for module, line in imported_by(path)
        if (target := inside(module)) is not None
        and target.split(".")[0] in ROOMS
        and ROOMS.index(target.split(".")[0]) > ROOMS.index(room)
    ]
    assert [] == upward


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


@every("path", [path for path in MODULES if name_of(path).startswith("worker")], ids=name_of)
def test_the_worker_stands_alone(path: Path) -> None:
    """Modules beside learner code import only the standard library, their own package and numpy."""
    outside = [
        module for module, _ in imported_by(path) if not module.startswith("grader.worker.") and not is_standard(module)
    ]
    assert outside in ([], FOREIGN.get(name_of(path)))


@every("path", [path for path in MODULES if name_of(path).startswith("worker.")], ids=name_of)
def test_confine_can_be_read_alone(path: Path) -> None:
    """Modules of `confine` import nothing from `adapter`, and `adapter` imports only the limits from `confine`."""
    half = name_of(path).split(".")[1]
    ours = {inside(module) for module, _ in imported_by(path)} - {None}
    if half == "confine":
        assert [] == [module for module in ours if not str(module).startswith("worker.confine.")]
    elif half == "adapter":
        assert [] == [m for m in ours if not str(m).startswith("worker.adapter.") and m != "worker.confine.limits"]


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
    assert {"oracle.compute"} == users
    importers = {
        name_of(path) for path in MODULES for m, _ in imported_by(path) if m.startswith("grader.oracle.compute")
    }
    assert set() == importers


@every("path", PACKAGES, ids=name_of)
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
