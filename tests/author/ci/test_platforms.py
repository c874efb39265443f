"""From `grade ci init` to the file that the platform reads, in the layout that the platform documents.

No real platform runs here. GitHub's and GitLab's runners are imitated by the scripts of the workflow, run by bash in a
checkout, with their documented variables. Gradescope's harness (https://gradescope-autograders.readthedocs.io) is
imitated by its folders. Classroom 50's `runner.py` (https://github.com/foundation50/classroom50) is imitated by its
variables and its way to start `autograder.py`.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from junitparser import JUnitXml
from site_of import CACHE, site_of

from grader.classes.intake.files import read_files

from .conftest import GRADE, ROOT, Fill, Prepare, Shell, lay_traps

pytestmark = [pytest.mark.slow, pytest.mark.hostile]

Init = Callable[..., Path]
SCORES = {"honest": 40, "hostile": 0, "empty": 0}
# of the submission with two right files, a hostile file and no third one
MIXED = 20
TOKEN = "SECRET-token"
SCHEMA = json.loads((ROOT / "tests" / "verdict" / "formats" / "gradescope.schema.json").read_text(encoding="utf-8"))


def commands(log: str) -> list[str]:
    """Return the lines of a log that GitHub's runner would execute as commands."""
    return [line for line in log.splitlines() if line.lstrip().startswith("::") or "##[" in line]


def harmless(*texts: str) -> None:
    """Check that the hostile file had no effect and that no secret was revealed."""
    for text in texts:
        assert "REACHED" not in text
        assert TOKEN not in text


def bring_along(folder: Path, target: Path, *names: str) -> None:
    """Put links to a file of the job where its results are written."""
    target.write_text("the job's own")
    for name in names:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)


def test_the_traps_work(mark: Path, tmp_path: Path) -> None:
    """Python without `-I` runs a module of the checkout, and the trap leaves its mark."""
    lay_traps(tmp_path, mark)
    subprocess.run([sys.executable, "-m", "venv", "target"], cwd=tmp_path, check=True, capture_output=True)
    assert [str(tmp_path / "venv.py")] == mark.read_text().splitlines()
    mark.unlink()


def test_github(init: Init, fill: Fill, mark: Path, environment: Path, shell: Shell, tmp_path: Path) -> None:
    """A push runs the checkout and the workflow's scripts, and writes the job summary, annotations and artifacts."""
    work = init("github", tmp_path / "work" / "repo")
    temp = tmp_path / "temp"
    link(temp / "backward", environment)
    installations = noted(work / ".github" / "backward" / "install.sh")
    summary = tmp_path / "summary.md"
    (job,) = yaml.safe_load((work / ".github" / "workflows" / "grade.yml").read_text())["jobs"].values()
    scripts = {step["name"]: step["run"] for step in job["steps"] if "run" in step}
    variables = {
        "GITHUB_STEP_SUMMARY": summary,
        "GITHUB_WORKSPACE": work,
        "RUNNER_TEMP": temp,
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_ACTIONS": "true",
    }
    summary.touch()
    lay_traps(work, mark)
    install = shell(scripts["Install"], work, **variables)
    assert (0, "") == (install.returncode, install.stderr)
    assert [str(temp / "backward")] == installations.read_text().splitlines()
    shutil.rmtree(work / "exercises", ignore_errors=True)
    fill(work, "mixed", summary, work / ".github" / "backward" / "course" / "tests" / "hidden" / "answers.json")
    graded = shell(scripts["Grade"], work, **variables)

    assert 0 == graded.returncode, graded.stderr
    text = summary.read_text()
    assert text.startswith(f"# The Tape: {MIXED}/40\n\n| exercise | | status | points |\n")
    (command,) = commands(graded.stdout)
    assert command.startswith("::error file=exercises/02_replay.py,line=12,title=")
    report, junit = temp / "report.json", temp / "junit.xml"
    results = json.loads(report.read_text())
    assert MIXED == results["score"]
    checks = sum(len(exercise["checks"]) for exercise in results["exercises"])
    assert checks == sum(suite.tests for suite in JUnitXml.fromfile(str(junit)))
    harmless(text, graded.stdout, graded.stderr, report.read_text(), junit.read_text())


