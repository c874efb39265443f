"""The environment that `make` sets up."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_venv_that_was_left_half_made_is_made_anew(tmp_path: Path) -> None:
    """A Python that leads nowhere, or has no pip, is no reason to give up."""
    half = tmp_path / "venv"
    (half / "bin").mkdir(parents=True)
    (half / "bin" / "python").symlink_to("nowhere")
    subprocess.run(["make", "-s", "venv", f"VENV={half}"], cwd=ROOT, check=True, capture_output=True)
    done = subprocess.run([half / "bin" / "python", "-m", "pip", "--version"], check=False, capture_output=True)
    assert 0 == done.returncode
