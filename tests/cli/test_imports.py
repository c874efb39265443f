"""The imports of each command before it does anything, because a hint should appear instantly."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "_pytest",
    "pytest",
    "torch",
    "numpy",
    "sqlite3",
    "tqdm",
    "subprocess",
    "socket",
    "grader.classes.cohort",
    "grader.verdict.checks",
)

# runs a command in a fresh interpreter and prints which modules it has imported by the end
SCRIPT = """
import json, os, sys
from grader.cli.main import main
sys.stdout = open(os.devnull, "w")
try:
    main(json.loads(sys.argv[1]))
except SystemExit:
    pass
sys.__stdout__.write(json.dumps(sorted(sys.modules)))
"""


def imported_by(*words: str) -> set[str]:
    """Return the names in HEAVY that `grade WORDS` has imported."""
    command = [sys.executable, "-c", SCRIPT, json.dumps(words)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    modules = set(json.loads(done.stdout))
    return {name for name in HEAVY if name in modules}


@pytest.mark.parametrize(
    "words",
    [
        ("hint", "03"),
        ("hint", "--help"),
        ("start", "--help"),
        ("stubs", "--help"),
        ("verify", "--help"),
        ("ci", "--help"),
        ("help",),
    ],
)
def test_light_commands_import_nothing_heavy(words: tuple[str, ...]) -> None:
    """Light commands import neither pytest, nor modules for classes, nor modules that start processes."""
    assert set() == imported_by(*words) - ({"subprocess", "socket"} if words == ("help",) else set())


@pytest.mark.slow
def test_grading_imports_nothing_of_a_class() -> None:
    """Grading imports neither torch nor numpy, because answers are in the book and the worker has its own modules."""
    assert set() == imported_by("01", "--json", "--from", "exercises") & {"torch", "numpy", "grader.classes.cohort"}
