"""Candidates from an engine process, which may answer anything."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.course.load import Limits
from grader.course.remarks import Died
from grader.program import program
from grader.runner.client import (
    Batch,
    Budget,
    Candidate,
    CandidateProcess,
    Host,
    Read,
    Run,
    Source,
    ask,
    bounds,
)
from grader.runner.client.transport import TransportAnswer
from grader.runner.sandbox import Warm
from grader.runner.worker.adapter import candidates as worker
from grader.runner.worker.confine.framing import HEADER

SOURCE = "def rule(self, out):\n    self.grad = out.grad\n"
EDIT = ["accumulate", [2], [[20, 21, "+="]], ""]


class Answering:
    """A place where files run that gives one answer."""

    tier = "test"
    allow: Mapping[str, str] = {}
    attempts = ()
    running = True

    def __init__(self, answer: Any) -> None:
        data = b"" if isinstance(answer, Died) else json.dumps(answer).encode()
        self.frame = answer if isinstance(answer, Died) else HEADER.pack(len(data)) + data

    def connect(self, limits: Limits, budget: Budget) -> "Answering":
        return self

    def exchange(self, request: bytes, cap: int, cpu_s: float) -> TransportAnswer:
        return TransportAnswer(self.frame, "")

    def check(self) -> None: ...
    def start(self) -> None: ...
    def close(self) -> None: ...


def opened(host: Warm | Host, source: str, limits: Limits, budget: Budget | None = None) -> CandidateProcess:
    lines = range(1, source.count("\n") + 1)
    return CandidateProcess(host, Source(Path("x.py"), source), lines, limits, budget or Budget())


def found_in(host: Warm | Host, source: str, limits: Limits) -> list[Candidate]:
    with opened(host, source, limits) as process:
        return list(process.candidates().values())


def test_a_process_makes_candidates(warm: Warm, limits: Limits) -> None:
    """The edits of a file come from a process of its own, which does not run the file."""
    source = SOURCE + "raise SystemExit\n"
    found = found_in(warm, source, limits)
    assert source.replace(" = ", " += ") in [candidate.edited(source) for candidate in found]


@pytest.mark.parametrize(
    "answer",
    [
        ["candidates", [["accumulate", [2], [[21, 20, "+="]], ""]]],
        ["candidates", [["accumulate", [2], [[20, 2_000, "+="]], ""]]],
        ["candidates", [["accumulate", [2], [[30, 31, ""], [20, 21, ""]], ""]]],
        ["candidates", [["accumulate", [], [[20, 21, "+="]], ""]]],
        ["candidates", [["accumulate", [2], [], ""]]],
        ["candidates", [["accumulate", [2], [[-1, 21, "+="]], ""]]],
        ["candidates", [["accumulate", [2], [[20, 21, "+="]] * 37, ""]]],
        ["candidates", [["accumulate", [2], [[20, 21]], ""]]],
        ["candidates", [["accumulate", [0], [[20, 21, "+="]], ""]]],
        ["candidates", [["accumulate", [2] * 13, [[20, 21, "+="]], ""]]],
        ["candidates", [["accumulate", [2], [[20, 21, "x" * 9_000]], ""]]],
        ["candidates", [["unknown", [2], [[20, 21, "+="]], ""]]],
        ["candidates", [EDIT] * (bounds.CANDIDATES + 1)],
        ["candidates", [[*EDIT, "more"]]],
        ["candidates", [[*EDIT[:3], "not a name"]]],
        ["loaded"],
        "candidates",
        Died("exited"),
    ],
)
def test_an_answer_that_does_not_fit_gives_no_candidates(answer: Any, limits: Limits) -> None:
    """Nothing is guessed from a malformed answer."""
    host = Answering(answer)
    assert [] == found_in(host, SOURCE, limits)


def test_an_answer_that_fits_gives_its_candidates(limits: Limits) -> None:
    """The counterpart of the malformed answers."""
    (found,) = found_in(Answering(["candidates", [EDIT]]), SOURCE, limits)
    assert ("accumulate", (2,)) == (found.kind, found.lines)


def test_both_ends_know_the_same_bounds() -> None:
    """The worker imports nothing of the grader, so it has the bounds a second time."""
    assert (bounds.CANDIDATES, bounds.REPLACEMENT) == (worker.MOST, worker.LONGEST)


ENGINE = """
import os, sys

class Value:
    def __init__(self, data, inputs=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, set(inputs), lambda: None

    def __add__(self, other):
        ATTACK
        return Value(self.data - other.data, (self, other))
"""
BATCH = Batch((Run(program("L = a + b", a=2, b=3), (ask.VALUES,)),), 1_000, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "attack",
    [
        pytest.param("pass", marks=pytest.mark.exhaustive),
        pytest.param("exit_now = 0; 0 > exit_now and os._exit(1)", marks=pytest.mark.exhaustive),
        "spin = 0\n        while 0 > spin: pass",
        "kept = sys._getframe(9).f_locals if 0 > 1 else 0; -1 > 0 and os.kill(os.getpid(), 9)",
    ],
)
def test_candidates_are_tried_whatever_others_do(warm: Warm, limits: Limits, attack: str) -> None:
    """Edits that end the process or never end have no answer. The right one has its answer among them."""
    source = ENGINE.replace("ATTACK", attack)
    right = source.replace("self.data - other.data", "(self.data + other.data)")
    with opened(warm, source, limits) as process:
        numbers = process.candidates()
        answers = list(process.tried(BATCH, list(numbers), 0.05))
    assert len(numbers) == len(answers)
    answer = answers[[one.edited(source) for one in numbers.values()].index(right)]
    assert isinstance(answer, Read)
    assert {5.0} == {seed[0].values[0][2] for seed in answer.seeds if seed[0]}


def test_a_search_without_budget_has_no_answers(warm: Warm, limits: Limits) -> None:
    """When the time of the search is used up, nothing more is run."""
    budget = Budget()
    with opened(warm, ENGINE.replace("ATTACK", "pass"), limits, budget) as process:
        numbers = list(process.candidates())
        budget.cpu_s = budget.max_cpu_s
        assert [None] * len(numbers) == list(process.tried(BATCH, numbers, 0.05))


@pytest.mark.parametrize(
    "answer",
    [
        ["tried", []],
        ["tried", [["read"]] * 40],
        ["executed", [1.5]],
        ["executed", ["1"]],
        ["candidates", []],
        Died("exited"),
    ],
)
def test_answers_about_candidates_that_do_not_fit_are_none(answer: Any, limits: Limits) -> None:
    """A process that has run learner code may send anything."""
    with opened(Answering(answer), SOURCE, limits) as process:
        assert [None, None] == list(process.tried(BATCH, [0, 1], 0.05))
        assert process.executed(BATCH) is None
