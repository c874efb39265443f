"""`pytest` in a learner's folder lists checks by title, uses the messages of `grade`, and shows no hidden test."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.load import load_course
from grader.practice.pytest_items import course_of

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
TITLES = [check.title for exercise in COURSE.exercises for check in exercise.checks]
Pytest = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def work(tmp_path: Path, handed_out: Path) -> Path:
    """Make a learner's folder.

    One exercise is correct, one is wrong, one has a syntax error, and the others are untouched.
    """
    exercises = Path(shutil.copytree(handed_out, tmp_path / "work" / "exercises"))
    right = (ROOT / "solutions" / "03_accumulate.py").read_text(encoding="utf-8")
    shutil.copy(ROOT / "solutions" / "01_distribute.py", exercises)
    (exercises / "03_accumulate.py").write_text(right.replace("+= other.data", "= other.data"), encoding="utf-8")
    (exercises / "07_backward.py").write_text("class Value(:\n", encoding="utf-8")
    return exercises.parent


@pytest.fixture
def run_pytest(tmp_path: Path) -> Pytest:
    """Run pytest as an editor does, in a clean environment."""

    def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "COLUMNS": "200"}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:metadata", *words]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    return run


def shows_nothing_hidden(done: "subprocess.CompletedProcess[str]") -> bool:
    """Return whether the output has no path, line or name of a hidden test, and no frame of the grader."""
    said = done.stdout + done.stderr
    bodies = (line.strip() for test in COURSE.hidden.glob("test_*.py") for line in test.read_text().splitlines())
    lines = {line for line in bodies if line.startswith(("engine.", "def test_", "@check"))}
    assert lines
    found = [line for line in lines if line in said]
    return not found and not re.search(
        r"Traceback|hidden|\btest_\d\d|under_check|\bgrader/|CheckFailed|ItemFailed", said
    )


@pytest.mark.slow
def test_checks_are_listed_by_their_titles(work: Path, run_pytest: Pytest) -> None:
    """Each check is an item below its exercise's file, in the order of the course."""
    done = run_pytest(work, "--collect-only", "-q")
    items = [line for line in done.stdout.splitlines() if "::" in line]
    assert (0, "") == (done.returncode, done.stderr)
    assert TITLES == [item.partition("::")[2] for item in items]
    assert "exercises/01_distribute.py::both inputs of + receive a contribution" == items[0]
    assert shows_nothing_hidden(done)


@pytest.mark.slow
def test_a_failure_is_told_in_the_words_of_grade(work: Path, run_pytest: Pytest) -> None:
    """The output has the place, program, numbers, fact and misconception at every verbosity."""
    done = run_pytest(work, "-v", "-rA", "--tb=long", "--showlocals", "--full-trace")
    wrong = (work / "exercises" / "03_accumulate.py").read_text(encoding="utf-8").splitlines()
    line = next(i for i, text in enumerate(wrong, 1) if "BEGIN SOLUTION what is the contribution of `*`" in text)

    assert "exercises/01_distribute.py::both inputs of + receive a contribution PASSED" in done.stdout
    assert "exercises/02_swap.py::* multiplies by the upstream gradient SKIPPED (still to be filled in)" in done.stdout
    assert "exercises/03_accumulate.py: all users of a shared node contribute" in done.stdout
    assert "L = (a * b) + a    with a = 2, b = -3" in done.stdout
    assert "dL/da            yours -3    torch -2" in done.stdout
    said = " ".join(done.stdout.split())
    assert f"In `L = a * b` (lines {line - 1} to {line + 2}), the rule sets a.grad" in said
    assert "07_backward.py could not be loaded, because Python cannot parse the file" in done.stdout
    assert "10 failed, 4 passed" in done.stdout
    assert shows_nothing_hidden(done)


@pytest.mark.slow
def test_one_check_can_be_run(work: Path, run_pytest: Pytest) -> None:
    """An editor can run an item by its id. The learner's file is not imported into pytest's process."""
    (work / "exercises" / "03_accumulate.py").write_text("import os\nos._exit(7)\n", encoding="utf-8")
    done = run_pytest(work, "exercises/03_accumulate.py::a * a counts both uses of a")
    assert 1 == done.returncode
    assert "03_accumulate.py could not be loaded: your code's process ended before it answered" in done.stdout
    assert "1 failed" in done.stdout


def test_only_a_learners_folder_is_collected(tmp_path: Path, handed_out: Path) -> None:
    """The plugin ignores files that only have an exercise's name, and folders that also contain solutions."""
    name = COURSE.exercises[0].filename
    (tmp_path / "alone").mkdir()
    shutil.copy(handed_out / name, tmp_path / "alone")
    found = [course_of(folder, named=False) for folder in (tmp_path / "alone", ROOT / "exercises", ROOT / "solutions")]
    assert [None, None, None] == found
    assert COURSE == course_of(handed_out, named=False) == course_of(ROOT / "exercises", named=True)


def test_it_costs_other_runs_little() -> None:
    """A run elsewhere imports only the plugin and the extension of IPython from the grader."""
    script = "import sys, pytest, grader.pytest_plugin; print(*(n for n in sys.modules if n.startswith('grader')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {
        "grader",
        "grader.extension",
        "grader.practice",
        "grader.practice.pytest_items",
        "grader.pytest_plugin",
    } == set(done.stdout.split())
