"""No command imports, runs or reads settings from the current folder."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from ours import COURSE, ROOT, SOLUTIONS

from grader.classes.cohort import LocalPool, settings
from grader.classes.cohort.jobs import Drawn

BIN = Path(sys.executable).parent
FOLDERS = ("msgspec", "pytest", "torch", "yaml")  # submissions of people who call themselves so
HOOKS = ("conftest", "sitecustomize", "trap_plugin", "usercustomize")
SETTINGS = {
    "pytest.ini": "[pytest]\naddopts = -p trap_plugin\npython_files = *.py\npythonpath = .\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-p trap_plugin"\npythonpath = "."\n',
    "tox.ini": "[pytest]\naddopts = -p trap_plugin\n",
    "setup.cfg": "[tool:pytest]\naddopts = -p trap_plugin\n",
    "trap.dist-info/METADATA": "Metadata-Version: 2.1\nName: trap\nVersion: 1.0\n",
    "trap.dist-info/entry_points.txt": "[pytest11]\ntrap = trap_plugin\n",
}
OWN_SEED = ("--seed", "backward 2026.1")  # its answers are in the answer book
CLASS = "5 of 5 submissions graded"  # FOLDERS, and the trap.dist-info
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@cache
def modules() -> list[str]:
    """Return the names of all modules that can be imported here, except those of `FOLDERS`."""
    return sorted({*sys.stdlib_module_names, *packages_distributions(), *HOOKS} - {"__main__", *FOLDERS})


def spring(mark: Path, name: str) -> str:
    """Write a module that records its name in a file when it is imported."""
    return f"open({str(mark)!r}, 'a').write({name!r} + '\\n')\n"


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """Return the file in which an imported trap records its name."""
    return tmp_path / "sprung"


@pytest.fixture
def traps(tmp_path: Path, mark: Path) -> Path:
    """Return a folder with a module for each name that Python or an installed package may import."""
    folder = tmp_path / "traps"
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(spring(mark, name))
        shutil.copy(SOLUTIONS / "01_distribute.py", folder / name)
    for name in modules():
        (folder / f"{name}.py").write_text(spring(mark, name))
    for name, text in SETTINGS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "bwrap").write_text(f"#!/bin/sh\necho bwrap >> {mark}\nexit 1\n")
    (folder / "bwrap").chmod(0o755)
    return folder


@pytest.fixture
def run(tmp_path: Path, traps: Path) -> Run:
    """Run a command in the folder of traps, for a user whose settings also point there."""
    environment = {
        "PATH": f":.:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "BACKWARD_CACHE": str(tmp_path / "cache"),
        "LC_ALL": "C.UTF-8",
        "PYTEST_ADDOPTS": "-p trap_plugin",
        "PYTEST_PLUGINS": "trap_plugin",
    }

    def run(*words: object, **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(word) for word in words],
            cwd=traps,
            env={**environment, **more},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    return run


@pytest.fixture
def sprung(mark: Path) -> Callable[[], list[str]]:
    """Return the traps that were imported."""
    return lambda: mark.read_text().split() if mark.exists() else []


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a small writable course without misconceptions, which would take long to verify."""
    ignore = shutil.ignore_patterns("*.mistakes.yaml")
    return Path(shutil.copytree(ROOT / "examples" / "tape", tmp_path / "course", ignore=ignore))


def test_the_traps_work(run: Run, sprung: Callable[[], list[str]]) -> None:
    """A Python that imports from the current folder imports the traps, and so does a pytest with such settings."""
    run(sys.executable, "-c", "import yaml, random, pytest_jsonreport")
    assert ["yaml", "random", "pytest_jsonreport"] == sprung()
    run(BIN / "pytest", "--version", "--version", PYTEST_PLUGINS="")
    assert ["trap_plugin"] == sprung()[3:]


@pytest.mark.parametrize("official", [(), ("--official",)])
def test_grade(run: Run, sprung: Callable[[], list[str]], official: tuple[str, ...]) -> None:
    """An official run of one submission imports no trap. It asks the oracle for random programs."""
    done = run(BIN / "grade", "accumulate", "--from", SOLUTIONS, *official)
    assert (0, "", []) == (done.returncode, done.stderr, sprung())
    assert "Score 10/10" in done.stdout


