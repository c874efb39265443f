"""numpy in a worker is limited in memory, time and threads. What a check leaves in it or changes is not seen later."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from every import every

from grader.course.load import Limits
from grader.program import program
from grader.runner import sandbox
from grader.runner.client import Batch, Broke, Called, Died, Done, Grads, Numbers, Ran, Read, Run, Values, ask
from grader.runner.client.protocol import Array
from grader.runner.sandbox import Started

Running = Callable[..., Any]
LIMITS = Limits(calls=20_000, cpu_s=0.1, memory_mb=512, output_kb=4)
NUMPY = "import numpy as np"
TENSOR = """
import numpy as np


class Tensor:
    def __init__(self, data, inputs=()):
        self.data, self._prev, self._backward = np.array(data, dtype=float), inputs, lambda: None
        self.grad = np.zeros_like(self.data)

    def __add__(self, other):
        out = Tensor(self.data + other.data, (self, other))

        def _backward():
            for node in out._prev:
                node.grad += out.grad
                node.data += 1

        out._backward = _backward
        return out

    def backward(self):
        self.grad += 1
        self._backward()
"""


@pytest.fixture(scope="module")
def warm() -> Iterator[Started]:
    with sandbox.start("auto", allow_imports=["numpy"]) as started:
        yield started


@pytest.fixture(scope="module")
def unconfined() -> Iterator[Started]:
    with sandbox.start("process", allow_imports=["numpy"]) as started:
        yield started


def outcome(ran: Ran) -> Any:
    """Return the outcome of a batch's only run."""
    assert isinstance(ran.answer, Read), ran
    return ran.answer.seeds[0][0]


def runs_well(process: Any) -> bool:
    """Return whether the next batch of the same file finishes."""
    return isinstance(outcome(process.ask(steps=(ask.VALUES,))), Done)


@pytest.mark.skipif(sys.platform != "linux", reason="the threads of a process are counted in /proc")
def test_a_product_of_matrices_uses_one_thread(running: Running, unconfined: Started) -> None:
    """BLAS would start a thread for each core, which the sandbox refuses and the limit of CPU time counts."""
    act = "a = np.ones((300, 300))\na @ a\nreturn float(len(os.listdir('/proc/self/task')))"
    assert Called(Numbers((1.0,))) == outcome(running(act, NUMPY, warm=unconfined).ask()).results[1]


@every(
    "act",
    [
        "np.zeros(10**9)",
        "np.ones((30_000, 30_000))",
        "a = np.ones(10**4)\na[:, None] * a",
        "held = []\nwhile True: held.append(np.zeros(10**6))",
    ],
)
def test_too_large_an_array_is_an_error_of_memory(running: Running, act: str) -> None:
    """numpy's own exception is one of memory, and the next check is not harmed."""
    process = running(act, NUMPY, limits=LIMITS)
    found = outcome(process.ask())
    assert isinstance(found, Broke)
    assert "MemoryError" == found.problem.type_name
    assert runs_well(process)


LONG = "view = np.lib.stride_tricks.as_strided(np.ones(1), (10**6, 10**6), (0, 0))\n"


def test_one_long_call_is_ended_by_the_limit_of_time(running: Running) -> None:
    """Python cannot interrupt it, so its process ends, and the next check has another one."""
    process = running(f"{LONG}view.sum()", NUMPY, limits=LIMITS)
    assert Died("cpu_limit", seconds=0.2) == process.ask(cpu_s=0.1).answer
    assert runs_well(process)


def test_many_calls_are_stopped_between_two_of_them(running: Running) -> None:
    """Also if the code catches every exception."""
    act = "while True:\n    try:\n        np.ones(10**5).sum()\n    except Exception:\n        pass"
    found = outcome(running(act, NUMPY, limits=LIMITS).ask(cpu_s=0.1))
    assert isinstance(found, Broke)
    assert ("cpu", [23]) == (found.problem.kind, found.problem.lines)


@every(
    ("shown", "change"),
    [
        ("np.geterr()", "np.seterr(all='raise')"),
        ("np.geterrcall()", "np.seterrcall(print)"),
        ("np.getbufsize()", "np.setbufsize(1 << 15)"),
        ("np.array([1 / 3])", "np.set_printoptions(precision=2)"),
        ("repr(np.float64(2))", "np.set_printoptions(legacy='1.13')"),
        ("np.random.rand()", "np.random.seed(5)"),
        ("np.sum is sum", "np.sum = sum"),
    ],
)
def test_settings_of_numpy_are_restored_between_checks(running: Running, shown: str, change: str) -> None:
    """Each check sees what the first one saw, in the same process."""
    process = running(f"print(SHOWN)\n{change}\nprint({shown})", f"{NUMPY}\nSHOWN = {shown}", limits=LIMITS)
    first, second = (process.ask().output.splitlines() for _ in range(2))
    assert first[0] != first[1]
    assert first == second


def test_an_observed_array_does_not_change_later(submit: Callable[..., Any]) -> None:
    """Observations are copies, so `+=` in place changes only what is observed after it."""
    process = submit(TENSOR)
    asked = program("L = a + b", a=[[1, 2]], b=[[3, 4]])
    steps = (ask.VALUES, ask.GRADS, ask.Backward(2), ask.VALUES, ask.GRADS)
    found = outcome(process.run(Batch((Run(asked, steps),), 1_000, 0.3, (0,))))
    seen = [result.numbers for result in found.results if isinstance(result, (Values, Grads))]
    assert [(1, 2, 3, 4, 4, 6), (0,) * 6, (2, 3, 4, 5, 4, 6), (1,) * 6] == seen


HUGE = {
    "float64": "np.lib.stride_tricks.as_strided(np.ones(1), (10**6, 10**6), (0, 0))",
    "list": "[[0.0] * 10**6] * 10**6",
}


def huge(kind: str) -> str:
    """Return an engine whose sums of arrays have 10**12 numbers, which take little memory."""
    return TENSOR.replace(
        "        out._b", f"        if out.data.ndim:\n            out.data = {HUGE[kind]}\n        out._b"
    )


@every("kind", HUGE)
def test_bounds_count_elements_and_not_bytes(submit: Callable[..., Any], kind: str) -> None:
    """An array whose numbers share their memory is too large all the same, and none of them is read."""
    process = submit(huge(kind))
    asked = program("L = a + b", a=[[1, 2]], b=[[3, 4]])
    values = outcome(process.run(Batch((Run(asked, (ask.VALUES,)),), 1_000, 0.3, (0,)))).results[0]
    assert Array((10**6, 10**6), kind, Numbers(())) == values.arrays[2]


@every("kind", HUGE)
def test_a_gradient_as_large_as_a_huge_array_is_an_error_of_memory(submit: Callable[..., Any], kind: str) -> None:
    """The grader sets gradients before it runs local rules alone."""
    process = submit(huge(kind))
    asked = program("L = a + b", a=[[1, 2]], b=[[3, 4]])
    found = outcome(process.run(Batch((Run(asked, (ask.LocalRules(2, 1.0),)),), 1_000, 0.3, (0,))))
    assert "MemoryError" == found.problem.type_name
