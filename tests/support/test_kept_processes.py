"""Processes are left only to services that would start the same one."""

import os
import signal
from collections.abc import Iterator

import pytest
from kept_processes import OF_A_CLASS, end_kept, kept, kept_workers

from grader.classes.intake.reader import Reader, ReadingLimits
from grader.runner import sandbox
from grader.runner.sandbox import Warm

pytestmark = pytest.mark.slow
ONE, OTHER = {"one": "01_one.py"}, {"other": "02_other.py"}


@pytest.fixture(autouse=True)
def _kept() -> Iterator[None]:
    with kept(OF_A_CLASS), kept_workers():
        yield
    end_kept(*OF_A_CLASS)


def used(exercises: dict[str, str], kill: bool = False) -> int:
    """Start a reader, close it, and return the number of its process, which may be killed before."""
    reader = Reader(exercises, ReadingLimits())
    reader.start()
    pid = reader.pid
    assert pid is not None
    if kill:
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    reader.close()
    assert reader.pid is None
    return pid


def test_the_next_service_with_the_same_setup_gets_the_process() -> None:
    """A service with another setup starts its own."""
    first = used(ONE)
    assert first != used(OTHER)
    assert first == used(ONE)


def test_a_process_that_has_ended_is_not_used_again() -> None:
    """The next service starts another one."""
    assert used(ONE, kill=True) != used(ONE)


def test_a_server_process_is_left_if_no_engine_process_runs() -> None:
    """Otherwise it ends, and its engine processes with it."""
    pids = []
    for begun in (False, True, False):
        with sandbox.start() as warm:
            assert warm.tier
            assert isinstance(warm, Warm)
            assert warm._process is not None
            pids.append(warm._process.pid)
            if begun:
                ours, theirs = os.pipe()
                warm.start(theirs, theirs)
                os.close(ours)
                os.close(theirs)
    assert pids[0] == pids[1] != pids[2]
