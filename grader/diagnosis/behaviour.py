"""The behaviour of an engine on each program, as short fingerprints. They are equal exactly if the behaviour is.

The behaviour consists of values, gradients, orders and results under every order seed. Of an exception it includes
the type, and the names in quotes in its message, such as `'NoneType'`. Numbers count to nine digits, so that another
order of summation makes no difference.

The other words of a message do not count, because they change between Python versions. Neither do lines, nor which
limit was reached first, which depends on the speed of the machine.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from ..checks.answered import Shown
from ..client import Broke, Called, Died, Done, Nothing, Odd, Problem, Recorded, Ruled, Run, Traced
from ..client.protocol import Grads, Inputs, Observed, Result

RIGHT = ""  # the fingerprint of any behaviour that passes
_RAN_OUT = "ran out of calls, time or memory"
# the steps in which rules run; a function that is called (`call`) may run them too, but none has to
_PASSES = frozenset(("backward", "local_rules", "pass_or_rules"))
_QUOTED = re.compile(r"(?<!\w)'(\w+)'")


class Behaviour(Struct, frozen=True):
    """The behaviour of an engine on the fixed programs of an exercise's checks.

    Attributes:
        programs: `RIGHT` or a fingerprint for each program, by `check:batch:program`. It has no entry for a program
            that was not run, that needs an operation which the engine does not offer, or that stops at code still to
            be filled in.
        unclear: The keys of programs about which nothing is known.
        arrived: Whether any node but the root received a gradient; None if no run observed gradients.
    """

    programs: Mapping[str, str] = field(default_factory=dict)
    unclear: frozenset[str] = frozenset()
    arrived: bool | None = None

    @property
    def wrong(self) -> dict[str, str]:
        """Return the programs that did not pass."""
        return {key: look for key, look in self.programs.items() if look != RIGHT}


def behaviour(shown: Mapping[str, Sequence[Shown]]) -> Behaviour:
    """Return the behaviour of an engine, from the batches of each check."""
    programs: dict[str, str] = {}
    unclear: set[str] = set()
    every = [batch for batches in shown.values() for batch in batches]
    settled = not any(batch.unsettled for batch in every)
    for check, batches in shown.items():
        for n, batch in enumerate(batches):
            for i in range(len(batch.runs)):
                if i in batch.aside:
                    continue
                outcomes = _outcomes(batch, i)
                key = f"{check}:{n}:{i}"
                # a huge graph is run under one order seed, so it may be right by chance
                by_chance = batch.huge and i in batch.wrong and not settled
                if any(map(_reached_a_limit, outcomes)):  # the other order seeds may not have been run
                    outcomes = [Died("cpu_limit")]
                if by_chance or any(map(_no_evidence, outcomes)):
                    unclear.add(key)
                else:
                    programs[key] = fingerprint(outcomes) if i in batch.wrong else RIGHT
    return Behaviour(programs, frozenset(unclear), arrived(every))


def arrived(batches: Iterable[Shown]) -> bool | None:
    """Return whether any node but the root received a gradient; None if no run observed gradients."""
    found = None
    for batch in batches:
        for i, run in enumerate(batch.runs):
            if i in batch.aside or not _asks_gradients(run):
                continue
            if any(_arrived(run, outcome) for outcome in _outcomes(batch, i) if isinstance(outcome, Done | Broke)):
                return True
            found = False
    return found


def check_of(key: str) -> str:
    """Return the check to which a key of `Behaviour.programs` belongs."""
    return key.partition(":")[0]


def _outcomes(batch: Shown, i: int) -> "Sequence[Done | Broke | Problem | Died | None]":
    """Return the outcomes of a run under each order seed. If the whole batch failed, return its failure."""
    if isinstance(batch.answer, (Problem, Died)):
        return [batch.answer]
    return [seed[i] for seed in batch.answer.seeds]


def _no_evidence(outcome: "Done | Broke | Problem | Died | None") -> bool:
    problem = outcome.problem if isinstance(outcome, Broke) else outcome
    if not isinstance(problem, Problem):
        return outcome is None
    return problem.unfilled or problem.absent


def _reached_a_limit(outcome: "Done | Broke | Problem | Died | None") -> bool:
    return isinstance(outcome, Broke) and outcome.problem.ran_out


def _asks_gradients(run: Run) -> bool:
    """Return whether a run asks for gradients after rules may have run."""
    steps = [step[0] for step in run.steps]
    return "traced" in steps or ("grads" in steps and not _PASSES.isdisjoint(steps))


def _arrived(run: Run, outcome: Done | Broke) -> bool:
    """Return whether a gradient differs from the number that the grader set."""
    there: dict[int, float] = {}
    for step, result in zip(run.steps, outcome.results, strict=False):
        if step[0] == "preload":
            there = dict(step[1])
        elif isinstance(result, Grads):
            if any(grad != there.get(i, 0.0) for i, grad in enumerate(result.numbers) if i != run.program.root):
                return True
        elif isinstance(result, Traced) and any(added for _, added in result.calls):
            return True
    return False


def fingerprint(outcomes: "Sequence[Done | Broke | Problem | Died | None]") -> str:
    """Return sixteen hexadecimal digits for the behaviour on one program under all order seeds."""
    lines = (line for outcome in outcomes for line in ("seed", *_outcome(outcome)))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _outcome(outcome: Done | Broke | Problem | Died | None) -> Iterator[str]:
    if outcome is None:
        yield "unrun"
        return
    if isinstance(outcome, Died):
        yield _RAN_OUT if outcome.status == "timeout" else f"died {outcome.status}"
        return
    if isinstance(outcome, Problem):
        yield _problem(outcome)
        return
    for result in outcome.results:
        yield _result(result)
    if isinstance(outcome, Broke):
        yield _problem(outcome.problem)


def _problem(problem: Problem) -> str:
    if problem.ran_out:
        return _RAN_OUT
    quoted = _QUOTED.findall(problem.message)
    about = (problem.where, problem.kind, problem.type_name, *quoted, *problem.names, *problem.counts)
    return " ".join(map(str, about))


def _result(result: Result) -> str:
    if isinstance(result, Called):
        numbers = None if result.numbers is None else " ".join(map(_number, result.numbers))
        return f"called {numbers} {result.nodes} {result.other}"
    if isinstance(result, Ruled):
        return f"rule {result.state} {result.alone}"
    if isinstance(result, Traced):
        return "trace " + " ".join(str(node) for node, _ in result.calls)
    if isinstance(result, Inputs):
        return f"inputs {list(result.of_nodes)}"
    if isinstance(result, Nothing | Recorded):  # no check records
        return "nothing"
    return " ".join(map(_number, result.numbers))


def _number(value: Observed) -> str:
    if isinstance(value, Odd):
        return f"a {value.type}"
    text = f"{value:.9g}"
    return "0" if text == "-0" else text
