"""The finding of a check that failed, and its status."""

import math
from typing import Any, get_args

import pytest
from every import every
from problems import problem

from grader.checks import CheckFailed
from grader.course.remarks import STATUS, ReasonCode, SecondPass
from grader.runner.client import Died, Odd, Problem
from grader.verdict.checks.outcome import Finding, fail, fail_for, shown


def finding(cause: Problem | Died) -> Finding:
    with pytest.raises(CheckFailed) as failure:
        fail_for(cause, "", "L = a + b")
    return failure.value.finding


@every(
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
        ("error", Died("answer_too_large", limit_kb=64)),
        ("timeout", Died("budget", seconds=60, clock="cpu")),
        ("timeout", Died("cpu_limit", seconds=2)),
        ("crashed", Died("exited")),
        ("crashed", Died("killed", signal="SIGKILL")),
        ("crashed", Died("not_reloaded")),
        ("error", Died("output_too_large", limit_kb=16_384)),
        ("error", Died("protocol_error", detail="it is malformed")),
        ("timeout", Died("unanswered", count=2)),
        ("timeout", Died("wall_limit", seconds=40)),
    ],
    ids=lambda value: value.kind if isinstance(value, Died) else str(value),
)
def test_the_cause_decides_the_status(status: str, kind: str | Died) -> None:
    """An exception is an error, a spent budget is a timeout, and a process that ended has crashed."""
    found = finding(problem(kind) if isinstance(kind, str) else kind)
    assert (status, "L = a + b") == (found.status, found.program)


@every(
    ("kind", "type_name", "names"),
    [
        ("shape", "no_class", []),
        ("not_offered", "NotOffered", ["tanh"]),
        ("wants_argument", "WantsArgument", ["log"]),
    ],
)
def test_a_missing_part_is_a_failure(kind: str, type_name: str, names: list[str]) -> None:
    """The reason names the missing part."""
    found = finding(problem(kind, type_name, names=names))
    assert ("failed", (names or [type_name])[0]) == (found.status, found.reason and found.reason.detail)


def test_every_kind_of_death_is_known() -> None:
    """Every kind has a status."""
    assert set(get_args(ReasonCode)) == STATUS.keys()


@every(
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
