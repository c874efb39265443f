"""A server process for all tests of a file, and its engine processes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from grader import sandbox
from grader.client import Batch, Budget, EngineProcess, Run, Source
from grader.course import Limits
from grader.program import program
from grader.sandbox import Warm

ENGINE = '''
import os, signal, sys, threading, time

count = 0


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, set(_prev), lambda: None

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other))

    def backward(self):
        """A right one for a single operation."""
        self.grad = 1.0


def act(root):
    pass
'''


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    """Start separate processes without a sandbox, to test only the limits and the pipe."""
    with sandbox.start("process") as started:
        yield started


@pytest.fixture
def limits() -> Limits:
    """Return small limits, so that endless code is stopped soon."""
    return Limits(calls=20_000, cpu_s=0.3, memory_mb=512, output_kb=4)


@pytest.fixture
def submit(warm: Warm, limits: Limits) -> Iterator[Callable[..., EngineProcess]]:
    """Make an engine process from a source. All of them end with the test."""
    with ExitStack() as stack:

        def make(
            source: str,
            stub: str | None = None,
            warm: Warm = warm,
            limits: Limits = limits,
            budget: Budget | None = None,
            apart: bool = False,
        ) -> EngineProcess:
            file = Source(Path("07_learner.py"), source)
            return stack.enter_context(EngineProcess(warm, file, stub, limits, budget, apart=apart))

        yield make


@pytest.fixture
def acting(submit: Callable[..., EngineProcess]) -> Callable[..., EngineProcess]:
    """Make an engine process with given code in its function `act(root)` or at the top level of its file."""

    def make(act: str = "pass", at_import: str = "", **others: object) -> EngineProcess:
        body = "".join(f"    {line}\n" for line in act.splitlines())
        return submit(f"{ENGINE.replace('    pass', body)}\n{at_import}\n", **others)

    return make


@pytest.fixture
def batch(limits: Limits) -> Callable[..., Batch]:
    """Make a batch with one run of L = a * b, in which `act(L)` is called, under one order seed."""

    def make(cpu_s: float = limits.cpu_s, calls: int | None = limits.calls, steps: object = None) -> Batch:
        asked = program("L = a * b", a=2, b=3)
        return Batch((Run(asked, steps or (("values",), ("call", "act", [["node", 2]]))),), calls, cpu_s, (0,))  # type: ignore[arg-type]

    return make
