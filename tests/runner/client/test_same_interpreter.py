"""A file may also run in the same interpreter, behind the same interface as a process."""

import math
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from every import every

from grader.course.load import Limits
from grader.program import program
from grader.runner.client import (
    Batch,
    Broke,
    Budget,
    Died,
    Done,
    EngineProcess,
    Loaded,
    LoadFailed,
    NotStarted,
    Read,
    Run,
    Source,
    ask,
)
from grader.runner.same_interpreter import Here, MoreTime, Pace

FILE = Path("07_learner.py")

ENGINE = (Path(__file__).resolve().parents[3] / "solutions" / "07_backward.py").read_text(encoding="utf-8")
LIMITS = Limits(calls=20_000, output_kb=4)


@pytest.fixture(scope="module")
def here() -> Iterator[Here]:
    with Here() as host:
        yield host


def batch() -> Batch:
    asked = program("L = a * b", a=2, b=3)
    return Batch((Run(asked, (ask.Backward(2), ask.GRADS)),), 20_000, 1.0)


def gradients(process: EngineProcess) -> list[object]:
    """Return the gradients that a batch observes, by order seed."""
    answer = process.run(batch()).answer
    assert isinstance(answer, Read)
    return [seed[0].grads[0] for seed in answer.seeds if isinstance(seed[0], Done)]


def test_a_file_runs_without_a_process(here: Here) -> None:
    """Under every order seed, the observations are those that a process would send, in each of two batches."""
    with EngineProcess(here, Source(FILE, ENGINE), None, LIMITS) as process:
        assert Loaded() == process.load()
        assert [[(3.0, 2.0, 1.0)] * 4] * 2 == [gradients(process) for _ in range(2)]


def test_what_goes_wrong_is_known_without_a_process(here: Here) -> None:
    """A file that is the stub, one that cannot be loaded, and a rule that raises give the answers of a process."""
    with EngineProcess(here, Source(FILE, ENGINE), ENGINE, LIMITS) as process:
        assert NotStarted() == process.load()
    with EngineProcess(here, Source(FILE, "1 / 0"), None, LIMITS) as process:
        assert isinstance(process.load(), LoadFailed)
    broken = ENGINE.replace("self.grad += other.data", "self.grad += nothing")
    with EngineProcess(here, Source(FILE, broken), None, LIMITS) as process:
        answer = process.run(batch()).answer
        assert isinstance(answer, Read)
        assert isinstance(answer.seeds[0][0], Broke)


def test_each_batch_runs_the_file_afresh(here: Here) -> None:
    """What a file keeps in its namespace is gone in the next batch."""
    counting = ENGINE.replace("class Value:", "used = []\n\n\nclass Value:").replace(
        "self.grad += other.data", "used.append(1) or len(used) < 2 or 1 / 0; self.grad += other.data"
    )
    with EngineProcess(here, Source(FILE, counting), None, LIMITS) as process:
        first, second = (process.run(batch()).answer for _ in range(2))
        assert first == second


@every(
    "line",
    [
        "import math; math.exp = None",
        "import builtins; builtins.len = None",
        "import sys; sys.setrecursionlimit(5_000); sys.settrace(lambda *_: None); sys.stdout = None",
        "import os; os.environ['LEFT'] = 'behind'",
        "import random; random.seed(1)",
        "import sys; sys.modules['math'] = None",
        "input()",
    ],
)
def test_the_interpreter_is_restored(here: Here, line: str) -> None:
    """What a file changes outside of itself is undone when its request is answered."""

    def state() -> tuple[object, ...]:
        settings = (sys.getrecursionlimit(), sys.gettrace(), sys.stdin, sys.stdout, random.getstate(), sys.meta_path[:])
        return (math.exp, len, sys.modules["math"], dict(os.environ), *settings)

    before = state()
    with EngineProcess(here, Source(FILE, f"{line}\n{ENGINE}"), None, LIMITS) as process:
        process.load()
        process.run(batch())
    assert before == state()


def test_printed_text_is_returned_once(here: Here) -> None:
    """Text that the file prints when it is executed again belongs to no batch."""
    with EngineProcess(here, Source(FILE, f"print('hello')\n{ENGINE}"), None, LIMITS) as process:
        loaded = process.load()
        assert ("hello\n", "", "") == (loaded.output, *(process.run(batch()).output for _ in range(2)))  # type: ignore[union-attr]


@pytest.mark.parametrize("loop", ["while True: print('x' * 1000)", "print('x' * 10_000_000)"])
def test_a_flood_ends_the_file(here: Here, loop: str) -> None:
    """A file that prints more than a process may print gets the same reason."""
    with EngineProcess(here, Source(FILE, loop), None, LIMITS) as process:
        loaded = process.load()
        assert isinstance(loaded, LoadFailed)
        assert Died("output_too_large", limit_kb=64 * 4) == loaded.cause


def test_the_budget_counts(here: Here) -> None:
    """The time that learner code takes counts for the submission, and nothing is run when it is used up."""
    budget = Budget(max_cpu_s=1e-9)
    with EngineProcess(here, Source(FILE, ENGINE), None, LIMITS, budget) as process:
        assert isinstance(process.load(), Loaded)
        assert budget.cpu_exceeded == process.run(batch()).answer


@pytest.mark.parametrize(
    ("slowness", "added"),
    [
        ([1.0], [0]),
        ([1.2], [0]),
        ([1.5, 1.5], [1, 0]),
        ([2.0, 2.0], [2, 0]),
        ([3.5, 3.5, 3.5], [2, 2, 1]),
        ([4.0, 1.0], [2, 1]),
        ([100.0] * 4, [2, 2, 2, 0]),
    ],
)
def test_a_busy_machine_gives_more_time(slowness: list[float], added: list[float]) -> None:
    """A limit of 2 s grows with the mean of what was measured, each time by at most 2 s, and to at most 8 s."""
    measured = iter(slowness)
    more = MoreTime(2.0, lambda: next(measured))
    assert pytest.approx(added) == [max(0.0, more()) for _ in slowness]


@pytest.mark.parametrize("step", [1e-9, 1e-3, 0.1])
def test_the_best_pace_is_the_measure(step: float) -> None:
    """Python is never faster than at best, whatever the steps of a browser's clock."""
    pace = Pace(lambda: time.perf_counter() // step * step)
    assert 1 <= min(pace.slowness() for _ in range(3)) < math.inf