def test_grade_as_a_module(run: Run, sprung: Callable[[], list[str]]) -> None:
    """A run started as `python -I -m grader` imports no trap."""
    done = run(sys.executable, "-I", "-m", "grader", "accumulate", "--from", SOLUTIONS)
    assert (0, "", []) == (done.returncode, done.stderr, sprung())


@pytest.mark.parametrize("more", [{}, {"PYTHONPATH": ":/nowhere"}], ids=["-m", "PYTHONPATH"])
def test_a_python_that_was_told_to_look_in_the_current_folder(
    run: Run, traps: Path, sprung: Callable[[], list[str]], more: dict[str, str]
) -> None:
    """`python -m grader`, or a PYTHONPATH with an empty entry, puts the current folder first.

    Modules that Python has not imported from there before the grader begins are not imported from there at all.
    """
    before = {"grader", "sitecustomize", "usercustomize", *python_imports_by_itself()}
    for name in before.intersection(modules()):
        (traps / f"{name}.py").unlink()
    start = [BIN / "grade"] if more else [sys.executable, "-m", "grader"]
    done = run(*start, "accumulate", "--from", SOLUTIONS, **more)
    assert (0, "", []) == (done.returncode, done.stderr, sprung())


def python_imports_by_itself() -> set[str]:
    """Return the modules that are imported before the first line of an installed program, or of a module."""
    code = "import re, runpy, importlib.util, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


def test_hint_and_start(run: Run, sprung: Callable[[], list[str]], tmp_path: Path) -> None:
    """A learner's other commands import no trap."""
    hint = run(BIN / "grade", "hint", "swap")
    start = run(BIN / "grade", "start", tmp_path / "exercises")
    assert (0, 0, []) == (hint.returncode, start.returncode, sprung())


@pytest.fixture
def results(run: Run, tmp_path: Path) -> Path:
    """Return the results of `grade cohort` for a class whose members have the names of modules."""
    done = run(BIN / "grade", "cohort", ".", "--out", tmp_path / "results", "--jobs", 1, *OWN_SEED)
    assert CLASS in done.stdout, done.stderr
    return tmp_path / "results"


def test_cohort_export_and_page(run: Run, results: Path, sprung: Callable[[], list[str]]) -> None:
    """The instructor's commands import no trap in the folder of submissions."""
    export = [run(BIN / "grade", "export", results, "--to", form) for form in ("csv", "feedback", "junit")]
    page = run(BIN / "grade", "page", results)
    assert ([0, 0, 0, 0], []) == ([done.returncode for done in (*export, page)], sprung())


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")  # the cluster's own
def test_cohort_with_a_cluster(run: Run, tmp_path: Path, sprung: Callable[[], list[str]]) -> None:
    """With `--dask`, the library is imported from its installation, also in the workers' grading processes."""
    distributed = pytest.importorskip("distributed")
    words = (BIN / "grade", "cohort", ".", "--out", tmp_path / "results")
    here = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**here) as cluster:
        done = run(*words, *OWN_SEED, "--dask", cluster.scheduler_address)
    assert CLASS in done.stdout, done.stderr
    assert [] == sprung()


@pytest.mark.parametrize(
    "commands",
    # torch starts for each of the others
    [(["stubs"],), pytest.param((["build"], ["verify", "1"]), marks=pytest.mark.exhaustive)],
)
def test_stubs_build_and_verify(
    run: Run, course: Path, sprung: Callable[[], list[str]], commands: tuple[list[str], ...]
) -> None:
    """The author's commands import no trap."""
    done = [run(BIN / "grade", *words, "--course", course) for words in commands]
    assert ({0}, []) == ({one.returncode for one in done}, sprung()), done


@pytest.fixture
def _among_traps(traps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folder of traps the current folder of this process, and point the environment there."""
    monkeypatch.chdir(traps)
    monkeypatch.setenv("PYTHONPATH", str(traps))
    monkeypatch.setenv("PYTHONSTARTUP", str(traps / "yaml" / "__init__.py"))
    monkeypatch.setenv("PYTHONINSPECT", "1")


@pytest.mark.usefixtures("_among_traps")
def test_variables_of_the_environment_steer_no_process(sprung: Callable[[], list[str]]) -> None:
    """A process that the grader starts imports from the same folders as the grader, with any PYTHONPATH."""
    made = settings(COURSE, "backward 2026.1", Drawn(), isolation="process", official=False)
    pool = LocalPool(made, 1)
    try:
        assert "process" == pool.start()
    finally:
        pool.close()
    assert [] == sprung()
