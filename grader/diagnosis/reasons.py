"""Decide which failed checks a fault fact can explain."""

from collections.abc import Sequence

from ..checks.outcome import CheckOutcome
from ..client.protocol import RAN_OUT
from ..program import FORMS
from ..words.facts import FaultFact
from .facts import operation_of

_RAISING = ("gives_other", "rule_is_none")  # the kinds of facts that explain an error in code that uses the result
_OF_VALUE = ("value", "gives_other", "gives_input")  # the kinds of facts that explain a wrong value
_LIMITS = (*RAN_OUT, "cpu_limit", "wall_limit")  # the reasons for which a fault of the backward pass may be the cause


def explains(fact: FaultFact, outcome: CheckOutcome) -> bool:
    """Return whether a fact can be the reason why a check failed.

    A fact about an operation can only explain a failure of a program that uses this operation, and a fact about
    `backward()` only one of a run that calls `backward()`. A wrong value is never explained by a fault of the backward
    pass. An error is only explained by a fact about the result that the code could not use. A rule that runs before
    that of a user explains nothing about a program with a single rule. A wrong value of an operation that the
    program does not contain explains only wrong values.
    """
    if outcome.status in ("passed", "not_started"):
        return False
    operation = operation_of(fact)
    reason = outcome.finding and outcome.finding.reason
    if reason and reason.kind in _LIMITS:
        return operation is None and outcome.passes
    if reason:
        return fact.kind in _RAISING and operation in _used(outcome.operations)
    if fact.kind == "single_precision":
        return fact.found == "values" or not outcome.wrong_value
    if outcome.wrong_value and fact.kind not in _OF_VALUE:
        return False
    if operation is None:
        one_rule = outcome.single and not any(map(_made_of, outcome.operations))
        return outcome.passes and not (one_rule and fact.kind == "ran_early")
    if fact.kind == "wrong_gradient" and not outcome.passes:
        return False
    return operation in (_used if outcome.wrong_value or fact.kind != "value" else set)(outcome.operations)


def _used(operations: Sequence[str]) -> set[str]:
    """Return the operations of a program, and those that their methods commonly use."""
    found = set(operations)
    todo = list(operations)
    while todo:
        new = {*_made_of(todo.pop())} - found
        found |= new
        todo += new
    return found


def _made_of(operation: str) -> tuple[str, ...]:
    """Return the operations that the method of an operation commonly uses."""
    return FORMS[operation].made_of if operation in FORMS else ()
