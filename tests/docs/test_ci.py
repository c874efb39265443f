"""Every command in docs/ci.md works in the given order, in a copy of the repository."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.author.ci import PLATFORMS
from grader.course.load import load_course

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n((?:.*\n)+?)```", PAGE)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory, handed_out: Path) -> Path:
    """Return a copy of the repository in which nobody has worked on an exercise."""
    tree = tmp_path_factory.mktemp("clone") / "backward"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "exercises", "dist", "build", "__pycache__"))
    shutil.copytree(handed_out, tree / "exercises")
    return tree


@pytest.mark.exhaustive  # each run has the same commands for other courses: tests/author/ci, tests/cli/test_cohort.py
def test_the_commands_work_in_their_order(clone: Path, wheel: Path, tmp_path: Path) -> None:
    """Each block runs separately and stops at the first error. The class's repositories are on this disk.

    To save time, no command builds a wheel, and none needs torch.
    """
    class_of_two(tmp_path / "remote")
    seed = load_course(ROOT).seed
    for block in BLOCKS:
        block = block.replace("grade ci init", f"grade ci init --wheel {wheel}")
        block = block.replace("grade cohort", f"grade cohort --seed '{seed}'")
        if "my-class/repositories.txt" in block:
            lines = [f"{path.name} {path.as_uri()}\n" for path in sorted((tmp_path / "remote").iterdir())]
            (clone / "my-class" / "repositories.txt").write_text("".join(lines))
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=clone,
            env={
                **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(tmp_path),
                "GIT_AUTHOR_NAME": "Jane",
                "GIT_AUTHOR_EMAIL": "jane@example.org",
                "GIT_COMMITTER_NAME": "Jane",
                "GIT_COMMITTER_EMAIL": "jane@example.org",
                "LC_ALL": "C.UTF-8",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert 0 == done.returncode, f"{block}\n{done.stdout}\n{done.stderr}"

    assert (clone / "class-template" / "exercises" / "01_distribute.py").is_file()
    assert (clone / "upload" / "autograder.zip").is_file()
    assert (clone / "tuesday" / "page.html").is_file()
    reports = [json.loads(path.read_text()) for path in sorted((clone / "tuesday" / "reports").iterdir())]
    assert [0, load_course(ROOT).exercises[0].max_score] == [report["score"] for report in reports]
    for name in ("jane", "otieno"):
        monday, tuesday = (clone / night / "reports" / f"{name}.json" for night in ("monday", "tuesday"))
        assert monday.read_bytes() == tuesday.read_bytes()


def class_of_two(folder: Path) -> None:
    """Make repositories for two people, one of whom has done the first exercise, and the other nothing."""
    for name in ("jane", "otieno"):
        (folder / name / "exercises").mkdir(parents=True)
        source = ROOT / "solutions" / "01_distribute.py"
        text = source.read_text(encoding="utf-8") if name == "otieno" else "def nothing(): ...\n"
        (folder / name / "exercises" / source.name).write_text(text, encoding="utf-8")
        for words in (
            ("init", "--quiet", "--initial-branch", "main"),
            ("add", "."),
            ("-c", "user.name=J", "-c", "user.email=j@example.org", "commit", "--quiet", "--message", "work"),
        ):
            subprocess.run(["git", *words], cwd=folder / name, check=True, capture_output=True)


def test_every_platform_is_on_the_page() -> None:
    """The page describes each platform that `grade ci init` knows."""
    assert [] == [name for name in PLATFORMS if f"--for {name} " not in PAGE]
