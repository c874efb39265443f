"""The wheel, as it would be published, and a way to run what is installed from it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory, handed_out: Path) -> Path:
    """The wheel, built from a copy of the repository in which nobody has worked on an exercise."""
    out = tmp_path_factory.mktemp("dist")
    tree = tmp_path_factory.mktemp("tree") / "backward"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "exercises", "fixtures", "dist", "__pycache__"))
    shutil.copytree(handed_out, tree / "exercises")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, tree],
        check=True,
        capture_output=True,
    )
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def run_in() -> Run:
    """Runs the `grade` of an environment's `bin` folder, without the caller's settings of Python and pytest."""

    def run(installed: Path, folder: Path, *words: object, **more: str) -> "subprocess.CompletedProcess[str]":
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "PYTHON"))}
        return subprocess.run(
            [installed / "grade", *map(str, words)],
            cwd=folder,
            env={**environment, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    return run
