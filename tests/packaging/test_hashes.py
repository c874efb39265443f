"""The file of hashes, with which platforms install what the grader needs."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HASHES = ROOT / "hashes.txt"


def test_each_package_has_hashes() -> None:
    """Each line that names a package is followed by one or more hashes."""
    lines = HASHES.read_text(encoding="utf-8").splitlines()
    packages = [number for number, line in enumerate(lines) if "==" in line]
    assert len(packages) > 10
    assert [] == [lines[number] for number in packages if not lines[number + 1].startswith("    --hash=sha256:")]


@pytest.mark.exhaustive
def test_pip_installs_what_the_grader_needs_by_hash(tmp_path: Path) -> None:
    """In an empty environment, `grade` starts after `pip install --require-hashes` and the grader without packages."""
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--python", str(home), "install", "--quiet", "--disable-pip-version-check"]
    environment = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    subprocess.run([*pip, "--require-hashes", "-r", str(HASHES)], check=True, env=environment)
    subprocess.run([*pip, "--no-deps", str(ROOT)], check=True, env=environment)
    done = subprocess.run([home / "bin" / "grade", "--version"], check=True, capture_output=True, text=True)
    assert re.match(r"\S+ \d+\.\d+", done.stdout)


@pytest.mark.exhaustive
def test_the_hashes_are_those_of_todays_pins() -> None:
    """`make hashes` writes the packages that are there. A package may get further files, and so hashes, later."""
    ask = "pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate"
    command = [str(Path(sys.executable).with_name("uv")), *ask.split(), "-c", "constraints.txt", "pyproject.toml"]
    written = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    today, now = (
        [line for line in text.splitlines() if "==" in line] for text in (HASHES.read_text(encoding="utf-8"), written)
    )
    assert now == today
