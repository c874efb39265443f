"""A submission whose files all cost as much as possible stays within its budget."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ours
import pytest
from msgspec.structs import replace
from ours import BOOK

from grader.runner import sandbox
from grader.runner.client import Budget
from grader.runner.sandbox import Started
from grader.verdict.grading import grade

# half a second for a batch, so that several files use up what all of them may use
COURSE = replace(ours.COURSE, limits=replace(ours.COURSE.limits, cpu_s=0.5))
CPU_S, WALL_S = 1.5, 2.5  # about a fortieth of the usual budget

VALUE = """
import os, signal, sys, time

def dally():
    {dally}

{at_import}

class Value:
    def __init__(self, data, _prev=()):
        {in_use}
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))
"""
SWALLOWED = """while True:
        try:
            while True: pass
        except BaseException: pass"""
UNSTOPPABLE = """for number in range(1, 64):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    while True: sum(range(10**9))"""
DALLY = {
    "computes": "while True: pass",
    "computes and swallows what stops it": SWALLOWED,
    "computes in C and ignores signals": UNSTOPPABLE,
    "sleeps": "time.sleep(1000)",
    "sleeps and swallows what wakes it": SWALLOWED.replace("while True: pass", "while True: time.sleep(1000)"),
    "sleeps and computes a little": "while True: time.sleep(0.05)",
    "prints a little now and then": "while True: os.write(1, b'.'); time.sleep(0.1)",
    "answers a little now and then": "while True: os.write(3, b'\\0'); time.sleep(1.5)",
    "closes its channel and stays": "os.closerange(1, 64); time.sleep(1000)",
}


@pytest.fixture(scope="module")
def warm() -> Iterator[Started]:
    with sandbox.start("auto", allow_imports=COURSE.allow_imports) as started:
        yield started


def graded(warm: Started, folder: Path, text: str, budget: Budget) -> Any:
    files = {}
    for exercise in COURSE.exercises:
        files[exercise.id] = folder / exercise.filename
        files[exercise.id].write_text(text, encoding="utf-8")
    return grade(COURSE, BOOK, files, seed=COURSE.seed, memo=folder / "memo.sqlite", warm=warm, budget=budget)


def cases() -> list[Any]:
    """Return each way to dally at each time. Each run has every second way at one time, and a long run has all."""
    times = ("at_import", "in_use")
    late = pytest.mark.exhaustive
    return [
        pytest.param(how, when, id=f"{how}-{when}", marks=() if place % 2 == 0 and (place // 2 + early) % 2 else late)
        for place, how in enumerate(DALLY)
        for early, when in enumerate(times)
    ]


@pytest.mark.parametrize(("how", "when"), cases())
def test_all_files_cost_no_more_than_the_budget(warm: Started, tmp_path: Path, how: str, when: str) -> None:
    """The files stay within the budget, during import and during checks, and get no points."""
    places = {"at_import": "", "in_use": "pass", "dally": DALLY[how], when: "dally()"}
    budget = Budget(max_cpu_s=CPU_S, max_wall_s=WALL_S)
    report = graded(warm, tmp_path, VALUE.format(**places), budget)
    assert budget.cpu_s <= CPU_S + 1.5
    assert budget.wall_s <= WALL_S + 30  # on a busy machine; without a budget, it would be minutes
    assert budget.exceeded is not None
    assert report.score == 0
    last = report.exercises[-1]
    spent = {"cpu": "1.5 seconds of CPU time", "wall": "2.5 seconds of time"}[str(budget.exceeded.clock)]
    said = [text for text in (last.message, *(check.message for check in last.checks)) if isinstance(text, str)]
    assert f"the submission has used up the {spent} that it may use in total" in " ".join(said)
