"""The attacks as a user who is not root, as most instructors and CI jobs run the grader."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65_534
ATTACKS = (
    *("read_etc_passwd", "read_hidden_checks", "read_walk_for_secrets", "read_parent_environ", "read_parent_memory"),
    *("write_open_folder", "write_dev_shm", "write_own_source", "write_delete_and_rename", "network_tcp_connect"),
    *("network_unix_abstract", "network_unix_pathname", "signal_kill_parent", "signal_kill_all", "signal_stop_grader"),
    *(
        "ptrace_attach_parent",
        "ptrace_write_memory",
        "ptrace_steal_descriptors",
        "exec_subprocess",
        "exec_machine_code",
    ),
    *("namespace_user", "namespace_mount", "fork_bomb", "fork_daemon", "thread_five_hundred", "memory_shared_segments"),
    *("disk_fill", "descriptor_io_uring", "state_limits_lowered", "import_from_worker", "forge_all_unrun"),
)
HONEST = ("plain", "standard_library", "numpy_numbers", "warnings_and_logging", "prints_a_lot")
_PROBE = "import sys, numpy, grader.verdict.grading; print(*sys.version_info[:2])"


@pytest.fixture(scope="module")
def kit() -> Iterator[Path]:
    """A copy of the grader and the course that everybody can read."""
    folder = Path(mkdtemp(prefix="backward-kit-"))
    folder.chmod(0o755)
    skip = shutil.ignore_patterns("__pycache__", "attacks", "honest", "limits")
    for name in ("grader", "exercises", "solutions", "tests/hidden", "tests/hostile"):
        shutil.copytree(ROOT / name, folder / name, ignore=skip)
    shutil.copy(ROOT / "course.yaml", folder)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def unprivileged(harness: ModuleType, kit: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Run some attacks and honest files as the user `nobody`, in the tiers that need no root."""
    if os.geteuid() != 0:
        pytest.skip("the whole suite runs as a user who is not root already")
    search_path = os.pathsep.join([str(kit), sysconfig.get_path("purelib")])
    interpreter = readable_interpreter(search_path)
    who = harness.Who(interpreter, search_path, NOBODY, kit / "tests" / "hostile" / "runner.py")
    attacks = [file for file in harness.files("attacks") if file.name in ATTACKS]
    honest = [file for file in harness.files("honest") if file.name in HONEST]
    items: list[Any] = request.session.items
    tiers = {item.callspec.params["tier"] for item in items if item.path == request.path}
    with ThreadPoolExecutor(len(tiers)) as threads:
        done = threads.map(lambda tier: harness.run_tier(tier, attacks, honest, who=who), tiers)
        return {run.tier: run for run in done}


def readable_interpreter(search_path: str) -> str:
    """Return a Python of this version that another user can run with our packages. Skip the test if there is none."""
    ours = "{}.{}".format(*sys.version_info[:2])
    reasons = []
    for candidate in (os.path.realpath(sys.executable), f"/usr/bin/python{ours}", "/usr/bin/python3"):
        try:
            said = subprocess.run(
                [candidate, "-s", "-B", "-c", _PROBE],
                user=NOBODY,
                group=NOBODY,
                extra_groups=[],
                cwd="/",
                env={"PYTHONPATH": search_path},
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError as error:
            reasons.append(f"{candidate}: {error.strerror}")
            continue
        if said.stdout.split() == ours.split("."):
            return candidate
        reasons.append(f"{candidate}: {(said.stderr or said.stdout).strip().splitlines()[-1:]}")
    pytest.skip(f"NOT TESTED as another user: no Python {ours} that it can run: {'; '.join(reasons)}")


@pytest.fixture
def run(unprivileged: dict[str, Any], tier: str) -> Any:
    found = unprivileged[tier]
    if found.unavailable is not None:
        pytest.skip(f"NOT TESTED: as another user the {tier} tier cannot be had here:\n{found.unavailable}")
    return found


without_root = pytest.mark.parametrize("tier", ["namespaces", pytest.param("landlock", marks=pytest.mark.exhaustive)])


@without_root
def test_nothing_is_accepted(run: Any, harness: ModuleType) -> None:
    """No attack gets full marks from a grader that is not root."""
    assert [] == harness.told(run.accepted)
    assert set(ATTACKS) == set(run.attacks)


@without_root
def test_nothing_has_an_effect(run: Any, harness: ModuleType) -> None:
    """Learner code has the grader's own user id there, but cannot reach anything of the grader's."""
    assert [] == harness.told(run.with_effect)


@without_root
def test_controls_and_honest_files_are_right(run: Any, harness: ModuleType) -> None:
    """Right and wrong files after the attacks, and honest ones, get the right verdict."""
    assert [] == harness.told(run.controls_wrong)
    assert [] == harness.told(run.rejected)
    assert set(HONEST) == set(run.honest)
