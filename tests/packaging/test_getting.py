"""The README's ways of getting `grade`, with the tools that they name, from packages that were downloaded before."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.load import load_course

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
COUNT = len(load_course(ROOT).exercises)
BIN = Path(sys.executable).parent
Getting = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def getting(packages: Path, tmp_path: Path) -> Getting:
    """Runs a command of the README in an empty folder, without the network and without anything from before."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "empty").mkdir()
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "PYTHON", "PIP_", "UV_"))}
    environment = {
        **inherited,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_DATA_HOME": str(home / "data"),
        "PIPX_HOME": str(home / "pipx"),
        "PIPX_BIN_DIR": str(home / "bin"),
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "UV_OFFLINE": "1",
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(packages),
        "UV_PYTHON": sys.executable,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(packages),
        "UV_PYTHON_DOWNLOADS": "never",
        "PATH": os.pathsep.join((str(home / "bin"), str(BIN), os.environ["PATH"])),
    }

    def run(*words: object) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            list(map(str, words)), cwd=tmp_path / "empty", env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run


def command(program: str) -> list[str]:
    """Return the README's command that begins with a program, for this repository in place of the current folder."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    (found,) = [line for line in lines if line.startswith(f"{program} ")]
    return [str(ROOT) if word == "." else word for word in shlex.split(found, comments=True)]


@pytest.mark.exhaustive
def test_uvx_starts_the_course_without_installing_it(getting: Getting, tmp_path: Path) -> None:
    """One command, and the exercises are there."""
    done = getting(*command("uvx"))
    assert f"{COUNT} exercises written to backward/exercises" in done.stdout
    assert len(list((tmp_path / "empty" / "backward" / "exercises").glob("*.py"))) == COUNT
    assert f"`uvx --from {ROOT} grade 1`" in done.stdout
    assert "PASS" in getting("uvx", "--from", str(ROOT), "grade", "1", "--from", str(ROOT / "solutions")).stdout


@pytest.mark.exhaustive  # installs the same wheel again
def test_pipx_installs_grade_as_a_command(getting: Getting, tmp_path: Path) -> None:
    """Afterwards `grade` is found by its name."""
    getting(*command("pipx"))
    found = getting(tmp_path / "home" / "bin" / "grade", "start", "mine")
    assert f"{COUNT} exercises written to mine/exercises" in found.stdout
