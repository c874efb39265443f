"""The contents of the files for platforms."""

import io
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from every import every
from in_process import run_grade

from grader.author.ci import PLATFORMS, SetupError, platform_files, write_platform
from grader.author.ci.files import built_wheel
from grader.base.files import UserError
from grader.course.load import load_course

from .conftest import GRADE, TAPE

ROOT = Path(__file__).resolve().parents[3]
USED = {f"actions/{name}" for name in ("checkout", "setup-python", "upload-artifact", "cache/restore", "cache/save")}
PAGES = {"actions/upload-pages-artifact", "actions/deploy-pages"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file that has only what makes it a wheel of this grader."""
    path = tmp_path_factory.mktemp("dist") / "backward_grader-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("backward_grader-1.0.dist-info/METADATA", "")
    return path


def made(platform: str, wheel: Path, own: bool = True) -> dict[str, bytes]:
    """Return the files of a platform; if they are in a zip file, by their paths in it."""
    files = platform_files(platform, wheel, load_course(TAPE) if own else None)
    archive = PLATFORMS[platform].archive
    if archive is None:
        return files
    (data,) = files.values()
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        return {name: read.read(name) for name in read.namelist()}


def workflow(text: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a workflow and the steps of its only job."""
    read = yaml.safe_load(text)
    (job,) = read["jobs"].values()
    return read, job["steps"]


@every("platform", PLATFORMS)
def test_no_solution_is_inside(wheel: Path, platform: str) -> None:
    """No file contains a solution, a line of one, or a misconception. The course's checks are included."""
    files = made(platform, wheel)
    regions = [
        line.strip()
        for path in (TAPE / "solutions").glob("*.py")
        for region in re.findall(r"# BEGIN SOLUTION.*\n((?:.*\n)+?) *# END SOLUTION", path.read_text())
        for line in region.splitlines()
    ]
    given = "".join(path.read_text() for path in (TAPE / "exercises").glob("*.py"))
    secret = [line for line in regions if len(line) > 12 and line not in given]
    assert secret
    for name, data in files.items():
        assert "solutions" not in name
        assert "mistakes" not in name
        text = data.decode("utf-8", "replace")
        assert name.endswith((".whl", ".json")) or [] == [line for line in secret if line in text]
    assert [name for name in files if name.endswith("course/tests/hidden/test_01_record.py")]


@every("platform", PLATFORMS)
def test_the_packaged_course_is_asked_for_by_name(wheel: Path, platform: str) -> None:
    """The files name the packaged course, so a course beside a submission is not used. No placeholder is left."""
    files = made(platform, wheel, own=False)
    assert [] == [name for name in files if "/course/" in name]
    text = b"".join(data for name, data in files.items() if not name.endswith(".whl")).decode()
    assert "@COURSE@" not in text
    assert platform == "container" or "packaged" in text


def test_the_command_that_builds_the_image_names_its_folder(wheel: Path, tmp_path: Path) -> None:
    """The folder has the container file, so the command works where `grade ci init` was run."""
    folder = tmp_path / "an image"
    done = run_grade("ci", "init", "--for", "container", "--wheel", wheel, folder)
    assert (folder / "Containerfile").is_file()
    assert f"build the image with `podman build -t backward '{folder}'`" in done.stdout


@pytest.mark.parametrize(
    ("platform", "path"), [("github", ".github/workflows/grade.yml"), ("github-class", ".github/workflows/class.yml")]
)
def test_workflows_have_the_least_rights(wheel: Path, platform: str, path: str) -> None:
    """Workflows may only read the repository.

    Actions are GitHub's own and pinned by commit. No step keeps the token. No name that a learner may choose is put
    into a script.
    """
    text = made(platform, wheel)[path]
    read, steps = workflow(text)
    actions = [step["uses"].split("@") for step in steps if "uses" in step]
    assert {"contents": "read"} == read["permissions"]
    assert not any("permissions" in job for job in read["jobs"].values())
    assert {name for name, _ in actions} <= USED
    assert all(re.fullmatch("[0-9a-f]{40}", commit) for _, commit in actions)
    (checkout,) = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert {"persist-credentials": False} == checkout["with"]
    assert [] == [step["run"] for step in steps if "${{" in step.get("run", "")]
    assert b"pull_request_target" not in text


@pytest.mark.parametrize("own", [False, True])
def test_only_the_job_that_publishes_may_write_pages(wheel: Path, own: bool) -> None:
    """The job that builds the page may only read the repository, and the job with more rights runs no script."""
    path = ".github/workflows/pages.yml"
    read = yaml.safe_load((ROOT / path).read_bytes() if own else made("pages", wheel)[path])
    build, deploy = read["jobs"]["build"], read["jobs"]["deploy"]
    assert ({"contents": "read"}, False) == (read["permissions"], "permissions" in build)
    assert {"pages": "write", "id-token": "write"} == deploy["permissions"]
    assert [] == [step for step in deploy["steps"] if "run" in step]
    assert [] == [step["run"] for step in build["steps"] if "${{" in step.get("run", "")]
    actions = [step["uses"].split("@") for step in build["steps"] + deploy["steps"] if "uses" in step]
    assert PAGES == {name for name, _ in actions} - USED
    assert all(re.fullmatch("[0-9a-f]{40}", commit) for _, commit in actions)


def test_only_the_step_that_clones_has_the_token(wheel: Path) -> None:
    """The step with the token runs no learner code, and the steps that run learner code have no secret."""
    text = made("github-class", wheel)[".github/workflows/class.yml"]
    _, steps = workflow(text)
    assert 1 == text.count(b"secrets.")
    assert ["Clone"] == [step["name"] for step in steps if "secrets." in str(step)]
    assert b"secrets." not in made("github", wheel)[".github/workflows/grade.yml"]


def test_a_class_may_have_a_roster_and_due_dates(wheel: Path) -> None:
    """The nightly run reads both from the repository, if they are there."""
    text = made("github-class", wheel)[".github/workflows/class.yml"].decode()
    assert "if [[ -f roster.csv ]]; then options+=(--roster roster.csv); fi" in text
    assert "if [[ -f deadlines.yaml ]]; then options+=(--deadlines deadlines.yaml); fi" in text


@every("platform", sorted(set(PLATFORMS) - {"pages"}))
def test_torch_is_installed_only_for_numbers_from_a_secret_seed(wheel: Path, platform: str) -> None:
    """A run that counts needs PyTorch. A learner's own run takes the course's seed, whose answers are in the book."""
    text = b"".join(data for name, data in made(platform, wheel).items() if not name.endswith((".whl", "/install.sh")))
    own = platform in ("github", "gitlab")
    assert own == PLATFORMS[platform].may_fail
    assert own == (b"--seed course" in text)
    installs = re.findall(r"install\.sh.*", text.decode())
    assert own != any(re.search(r"\boracle\b", line) for line in installs)


def test_a_learners_run_fails_only_if_that_was_asked_for(wheel: Path) -> None:
    """A run that graded is green. `--min-score` makes it red below a number of points, where it is a learner's own."""
    (path, *_) = PLATFORMS["github"].templates
    assert b"--exit-zero" in platform_files("github", wheel, None)[path]
    asked = platform_files("github", wheel, None, 60)[path]
    assert (True, False) == (b"--min-score 60" in asked, b"--exit-zero" in asked)
    with pytest.raises(SetupError, match="--min-score is for github and gitlab; on gradescope, the run never fails"):
        platform_files("gradescope", wheel, None, 60)


def test_a_newer_push_ends_the_run_of_the_earlier_one(wheel: Path) -> None:
    """Runs of one branch do not queue up, and each takes its packages from pip's cache."""
    read, steps = workflow(made("github", wheel)[".github/workflows/grade.yml"])
    assert {"group": "grade-${{ github.ref }}", "cancel-in-progress": True} == read["concurrency"]
    (setup,) = [step["with"] for step in steps if step.get("uses", "").startswith("actions/setup-python@")]
    assert ("pip", ".github/backward/constraints.txt") == (setup["cache"], setup["cache-dependency-path"])


@pytest.mark.slow
@pytest.mark.exhaustive  # each run builds a wheel in the same way, for its other tests
def test_a_clone_builds_its_own_wheel(tmp_path: Path) -> None:
    """Without `--wheel`, the wheel is built from the clone in which `grade` runs."""
    command = [GRADE, "ci", "init", "--for", "gitlab", tmp_path / "new"]
    done = subprocess.run([*map(str, command)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    (path,) = (tmp_path / "new" / ".gitlab" / "backward").glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        assert {"grader/__init__.py", "backward_course/course.yaml"} <= set(archive.namelist())


@pytest.mark.slow
def test_work_in_a_clone_is_in_no_wheel(tmp_path: Path) -> None:
    """A clone in which somebody has done an exercise builds no wheel. The message names the file."""
    for name in ("grader", "exercises", "solutions", "tests/hidden"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("course.yaml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    done = tmp_path / "exercises" / "03_accumulate.py"
    shutil.copy(ROOT / "solutions" / done.name, done)
    with pytest.raises(UserError, match=r"03_accumulate\.py differs from its stub"):
        built_wheel(tmp_path)


def test_an_exercise_that_was_done_is_in_no_bundle(tmp_path: Path, wheel: Path) -> None:
    """The files of a platform contain the stub of an exercise, even if its file has been worked on."""
    shutil.copytree(TAPE, tmp_path / "course")
    course = load_course(tmp_path / "course")
    file = course.exercise_file(course.exercises[0])
    stub = file.read_bytes()
    file.write_bytes(stub + b"# my work\n")
    files = platform_files("gitlab", wheel, course)
    (written,) = [data for name, data in files.items() if name.endswith(f"exercises/{file.name}")]
    assert stub == written


def versions(pinned: str) -> set[tuple[str, str]]:
    """Return the normalised name and the version of each package of a file of pins."""
    found = re.findall(r"^([\w.-]+)==([\w.]+)", pinned, re.M)
    return {(re.sub(r"[-_.]+", "-", name).lower(), version) for name, version in found}


@every("platform", PLATFORMS)
def test_everything_is_pinned(wheel: Path, platform: str) -> None:
    """Each package has the tested version, and no script asks for a newer one."""
    files = made(platform, wheel)
    (pins,) = [data.decode() for name, data in files.items() if name.endswith("constraints.txt")]
    pin = r"#.*|[\w.-]+==[\w.]+"
    assert all(re.fullmatch(pin, line) for line in pins.splitlines())
    (hashes,) = [data.decode() for name, data in files.items() if name.endswith("hashes.txt")]
    assert versions(pins) > versions(hashes)
    (script,) = [data.decode() for name, data in files.items() if name.endswith("install.sh")]
    assert 1 == script.count("pip install")
    assert '--require-hashes -r "$here/hashes.txt"' in script
    assert '-c "$here/constraints.txt"' in script


@every("platform", PLATFORMS)
def test_scripts_can_be_read_by_their_language(wheel: Path, platform: str) -> None:
    """bash and Python find no syntax error."""
    for name, data in made(platform, wheel).items():
        if data.startswith(b"#!"):
            done = subprocess.run(["bash", "-n"], input=data, capture_output=True, check=False)
            assert (0, b"") == (done.returncode, done.stderr), name
        elif name.endswith("autograder.py"):
            compile(data, name, "exec")


def test_nothing_is_overwritten(tmp_path: Path, wheel: Path) -> None:
    """If one of the files exists, none is written."""
    there = tmp_path / "repository" / ".github" / "workflows" / "grade.yml"
    there.parent.mkdir(parents=True)
    there.write_text("mine")
    done = run_grade("ci", "init", "--for", "github", "--wheel", wheel, tmp_path / "repository")
    assert (2, "") == (done.returncode, done.stdout)
    assert f"will not overwrite {there}" in done.stderr
    assert [there] == [path for path in (tmp_path / "repository").rglob("*") if path.is_file()]
    assert "mine" == there.read_text()


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    """A link without a target counts as an existing file."""
    (tmp_path / "file").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SetupError, match="will not overwrite"):
        write_platform({"file": b""}, tmp_path)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("content", [None, b"", b"no zip"])
def test_what_is_no_wheel_is_refused(tmp_path: Path, content: bytes | None) -> None:
    """The error says how to make a wheel."""
    path = tmp_path / "backward_grader-1.0-py3-none-any.whl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SetupError, match=r"cannot be read: No such file|is not a wheel of this grader; `pip wheel"):
        platform_files("github", path, None)


def test_the_zip_is_the_same_each_time(wheel: Path) -> None:
    """The zip file has the same bytes each time, so that a new upload to Gradescope means a change."""
    assert platform_files("gradescope", wheel, None) == platform_files("gradescope", wheel, None)


def test_python_is_the_one_that_was_tested() -> None:
    """The workflows name the version that this grader's own CI uses."""
    own = (Path(__file__).resolve().parents[3] / ".github" / "workflows" / "ci.yml").read_text()
    version = re.search(r'python-version: "(\d+\.\d+)"', own)
    assert version is not None
    templates = Path(sys.modules["grader.author.ci"].__file__ or "").parent / "templates"
    for path in templates.iterdir():
        assert set(re.findall(r'python(?:-version: "|:)(\d+\.\d+)', path.read_text())) <= {version[1]}
