"""What an engine did on a batch of programs, as a short fingerprint: equal exactly where the behaviour is.

Behaviour is values, gradients, orders and results under every order seed, and of an exception its kind and words.
Numbers count to nine digits, so that another order of summation makes no difference; lines and addresses do not
count, nor which limit was hit first: that depends on how fast the machine is.
"""

import hashlib
import re
from collections.abc import Iterator

from ..client import Broke, Called, Died, Done, Odd, Problem, Read, Traced
from ..client.protocol import Observed, Result

_RAN_OUT = "ran out of calls, time or memory"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


def fingerprint(answer: Read | Problem | Died) -> str:
    """Sixteen hexadecimal digits for what was observed."""
    return hashlib.sha256("\n".join(_lines(answer)).encode()).hexdigest()[:16]


def _lines(answer: Read | Problem | Died) -> Iterator[str]:
    if isinstance(answer, Died):
        yield _RAN_OUT if answer.status == "timeout" else f"died {answer.status}"
    elif isinstance(answer, Problem):
        yield _problem(answer)
    else:
        for seed in answer.seeds:
            yield "seed"
            for outcome in seed:
                yield from _outcome(outcome)


def _outcome(outcome: Done | Broke | None) -> Iterator[str]:
    if outcome is None:
        yield "unrun"
        return
    for result in outcome.results:
        yield _result(result)
    if isinstance(outcome, Broke):
        yield _problem(outcome.problem)


def _problem(problem: Problem) -> str:
    if problem.ran_out:
        return _RAN_OUT
    words = _ADDRESS.sub("0x", problem.message)
    return f"{problem.where} {problem.kind} {problem.type_name} {words}"


def _result(result: Result) -> str:
    if isinstance(result, Called):
        numbers = None if result.numbers is None else " ".join(map(_number, result.numbers))
        return f"called {numbers} {result.nodes} {result.other}"
    if isinstance(result, Traced):
        return "trace " + " ".join(str(node) for node, _ in result.calls)
    return " ".join(map(_number, result))


def _number(value: Observed) -> str:
    if isinstance(value, Odd):
        return f"a {value.type}"
    text = f"{value:.9g}"
    return "0" if text == "-0" else text
