"""A server process for all tests of a file, and its engine processes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from grader.course.load import Limits
from grader.program import program
from grader.runner import sandbox
from grader.runner.client import Batch, Budget, EngineProcess, Loaded, Ran, Run, Source, ask
from grader.runner.sandbox import Started

LIMITS = Limits(calls=20_000, cpu_s=0.3, memory_mb=512, output_kb=4)  # small, so that endless code is stopped soon
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
def warm() -> Iterator[Started]:
    """Start separate processes without a sandbox, to test only the limits and the pipe."""
    with sandbox.start("process") as started:
        yield started


@pytest.fixture
def limits() -> Limits:
    """Return small limits."""
    return LIMITS


class Process(EngineProcess):
    """An engine process that is asked to run one program."""

    def ask(self, cpu_s: float | None = None, calls: int | None = 20_000, steps: object = None) -> Ran:
        """Run a batch with one run of L = a * b, in which `act(L)` is called, under one order seed."""
        asked = program("L = a * b", a=2, b=3)
        run = Run(asked, steps or (ask.VALUES, ask.CallFunction("act", [("node", 2)])))  # type: ignore[arg-type]
        return self.run(Batch((run,), calls, cpu_s or LIMITS.cpu_s, (0,)))


@pytest.fixture
def submit(warm: Started) -> Iterator[Callable[..., Process]]:
    """Make an engine process from a source. All of them end with the test."""
    with ExitStack() as stack:

        def make(
            source: str,
            stub: str | None = None,
            warm: Started = warm,
            limits: Limits = LIMITS,
            budget: Budget | None = None,
            apart: bool = False,
        ) -> Process:
            process = Process(warm, Source(Path("07_learner.py"), source), stub, limits, budget, apart=apart)
            stack.callback(process.close)
            return process

        yield make


@pytest.fixture
def acting(submit: Callable[..., Process]) -> Callable[..., Process]:
    """Make an engine process with given code in its function `act(root)` or at the top level of its file."""

    def make(act: str = "pass", at_import: str = "", **others: object) -> Process:
        body = "".join(f"    {line}\n" for line in act.splitlines())
        return submit(f"{ENGINE.replace('    pass', body)}\n{at_import}\n", **others)

    return make


@pytest.fixture
def running(acting: Callable[..., Process]) -> Callable[..., Process]:
    """Make such an engine process, in which the file is loaded."""

    def make(*texts: str, **others: object) -> Process:
        process = acting(*texts, **others)
        assert isinstance(process.load(), Loaded)
        return process

    return make
