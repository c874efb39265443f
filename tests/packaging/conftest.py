"""A fixture that runs the command installed from the wheel."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def run_in() -> Run:
    """Run the `grade` of an environment's `bin` folder, without the caller's settings of Python and pytest."""

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
