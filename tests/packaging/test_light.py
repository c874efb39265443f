"""The light install, which has no torch: a learner needs nothing else, and whoever needs torch is told so."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.author.build import catalogue
from grader.course.load import load_course

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def grade(light: Path, run_in: Run, tmp_path: Path) -> Run:
    """Runs the light `grade` in an empty folder, with a cache of its own. No traceback may appear."""

    def run(*words: object) -> "subprocess.CompletedProcess[str]":
        done = run_in(light / "bin", tmp_path, *words, BACKWARD_CACHE=str(tmp_path / "cache"))
        assert "Traceback" not in done.stdout + done.stderr
        return done

    return run


def test_it_has_no_torch(light: Path) -> None:
    """Nothing that it depends on brings torch along."""
    done = subprocess.run(
        [light / "bin" / "python", "-I", "-c", "import torch"], capture_output=True, text=True, check=False
    )
    assert "ModuleNotFoundError: No module named 'torch'" in done.stderr


def test_a_learner_needs_no_torch(grade: Run, tmp_path: Path) -> None:
    """Outside of the checkout, all of it works: starting, grading, every failure, a hint and a whole engine."""
    started, untouched, hint = grade("start"), grade(), grade("hint", "accumulate")
    solved = grade("--from", ROOT / "solutions", "--all")
    shutil.copy(ROOT / "solutions" / "12_engine.py", tmp_path / "my_engine.py")
    engine = grade("engine", "my_engine.py")

    assert [0, 1, 0, 0, 0] == [done.returncode for done in (started, untouched, hint, solved, engine)]
    assert "" == "".join(done.stderr for done in (started, untouched, hint, solved, engine))
    assert f"Welcome. {len(load_course(ROOT).exercises)} exercises" in untouched.stdout
    assert "Score {0}/{0}".format(load_course(ROOT).max_score) in solved.stdout
    assert "Score 10/10" in engine.stdout


@pytest.mark.exhaustive
def test_every_wrong_answer_is_explained_without_torch(grade: Run, tmp_path: Path) -> None:
    """A wrong file for each exercise, graded in full: what is asked about a failure is in the answer book, too."""
    folder = tmp_path / "exercises"
    folder.mkdir()
    course = load_course(ROOT)
    for exercise in course.exercises:
        (folder / exercise.filename).write_text(catalogue(course, exercise)[0].source, encoding="utf-8")
    done = grade("--all")

    assert (1, "") == (done.returncode, done.stderr)
    assert len(course.exercises) == sum(line.startswith(("PARTIAL", "FAIL ")) for line in done.stdout.splitlines())


def test_pytest_grades_an_exercise_in_a_clone(light: Path, handed_out: Path, tmp_path: Path) -> None:
    """The settings of this repository's own tests ask for no plugin that only a developer has."""
    clone = tmp_path / "clone"
    for part in ("solutions", "tests"):
        shutil.copytree(ROOT / part, clone / part, ignore=shutil.ignore_patterns("fixtures", "__pycache__"))
    shutil.copytree(handed_out, clone / "exercises")
    for name in ("pyproject.toml", "course.yaml"):
        shutil.copy(ROOT / name, clone)
    command = [str(light / "bin" / "pytest"), "-q", "exercises/03_accumulate.py"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)

    checks = load_course(ROOT).exercises[2].checks
    assert "" == done.stderr
    assert f"{len(checks)} skipped" in done.stdout


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--official", "--from", ROOT / "solutions"), "`grade --official`"),
        (("--seed", "other", "--from", ROOT / "solutions"), "`grade --seed`"),
        (("cohort", ROOT / "solutions", "--out", "results"), "`grade cohort`"),
        (("build", "--course", ROOT), "`grade build`"),
        (("verify", "--course", ROOT), "`grade verify`"),
    ],
    ids=["official", "seed", "cohort", "build", "verify"],
)
def test_who_needs_torch_is_told(
    grade: Run, light: Path, tmp_path: Path, words: tuple[object, ...], named: str
) -> None:
    """At once, with what to install, and with nothing written."""
    done = grade(*words)

    assert (2, "") == (done.returncode, done.stdout)
    runnable = named.replace("grade", str(light / "bin" / "grade"), 1)  # its folder is not on PATH
    assert f"grade: {runnable} needs PyTorch, which is not installed: run `pip install torch`" in done.stderr
    assert [] == [path.name for path in tmp_path.iterdir()]


def test_an_answer_that_the_book_lacks_is_no_fault_of_the_grader(grade: Run, tmp_path: Path) -> None:
    """An author who changed a check, and has no torch, is told what to install."""
    course = tmp_path / "course"
    for part in ("exercises", "tests/hidden"):
        shutil.copytree(ROOT / part, course / part)
    shutil.copy(ROOT / "course.yaml", course)
    hidden = course / "tests" / "hidden" / "test_01_distribute.py"
    text = hidden.read_text(encoding="utf-8")
    assert "a=" in text
    hidden.write_text(text.replace("a=", "a=0.123 + "), encoding="utf-8")
    done = grade("01", "--from", ROOT / "solutions", "--course", course)

    assert 2 == done.returncode
    assert "needs PyTorch, which is not installed" in done.stderr
