"""Which tier is taken, what it says, and that official grading takes no weak one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from in_process import run_grade
from ours import SOLUTIONS

from grader.runner import sandbox
from grader.runner.sandbox import tiers
from grader.runner.sandbox.tiers import StartRequest
from grader.verdict.report import read_report

pytestmark = pytest.mark.slow


def available(tier: str) -> bool:
    try:
        with sandbox.start(tier) as warm:
            return warm.tier == tier
    except sandbox.IsolationError:
        return False


@pytest.mark.parametrize("tier", sandbox.TIERS)
def test_a_tier_that_is_named_is_taken(tier: str) -> None:
    """Each tier that this machine has starts, says how it isolates, and is the one asked for."""
    if not available(tier):
        assert not os.environ.get("CI"), f"CI needs the tier {tier}"
        pytest.skip(f"THE TIER {tier} IS NOT ON THIS MACHINE: nothing was shown of it")
    with sandbox.start(tier) as warm:
        assert tier == warm.tier
        assert warm.detail


def test_modules_and_packages_are_found_in_their_folder() -> None:
    """A module that is a single file is in the same folder as a package. A module that is not installed has none."""
    assert {"typing_extensions", "yaml"} == set(found := tiers.module_folders(["typing_extensions", "yaml", "nowhere"]))
    assert {str(Path(yaml.__file__).parents[1])} == set(found.values())


def test_auto_takes_the_strongest() -> None:
    """Of the tiers that work here the first in the list is taken."""
    with sandbox.start() as warm:
        assert next(tier for tier in sandbox.TIERS if available(tier)) == warm.tier


def test_official_grading_refuses_a_plain_process() -> None:
    """It fails closed, and the message says what to install."""
    with pytest.raises(sandbox.IsolationError, match="apt install bubblewrap"):
        sandbox.start("process", official=True)


def test_when_nothing_holds_official_grading_says_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tier's reason is in the message."""

    def broken(request: object) -> "subprocess.Popen[bytes]":
        raise OSError("broken on purpose")

    names = ("namespaces", "landlock", "seccomp")
    monkeypatch.setattr("grader.runner.sandbox.tiers.TIERS", {**dict.fromkeys(names, broken), "process": broken})
    with pytest.raises(sandbox.IsolationError) as caught:
        sandbox.start(official=True)
    assert [f"  {name}: broken on purpose" for name in names] == str(caught.value).splitlines()[1:4]


def test_the_command_refuses_too(tmp_path: Path) -> None:
    """`grade --official --isolation process` is wrong use."""
    run = run_grade("1", "--from", SOLUTIONS, "--official", "--isolation", "process", cwd=tmp_path)
    assert (2, "") == (run.returncode, run.stdout)
    assert "apt install bubblewrap" in run.stderr


@pytest.mark.usefixtures("one_torch")
def test_an_official_run_keeps_its_seed_for_the_instructor(tmp_path: Path) -> None:
    """A secret seed is drawn for each run; only the instructor's report has it."""
    words = ("1", "--from", SOLUTIONS, "--official", "--json")
    seeds = [read_report(run_grade(*words, "--instructor", cwd=tmp_path).stdout.encode()).seed for _ in range(2)]
    learner = read_report(run_grade(*words, cwd=tmp_path).stdout.encode())
    assert all(isinstance(seed, str) and len(seed) == 32 for seed in seeds)
    assert seeds[0] != seeds[1]
    assert not isinstance(learner.seed, str)
    assert learner.isolation.tier in sandbox.OFFICIAL


@pytest.mark.usefixtures("one_torch")
def test_an_official_run_takes_no_course_from_beside_the_files(tmp_path: Path) -> None:
    """A course.yaml in a submission's folder is not even read, and a line says so."""
    (tmp_path / "course.yaml").write_text("format_version: 99\n")
    run = run_grade("1", "--from", SOLUTIONS, "--official", cwd=tmp_path)
    assert 0 == run.returncode
    assert "grading with the packaged course" in run.stderr
    assert f"not with {tmp_path / 'course.yaml'}" in run.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED: only Linux is asked who should die first")
def test_learner_code_is_the_first_to_go_where_memory_runs_out() -> None:
    """The worker and all that it forks are offered to the kernel before the grader."""
    with sandbox.start() as warm:
        assert warm.tier
        assert isinstance(warm, tiers.Warm)
        process = warm._process
        assert process is not None
        found = [int(pid) for pid in _below(process.pid)]
        assert {"1000"} == {Path(f"/proc/{pid}/oom_score_adj").read_text().strip() for pid in found}
    assert Path("/proc/self/oom_score_adj").read_text().strip() != "1000"


def _below(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(below for child in children for below in _below(int(child)))]


def test_a_worker_imports_nothing_from_its_current_folder(tmp_path: Path) -> None:
    """No module there is taken for one of the standard library or of the worker."""
    mark = tmp_path / "sprung"
    for name in sys.stdlib_module_names - {"__main__"} | {"worker"}:
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({name!r} + '\\n')\n")
    command = tiers.interpreter(sys.executable, str(tiers.WORKER.parent), StartRequest(0, {}), "{}")
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=tiers.ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "worker/confine/server.py" in done.stderr  # it came so far, and was given no socket
    assert not mark.exists()
