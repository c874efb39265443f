"""A cohort on a Dask cluster has the same reports, even if workers join, leave and die, or are on other hosts."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from grader.classes.cohort import LocalPool, PoolError, Results, grade_entries, settings
from grader.classes.cohort.jobs import Drawn
from grader.classes.cohort.pools import DaskPool
from grader.classes.intake import Entry, entries
from grader.course.load import Course
from grader.verdict.report import Report

ROOT = Path(__file__).resolve().parents[3]
COUNT = 16

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.cluster]  # the cluster's own


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """Return a class in which every second submission is wrong."""
    folder = tmp_path_factory.mktemp("class")
    text = (ROOT / "solutions" / "02_swap.py").read_text(encoding="utf-8")
    for number in range(COUNT):
        (folder / f"p{number:02}").mkdir()
        mine = text if number % 2 else text.replace("out.grad", "1.0")
        (folder / f"p{number:02}" / "02_swap.py").write_text(f"{mine}# {number}\n", encoding="utf-8")
    return entries(folder)


def run(course: Course, found: list[Entry], out: Path, pool: Any, meanwhile: Callable[[int], None]) -> Any:
    """Start the pool and grade the class. Call a function after each report."""
    pool.start()
    with Results(out) as results:
        for standing in grade_entries(course, found, results, course.seed, pool):
            meanwhile(standing.done)
    pool.close()
    return standing


Timeless = Callable[[Report], bytes]


def written(out: Path, found: list[Entry], timeless: Timeless) -> list[bytes]:
    """Return every report in a folder of results, without times."""
    reports = [Results(out).report(entry.id) for entry in found]
    assert None not in reports
    return [timeless(report) for report in reports if report is not None]


@pytest.fixture(scope="module")
def alone(
    course: Course, found: list[Entry], tmp_path_factory: pytest.TempPathFactory, timeless: Timeless
) -> list[bytes]:
    """Return the reports that one machine writes."""
    out = tmp_path_factory.mktemp("alone")
    made = settings(course, course.seed, Drawn(), isolation="auto", official=True)
    run(course, found, out, LocalPool(made, 2), lambda done: None)
    return written(out, found, timeless)


def pool_at(course: Course, address: str) -> DaskPool:
    return DaskPool(settings(course, course.seed, Drawn(), isolation="auto", official=True), address)


@pytest.mark.parametrize("join", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_workers_that_die_leave_and_join_lose_and_double_nothing(
    course: Course, found: list[Entry], alone: list[bytes], tmp_path: Path, timeless: Timeless, join: bool
) -> None:
    """One worker is killed at work. In a long run, others join and leave.

    The reports are those of one machine, and each submission is counted once.
    """
    from distributed import LocalCluster  # here, since it takes long: whoever runs no cluster need not wait for it

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        seen: list[int] = []

        def disturb(done: int) -> None:
            seen.append(done)
            if len(seen) == 3:
                worker = next(iter(cluster.workers.values()))
                os.kill(worker.process.process.pid, signal.SIGKILL)
            if join and len(seen) == 6:
                cluster.scale(3)
            if join and len(seen) == 12:
                cluster.scale(1)

        standing = run(course, found, tmp_path, pool_at(course, cluster.scheduler_address), disturb)
    assert (COUNT, COUNT, {}) == (standing.done, standing.graded, standing.faults)
    assert [*range(COUNT + 1)] == seen
    assert alone == written(tmp_path, found, timeless)


def test_where_there_is_no_cluster_it_is_said(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """If nobody answers at an address, the error has the address."""
    monkeypatch.setattr("grader.classes.cohort.pools._PATIENCE_S", 1)
    with pytest.raises(PoolError, match=r"no Dask cluster with a worker at tcp://127\.0\.0\.1:9"):
        pool_at(course, "tcp://127.0.0.1:9").start()


def test_a_worker_with_another_grader_is_refused(course: Course) -> None:
    """A worker with another version is refused, because it might give other scores."""
    from grader.classes.cohort import pools as module

    parcel = msgspec.json.decode(
        module.pack(settings(course, "s", Drawn(), isolation="auto", official=True)), type=module.Parcel
    )
    other = msgspec.json.encode(replace(parcel, grader_version="0.0.0"))
    with pytest.raises(PoolError, match=r"this run needs 0\.0\.0"):
        module.start_there(other)


# -- two hosts ------------------------------------------------------------------------------------------

HOSTS = {"backward-one": "10.77.1", "backward-two": "10.77.2"}


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[dict[str, str]]:
    """Make two network namespaces with an address and a link to this one. Return the prefixes of their networks."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("NOT TESTED: hosts apart need root and iproute2")
    _remove_hosts()
    try:
        for number, (name, prefix) in enumerate(HOSTS.items()):
            ip("netns", "add", name)
            ip("link", "add", f"bw{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("addr", "add", f"{prefix}.1/24", "dev", f"bw{number}")
            ip("link", "set", f"bw{number}", "up")
            ip("-n", name, "addr", "add", f"{prefix}.2/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "route", "add", "default", "via", f"{prefix}.1")
        yield HOSTS
    except subprocess.CalledProcessError as error:
        pytest.skip(f"NOT TESTED: no network namespaces here: {error.stderr!r}")
    finally:
        _remove_hosts()


def _remove_hosts() -> None:
    for number, name in enumerate(HOSTS):
        subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", f"bw{number}"], check=False, capture_output=True)


@pytest.mark.exhaustive
def test_workers_on_two_hosts(
    course: Course, found: list[Entry], alone: list[bytes], tmp_path: Path, hosts: dict[str, str], timeless: Timeless
) -> None:
    """A scheduler here reaches workers in two network namespaces only by their addresses.

    One host is disconnected at work, and nothing is lost.
    """
    from distributed import Client

    python = sys.executable
    scheduler = [
        python,
        "-m",
        "distributed.cli.dask_scheduler",
        "--host",
        "0.0.0.0",
        "--port",
        "18786",
        "--no-dashboard",
    ]
    started = [subprocess.Popen(scheduler, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
    try:
        for name, prefix in hosts.items():
            inside = ["ip", "netns", "exec", name, python, "-m", "distributed.cli.dask_worker"]
            words = [
                f"tcp://{prefix}.1:18786",
                "--nthreads",
                "1",
                "--no-nanny",
                "--host",
                f"{prefix}.2",
                "--no-dashboard",
            ]
            command = [*inside, *words, "--local-directory", str(tmp_path / name), "--death-timeout", "60"]
            started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        address = "tcp://127.0.0.1:18786"
        with Client(address, timeout=240, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=240)
            where = {worker.split("//")[1].split(":")[0] for worker in client.scheduler_info()["workers"]}
        assert {f"{prefix}.2" for prefix in hosts.values()} == where

        def cut_off(done: int) -> None:
            if done == COUNT // 2:
                started[2].kill()

        standing = run(course, found, tmp_path / "results", pool_at(course, address), cut_off)
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
    assert (COUNT, {}) == (standing.graded, standing.faults)
    assert alone == written(tmp_path / "results", found, timeless)
