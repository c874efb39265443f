"""The light install under every Python that it supports and that is found here: a learner finds the same everywhere.

A Python counts as found if `python3.N` starts it, or if pyenv has it (`PYENV_ROOT`, else `~/.pyenv`). The version that
runs the tests is tried by `test_light.py`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.author.build import catalogue
from grader.course.load import load_course
from grader.runner.client import NOTEBOOK

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

ROOT = Path(__file__).resolve().parents[2]
OURS = Path(sys.executable).parent
SUPPORTED = [(3, minor) for minor in range(11, 16)]
WATCHED_S = 240
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def candidates(version: str) -> Iterator[Path]:
    """Where a Python of a version may be."""
    found = shutil.which(f"python{version}")
    if found:
        yield Path(found)
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from sorted(versions.glob(f"{version}.*/bin/python"))


def interpreter(version: str) -> Path | None:
    """Return a Python of a version that starts and can make environments; None where there is none."""
    ask = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    for path in candidates(version):
        done = subprocess.run([path, "-I", "-c", ask], capture_output=True, text=True, check=False)
        if (0, version) == (done.returncode, done.stdout.strip()):
            return path
    return None


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner's folder with a wrong file for each exercise."""
    folder = tmp_path_factory.mktemp("work")
    course = load_course(ROOT)
    (folder / "exercises").mkdir()
    for exercise in course.exercises:
        path = folder / "exercises" / exercise.filename
        path.write_text(catalogue(course, exercise)[0].source, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def found_here(run_in: Run, work: Path) -> list[Any]:
    """What `grade` finds in that folder under the Python of the tests."""
    return found(run_in(OURS, work, "--json").stdout)


def found(report: str) -> list[Any]:
    """What a report says of each exercise and check, but for the words of exceptions, which are Python's."""
    numbers = ("id", "status", "score", "program", "expected", "actual", "remarks", "diagnosis", "hint")
    return [
        [exercise["id"], exercise.get("facts"), [[check.get(name) for name in numbers] for check in exercise["checks"]]]
        for exercise in json.loads(report)["exercises"]
    ]


@pytest.fixture(
    scope="module", params=[v for v in SUPPORTED if v != sys.version_info[:2]], ids=lambda v: "{}.{}".format(*v)
)
def installed(request: Any, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment of another Python, with the wheel and what it needs, in pinned versions."""
    version = "{}.{}".format(*request.param)
    found = interpreter(version)
    if found is None:
        pytest.skip(f"NOT TESTED with Python {version}: there is none here")
    home = tmp_path_factory.mktemp(f"python{version}") / "venv"
    subprocess.run([found, "-m", "venv", "--without-pip", home], check=True, capture_output=True)
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", home, "install", "--quiet", "--no-compile"]
    subprocess.run([*pip, "-c", ROOT / "constraints.txt", wheel], check=True, capture_output=True)
    return home / "bin"


def test_a_learner_can_work_there(
    installed: Path, run_in: Run, tmp_path: Path, work: Path, found_here: list[Any]
) -> None:
    """Starting, right files and wrong ones, a notebook, watching and pytest give what they give here."""
    mine = tmp_path / "mine"
    mine.mkdir()
    cache = {"BACKWARD_CACHE": str(tmp_path / "cache")}
    started = run_in(installed, mine, "start", **cache)
    assert (0, "") == (started.returncode, started.stderr)

    solved = run_in(installed, mine, "--from", ROOT / "solutions", **cache)
    assert (0, "") == (solved.returncode, solved.stderr)
    course = load_course(ROOT)
    bonus = sum(check.points for exercise in course.exercises for check in exercise.checks if check.bonus)
    assert f"Score {course.max_score}/{course.max_score} + {bonus} bonus" in solved.stdout

    shutil.copytree(work, tmp_path / "wrong", ignore=shutil.ignore_patterns(".*"))
    assert found_here == found(run_in(installed, tmp_path / "wrong", "--json", **cache).stdout)

    watched(installed, mine)

    text = (ROOT / "solutions" / "02_swap.py").read_text(encoding="utf-8")
    cells = [{"cell_type": "code", "source": source} for source in ("1 / 0", text)]
    (mine / "exercises" / "02_swap.py").unlink()
    (mine / "exercises" / f"02_swap{NOTEBOOK}").write_text(
        json.dumps({"nbformat": 4, "cells": cells}), encoding="utf-8"
    )
    assert "Score 5/5" in run_in(installed, mine, "2", **cache).stdout

    command: list[str | Path] = [installed / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    listed = subprocess.run(command, cwd=mine, capture_output=True, text=True, check=False)
    checks = sum(len(exercise.checks) for exercise in load_course(ROOT).exercises[:2])
    assert re.search(rf"^{checks} passed, \d+ skipped", listed.stdout.splitlines()[-1]), listed.stdout


def watched(installed: Path, folder: Path) -> None:
    """Solve exercise 01 under `grade watch`, which prints lines where there is no terminal."""
    command: list[str | Path] = [installed / "grade", "watch", "1"]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as watch:
        assert watch.stdout is not None
        try:
            time.sleep(3)
            shutil.copy(ROOT / "solutions" / "01_distribute.py", folder / "exercises")
            deadline = time.monotonic() + WATCHED_S
            lines = []
            for line in watch.stdout:
                lines.append(line)
                if line.startswith("PASS     01 distribute") or time.monotonic() > deadline:
                    break
        finally:
            watch.terminate()
    assert lines
    assert lines[-1].startswith("PASS     01 distribute"), lines
