"""The CPU clock, and the limits that a process sets permanently."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from every import every

from grader.runner.worker.confine import limits
from grader.runner.worker.confine.limits import OutOfTime


def in_a_child(work: Callable[[], Any]) -> int:
    """Run a function in a fork, and return its exit status, which is negative for a signal."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            status = int(work() or 0)
        except BaseException:
            status = 98
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status)


def test_cpu_time_runs_out() -> None:
    """A loop without calls is stopped after its CPU time."""

    def work() -> int:
        limits.start_clocks(0.05)
        try:
            while True:
                pass
        except OutOfTime:
            return 0

    assert in_a_child(work) == 0


@pytest.mark.slow
def test_what_is_not_theirs_is_not_interrupted() -> None:
    """A frame of the worker itself is not interrupted."""

    def work() -> int:
        limits.start_clocks(0.05, lambda frame: False)
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
        os.kill(os.getpid(), limits.STALLED)
        return 0

    assert in_a_child(work) == 0


@pytest.mark.slow
def test_sleeping_uses_no_cpu_time() -> None:
    """The clock does not advance while the process waits."""

    def work() -> int:
        limits.start_clocks(0.05)
        time.sleep(0.2)
        return 0

    assert in_a_child(work) == 0


def test_a_stopped_clock_stays_silent() -> None:
    """After stop_clocks, the process may use CPU time."""

    def work() -> int:
        limits.start_clocks(0.05)
        limits.stop_clocks()
        end = time.process_time() + 0.12
        while time.process_time() < end:
            pass
        return 0

    assert in_a_child(work) == 0


@pytest.mark.slow
def test_who_swallows_the_exception_is_ended_by_the_kernel() -> None:
    """Code that catches every exception is killed at the hard limit."""

    def work() -> int:
        limits.apply(512, 0.5)
        limits.start_clocks(0.05)
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass

    assert in_a_child(work) == -signal.SIGKILL


def test_memory_files_and_descriptors_are_given_up() -> None:
    """After apply(), no more memory, files or descriptors are available, and the limits cannot be raised."""

    def work() -> int:
        limits.apply(512, 60)
        refused = 0
        try:
            bytearray(1 << 30)
        except MemoryError:
            refused += 1
        try:
            while True:
                os.dup(0)
        except OSError:
            refused += 1
        return 10 * refused + (resource.getrlimit(resource.RLIMIT_AS) == (512 << 20, 512 << 20))

    assert in_a_child(work) == 21


def test_nothing_can_be_written_to_a_file(tmp_path: Any) -> None:
    """A file may be opened, but no byte can be written to it."""
    target = tmp_path / "file"

    def work() -> int:
        limits.apply(512, 60)
        try:
            target.write_text("something")
        except OSError:
            return 7
        return 0

    assert in_a_child(work) == 7
    assert target.stat().st_size == 0


@every(("seconds", "left"), [(60, 60.0), (10, 10.9), (1, 1.0), (1, 0.2)])
def test_the_kernel_ends_a_process_that_takes_what_is_left(seconds: int, left: float) -> None:
    """The limit on CPU time, in whole seconds, holds even if code catches the clock's exception."""

    def work() -> int:
        limits.apply(512, left)
        return int(resource.getrlimit(resource.RLIMIT_CPU) != (seconds, seconds))

    assert in_a_child(work) == 0


def test_a_limit_that_the_system_refuses_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """If one limit cannot be set, the others are set."""
    given: list[int] = []

    def setrlimit(which: int, limit: tuple[int, int]) -> None:
        if which == resource.RLIMIT_AS:
            raise ValueError("not here")
        given.append(which)

    monkeypatch.setattr(resource, "setrlimit", setrlimit)
    limits.apply(512, 60)
    assert [resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU] == given


def test_without_rlimits_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a system without resource limits, the clock and apply() do nothing."""
    monkeypatch.setattr(limits, "resource", None)
    limits.start_clocks(0.001)
    limits.stop_clocks()
    limits.apply(1, 1)


def test_one_that_is_told_to_make_progress_says_where_it_stood() -> None:
    """While the clock runs, the signal for a stalled process raises an exception in the running code."""

    def work() -> int:
        limits.start_clocks(5)
        try:
            os.kill(os.getpid(), limits.STALLED)
        except limits.Stalled:
            return 0
        return 1

    assert in_a_child(work) == 0


def test_with_the_clock_stopped_nobody_is_told() -> None:
    """Between `stop_clocks` and `start_clocks`, the signal is ignored."""

    def work() -> int:
        limits.start_clocks(5)
        limits.stop_clocks()
        os.kill(os.getpid(), limits.STALLED)
        return 0

    assert in_a_child(work) == 0


# -- Counting the steps of loops, which needs Python 3.12 or later

_LOOP = """
import sys
sys.path[:0] = {path!r},
from worker.confine.limits import LoopSteps, OutOfTime

def lines(text, most):
    "Return the line on which the text was stopped, None if it ran to its end, and the steps that were left."
    code = compile(text, "learner.py", "exec")
    with steps.counted("learner.py", most, 60):
        try:
            exec(code, {{}})
        except OutOfTime as stopped:
            return stopped.__traceback__.tb_next.tb_lineno
    return None

def added():
    "Return 0.01 seconds, but nothing the third time."
    asked.append(1)
    return 0.01 if len(asked) < 3 else 0

asked, steps = [], LoopSteps()
print([lines(text, 1_000) for text in {texts!r}])
with steps.counted("learner.py", 10**9, 0, added):
    try:
        exec(compile("while True: pass", "learner.py", "exec"), {{}})
    except OutOfTime:
        print(len(asked))
steps.close()
"""


def _starts(python: str | Path | None) -> bool:
    command = [python or "", "-c", ""]
    return python is not None and subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_the_steps_of_loops_are_counted() -> None:
    """A loop is stopped at its own line after so many steps, in whatever form it is written; others run to the end.

    When the time is over, it is asked how much is added, until nothing is.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    others = [*map(shutil.which, ("python3.14", "python3.13", "python3.12")), *pyenv.glob("3.1[2-9].*/bin/python")]
    python = next(filter(_starts, [sys.executable] if sys.version_info >= (3, 12) else others), None)
    if python is None:
        pytest.skip("NOT TESTED here, only in a browser: there is no Python of version 3.12 or later")
    endless = ["while True: pass", "\nfor _ in iter(int, 1): x = _ or 1", "\n\n[0 for _ in iter(int, 1)]"]
    fine = ["for _ in range(999): pass", "sum(range(10_000))", "while True:\n    break"]
    program = _LOOP.format(path=str(Path(limits.__file__).parents[2]), texts=endless + fine)
    done = subprocess.run([python, "-I", "-c", program], check=False, capture_output=True, text=True)
    assert ("[1, 2, 3, None, None, None]\n3\n", "") == (done.stdout, done.stderr)
