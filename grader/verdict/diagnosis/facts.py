"""Fault facts: statements about one operation, or about `backward()`, derived from observations alone.

There are several kinds of observations. Each has a batch of programs to run, and a function that derives facts from the
answer, such as `rule_probes` and `rule_facts`:

| module      | batches           | observations                                                        |
|-------------|-------------------|---------------------------------------------------------------------|
| `rules`     | `rule_probes`     | the grader runs the rule of one operation, without `backward()`     |
| `passes`    | `pass_probes`     | `backward()` runs on programs of + and *; the rules are watched     |
| `gradients` | `gradient_probes` | `backward()` runs on each operation alone, and on small programs    |
|             | `shift_probes`    | `backward()` runs on one program with slightly different numbers    |
| `training`  | `training_probes` | `zero_grad` and `step` run alone, and `train` runs with two losses  |

This module says which failed checks a fact can explain.
"""

from collections.abc import Sequence

from ...course.facts import FaultFact
from ...course.program import FORMS
from ...runner.client import RAN_OUT
from ..checks.outcome import CheckOutcome
from .training import function_of

NOTHING_ADDED = ("no_rule", "nothing_added")  # the kinds of facts that say that no contribution is added


def operation_of(fact: FaultFact) -> str | None:
    """Return the operation that a fact is about, as programs name it; None for a fact about `backward()`."""
    return FORMS[fact.operation].op if fact.operation else None


_RAISING = ("gives_other", "rule_is_none")  # the kinds of facts that explain an error in code that uses the result
_OF_VALUE = ("value", "gives_other", "gives_input")  # the kinds of facts that explain a wrong value
_LIMITS = (*RAN_OUT, "cpu_limit", "wall_limit")  # the reasons for which a fault of the backward pass may be the cause


def explains(fact: FaultFact, outcome: CheckOutcome) -> bool:
    """Return whether a fact can be the reason why a check failed.

    The kind of failure must fit the fact. The program that failed must use the operation that the fact is about. If the
    fact is about `backward()`, the run that failed must call it.
    """
    if outcome.status in ("passed", "not_started"):
        return False
    # a fact about a function that trains explains wrong numbers of a run that calls this function
    if function := function_of(fact):
        return function in outcome.calls and outcome.finding is not None and outcome.finding.reason is None
    operation = operation_of(fact)
    reason = outcome.finding and outcome.finding.reason
    # a fault of the pass may make code run without end; an error follows only from a result that
    # cannot be used
    if reason and reason.kind in _LIMITS:
        return operation is None and outcome.passes
    if reason:
        return fact.kind in _RAISING and operation in _used(outcome.operations)
    # values are computed before any gradient, so no fact about gradients explains a wrong value
    if fact.kind == "single_precision":
        return fact.found == "values" or not outcome.wrong_value
    if outcome.wrong_value and fact.kind not in _OF_VALUE:
        return False
    # a single rule has no user whose rule could run after it
    if operation is None:
        one_rule = outcome.single and not any(map(_made_of, outcome.operations))
        return outcome.passes and not (one_rule and fact.kind == "ran_early")
    if fact.kind == "wrong_gradient" and not outcome.passes:
        return False
    # where each gradient gets one contribution, `=` and `+=` give the same
    if fact.kind == "overwrites" and not fact.found and outcome.once and not any(map(_made_of, outcome.operations)):
        return False
    # a wrong value of an operation that the program does not contain, but its methods use, explains
    # only wrong values
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
