"""Find the misconception that behaves like an engine.

The behaviour on each program is a short fingerprint. Two fingerprints are equal exactly if the behaviour is.

The behaviour consists of values, gradients, orders and results under every order seed. Of an exception it includes
the type, and the names in quotes in its message, such as `'NoneType'`. Numbers count to nine digits, so that another
order of summation makes no difference.

The other words of a message do not count, because they change between Python versions. Neither do lines, nor which
limit was reached first, which depends on the speed of the machine.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from msgspec import Struct, field

from ..checks.questions import Shown
from ..client import Broke, Called, Died, Done, Logged, Nothing, Odd, Problem, Recorded, Ruled, Run, Traced
from ..client.protocol import Grads, Inputs, Observed, Result
from ..oracle.answer_book import UNCLEAR, KnownBehaviour, KnownExercise
from ..words.facts import FaultFact

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
        return f"called {numbers} {result.nodes} {result.other if result.truth is None else result.truth}"
    if isinstance(result, Ruled):
        return f"rule {result.state} {result.alone}"
    if isinstance(result, Traced):
        return "trace " + " ".join(str(node) for node, _ in result.calls)
    if isinstance(result, Inputs):
        return f"inputs {list(result.of_nodes)}"
    if isinstance(result, Nothing | Recorded | Logged):  # no check records or logs
        return "nothing"
    return " ".join(map(_number, result.numbers))


def _number(value: Observed) -> str:
    if isinstance(value, Odd):
        return f"a {value.type}"
    text = f"{value:.9g}"
    return "0" if text == "-0" else text


# -- compare an engine with each misconception, program by program

_NOTHING = ("no_rule", "nothing_added")


def diagnose(
    known: KnownExercise,
    seen: Behaviour,
    failures: Iterable[str],
    facts: Iterable[FaultFact] = (),
    other: Collection[str] = (),
) -> dict[str, KnownBehaviour]:
    """Return the misconceptions that explain the failed checks, by check. A check has none if that is not certain.

    A misconception is named if it behaves like the engine on every program that both have run, and at least one of
    these programs is wrong. No other misconception and no unfinished solution may behave the same. It explains the
    checks in which it gets a program wrong.

    If no misconception is named, two that together explain everything are named. Otherwise, the programs that depend
    on one function alone are compared, function by function.

    Many mistakes look alike if no gradient was propagated anywhere, or if by `facts` an operation propagates none.
    Nothing is named then.

    Args:
        failures: The checks that failed.
        other: The checks among them that failed because of an error, or of a wrong value before any gradient. A
            misconception explains such a check only if the engine behaves like it on a wrong program of the check.
    """
    if not seen.wrong or not can_be_named(known, facts) or not can_be_told(known, seen):
        return {}
    alike = [one for one in known.misconceptions if _alike(one.behaviour, seen.programs)]
    if alike:
        (one, *others) = _seen_whole(alike, seen)
        return _by_function(known, seen) if others else dict.fromkeys(_explained(one, seen, failures, other), one)
    return _pair(known, seen) or _by_function(known, seen)


def _explained(one: KnownBehaviour, seen: Behaviour, failures: Iterable[str], other: Collection[str]) -> Iterator[str]:
    """Yield the failed checks that a misconception explains, if the engine behaves like it on all programs."""
    compared = {check_of(key) for key in seen.wrong}
    fails = {check_of(key) for key in one.behaviour}
    for check in failures:
        # if only programs that were not compared are wrong, the failure may have another reason
        if check in compared or (check in fails and check not in other):
            yield check


def _seen_whole(alike: list[KnownBehaviour], seen: Behaviour) -> list[KnownBehaviour]:
    """Return the misconceptions for which every program that they get wrong is clear in the engine's behaviour.

    If there is no such misconception, return all.
    """
    return [one for one in alike if seen.unclear.isdisjoint(one.behaviour)] or alike


def can_be_named(known: KnownExercise, facts: Iterable[FaultFact]) -> bool:
    """Return whether an exercise has misconceptions, and by `facts` no operation propagates nothing."""
    return bool(known.misconceptions) and not any(fact.kind in _NOTHING for fact in facts)


def can_be_told(known: KnownExercise, seen: Behaviour) -> bool:
    """Return whether a misconception may be named: an input got a contribution, and no unfinished solution fits."""
    return seen.arrived is not False and not any(_alike(one, seen.programs) for one in known.unfinished)


def _alike(candidate: Mapping[str, str], programs: Mapping[str, str]) -> bool:
    """Return whether a candidate behaves like the engine on all of these programs. At least one must be wrong."""
    separated = False
    for key, look in programs.items():
        there = candidate.get(key, RIGHT)
        if there == UNCLEAR:
            continue
        if there != look:
            return False
        separated = separated or look != RIGHT
    return separated


class _Candidate(NamedTuple):
    """A known wrong solution: a misconception, or an unfinished solution if `one` is None."""

    behaviour: Mapping[str, str]
    one: KnownBehaviour | None = None

    def independent(self, other: "_Candidate") -> bool:
        """Return whether both may be in one file: they change different functions, as far as that is known."""
        if self.one is None or other.one is None:
            return self.one is not other.one
        return self.one.functions.keys().isdisjoint(other.one.functions)


def _pair(known: KnownExercise, seen: Behaviour) -> dict[str, KnownBehaviour]:
    """Return the misconceptions that occur in every pair that explains the engine, by check.

    In such a pair, wherever only one of the two is wrong, the engine behaves like it. Programs on which both are
    wrong decide nothing. Each of the two must be the only wrong one on at least one program.
    """
    possible = [
        candidate
        for candidate in (
            *(_Candidate(one.behaviour, one) for one in known.misconceptions),
            *map(_Candidate, known.unfinished),
        )
        if _explains_some(candidate.behaviour, seen)
    ]
    pairs = [
        found
        for one, other in combinations(possible, 2)
        if one.independent(other) and (found := _together(one, other, seen.programs))
    ]
    return {
        check: candidate.one
        for check, candidate in (pairs[0] if pairs else {}).items()
        if candidate.one is not None and all(pair.get(check) is candidate for pair in pairs)
    }


def _explains_some(candidate: Mapping[str, str], seen: Behaviour) -> bool:
    return any(candidate.get(key) == look for key, look in seen.wrong.items())


def _together(one: _Candidate, other: _Candidate, programs: Mapping[str, str]) -> dict[str, _Candidate] | None:
    """Return which one of two candidates explains each check; None if they do not explain everything."""
    by_check: dict[str, _Candidate] = {}
    alone: list[_Candidate] = []
    for key, look in programs.items():
        looks = [candidate.behaviour.get(key, RIGHT) for candidate in (one, other)]
        wrong = [candidate for candidate, there in zip((one, other), looks, strict=True) if there != RIGHT]
        if len(wrong) == 2 or UNCLEAR in looks:
            if look == RIGHT:
                return None
            continue
        if look != next((there for there in looks if there != RIGHT), RIGHT):
            return None
        if wrong:
            alone.append(wrong[0])
            by_check.setdefault(check_of(key), wrong[0])
    return by_check if any(c is one for c in alone) and any(c is other for c in alone) else None


def _by_function(known: KnownExercise, seen: Behaviour) -> dict[str, KnownBehaviour]:
    """Return the misconceptions that explain the programs which depend on one function alone, function by function.

    A misconception explains a check if the check's first wrong program is one of these.
    """
    found: dict[str, KnownBehaviour] = {}
    first: dict[str, str] = {}
    for key in seen.wrong:
        first.setdefault(check_of(key), key)
    for function, keys in known.functions.items():
        programs = {key: seen.programs[key] for key in keys if key in seen.programs}
        alike = [one for one in known.misconceptions if function in one.functions and _alike(one.behaviour, programs)]
        ways = {one.functions[function] for one in alike}  # several may write this function the same way
        alone = [one for one in alike if len(one.functions) == 1]
        if len(ways) == len(alone) == 1 and not any(_alike(one, programs) for one in known.unfinished):
            found.update({check: alone[0] for check, key in first.items() if programs.get(key, RIGHT) != RIGHT})
    return found
