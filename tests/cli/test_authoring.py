"""An author's commands, from nothing to a verified course that is handed out. Errors have file and line.

Exit code 2 means that the author can fix the error. Exit code 3 means a fault of the grader.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from read_yaml import read_yaml

from grader.author import build
from grader.author.build import build_book
from grader.author.release import new_course
from grader.course.oracle import TableOracle
from grader.course.oracle.answer_book import write_book

ROOT = Path(__file__).resolve().parents[2]
SLIPS: list[dict[str, str]] = read_yaml(Path(__file__).with_name("author_errors.yaml"))
WITH_TORCH = [slip for slip in SLIPS if "hidden" in slip["file"] and slip["command"] == "grade build"]
Grade = Callable[..., Any]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course from `grade new course`, with its answer book. No fast test needs torch."""
    course = new_course(tmp_path_factory.mktemp("begun") / "course")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(build, "Oracle", lambda *_: TableOracle())
        write_book(course.book, build_book(course))
    return course.folder


@pytest.fixture
def course(begun: Path, work: Path) -> Path:
    """Return a copy of the course that a test may change, and make it the current folder."""
    return Path(shutil.copytree(begun, work, dirs_exist_ok=True))


def test_a_new_course_is_in_no_other(grade: Grade, work: Path) -> None:
    """`grade new course` takes no `--course`, and writes nothing."""
    done = grade("new", "course", "mine", "--course", "other")
    assert (2, "", []) == (done.returncode, done.stdout, list(work.iterdir()))
    assert "`grade new course DIR` writes to the folder DIR" in done.stderr


@pytest.mark.slow
def test_a_course_from_nothing(grade: Grade, work: Path) -> None:
    """Each command prints what it wrote and the next step. The new course has no findings."""
    done = grade("new", "course", "mine", "--title", "My course")
    assert (0, "") == (done.returncode, done.stderr)
    assert "Next: cd mine, then `grade build`, `grade verify`, and `grade new exercise NAME`." in done.stdout
    guide = Path(done.stdout.rpartition("The guide: ")[2].strip())
    assert guide.read_text(encoding="utf-8").startswith("# Writing a course\n")
    mine = work / "mine"
    done = grade("build", cwd=mine)
    assert (0, "") == (done.returncode, done.stderr)
    done = grade("new", "exercise", "second", cwd=mine)
    assert (0, "") == (done.returncode, done.stderr)
    assert "Next: `grade build second`, then `grade verify second`." in done.stdout
    done = grade("build", "second", cwd=mine)
    assert (0, "") == (done.returncode, done.stderr)
    done = grade("verify", cwd=mine)
    assert (0, "", "no problems found") == (done.returncode, done.stderr, done.stdout.splitlines()[-1])
    assert 2 == done.stdout.count("findings: 0")
    assert 0 == grade("--from", "solutions", cwd=mine).returncode
    done = grade("release", "../out", cwd=mine)
    wrote = ["exercises/01_first.py", "exercises/02_second.py", "README.md", "AGENTS.md", ".gitignore"]
    assert (0, "".join(f"wrote ../out/{name}\n" for name in wrote)) == (done.returncode, done.stdout)


def test_a_release_again_says_that_nothing_is_to_do(grade: Grade, course: Path) -> None:
    """Files that are up to date are left alone. Others are replaced only with `--replace`, which names them."""
    grade("release", "out")
    assert "out is up to date\n" == grade("release", "out").stdout
    (course / "out" / "README.md").write_text("mine\n")
    done = grade("release", "out")
    assert (2, "") == (done.returncode, done.stdout)
    assert "out/README.md: a file with other content has this name; name a new folder, or use --replace" in done.stderr
    assert "replaced out/README.md\n" == grade("release", "out", "--replace").stdout


def test_a_site_needs_pyodide(grade: Grade, course: Path) -> None:
    """A folder that is not one of Pyodide's is an error, and nothing is written."""
    done = grade("site", "out", "--pyodide", "solutions")
    assert (2, "") == (done.returncode, done.stdout)
    assert "solutions is not a folder of Pyodide: pyodide.mjs" in done.stderr
    assert not (course / "out").exists()


def test_a_release_out_of_date_is_refused(grade: Grade, course: Path) -> None:
    """After the question of a solution has changed, `grade build` is needed first."""
    solution = course / "solutions" / "01_first.py"
    solution.write_text(
        solution.read_text().replace("what is the contribution of log to", "which contribution does log make to")
    )
    done = grade("release", "out")
    assert (2, "") == (done.returncode, done.stdout)
    assert (
        f"{course / 'tests/hidden/answers.json'}: its stub of 01_first is out of date; run `grade build`" in done.stderr
    )
    assert not (course / "out").exists()


