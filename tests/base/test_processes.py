"""A process that the grader starts imports only from the folders from which the grader imports."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.base.processes import find_program, start_module
from grader.base.search_path import search_path

ROOT = Path(__file__).resolve().parents[2]
PROBE = """
import json, os, sys
steered = [name for name in os.environ if name.startswith("PYTHON")]
found = {"path": sys.path, "folder": os.getcwd(), "isolated": sys.flags.isolated, "steered": steered}
print(json.dumps({**found, "words": sys.argv, "said": sys.stdin.read()}))
"""


@pytest.fixture
def probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], dict[str, Any]]:
    """Start a module that prints its folder, its arguments and its search path."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "a_probe.py").write_text(PROBE)
    monkeypatch.syspath_prepend(tmp_path / "modules")

    def ask() -> dict[str, Any]:
        out, _ = start_module("a_probe").communicate(b"hello")
        return dict(json.loads(out))

    return ask


def test_a_module_is_started_apart_from_its_surroundings(
    probe: Callable[[], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python is isolated, runs in the root folder, and has our search path and no variables for Python."""
    for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONWARNINGS"):
        monkeypatch.setenv(name, "/nowhere")
    expected = {"path": search_path(), "folder": "/", "isolated": 1, "steered": [], "words": [""], "said": "hello"}
    assert expected == probe()


def test_the_current_folder_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is left out under each of its names, and so are empty and relative entries."""
    (tmp_path / "here").mkdir()
    (tmp_path / "link").symlink_to("here")
    monkeypatch.chdir(tmp_path / "here")
    names = ["", ".", "yaml", str(tmp_path / "here"), str(tmp_path / "link"), f"{tmp_path}/here/", str(tmp_path)]
    monkeypatch.setattr(sys, "path", [*names, "/usr/lib/python3"])
    assert [str(tmp_path), "/usr/lib/python3"] == search_path()


def test_the_checkout_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder from which the grader was imported stays in the search path, even if it is the current folder."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", ["", str(ROOT)])
    assert [str(ROOT)] == search_path()


def test_a_removed_folder_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the current folder was removed, nothing is left out."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setattr(sys, "path", ["", "/usr/lib/python3"])
    assert ["/usr/lib/python3"] == search_path()


def test_a_program_is_not_found_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty and relative entries of PATH are skipped."""
    for folder in ("here", "here/bin", "installed"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a_program").touch(0o755)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin"]))
    assert None is find_program("a_program")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", str(tmp_path / "installed")]))
    assert str(tmp_path / "installed" / "a_program") == find_program("a_program")
