"""A learner's file is compiled in its own process, without rights, and the file pays for the cost."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from grader.course.load import Limits
from grader.runner import sandbox
from grader.runner.client import Budget, Died, Loaded, LoadFailed, NotStarted, Problem, transport
from grader.runner.sandbox import Started

Submit = Callable[..., Any]

MANY_LINES = "x = [1, 2.0, 'three', (4, 5), {6: 7}, lambda y: y + 8]\n" * 30_000
LARGE = MANY_LINES[: len(MANY_LINES) // 10]
DEEP = "x = " + "(" * 3000 + ")" * 3000 + "\n"
UNARY = "x = " + "-" * 30_000 + "1\n"
FOLDED = f"x = [{', '.join(['9 ** 20 % 7 * (5 - -3), 10 * (1, 2, 3), 1 << 100'] * 30_000)}]\n"
SHORT = Limits(cpu_s=0.3, memory_mb=4096)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the wall clock's limit, so that CPU time decides on a busy machine."""
    monkeypatch.setattr(transport, "BACKSTOP", 1000)


@pytest.fixture(scope="module")
def strong() -> Iterator[Started]:
    """Start the strongest sandbox that works on this machine."""
    with sandbox.start("auto") as started:
        yield started


def cause(failed: object) -> Problem | Died:
    assert isinstance(failed, LoadFailed), failed
    return failed.cause


@pytest.mark.slow
@pytest.mark.parametrize(
    "source", [MANY_LINES, pytest.param(FOLDED, marks=pytest.mark.exhaustive)], ids=["many lines", "much to fold"]
)
def test_compiling_for_too_long_is_out_of_time(submit: Submit, strong: Started, source: str) -> None:
    """The time of the compiler counts as time for loading."""
    budget = Budget()
    process = submit(source, warm=strong, limits=SHORT, budget=budget)
    failed = cause(process.load())
    assert failed.kind in ("cpu", "cpu_limit")
    process.close()
    assert budget.cpu_s >= 0.3


@pytest.mark.slow
def test_what_the_stub_is_compared_with_counts_too(submit: Submit, strong: Started) -> None:
    """Parsing a file to compare it with the stub is under the same limit."""
    stub = "def f():\n    raise NotImplementedError\n"
    process = submit(f"{MANY_LINES}# NotImplementedError\n", stub=stub, warm=strong, limits=SHORT)
    assert cause(process.load()).kind in ("cpu", "cpu_limit")
    assert NotStarted() == submit(stub, stub=stub, warm=strong).load()


@pytest.mark.slow
def test_compiling_may_not_take_more_memory_than_the_rest(submit: Submit, strong: Started) -> None:
    """The memory for the syntax tree counts against the limit of memory."""
    limits = Limits(cpu_s=60, memory_mb=100)
    failed = cause(submit(MANY_LINES, warm=strong, limits=limits).load())
    assert isinstance(failed, Problem), failed
    assert ("load", "MemoryError") == (failed.where, failed.type_name)


@pytest.mark.parametrize("source", [DEEP, UNARY], ids=["deep brackets", "deep operators"])
def test_what_the_compiler_cannot_take_costs_the_file_alone(submit: Submit, strong: Started, source: str) -> None:
    """The file is rejected, or the process dies. The next file is loaded."""
    cause(submit(source, warm=strong, limits=Limits()).load())
    assert Loaded() == submit("x = 1\n", warm=strong).load()


@pytest.mark.slow
def test_a_large_file_within_its_limits_loads(submit: Submit, strong: Started) -> None:
    """A large file loads, and is compiled once for all batches."""
    process = submit(LARGE, warm=strong, limits=Limits(cpu_s=60), budget=Budget(max_wall_s=1000))
    assert Loaded() == process.load()
    for _ in range(3):
        process.ask(cpu_s=60)
    assert not process.fresh
