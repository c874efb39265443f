"""A command that runs in the process of the tests leaves no state behind."""

import gc
import logging
import os
import signal
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any

from in_process import run_grade, run_grade_for_bytes


def state() -> dict[str, Any]:
    """Return what a command could change in the process."""
    return {
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "path": list(sys.path),
        "words": list(sys.argv),
        "streams": [sys.stdin, sys.stdout, sys.stderr],
        "files": [os.fstat(number).st_ino for number in range(3)],
        "descriptors": sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else [],
        "signals": [signal.getsignal(number) for number in signal.valid_signals()],
        "logging": (list(logging.root.handlers), logging.root.level),
        "warnings": list(warnings.filters),
        "temporary folder": tempfile.tempdir,
        "threads": threading.enumerate(),
        "garbage collection": gc.get_threshold(),
        "hidden tests": [name for name in sys.modules if name.startswith("test_0")],
    }


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """A run that grades, one that fails and one with wrong words leave the process as it was."""
    solutions = Path(__file__).resolve().parents[2] / "solutions"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "BACKWARD_CACHE": "cache",
    }
    before = state()
    assert 0 == run_grade("1", "--from", solutions, "--json", cwd=tmp_path, env=environment).returncode
    assert 2 == run_grade("hint", "nothing", cwd=tmp_path, env=environment).returncode
    assert 2 == run_grade("--no-such-option", cwd=tmp_path, env=environment).returncode
    assert before == state()


def test_output_is_captured_to_the_byte(tmp_path: Path) -> None:
    """Both streams are captured apart from each other, in the encoding that the environment asks for."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONIOENCODING": "latin-1"}
    done = run_grade_for_bytes("--from", "é", cwd=tmp_path, env=environment)
    assert (2, b"", True) == (done.returncode, done.stdout, b"--from \xe9: " in done.stderr)
