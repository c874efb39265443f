"""The budget of calls, the CPU clock, and what a process gives up for good."""

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from grader.worker.limits import CallBudget, OutOfCalls, OutOfTime

from grader.worker import limits, load

FILE = "07_learner.py"


def code(source: str) -> dict[str, Any]:
    """The names that a learner's source defines."""
    parsed = load.parse(source, FILE)
    return vars(load.execute(parsed, load.offer(parsed, {})))


SPIN = {
    "recursion": "import sys\nsys.setrecursionlimit(10**6)\ndef run():\n    return run()\n",
    "loop of calls": "def step():\n    pass\ndef run():\n    while True:\n        step()\n",
    "loop of methods": "class A:\n    def m(self): pass\ndef run():\n    a = A()\n    while True:\n        a.m()\n",
    "two paths at each step": "def walk(n):\n    return n and walk(n - 1) + walk(n - 1)\ndef run():\n    walk(60)\n",
    "endless generator": "def count():\n    while True:\n        yield 1\ndef run():\n    return sum(count())\n",
}


@pytest.fixture
def _recursion_limit() -> Iterator[None]:
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("source", SPIN.values(), ids=SPIN.keys())
@pytest.mark.usefixtures("_recursion_limit")
def test_calls_without_end_are_stopped(source: str) -> None:
    """Recursion, a loop of calls, repeated work and a generator without end all run out of calls."""
    names = code(source)
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], 500):
        names["run"]()


@pytest.mark.parametrize(("allowed", "calls"), [(True, 10), (True, 11), (False, 12)])
def test_the_budget_is_exact(allowed: bool, calls: int) -> None:
    """As many calls as the budget has go through; one more does not."""
    names = code("def step():\n    pass\ndef run(n):\n    for _ in range(n):\n        step()\n")
    went_through = False
    try:
        with CallBudget(names["__builtins__"], 12):
            names["run"](calls)
            went_through = True
    except OutOfCalls:
        pass
    assert allowed is went_through


def test_code_of_other_files_is_free() -> None:
    """Calls inside the standard library are not the learner's."""
    names = code("import textwrap\ndef run():\n    return textwrap.wrap('word ' * 1000)\n")
    with CallBudget(names["__builtins__"], 1):
        assert names["run"]()


def test_a_budget_ends_with_its_block() -> None:
    """After the block nothing is counted."""
    names = code("def step():\n    pass\n")
    with CallBudget(names["__builtins__"], 5):
        names["step"]()
    for _ in range(10):
        names["step"]()


def test_a_budget_ends_also_when_it_is_spent() -> None:
    """The exception that ends a run ends the counting, too; inside the block it comes each time."""
    names = code("def step():\n    pass\n")
    with CallBudget(names["__builtins__"], 0):
        for _ in range(3):
            with pytest.raises(OutOfCalls):
                names["step"]()
    names["step"]()


@pytest.mark.parametrize(
    ("calls", "source"),
    [
        (1, "def run():\n    'A docstring.'\n    return 7\n"),
        (2, "def run():\n    return (lambda x: x + 6)(1)\n"),
        (4, "def run():\n    def two():\n        yield 3\n        yield 4\n    return sum(two())\n"),
        (3, "def run():\n    def one():\n        yield\n    return [7 for _ in one()][0]\n"),
        (2, "class A:\n    def __init__(self):\n        self.x = 7\ndef run():\n    return A().x\n"),
        (2, "def run():\n    x = 0\n    def inner():\n        nonlocal x\n        x = 7\n    inner()\n    return x\n"),
        (1, "def run():\n    'Only a docstring.'\nrun.__defaults__ = None\n"),
    ],
)
def test_functions_do_what_they_did_and_spend_a_call(calls: int, source: str) -> None:
    """Counting leaves results and docstrings as they are, and each call and each item of a generator costs one."""
    names = code(source)
    plain: dict[str, Any] = {}
    exec(compile(source, FILE, "exec"), plain)
    with CallBudget(names["__builtins__"], calls):
        assert plain["run"]() == names["run"]()
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], calls - 1):
        names["run"]()
    assert plain["run"].__doc__ == names["run"].__doc__