@pytest.mark.slow
def test_build_writes_the_stubs_that_nobody_has_worked_on(grade: Grade, course: Path) -> None:
    """A changed question of a solution reaches the exercise file. A file with work in it is left alone and named."""
    solution, exercise = course / "solutions" / "01_first.py", course / "exercises" / "01_first.py"
    solution.write_text(
        solution.read_text().replace("what is the contribution of log to", "which contribution does log make to")
    )
    done = grade("build")
    assert "wrote 01_first.py\n" in done.stdout
    assert "# TODO: which contribution does log make to its input?" in exercise.read_text()
    exercise.write_text(solution.read_text())
    assert "left 01_first.py alone: it has been worked on" in grade("build").stdout
    assert solution.read_text() == exercise.read_text()


def test_build_of_one_exercise_needs_a_book(grade: Grade, course: Path) -> None:
    """Building one exercise takes the others from the answer book, so the book must exist."""
    (course / "tests" / "hidden" / "answers.json").unlink()
    done = grade("build", "first")
    assert (2, "") == (done.returncode, done.stdout)
    assert "there is no answer book; `grade build` writes it" in done.stderr


@pytest.mark.slow
def test_verify_and_release_check_the_readme(grade: Grade, course: Path) -> None:
    """If a row of the README's table differs from the course, the finding has the right row."""
    readme = course / "README.md"
    readme.write_text(readme.read_text().replace("`log` | 5 |", "`log` | 6 |"))
    line = readme.read_text().splitlines().index("| 01 first | `_backward` of `log` | 6 |") + 1
    done = grade("verify")
    assert (2, "1 finding") == (done.returncode, done.stdout.splitlines()[-1])
    right = "write `| 01 first | `_backward` of `log` | 5 |`"
    assert f"{readme}:{line}: this row differs from the course; {right}" in done.stdout
    done = grade("release", "out")
    assert (2, "") == (done.returncode, done.stdout)
    assert f"{readme}:{line}: this row differs from the course; {right}" in done.stderr
    assert not (course / "out").exists()


@pytest.mark.parametrize(
    "slip",
    [pytest.param(slip, id=slip["id"], marks=pytest.mark.exhaustive if slip in WITH_TORCH else ()) for slip in SLIPS],
)
def test_a_slip_is_told_by_file_and_line(grade: Grade, course: Path, slip: dict[str, str]) -> None:
    """The message names the file, its line and what to do. Nothing is printed that looks like a success."""
    file = course / slip["file"]
    text = file.read_text(encoding="utf-8")
    assert 1 == text.count(slip["old"])
    text = text.replace(slip["old"], slip["new"])
    file.write_text(text, encoding="utf-8")
    (line,) = [number for number, line in enumerate(text.splitlines(), 1) if slip["at"] in line]
    done = grade(*slip["command"].split()[1:])
    assert (2, "") == (done.returncode, done.stdout)
    place = done.stderr.removeprefix(f"grade: {file}:").partition(":")[0]
    # an edit is told where it begins, a hidden test where its decorator is
    assert int(place) in (line, line - 1), done.stderr
    assert slip["says"] in done.stderr


def test_a_broken_hidden_test_grades_no_class(grade: Grade, course: Path) -> None:
    """A hidden test with a syntax error gives no reports for a class, but an error with file and line."""
    test = course / "tests" / "hidden" / "test_01_first.py"
    test.write_text(test.read_text() + "def test every():\n")
    (course / "class" / "ann").mkdir(parents=True)
    shutil.copy(course / "solutions" / "01_first.py", course / "class" / "ann")
    done = grade("cohort", "class", "--out", "results", "--course", ".")
    assert 2 == done.returncode
    assert f"tests/hidden/test_01_first.py:{len(test.read_text().splitlines())}: SyntaxError" in done.stderr
    assert not list((course / "results").rglob("ann*"))


def test_stubs_makes_the_folder_of_exercises(grade: Grade, course: Path) -> None:
    """If `exercises/` does not exist, `grade stubs` makes it."""
    stub = (course / "exercises" / "01_first.py").read_text()
    shutil.rmtree(course / "exercises")
    done = grade("stubs")
    assert (0, "wrote 01_first.py\n") == (done.returncode, done.stdout)
    assert stub == (course / "exercises" / "01_first.py").read_text()


@pytest.mark.parametrize("command", ["build", "stubs", "verify", "release out"])
def test_a_course_without_solutions_is_told(grade: Grade, course: Path, command: str) -> None:
    """The error names the missing solution."""
    shutil.rmtree(course / "solutions")
    done = grade(*command.split())
    assert (2, "") == (done.returncode, done.stdout)
    assert f"{course / 'solutions' / '01_first.py'}: there is no file 01_first.py" in done.stderr
