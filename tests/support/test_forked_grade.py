"""A command that is forked does what it does in a Python of its own."""

import os
import subprocess
from pathlib import Path

import pytest
from forked_grade import GRADE, Commands

pytestmark = pytest.mark.slow


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a folder with a wrong exercise file."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "02_swap.py").write_text("print('é')\nclass Value: pass\n", encoding="utf-8")
    return tmp_path / "work"


@pytest.mark.parametrize(
    ("words", "more"),
    [
        (["--version"], {}),
        (["swap"], {"FORCE_COLOR": "1", "COLUMNS": "50"}),
        (["swap"], {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}),
        (["nothing"], {}),
        ([os.fsdecode(b"\xff")], {}),
    ],
    ids=["right use", "a wrong file", "in ASCII", "wrong use", "a name that is not UTF-8"],
)
def test_its_output_and_exit_code_are_those_of_the_installed_command(
    commands: Commands, environment: dict[str, str], work: Path, words: list[str], more: dict[str, str]
) -> None:
    """Folder, environment, words, output and exit code reach their places."""
    environment |= more
    alone = subprocess.run([GRADE, *words], cwd=work, env=environment, capture_output=True, check=False)
    forked = commands.run(words, work, environment)
    assert (alone.returncode, alone.stderr) == (forked.returncode, forked.stderr)
    assert without_times(alone.stdout) == without_times(forked.stdout)


def without_times(text: bytes) -> list[bytes]:
    return [line for line in text.splitlines() if b" s)" not in line]


def test_what_takes_too_long_is_ended(commands: Commands, environment: dict[str, str], work: Path) -> None:
    """As with `subprocess.run`; the next command runs."""
    (work / "02_swap.py").write_text("while True: pass\n")
    with pytest.raises(subprocess.TimeoutExpired):
        commands.run(["swap"], work, environment, timeout=0.05)
    assert 0 == commands.run(["--version"], work, environment).returncode


def test_a_command_does_not_see_what_the_one_before_it_did(
    commands: Commands, environment: dict[str, str], work: Path
) -> None:
    """Each has an environment of its own."""
    coloured = commands.run(["swap"], work, {**environment, "FORCE_COLOR": "1"})
    plain = commands.run(["swap"], work, environment)
    assert b"\x1b" in coloured.stdout
    assert b"\x1b" not in plain.stdout