def test_counting_shows_in_no_name_and_no_line() -> None:
    """A learner's module has no more names than they wrote, and tracebacks have the lines that they wrote."""
    names = code("def run():\n    'Doc.'\n    1 / 0\n")
    assert {"run"} == {name for name in names if not name.startswith("__")}
    with pytest.raises(ZeroDivisionError) as caught:
        names["run"]()
    assert caught.traceback[-1].lineno + 1 == 3


def test_the_learners_except_exception_does_not_catch_it() -> None:
    """`except Exception` in a learner's loop cannot swallow the end of a budget."""
    source = """
def step():
    pass
def run():
    while True:
        try:
            step()
        except Exception:
            pass
"""
    names = code(source)
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], 100):
        names["run"]()


def in_a_child(work: Callable[[], Any]) -> int:
    """Run something in a fork; gives its exit status, negative for a signal."""
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
    """A loop that calls nothing is stopped after the CPU time that it was given."""

    def work() -> int:
        limits.start_clocks(0.05)
        try:
            while True:
                pass
        except OutOfTime:
            return 0

    assert in_a_child(work) == 0


def test_sleeping_uses_no_cpu_time() -> None:
    """The clock stands while the process waits: a busy machine is no learner's fault."""

    def work() -> int:
        limits.start_clocks(0.05)
        time.sleep(0.2)
        return 0

    assert in_a_child(work) == 0


def test_a_stopped_clock_stays_silent() -> None:
    """After stop_clocks CPU time may be used again."""

    def work() -> int:
        limits.start_clocks(0.05)
        limits.stop_clocks()
        end = time.process_time() + 0.12
        while time.process_time() < end:
            pass
        return 0

    assert in_a_child(work) == 0


def test_who_swallows_the_exception_is_ended_by_the_kernel() -> None:
    """Code that catches everything, again and again, is killed when the hard limit comes."""

    def work() -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (1, 1))  # so that the test need not wait for longer
        limits.start_clocks(0.05)
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass

    assert in_a_child(work) in (-signal.SIGXCPU, -signal.SIGKILL)


def test_memory_files_and_descriptors_are_given_up() -> None:
    """After apply() neither memory nor files nor descriptors are to be had, and no way leads back."""

    def work() -> int:
        limits.apply({"memory_mb": 512})
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
    """A file may be opened, but no byte can be put into it."""
    target = tmp_path / "file"

    def work() -> int:
        limits.apply({"memory_mb": 512})
        try:
            target.write_text("something")
        except OSError:
            return 7
        return 0

    assert in_a_child(work) == 7
    assert target.stat().st_size == 0


def test_the_kernel_ends_a_process_that_takes_seconds_more_than_it_may() -> None:
    """Whatever the clock's exception is caught by, CPU time has an end that no code can move."""

    def work() -> int:
        limits.forbid_more({"cpu_s": 2}, 10.5)
        return int(resource.getrlimit(resource.RLIMIT_CPU) != (13, 14))

    assert in_a_child(work) == 0


def test_without_a_budget_calls_are_free() -> None:
    """A budget of None counts nothing."""
    names = code("def step():\n    pass\ndef run(n):\n    for _ in range(n):\n        step()\n")
    with CallBudget(names["__builtins__"], None):
        names["run"](10_000)


def test_a_limit_that_the_system_refuses_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one limit cannot be set, the rest are."""
    given: list[int] = []

    def setrlimit(which: int, limit: tuple[int, int]) -> None:
        if which == resource.RLIMIT_AS:
            raise ValueError("not here")
        given.append(which)

    monkeypatch.setattr(resource, "setrlimit", setrlimit)
    limits.apply({"memory_mb": 512})
    assert [resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE] == given


def test_without_rlimits_calls_still_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a system without resource limits the clock and apply() do nothing, and the budget works."""
    monkeypatch.setattr(limits, "resource", None)
    limits.start_clocks(0.001)
    limits.stop_clocks()
    limits.apply({"memory_mb": 1})
    limits.forbid_more({"cpu_s": 1}, 1)
    names = code(SPIN["loop of calls"])
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], 100):
        names["run"]()
