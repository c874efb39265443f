"""Completion of words, by running bash."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Grade = Callable[..., Any]
CASES = [
    (["grade", "acc"], ["accumulate"]),
    (["grade", "hin"], ["hint"]),
    (["grade", "hint", "dis"], ["distribute"]),
    (["grade", "watch", "--iso"], ["--isolation"]),
    (["grade", "3", "--offi"], ["--official"]),
    (["grade", "start", "acc"], []),
]


@pytest.mark.slow
def test_bash_completes_commands_options_and_exercises(grade: Grade, work: Path) -> None:
    """With the printed script, bash offers exactly the words that fit."""
    script = work / "completion.bash"
    script.write_text(grade("completion", "bash").stdout)
    asked = "compopt() { :; }\n" + "".join(
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; COMPREPLY=(); _grade_completion grade; "
        'echo "${COMPREPLY[*]}"\n'
        for words, _ in CASES
    )
    done = subprocess.run(
        ["bash", "-c", f"source {script}\n{asked}"], cwd=work, capture_output=True, text=True, check=True
    )
    assert ([expected for _, expected in CASES], "") == (
        [line.split() for line in done.stdout.splitlines()],
        done.stderr,
    )


@pytest.mark.parametrize(("shell", "line"), [("zsh", "hin"), ("fish", "grade hin")])
def test_other_shells_ask_for_the_same_words(grade: Grade, shell: str, line: str) -> None:
    """The scripts for other shells are not run here, but what they run answers."""
    script = grade("completion", shell)
    assert (0, "", True) == (script.returncode, script.stderr, f"_GRADE_COMPLETE={shell}_complete" in script.stdout)
    words = {"COMP_WORDS": line if shell == "fish" else f"grade {line}", "COMP_CWORD": line.split()[-1]}
    words["COMP_CWORD"] = "1" if shell == "zsh" else words["COMP_CWORD"]
    answer = grade(_GRADE_COMPLETE=f"{shell}_complete", **words)
    assert (0, "", True) == (answer.returncode, answer.stderr, "hint" in answer.stdout)