def test_gitlab(init: Init, fill: Fill, environment: Path, shell: Shell, tmp_path: Path) -> None:
    """A pipeline runs the job's script, and writes the report for GitLab's tests tab."""
    work = init("gitlab", tmp_path / "builds" / "project")
    home = link(tmp_path / "opt" / "backward", environment)
    job = yaml.safe_load((work / ".gitlab-ci.yml").read_text())["grade"]
    script = "\n".join(job["script"]).replace("/opt/backward", str(home))
    junit = work / job["artifacts"]["reports"]["junit"]
    (path,) = job["artifacts"]["paths"]
    installations = noted(work / ".gitlab" / "backward" / "install.sh")
    shutil.rmtree(work / "exercises", ignore_errors=True)
    bring_along(work, tmp_path / "own", junit.name, path)
    fill(work, "mixed", work / ".gitlab" / "backward" / "course" / "tests" / "hidden" / "answers.json")
    graded = shell(script, work, CI_JOB_TOKEN=TOKEN)

    assert 0 == graded.returncode, graded.stderr
    (suite,) = JUnitXml.fromfile(str(junit))
    assert str(MIXED) == next(one.value for one in suite.properties() if one.name == "score")
    assert MIXED == json.loads((work / path).read_text())["score"]
    assert "the job's own" == (tmp_path / "own").read_text()
    harmless(graded.stdout, graded.stderr, (work / "junit.xml").read_text(), (work / path).read_text())
    assert [str(home)] == installations.read_text().splitlines()


@pytest.mark.exhaustive  # another course is compiled to bytecode
def test_pages(init: Init, environment: Path, shell: Shell, tmp_path: Path) -> None:
    """A push builds the page of the course in the repository, with no solution in it."""
    work = init("pages", tmp_path / "work")
    temp = tmp_path / "temp"
    link(temp / "backward", environment)
    steps = yaml.safe_load((work / ".github" / "workflows" / "pages.yml").read_text())["jobs"]["build"]["steps"]
    scripts = {step["name"]: step["run"] for step in steps if "name" in step}
    cache = site_of(tmp_path / "other") and CACHE.parent  # so that nothing is downloaded twice
    built = shell(scripts["Build"], work, RUNNER_TEMP=temp, BACKWARD_CACHE=cache)
    assert (0, "") == (built.returncode, built.stderr)
    assert "The Tape" == json.loads((temp / "site" / "course.json").read_text(encoding="utf-8"))["title"]
    assert {"index.html", "python"} <= {path.name for path in (temp / "site").iterdir()}


