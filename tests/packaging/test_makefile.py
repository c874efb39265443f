"""The environment that `make` sets up."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_venv_that_was_left_half_made_is_made_anew(tmp_path: Path) -> None:
    """A Python that leads nowhere is no reason to give up: an empty environment is made in its place."""
    half, words = tmp_path / "venv", tmp_path / "words"
    (half / "bin").mkdir(parents=True)
    (half / "bin" / "python").symlink_to("nowhere")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "$@" > {words}\n')
    python.chmod(0o755)
    subprocess.run(
        ["make", "-s", "venv", f"VENV={half}", f"PYTHON={python}"], cwd=ROOT, check=True, capture_output=True
    )
    assert f"-m venv --clear {half}\n" == words.read_text()
