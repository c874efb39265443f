"""The rooms of the house and the one way between them."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

GRADER = Path(__file__).resolve().parents[1] / "grader"

# Each room may import those before it. A new room is put where the reader meets it.
ROOMS = (
    "program",
    "course",
    "worker",
    "sandbox",
    "engine",
    "oracle",
    "checks",
    "diagnosis",
    "scoring",
    "report",
    "grading",
    "cohort",
    "views",
    "author",
    "cli",
)
# scoring fills in the report's data classes, which import nothing themselves
EXCEPTIONS = {("scoring", "report.model")}
# the one thing in the worker that is not in the standard library: learners may use it, so its numbers are read
FOREIGN = {"worker.frames": ["import numpy"]}

MODULES = sorted(GRADER.rglob("*.py"))
PACKAGES = sorted(GRADER.rglob("__init__.py"))


def name_of(path: Path) -> str:
    """`checks.plugin` for grader/checks/plugin.py, `checks` for its `__init__`."""
    parts = path.relative_to(GRADER).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_by(path: Path) -> Iterator[tuple[str, int]]:
    """Absolute names of what a module imports, wherever in it, and the lines."""
    here = ["grader", *path.relative_to(GRADER).with_suffix("").parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: -node.level] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            if node.module is None or is_package(module):
                yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield module, node.lineno


def is_package(module: str) -> bool:
    return (GRADER.parent / Path(*module.split("."))).is_dir()


def inside(module: str) -> str | None:
    """`checks.plugin` for `grader.checks.plugin`; None for what is not ours."""
    return module.removeprefix("grader.") if module.startswith("grader.") else None


def test_every_room_has_its_place() -> None:
    """Every folder and file directly in grader/ stands in the order of rooms."""
    found = {path.stem for path in GRADER.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert set() == found - {"__init__", "__main__", *ROOMS}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_run_one_way(path: Path) -> None:
    """A module imports its own room and the rooms before it, never one that comes later."""
    room = name_of(path).split(".")[0]
    if room in ("", "__main__"):
        return
    upward = [
        f"line {line}: {module}"
        for module, line in imported_by(path)
        if (target := inside(module)) is not None
        and target.split(".")[0] in ROOMS
        and ROOMS.index(target.split(".")[0]) > ROOMS.index(room)
        and not any(room == importer and target.startswith(imported) for importer, imported in EXCEPTIONS)
    ]
    assert [] == upward


def test_what_is_excepted_imports_nothing_of_ours() -> None:
    """The exception to the order cannot hide a cycle: what it allows depends on no room."""
    for _, imported in EXCEPTIONS:
        path = GRADER / Path(*imported.split(".")).with_suffix(".py")
        assert [] == [module for module, _ in imported_by(path) if inside(module)]


def test_no_two_modules_import_each_other() -> None:
    """Nor is there a longer cycle, inside a room or between rooms, lazy imports included."""
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


@pytest.mark.parametrize("path", [path for path in MODULES if name_of(path).startswith("worker")], ids=name_of)
def test_the_worker_stands_alone(path: Path) -> None:
    """What runs beside learner code imports the standard library and its own room, and numpy where a course has it."""
    foreign = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and node.level != 1 and not is_standard(node.module))
        or (isinstance(node, ast.Import) and not all(is_standard(alias.name) for alias in node.names))
    ]
    assert foreign in ([], FOREIGN.get(name_of(path)))


def is_standard(module: str | None) -> bool:
    return module is not None and module.split(".")[0] in sys.stdlib_module_names


def test_torch_stays_in_one_module() -> None:
    """Only the oracle's own process imports torch."""
    users = {name_of(path) for path in MODULES for module, _ in imported_by(path) if module.split(".")[0] == "torch"}
    assert {"oracle.compute"} == users
    importers = {
        name_of(path) for path in MODULES for m, _ in imported_by(path) if m.startswith("grader.oracle.compute")
    }
    assert set() == importers


@pytest.mark.parametrize("path", PACKAGES, ids=name_of)
def test_a_package_only_hands_names_on(path: Path) -> None:
    """An `__init__` holds a docstring, imports and names."""
    first, *rest = ast.parse(path.read_text(encoding="utf-8")).body
    assert isinstance(first, ast.Expr)
    assert isinstance(first.value, ast.Constant)
    assert [] == [ast.unparse(node) for node in rest if not hands_a_name_on(node)]


def hands_a_name_on(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        named = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return named in (["__all__"], ["__version__"])
    return isinstance(node, ast.ImportFrom)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is(path: Path) -> None:
    """A module begins with a docstring."""
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
