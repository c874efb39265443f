"""The parts of a failure that a learner sees: a status, a sentence, and the learner's own lines."""

import math
from collections.abc import Callable
from typing import Any, get_args

import pytest

from grader.checks import CheckFailed
from grader.checks.outcome import Finding, fail, fail_for, shown
from grader.client import Died, Odd, Problem
from grader.remarks import STATUS, Kind, SecondPass
from grader.words.learner import finding_text

MakeProblem = Callable[..., Problem]


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
        ("error", "anything"),
    ],
)
def test_a_problems_kind_decides_the_status(problem: MakeProblem, status: str, kind: str) -> None:
    """An exception is an error, a spent budget is a timeout, and a missing part is a failure."""
    assert status == finding(problem(kind)).status


@pytest.mark.parametrize(
    ("kind", "type_name", "names"),
    [
        ("shape", "no_class", []),
        ("not_offered", "NotOffered", ["tanh"]),
        ("wants_argument", "WantsArgument", ["log"]),
    ],
)
def test_a_missing_part_is_a_failure(problem: MakeProblem, kind: str, type_name: str, names: list[str]) -> None:
    """The message names the missing part."""
    found = finding(problem(kind, type_name, names=names))
    assert ("failed", (names or [type_name])[0]) == (found.status, found.reason and found.reason.detail)


@pytest.mark.parametrize(
    ("died", "status", "says"),
    [
        (
            Died("answer_too_large", limit_kb=64),
            "error",
            "the answer from your code's process is larger than the 64 KB",
        ),
        (Died("budget", seconds=60, clock="cpu"), "timeout", "used up the 60 seconds of CPU time"),
        (Died("budget", seconds=90, clock="wall"), "timeout", "used up the 90 seconds of time"),
        (Died("cpu_limit", seconds=2), "timeout", "more than 2 seconds of CPU time"),
        (Died("exited"), "crashed", "ended before it answered"),
        (Died("killed", signal="SIGKILL"), "crashed", "ended by SIGKILL"),
        (Died("not_reloaded"), "crashed", "loaded once, but not a second time"),
        (Died("output_too_large", limit_kb=16_384), "error", "printed more than 16 MB"),
        (Died("protocol_error", detail="it is malformed"), "error", "no valid answer: it is malformed"),
        (Died("unanswered", count=2), "timeout", "not run: 2 earlier runs"),
        (Died("wall_limit", seconds=40), "timeout", "no answer within 40 seconds"),
    ],
    ids=lambda value: value.kind if isinstance(value, Died) else "",
)
def test_a_death_has_its_own_status_and_words(died: Died, status: str, says: str) -> None:
    """Each way in which a process can fail to answer has a status and a sentence."""
    found = finding(died, program="L = a + b")
    assert (status, "L = a + b") == (found.status, found.program)
    assert says in (finding_text(found) or "")


def test_every_kind_of_death_is_known() -> None:
    """Every kind has a status."""
    assert set(get_args(Kind)) == STATUS.keys()


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
    """fail() raises an exception with the data for a report."""
    with pytest.raises(CheckFailed) as failure:
        fail(SecondPass(), program="L = a", expected={"L": 1.0}, actual={"L": "None"})
    assert Finding("failed", "L = a", {"L": 1.0}, {"L": "None"}, (SecondPass(),)) == failure.value.finding
