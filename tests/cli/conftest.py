"""The command, run in an empty folder with a clean environment."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from in_process import GRADE, run_grade

ROOT = Path(__file__).resolve().parent.parent.parent

Run = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module", autouse=True)
def _kept_processes(kept_processes: None) -> None:
    """Start the processes of commands that run in this process once."""


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for torch's answers, which all processes of a test run share."""
    folder = tmp_path_factory.getbasetemp()
    return (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "cache"


@pytest.fixture
def environment(tmp_path: Path, cache: Path) -> dict[str, str]:
    """Return an environment with only the caller's search path, and with its own home folder."""
    home = tmp_path / "home"
    home.mkdir()
    return {"PATH": os.environ["PATH"], "HOME": str(home), "BACKWARD_CACHE": str(cache), "LC_ALL": "C.UTF-8"}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return an empty folder to work in, without a course in it or above it."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def grade(environment: Mapping[str, str], work: Path) -> Callable[..., Run]:
    """Run `grade` with some words, in this process. Fail if a traceback of the grader appears."""

    def run(*words: object, cwd: Path = work, **more: str) -> Run:
        return run_grade(*words, cwd=cwd, env={**environment, **more})

    return run


@pytest.fixture
def installed_grade(environment: Mapping[str, str], work: Path) -> Callable[..., Run]:
    """Run the installed `grade` with some words, in a process of its own."""

    def run(*words: object) -> Run:
        command = [str(GRADE), *map(str, words)]
        return subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="session")
def quick_course(tmp_path_factory: pytest.TempPathFactory, handed_out: Path) -> Path:
    """Return a copy of the course without solutions, limited to half a second of CPU time and few calls."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(handed_out, folder / "exercises")
    shutil.copytree(ROOT / "tests" / "hidden", folder / "tests" / "hidden")
    text = (ROOT / "course.yaml").read_text(encoding="utf-8")
    for old, new in {"cpu_s: 2,": "cpu_s: 0.5,", "calls: 2_000_000,": "calls: 100_000,"}.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "course.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def own_course(quick_course: Path, tmp_path: Path) -> Path:
    """Return a copy of the quick course that a test may damage."""
    return Path(shutil.copytree(quick_course, tmp_path / "course", ignore=shutil.ignore_patterns(".*")))


@pytest.fixture(scope="session")
def solved() -> Callable[[str], str]:
    """Return the solution of an exercise, by the name of its file."""

    def read(name: str) -> str:
        return (ROOT / "solutions" / name).read_text(encoding="utf-8")

    return read