@pytest.fixture(scope="module")
def image(init: Init, prepare: Prepare, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder like Gradescope's `/autograder`: `source/` from the zip, `setup.sh` run, and `run_autograder`."""
    folder = tmp_path_factory.mktemp("gradescope")
    root = folder / "autograder"
    with zipfile.ZipFile(init("gradescope", folder / "upload") / "autograder.zip") as archive:
        archive.extractall(root / "source")
    prepare(root / "backward")
    (root / "results").mkdir()
    (folder / "home").mkdir()
    setup = Shell(folder / "home")(f"bash {root / 'source' / 'setup.sh'}", root, AUTOGRADER=root)
    assert (0, "") == (setup.returncode, setup.stderr)
    shutil.copy(root / "source" / "run_autograder", root)
    (root / "run_autograder").chmod(0o755)
    return root


@pytest.fixture(scope="module")
def environment(image: Path) -> Path:
    """Return an environment that `install.sh` has made."""
    return image / "backward"


def noted(script: Path) -> Path:
    """Replace `install.sh` by a script that writes its arguments to the returned file, and installs nothing."""
    notes = script.with_name("installations")
    script.write_text(f'echo "$@" >> {notes}\n')
    return notes


def link(folder: Path, environment: Path) -> Path:
    """Put a link to an environment where a platform's job installs."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(environment)
    return folder


@pytest.fixture
def autograder(image: Path) -> Path:
    """Return the image without a submission and results."""
    shutil.rmtree(image / "submission", ignore_errors=True)
    shutil.rmtree(image / "results")
    (image / "results").mkdir()
    return image


def test_gradescope(autograder: Path, fill: Fill, shell: Shell) -> None:
    """A submission has results that Gradescope can read."""
    if os.geteuid() == 0:
        assert 0 == stat.S_IMODE((autograder / "source").stat().st_mode) & 0o077
    results = autograder / "results" / "results.json"
    answers = autograder / "source" / "course" / "tests" / "hidden" / "answers.json"
    fill(autograder / "submission", "mixed", results, answers)
    done = shell("./run_autograder", autograder, AUTOGRADER=autograder)

    assert 0 == done.returncode, done.stderr
    found = json.loads(results.read_text())
    jsonschema.validate(found, SCHEMA)
    assert MIXED == found["score"]
    assert 40 == sum(test["max_score"] for test in found["tests"])
    harmless(results.read_text(), done.stdout, done.stderr)


def test_gradescope_takes_loose_files_and_follows_no_link(autograder: Path, shell: Shell, tmp_path: Path) -> None:
    """Loose files of an upload are in `submission/` itself. A link to a solution is not followed."""
    submission = autograder / "submission"
    submission.mkdir()
    solutions = tmp_path / "solutions"
    shutil.copytree(Path(__file__).resolve().parents[3] / "examples" / "tape" / "solutions", solutions)
    shutil.copy(solutions / "01_record.py", submission)
    (submission / "02_replay.py").symlink_to(solutions / "02_replay.py")
    done = shell("./run_autograder", autograder, AUTOGRADER=autograder)

    assert 0 == done.returncode, done.stderr
    found = json.loads((autograder / "results" / "results.json").read_text())
    assert 10 == found["score"]
    assert "02_replay.py cannot be read: there is a symbolic link in its path" in found["output"]


def test_gradescope_is_told_where_grading_itself_fails(autograder: Path, fill: Fill, shell: Shell) -> None:
    """If grading fails, there are no results, so Gradescope reports that the autograder failed and does not give 0."""
    fill(autograder / "submission", "honest")
    settings = autograder / "source" / "course" / "course.yaml"
    right = settings.read_bytes()
    settings.write_text("nonsense: 1\n")
    done = shell("./run_autograder", autograder, AUTOGRADER=autograder)
    settings.write_bytes(right)

    assert 2 == done.returncode
    assert [] == list((autograder / "results").iterdir())


def test_an_old_python_is_told(init: Init, shell: Shell, tmp_path: Path) -> None:
    """The message says what to do, before anything is installed."""
    old = tmp_path / "python"
    old.write_text('#!/bin/sh\ntest "$1" = --version && echo Python 3.10.12 || exit 1\n')
    old.chmod(0o755)
    work = init("gitlab", tmp_path / "work")
    done = shell("bash .gitlab/backward/install.sh venv", work, PYTHON=old)
    assert 1 == done.returncode
    assert "install.sh: Python 3.10.12 is too old: take Python 3.11 or newer, or name one in PYTHON\n" == done.stderr
    assert not (work / "venv").exists()


def test_classroom50(init: Init, fill: Fill, environment: Path, shell: Shell, tmp_path: Path) -> None:
    """The runner unpacks the bundle, starts `autograder.py` in a checkout, and reads `result.json` there."""
    bundle = init("classroom50", tmp_path / "runtime" / "backward")
    temp = tmp_path / "temp"
    link(temp / "backward", environment)
    variables = {
        "CLASSROOM": "cs",
        "ASSIGNMENT": "backward",
        "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
        "OWNER": "jane",
        "USERNAME": "jane",
        "ASSIGNMENT_TYPE": "individual",
        "COMMIT_URL": "https://github.com/o/r/commit/1",
        "RELEASE_URL": "https://github.com/o/r/releases/tag/1",
        "REVIEW_URL": "https://github.com/o/r/compare/0...1",
        "GITHUB_TOKEN": TOKEN,
        "RUNNER_TEMP": temp,
    }
    installations = noted(bundle / "install.sh")
    checkout = tmp_path / "checkout"
    result = checkout / "result.json"
    fill(checkout, "mixed", result, bundle / "course" / "tests" / "hidden" / "answers.json")
    bring_along(checkout, tmp_path / "own", "result.json", "release-body.md")
    done = shell(f"{sys.executable} {bundle / 'autograder.py'}", checkout, **variables)

    assert 0 == done.returncode, done.stderr
    found: dict[str, Any] = json.loads(result.read_text())
    assert ("classroom50/result/v1", "cs", "backward", "jane") == tuple(
        found[name] for name in ("schema", "classroom", "assignment", "owner")
    )
    assert (MIXED, 40) == (found["score"], found["max-score"])
    assert MIXED == sum(test["score"] for test in found["tests"])
    body = (checkout / "release-body.md").read_text()
    assert body.startswith(f"# The Tape: {MIXED}/40\n")
    assert "the job's own" == (tmp_path / "own").read_text()
    harmless(result.read_text(), body, done.stdout, done.stderr)
    assert [f"{temp / 'backward'} oracle"] == installations.read_text().splitlines()

    # where grading fails, the runner finds no result of the learner's
    (bundle / "install.sh").write_text("exit 7\n")
    result.write_text('{"score": 100}')
    (checkout / "release-body.md").unlink()
    (checkout / "release-body.md").mkdir()
    failed = subprocess.run([sys.executable, bundle / "autograder.py"], cwd=checkout, capture_output=True, check=False)
    assert 0 != failed.returncode
    assert not result.exists()
    assert not (checkout / "release-body.md").exists()


@pytest.fixture
def class_of_three(init: Init, fill: Fill, tmp_path: Path) -> Path:
    """Return the folder of the class's job, which lists three repositories."""
    work = init("github-class", tmp_path / "work")
    listed = ["# a comment", ""]
    for kind in SCORES:
        repository = fill(tmp_path / "remote" / kind, kind, work / "results" / "cohort.json")
        (repository / ".keep").touch()
        git(repository, "init", "--quiet")
        commit(repository)
        listed.append(f"{kind} {repository.as_uri()}")
    (work / "repositories.txt").write_text("\n".join(listed) + "\n")
    return work


def class_job(work: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the class's job, and its scripts by name."""
    (job,) = yaml.safe_load((work / ".github" / "workflows" / "class.yml").read_text())["jobs"].values()
    return job, {step.get("name"): step["run"] for step in job["steps"] if "run" in step}


def test_a_class_is_cloned(class_of_three: Path, shell: Shell, mark: Path, tmp_path: Path) -> None:
    """The job has the files of each repository, and no trap in one of them is sprung."""
    _, scripts = class_job(class_of_three)
    cloned = shell(scripts["Clone"], class_of_three, RUNNER_TEMP=tmp_path / "temp", CLONE_TOKEN=TOKEN)
    assert 0 == cloned.returncode, cloned.stderr
    for kind in SCORES:
        remote, here = (
            folder / kind / "exercises" for folder in (tmp_path / "remote", tmp_path / "temp" / "submissions")
        )
        assert files_in(remote) == files_in(here)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.exhaustive  # torch starts twice each night
def test_a_class_at_night(class_of_three: Path, environment: Path, shell: Shell, tmp_path: Path) -> None:
    """The job clones and grades all repositories, and writes page and exports. Its artifact is enough to decide.

    The next night, it grades what changed, and applies what was decided.
    """
    work, temp, token = class_of_three, tmp_path / "temp", {"CLONE_TOKEN": TOKEN}
    link(temp / "backward", environment)
    job, scripts = class_job(work)

    def night() -> dict[str, dict[str, Any]]:
        cloned = shell(scripts["Clone"], work, RUNNER_TEMP=temp, **token)
        assert 0 == cloned.returncode, cloned.stderr
        graded = shell(scripts["Grade"], work, RUNNER_TEMP=temp)
        assert 0 == graded.returncode, graded.stderr
        results = [path for path in (work / "results").rglob("*") if path.is_file()]
        made = [path.read_text() for path in results if path.parent.name != "code"]  # there, the files as submitted
        harmless(*made, graded.stdout)
        return {path.stem: json.loads(path.read_text()) for path in (work / "results" / "reports").glob("*.json")}

    installations = noted(work / ".github" / "backward" / "install.sh")
    shell(scripts["Install"], work, RUNNER_TEMP=temp)
    assert f"{temp / 'backward'} oracle\n" == installations.read_text()
    first = night()
    assert SCORES == {name: report["score"] for name, report in first.items()}
    assert {"page.html", "cohort.json", "exports"} <= {path.name for path in (work / "results").iterdir()}

    # the artifact is enough to decide
    (artifact,) = [step["with"]["path"] for step in job["steps"] if step.get("with", {}).get("name") == "class"]
    download = tmp_path / "download"
    download.mkdir()
    for path in map(work.joinpath, artifact.split()):
        if path.exists():
            (shutil.copytree if path.is_dir() else shutil.copy)(path, download / path.name)
    assert not (download / "run.json").exists()
    words = [GRADE, "decide", download, "hostile", "--points", "record.plus=2", "--why", "shown to me"]
    words += ["--course", work / ".github" / "backward" / "course"]
    decided = subprocess.run([*map(str, words)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (0, "") == (decided.returncode, decided.stderr)
    shutil.copy(download / "overrides.yaml", work)

    # the next night, what changed is graded, and what was decided and committed holds
    remote = tmp_path / "remote"
    shutil.copytree(remote / "honest" / "exercises", remote / "empty" / "exercises", dirs_exist_ok=True)
    commit(remote / "empty")
    shutil.rmtree(temp / "submissions")
    second = night()
    assert {**SCORES, "empty": 40} == {name: report["score"] for name, report in second.items()}
    assert first["honest"] == second["honest"]
    assert first["hostile"] == second["hostile"]
    learners = json.loads((work / "results" / "cohort.json").read_text())["learners"]
    assert {"honest": 40, "hostile": 2, "empty": 40} == {one["id"]: one["total"] for one in learners}


def git(repository: Path, *words: str) -> None:
    settings = ["-c", "user.name=Jane", "-c", "user.email=jane@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *settings, *words], cwd=repository, check=True, capture_output=True)


def commit(repository: Path) -> None:
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "work")


@pytest.mark.parametrize(
    "line", ["../evil https://example.org/x.git", "jane", "jane --upload-pack=touch", ".git https://example.org/x.git"]
)
def test_a_bad_line_clones_nothing(line: str, init: Init, shell: Shell, tmp_path: Path) -> None:
    """A name must be a name, and an address must not be an option. The script names the line, and fails at its end."""
    work = init("github-class", tmp_path / "work")
    (work / "repositories.txt").write_text(f"{line}\n")
    done = shell("bash .github/backward/clone.sh repositories.txt submissions", work)
    assert 1 == done.returncode
    assert "this line is not a name and an address" in done.stderr
    assert [] == list((work / "submissions").iterdir())


def test_what_cannot_be_cloned_stands_in_the_table(init: Init, shell: Shell, tmp_path: Path) -> None:
    """Its folder has a file that a review names. The next night, the clone takes its place."""
    work = init("github-class", tmp_path / "work")
    (work / "repositories.txt").write_text(f"jane {tmp_path / 'jane'}\n")
    clone = "bash .github/backward/clone.sh repositories.txt submissions"
    assert 1 == shell(clone, work).returncode
    read = read_files([(work / "submissions" / "jane", "jane")], {"swap": "02_swap.py"})
    assert ("files with other names were not graded: NOT_CLONED.py",) == read.notes
    (tmp_path / "jane").mkdir()
    (tmp_path / "jane" / "02_swap.py").write_text("x = 1\n")
    git(tmp_path / "jane", "init", "--quiet")
    commit(tmp_path / "jane")
    assert 0 == shell(clone, work).returncode
    assert [".git", "02_swap.py"] == sorted(os.listdir(work / "submissions" / "jane"))
