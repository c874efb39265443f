"""The wheel, built and installed elsewhere, is the whole course but for its solutions."""

import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
# torch, and all that this environment has besides the checkout, which it has by a file that is not read there
DEPENDENCIES = sysconfig.get_path("purelib")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(light: Path, run_in: Run, tmp_path: Path) -> Run:
    """Run the `grade` of the wheel in a folder below an empty one."""

    def run(*words: object, at: str = ".", **more: str) -> "subprocess.CompletedProcess[str]":
        return run_in(light / "bin", tmp_path / at, *words, BACKWARD_CACHE=str(tmp_path / "cache"), **more)

    return run


def test_it_holds_the_course_and_no_solution(wheel: Path) -> None:
    """Exercises, hidden checks and the answer book are in it; solutions, mistakes and tests of the grader are not."""
    names = zipfile.ZipFile(wheel).namelist()

    for wanted in ("course.yaml", "exercises/01_distribute.py", "tests/hidden/answers.json"):
        assert f"backward_course/{wanted}" in names
    assert [] == [name for name in names if "solutions" in name or "mistakes" in name or "fixtures" in name]
    solution = (ROOT / "solutions" / "06_build_topo.py").read_text(encoding="utf-8")
    region = re.search(r"# BEGIN SOLUTION.*\n((?:.*\n)+?) *# END SOLUTION", solution)
    assert region is not None
    stub = zipfile.ZipFile(wheel).read("backward_course/exercises/06_build_topo.py").decode()
    assert region[1] not in stub


def test_its_metadata_link_to_the_projects_own_address(wheel: Path) -> None:
    """Each link of the package begins with the address in pyproject.toml. While that is empty, there is none."""
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    links = re.findall(r"^Project-URL: (.+), (https://\S+)$", archive.read(metadata).decode(), re.M)

    (home,) = re.findall(r'^home = "(.*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M)
    assert bool(home) == bool(links)
    assert [] == [link for _, link in links if not link.startswith(home)]


def test_a_learner_begins_from_the_wheel_alone(run: Run, run_in: Run, wheel: Path, tmp_path: Path) -> None:
    """With a README, the glossary, and a workflow that installs the same kit again; a second time nothing changes.

    The wheel that is packed from the installation has the files of the wheel that was installed.
    """
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").write_text("mine\n")
    started = run("start", "mine")
    files = {
        path.relative_to(tmp_path / "mine").as_posix() for path in (tmp_path / "mine").rglob("*") if path.is_file()
    }
    assert (0, "") == (started.returncode, started.stderr)
    assert "already there, and not changed: README.md" in started.stdout
    assert "mine\n" == (tmp_path / "mine" / "README.md").read_text()
    wanted = {".gitignore", ".vscode/settings.json", "docs/glossary.md", ".github/workflows/grade.yml"}
    assert wanted | {"README.md", ".github/backward/install.sh", "exercises/13_descend.py"} <= files
    (packed,) = (tmp_path / "mine" / ".github" / "backward").glob("*.whl")
    assert set(zipfile.ZipFile(wheel).namelist()) == set(zipfile.ZipFile(packed).namelist())
    again = tmp_path / "again"
    venv.create(again, with_pip=False)
    (site,) = again.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(DEPENDENCIES + "\n")
    install = [sys.executable, "-m", "pip", "--python", str(again), "install", "--no-deps", "--quiet", str(packed)]
    subprocess.run(install, check=True, capture_output=True)
    graded = run_in(again / "bin", tmp_path / "mine")
    assert (1, "") == (graded.returncode, graded.stderr)
    assert "Next: open exercises/01_distribute.py" in graded.stdout
    repeated = run("start", "mine")
    assert (0, True) == (repeated.returncode, "already there, and not changed: " in repeated.stdout)


@pytest.mark.exhaustive  # each run builds a book there
def test_fresh_programs_are_computed_by_torch_there_too(run: Run, tmp_path: Path) -> None:
    """Another seed's programs are not in the answer book, and are graded all the same."""
    solved = run("accumulate", "--from", ROOT / "solutions", "--seed", tmp_path, PYTHONPATH=DEPENDENCIES)

    assert "" == solved.stderr
    assert "Score 10/10" in solved.stdout


def test_a_course_can_be_begun_there(run: Run, light: Path) -> None:
    """The authors' guide and what `grade new` fills in are in the wheel; the guide is the one in `docs/`."""
    done = run("new", "course", "mine")
    assert (0, "") == (done.returncode, done.stderr)
    guide = Path(done.stdout.rpartition("The guide: ")[2].strip())
    assert guide.is_relative_to(light)
    assert (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8") == guide.read_text(encoding="utf-8")

    built = run("build", at="mine", PYTHONPATH=DEPENDENCIES)
    solved = run("--from", "solutions", at="mine")
    assert ("", 0) == (built.stderr, built.returncode)
    assert "Score 5/5" in solved.stdout
