"""An official run reads only the submission, and nothing that a link in it points to."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from every import every
from in_process import run_grade
from ours import ROOT, SOLUTIONS

FILE = "01_distribute.py"
REFUSED = {"status": "unreadable", "message": f"{FILE} cannot be read: there is a symbolic link in its path"}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a current folder with an honest submission in it."""
    folder = tmp_path / "work"
    (folder / "alice" / "exercises").mkdir(parents=True)
    shutil.copy(SOLUTIONS / FILE, folder / "alice" / "exercises")
    return folder


@pytest.fixture
def official(tmp_path: Path, work: Path) -> Run:
    """Run `grade distribute --official` with further words."""

    def run(*words: object, cwd: Path = work) -> "subprocess.CompletedProcess[str]":
        seed = ("--seed", "backward 2026.1", "--report", tmp_path / "report.json")
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
        return run_grade("distribute", *words, "--official", *seed, cwd=cwd, env=environment)

    return run


@pytest.fixture
def reported(tmp_path: Path) -> Callable[[], dict[str, Any]]:
    """Return status and message of the only exercise in the report."""

    def read() -> dict[str, Any]:
        (exercise,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["exercises"]
        return {name: exercise.get(name) for name in ("status", "message")}

    return read


@every("words", [("--from", "alice/exercises"), ("--from", "../work/alice/exercises"), (f"alice/exercises/{FILE}",)])
def test_a_path_without_links_is_graded(official: Run, words: tuple[str, ...]) -> None:
    """A path without links is graded in any spelling."""
    assert (0, "") == ((done := official(*words)).returncode, done.stderr)


def test_the_folder_one_stands_in_is_ones_own(official: Run, work: Path) -> None:
    """Links above the current folder are allowed, because only the content below it is submitted."""
    (work.parent / "door").symlink_to(work)
    assert 0 == official(cwd=work.parent / "door" / "alice").returncode


def test_a_linked_exercises_folder_is_not_followed(
    official: Run, work: Path, reported: Callable[[], dict[str, Any]]
) -> None:
    """If `exercises` in the graded repository is a link, its files are unreadable."""
    (work / "exercises").symlink_to(SOLUTIONS)
    assert (1, REFUSED) == (official().returncode, reported())


def test_a_linked_exercises_folder_of_a_course_is_not_followed(
    official: Run, work: Path, reported: Callable[[], dict[str, Any]]
) -> None:
    """This also holds if the course is named, and the files to grade are those in it."""
    for name in ("course.yaml", "tests/hidden"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (work / name).parent.mkdir(exist_ok=True)
        copy(ROOT / name, work / name)
    (work / "exercises").symlink_to(SOLUTIONS)
    assert (1, REFUSED) == (official("--course", work).returncode, reported())


@pytest.mark.parametrize(
    ("words", "link"),
    [
        (("--from", "mallory"), "mallory"),
        (("--from", "mallory/"), "mallory"),
        (("--from", "alice/work"), "alice/work"),
        (("--from", "alice/work/inner/../inner"), "alice/work"),
        ((f"mallory/{FILE}",), "mallory"),
        ((f"alice/work/inner/{FILE}",), "alice/work"),
        (("--from", "WORK/mallory"), "WORK/mallory"),
    ],
)
def test_a_path_that_leads_through_a_link_is_refused(
    official: Run, work: Path, words: tuple[str, ...], link: str
) -> None:
    """The link may belong to the submission, so the user has to name its target. Every folder is checked."""
    (work / "mallory").symlink_to(SOLUTIONS)
    (work.parent / "inner").mkdir()
    shutil.copy(SOLUTIONS / FILE, work.parent / "inner")
    (work / "alice" / "work").symlink_to(work.parent)
    done = official(*(word.replace("WORK", str(work)) for word in words))
    message = f"grade: an official run follows no symbolic link, and {link} is one; name its target\n"
    assert (2, "", message.replace("WORK", str(work))) == (done.returncode, done.stdout, done.stderr)
