"""A fault fact explains only failures of which it can be the reason."""

from typing import Any

import pytest
from every import every

from grader.checks.outcome import CheckOutcome, Finding
from grader.client import Reason
from grader.diagnosis import explains
from grader.remarks import Stopped
from grader.words.facts import FaultFact

RAISED = Finding("error", reason=Reason("raised", type="TypeError"), stopped=Stopped("raised"))
MISSING = Finding("failed", reason=Reason("not_offered", detail="__neg__"), stopped=Stopped("not_offered"))
TOO_OFTEN = Finding("timeout", reason=Reason("calls"), stopped=Stopped("calls"))
TOO_LONG = Finding("timeout", reason=Reason("cpu_limit", seconds=2.0))
SETS, CLEARS = FaultFact("overwrites", operation="mul"), FaultFact("overwrites", operation="mul", found="0")
MUL, VALUE, PASS = FaultFact("sign", operation="mul"), FaultFact("value", operation="mul"), FaultFact("ran_early")


@every(
    ("expected", "fact", "outcome"),
    [
        pytest.param(True, MUL, {"operations": ("add", "mul")}, id="an operation of the program"),
        pytest.param(False, MUL, {"operations": ("add", "relu")}, id="an operation that the program lacks"),
        pytest.param(True, MUL, {"operations": ("rsub",)}, id="an operation that another one may use"),
        pytest.param(
            True, FaultFact("sign", operation="relu_below_zero"), {"operations": ("relu",)}, id="relu below zero"
        ),
        pytest.param(False, MUL, {"operations": ("mul",), "wrong_value": True}, id="a rule and a wrong value"),
        pytest.param(True, VALUE, {"operations": ("mul",), "wrong_value": True}, id="a wrong value"),
        pytest.param(True, SETS, {"operations": ("mul",)}, id="a gradient that is set, and several contributions"),
        pytest.param(
            False, SETS, {"operations": ("mul",), "once": True}, id="a gradient that is set, and one contribution"
        ),
        pytest.param(
            True, CLEARS, {"operations": ("mul",), "once": True}, id="a gradient that is set to 0, and one contribution"
        ),
        pytest.param(
            True,
            FaultFact("overwrites", operation="add"),
            {"operations": ("sub",), "once": True},
            id="a gradient that is set, and an operation made of two others",
        ),
        pytest.param(True, PASS, {}, id="backward() and gradients"),
        pytest.param(False, VALUE, {"operations": ("neg",)}, id="a value of an operation that the program lacks"),
        pytest.param(True, VALUE, {"operations": ("mul",)}, id="a value that is right for these numbers"),
        pytest.param(
            True, VALUE, {"operations": ("neg",), "wrong_value": True}, id="a value that another operation may use"
        ),
        pytest.param(False, PASS, {"single": True, "operations": ("mul",)}, id="the order of rules, and one rule"),
        pytest.param(True, PASS, {"single": True, "operations": ("sub",)}, id="an operation made of two others"),
        pytest.param(
            True, FaultFact("ran_twice"), {"single": True}, id="a rule that runs twice, and a single operation"
        ),
        pytest.param(False, PASS, {"wrong_value": True}, id="backward() and a wrong value"),
        pytest.param(False, PASS, {"passes": False}, id="backward() where it is not called"),
        pytest.param(False, PASS, {"finding": RAISED}, id="backward() and an error"),
        pytest.param(True, PASS, {"finding": TOO_OFTEN}, id="backward() and an endless loop"),
        pytest.param(True, PASS, {"finding": TOO_LONG}, id="backward() and a process that was killed"),
        pytest.param(False, PASS, {"finding": MISSING}, id="backward() and a missing method"),
        pytest.param(False, MUL, {"operations": ("mul",), "finding": RAISED}, id="a rule and an error"),
        pytest.param(
            True,
            FaultFact("gives_other", operation="mul"),
            {"operations": ("mul",), "finding": RAISED},
            id="a result that is no node, and an error",
        ),
        pytest.param(
            True, FaultFact("single_precision", found="values"), {"wrong_value": True}, id="values too inexact"
        ),
        pytest.param(False, PASS, {"status": "passed"}, id="a check that passed"),
        pytest.param(False, PASS, {"status": "not_started"}, id="code still to be filled in"),
    ],
)
def test_a_fact_explains_a_failure(expected: bool, fact: FaultFact, outcome: dict[str, Any]) -> None:
    """It depends on the program that failed, and on whether the failure is an error, a value or a gradient."""
    finding = outcome.get("finding", Finding("failed"))
    made = CheckOutcome("first", "one", **{"status": finding.status, "duration_s": 0.0, "finding": finding} | outcome)
    assert expected == explains(fact, made)
