"""A fault fact explains only failures of which it can be the reason."""

from pathlib import Path
from typing import Any

from every import every
from read_yaml import read_yaml

from grader.course.facts import FaultFact
from grader.course.remarks import Stopped
from grader.runner.client import Reason
from grader.verdict.checks.outcome import CheckOutcome, Finding
from grader.verdict.diagnosis import explains

LISTED = read_yaml(Path(__file__).with_name("reasons.yaml"))
FINDINGS = {
    "failed": Finding("failed"),
    "raised": Finding("error", reason=Reason("raised", type="TypeError"), stopped=Stopped("raised")),
    "missing": Finding("failed", reason=Reason("not_offered", detail="__neg__"), stopped=Stopped("not_offered")),
    "too_often": Finding("timeout", reason=Reason("calls"), stopped=Stopped("calls")),
    "too_long": Finding("timeout", reason=Reason("cpu_limit", seconds=2.0)),
}


@every("case", LISTED, ids=[case["what"] for case in LISTED])
def test_a_fact_explains_a_failure(case: dict[str, Any]) -> None:
    """It depends on the program that failed, and on whether the failure is an error, a value or a gradient."""
    outcome: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in case["outcome"].items()
    }
    finding = FINDINGS[outcome.pop("finding", "failed")]
    fields: dict[str, Any] = {"status": finding.status, "duration_s": 0.0, "finding": finding, **outcome}
    made = CheckOutcome("first", "one", **fields)
    assert case["explains"] == explains(FaultFact(**case["fact"]), made)
