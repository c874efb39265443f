"""What a learner is told of a failure: a status, a sentence, their own lines."""

import math
import tracemalloc
from collections.abc import Callable
from typing import Any, get_args

import pytest

from grader.checks import CheckFailed
from grader.checks.finding import Finding, fail, fail_for, problem_text, shown
from grader.client import Died, Odd, Problem
from grader.client.reason import STATUS, Kind

MakeProblem = Callable[..., Problem]
SOURCE = "class Value:\n    def f(self):\n        return self.g()\n\n    def g(self):\n        raise E"


def finding(cause: Problem | Died, source: str = "", program: str | None = None) -> Finding:
    with pytest.raises(CheckFailed) as failure:
        fail_for(cause, source, program)
    return failure.value.finding


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("error", "raised"),
        ("error", "syntax"),
        ("error", "exit"),
        ("error", "module"),
        ("timeout", "calls"),
        ("timeout", "cpu"),
        ("timeout", "stalled"),
        ("failed", "shape"),
        ("failed", "not_offered"),
        ("error", "anything"),
    ],
)
def test_a_problems_kind_decides_the_status(problem: MakeProblem, status: str, kind: str) -> None:
    """What the code raised is an error, a spent budget a timeout, a missing part a failure."""
    assert status == finding(problem(kind)).status


@pytest.mark.parametrize(
    ("died", "status", "says"),
    [
        (Died("answer_too_large", limit_kb=64), "error", "its answer is larger than the 64 KB"),
        (Died("budget", seconds=60, clock="cpu"), "timeout", "used up the 60 seconds of CPU time"),
        (Died("budget", seconds=90, clock="wall"), "timeout", "used up the 90 seconds of time"),
        (Died("cpu_limit", seconds=2), "timeout", "more than 2 seconds of CPU time"),
        (Died("exited"), "crashed", "left before it answered"),
        (Died("killed", signal="SIGKILL"), "crashed", "ended by SIGKILL"),
        (Died("not_reloaded"), "crashed", "loaded once, but not a second time"),
        (Died("output_too_large", limit_kb=16_384), "error", "printed more than 16 MB"),
        (Died("protocol_error", detail="it is malformed"), "error", "no proper answer: it is malformed"),
        (Died("unanswered", count=2), "timeout", "2 times before"),
        (Died("wall_limit", seconds=40), "timeout", "no answer within 40 seconds"),
    ],
    ids=lambda value: value.kind if isinstance(value, Died) else "",
)
def test_a_death_has_its_own_status_and_words(died: Died, status: str, says: str) -> None:
    """Each way in which a process can fail to answer has a status and a sentence."""
    found = finding(died, program="L = a + b")
    assert (status, "L = a + b") == (found.status, found.program)
    assert found.message is not None
    assert says in found.message


def test_every_kind_of_death_is_known() -> None:
    """No kind is without a status."""
    assert set(get_args(Kind)) == STATUS.keys()


@pytest.mark.parametrize(
    ("expected", "kind", "type_name", "message"),
    [
        ("Python said: ValueError: no", "raised", "ValueError", "no"),
        ("Python said: AssertionError", "raised", "AssertionError", ""),
        ("Python cannot read the file: invalid syntax", "syntax", "SyntaxError", "invalid syntax"),
        ("the code ends the program", "exit", "SystemExit", "0"),
        ("torch is not available while grading", "module", "NotAvailable", "torch is not available while grading"),
        ("it called its functions too often", "calls", "OutOfCalls", ""),
        ("it ran out of CPU time", "cpu", "OutOfTime", ""),
        ("it waited for 5 seconds without computing", "stalled", "Stalled", ""),
        ("there is no class `Value`", "shape", "Unreadable", "there is no class `Value`"),
        (
            "your engine has no `tanh` that takes a node and returns one: define a method `tanh`",
            *("not_offered", "NotOffered", "tanh"),
        ),
        ("your engine has no `-`: define `__sub__`", "not_offered", "NotOffered", "__sub__"),
        ("your engine has no `-` in front of a value: define `__neg__`", "not_offered", "NotOffered", "__neg__"),
        (
            "your engine has no `/` for a number on the left: define `__rtruediv__`",
            *("not_offered", "NotOffered", "__rtruediv__"),
        ),
        (
            "`exp` was not run: it takes an argument besides `self`, and checks call it without one",
            *("wants_argument", "WantsArgument", "exp"),
        ),
        ("memory", "raised", "MemoryError", ""),
        ("RecursionError", "raised", "RecursionError", "maximum recursion depth exceeded"),
    ],
)
def test_each_kind_is_a_sentence(problem: MakeProblem, expected: str, kind: str, type_name: str, message: str) -> None:
    """The first line says in plain words what happened."""
    assert expected in problem_text(problem(kind, type_name, message), "").splitlines()[0]


