"""Completion of words, by running bash."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

Grade = Callable[..., Any]
CASES = [
    (["grade", "acc"], ["accumulate"]),
    (["grade", "hin"], ["hint"]),
    (["grade", "hint", "dis"], ["distribute"]),
    (["grade", "watch", "--iso"], ["--isolation"]),
    (["grade", "3", "--offi"], ["--official"]),
    (["grade", "start", "acc"], []),
]


def test_bash_completes_commands_options_and_exercises(grade: Grade, work: Path) -> None:
    """With the printed script, bash offers exactly the words that fit."""
    script = work / "completion.bash"
    script.write_text(grade("completion", "bash").stdout)
    asked = "".join(
        f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _grade; echo "${{COMPREPLY[*]}}"\n'
        for words, _ in CASES
    )
    done = subprocess.run(["bash", "-c", f"source {script}\n{asked}"], capture_output=True, text=True, check=True)
    assert ([expected for _, expected in CASES], "") == (
        [line.split() for line in done.stdout.splitlines()],
        done.stderr,
    )


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_the_same_words(grade: Grade, shell: str) -> None:
    """Scripts for other shells have the same words. They are not run here."""
    done = grade("completion", shell)
    assert (0, "") == (done.returncode, done.stderr)
    assert all(word in done.stdout for word in ("accumulate", "solution", "--isolation"))
