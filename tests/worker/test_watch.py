"""A fork that stands still is told so; one that pauses, is kept from running, or waits for us is left alone."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from grader.worker import limits, watch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED: another process's CPU clock needs Linux")

Outcome = Callable[[Callable[[int], object]], str]


@pytest.fixture
def outcome(monkeypatch: pytest.MonkeyPatch) -> Iterator[Outcome]:
    """Runs work in a watched fork, steps of the watch being short; gives how it ended: `done`, `told`, `died`."""
    monkeypatch.setattr(watch, "_STEP_S", 0.1)
    reader, out = os.pipe()

    def run(work: Callable[[int], object]) -> str:
        child = os.fork()
        if child == 0:
            status = 3
            try:
                limits.start_clocks(5)
                work(out)
                status = 0
            except limits.Waiting:
                status = 1
            finally:
                os._exit(status)
        end = os.pidfd_open(child)
        watch.until(end, child, out)
        os.close(end)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return {0: "done", 1: "told"}.get(status, "died")

    yield run
    os.close(reader)
    os.close(out)


@pytest.mark.parametrize("wait", [lambda out: time.sleep(30), lambda out: os.read(os.pipe()[0], 1)])
def test_standing_still_is_noticed(outcome: Outcome, wait: Callable[[int], object]) -> None:
    """Whoever waits in one call for longer than they may is interrupted there."""
    assert outcome(wait) == "told"


def test_short_pauses_are_no_standing_still(outcome: Outcome) -> None:
    """Code that sleeps between its steps goes on, however little it computes, wherever it does."""

    def pause(out: int) -> None:
        for _ in range(30):
            time.sleep(0.05)

    assert outcome(pause) == "done"


def test_waiting_for_a_reader_of_what_it_prints_is_no_standing_still(outcome: Outcome) -> None:
    """The grader may be stopped, or busy elsewhere."""

    def fill(out: int) -> None:
        os.set_blocking(out, False)
        try:
            while True:
                os.write(out, bytes(65_536))
        except BlockingIOError:
            time.sleep(1.5)

    assert outcome(fill) == "done"


def test_a_clock_that_stands_makes_no_difference(outcome: Outcome) -> None:
    """Between `stop_clocks` and `start_clocks` it is ours to wait."""

    def wait(out: int) -> None:
        limits.stop_clocks()
        time.sleep(1.5)

    assert outcome(wait) == "done"


def test_one_that_dies_is_left(outcome: Outcome) -> None:
    """Its end is the end of watching it."""
    assert outcome(lambda out: os.kill(os.getpid(), signal.SIGKILL)) == "died"


def test_computing_is_no_standing_still(outcome: Outcome) -> None:
    """Not even in one long call that sees no signals."""
    assert outcome(lambda out: sum(range(30_000_000))) == "done"