@pytest.mark.parametrize(
    ("expected", "lines"), [("your code raised E: no", [2]), ("when `backward()` was called, Python said: E: no", [])]
)
def test_only_a_line_of_the_file_is_the_learners_code(problem: MakeProblem, expected: str, lines: list[int]) -> None:
    """What no line of the file has a part in is told by what was done when it happened."""
    assert expected == problem_text(problem("raised", "E", "no", lines=lines), SOURCE).splitlines()[0]


def test_a_notebook_is_called_one(problem: MakeProblem) -> None:
    """A notebook submitted as a Python file is told from a file with an undefined name."""
    source = '{"cells": [], "metadata": {"name": null}, "nbformat": 4}'
    text = problem_text(problem("raised", "NameError", "name 'null' is not defined", lines=[1]), source)
    assert text.startswith("this file is a Jupyter notebook")


@pytest.mark.parametrize(
    ("expected", "lines"),
    [
        ([], []),
        (["line 6: raise E"], [6]),
        (["line 3: return self.g()", "line 6: raise E"], [3, 6]),
        (["line 3: return self.g()"], [3, 3, 3, 3]),
        (["line 2: def f(self):", "line 3: return self.g()", "line 6: raise E"], [1, 2, 3, 6]),
        (["line 6: raise E"], [999, 6]),
        ([], [7]),
    ],
)
def test_the_learners_own_lines_follow(problem: MakeProblem, expected: list[str], lines: list[int]) -> None:
    """At most the three innermost lines are shown, innermost last, each once, none that the file lacks."""
    assert expected == problem_text(problem("raised", lines=lines), SOURCE).splitlines()[1:]


def test_a_long_line_is_cut(problem: MakeProblem) -> None:
    """Two hundred characters of a line are shown, the mark included; blanks around it do not count."""
    source = "  " + "x" * 200 + "  \n" + "y" * 201
    expected = ["line 1: " + "x" * 200, "line 2: " + "y" * 199 + "…"]
    assert expected == problem_text(problem("raised", lines=[1, 2]), source).splitlines()[1:]


def test_a_line_is_written_out_only_if_it_is_shown(problem: MakeProblem) -> None:
    """Thirty thousand line numbers beside a line of 200,000 characters take no memory."""
    tracemalloc.start()
    text = problem_text(problem("raised", lines=[1] * 30_000), "x" * 200_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ["line 1: " + "x" * 199 + "…"] == text.splitlines()[1:]
    assert peak < 2 << 20


@pytest.mark.parametrize(("expected", "message"), [("x" * 299, "x" * 299), ("x" * 298 + "…", "x" * 300), ("y", "y")])
@pytest.mark.parametrize("kind", ["raised", "syntax", "module", "shape"])
def test_a_message_that_the_worker_cut_has_a_mark(problem: MakeProblem, kind: str, expected: str, message: str) -> None:
    """A message of the length to which a worker cuts them is taken for the beginning of a longer one."""
    assert expected == problem_text(problem(kind, "E", message), "").splitlines()[0].split(" ")[-1]


def test_a_line_zero_is_no_line(problem: MakeProblem) -> None:
    """A line number below 1, which only a forger sends, shows nothing."""
    assert [] == problem_text(problem("raised", lines=[0]), SOURCE).splitlines()[1:]


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (2.5, 2.5),
        (-0.0, -0.0),
        ("nan", math.nan),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("None", Odd("NoneType")),
        ("a str", Odd("str")),
        ("a bool", Odd("bool")),
    ],
)
def test_a_report_can_hold_what_is_shown(expected: Any, value: Any) -> None:
    """Finite numbers stay numbers; everything else is a word."""
    assert expected == shown(value)


def test_a_failure_carries_its_finding() -> None:
    """fail() raises what a report is made of."""
    with pytest.raises(CheckFailed) as failure:
        fail("a note", program="L = a", expected={"L": 1.0}, actual={"L": "None"})
    assert Finding("failed", "L = a", {"L": 1.0}, {"L": "None"}, "a note") == failure.value.finding
