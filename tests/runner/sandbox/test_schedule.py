"""What the scheduler says of a process."""

import subprocess
import sys
import time

import pytest

from grader.runner.sandbox import Schedule

SPINS = "while True: pass"
SLEEPS = "import time; time.sleep(1000)"


def account(code: str, seconds: float = 0.3) -> tuple[float, set[bool]]:
    """Return the share of the time in which a process is awake, and whether it is seen to sleep."""
    process = subprocess.Popen([sys.executable, "-S", "-c", f"print(flush=True)\n{code}"], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()  # it has started
        time.sleep(0.05)
        schedule = Schedule(process.pid)
        before, begun, seen = schedule.awake_s, time.monotonic(), set()
        while time.monotonic() - begun < seconds:
            seen.add(schedule.sleeps)
            time.sleep(0.01)
        return (schedule.awake_s - before) / (time.monotonic() - begun), seen
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_process_that_computes_is_awake() -> None:
    """Also while it has no core, so this does not depend on what else runs.

    A virtual machine that stands still counts for no process: that part of a measurement is missing, so
    one of ten measurements has to be whole.
    """
    for _ in range(10):
        share, seen = account(SPINS)
        assert seen == {False}
        if share > 0.8:
            return
    pytest.fail(f"the last measurement saw it awake for {share:.0%} of the time")


@pytest.mark.slow
def test_a_process_that_waits_sleeps() -> None:
    """It is awake for no part of the time."""
    share, seen = account(SLEEPS)
    assert share < 0.2
    assert seen == {True}


def test_what_has_ended_sleeps() -> None:
    """Its last account remains."""
    process = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    schedule = Schedule(process.pid)
    before = schedule.awake_s
    process.communicate(b"\n")
    assert schedule.sleeps
    assert before <= schedule.awake_s
