"""Fault facts about `backward()`, which runs on programs of + and * while the rules are watched."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import TypeAlias

import msgspec

from ...base.text import of_type
from ...course.facts import FaultFact
from ...course.load import Limits
from ...course.program import Op, Program, program
from ...runner.client import (
    Batch,
    Broke,
    Done,
    Read,
    Run,
    Traced,
    ask,
)
from .observations import ENOUGH, NoNumber, apart, expected_grads, is_close, numbers_of

WATCHED = ("add", "mul")  # the operations of the programs with which `backward()` is tested
# facts about `backward()` that hold even if the rule of + or * is wrong; a wrong rule may cause all others
_OF_PASS_ALONE = ("not_seeded", "all_cleared", "seed", "no_rule_ran", "ran_twice", "ran_early")
_CHAIN = program("L = (a * b) * c", a=2, b=-3, c=10)
_EXISTING = tuple(enumerate((3.0, 5.0, 7.0, 11.0)))  # existing gradients of all nodes of `_CHAIN` but the root
_PASS_PROGRAMS = (  # the programs with which `backward()` is tested
    program("L = a + b", a=2, b=-3),
    program("L = a * b", a=2, b=-3),
    _CHAIN,
    program("y = a * b; L = y * b + y", a=2, b=3),
    program("y = a + b; L = ((y + b) + b) + y", a=2, b=3),
    program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
)


@cache
def pass_probes(limits: Limits, shown: Program | None = None) -> Batch:
    """Return the batch that tests `backward()`.

    First, each program has a run with its rules watched. Then each has a run with two passes in a row. The last run of
    the batch starts with gradients other than 0, which every rule that runs would change.

    Args:
        shown: the program that the learner sees. If it is as small as the others, it comes first.
    """
    programs = _pass_programs(shown)
    look = (ask.VALUES, ask.GRADS, ask.INPUTS, ask.TRACED)
    # a watched pass shows the order of rules; `preload` sets all gradients to 0, so those at the end
    # are of the second pass alone
    watched = [Run(p, (ask.WATCH, ask.Backward(p.root), *look)) for p in programs]
    twice = [
        Run(p, (ask.Backward(p.root), ask.GRADS, ask.Preload(), ask.Backward(p.root), ask.GRADS)) for p in programs
    ]
    from_others = Run(_CHAIN, (ask.Preload(_EXISTING), ask.Backward(_CHAIN.root), ask.GRADS))
    return Batch((*watched, *twice, from_others), limits.calls, limits.cpu_s)


def _pass_programs(shown: Program | None) -> tuple[Program, ...]:
    """Return the programs of `pass_probes`: those of `_PASS_PROGRAMS`, after `shown` if it fits among them."""
    if shown is None or not 0 < len(shown.nodes) <= max(len(p.nodes) for p in _PASS_PROGRAMS):
        return _PASS_PROGRAMS
    if any(isinstance(node, Op) and node.op not in WATCHED for node in shown.nodes):
        return _PASS_PROGRAMS
    return (shown, *(p for p in _PASS_PROGRAMS if p != shown))


def pass_facts(answer: Read, rules: Collection[FaultFact], shown: Program | None) -> tuple[FaultFact, ...]:
    """Return the most important fact about `backward()`, or none.

    Args:
        answer: the answer to `pass_probes`.
        rules: the known facts about rules. If any is about + or *, no fact is derived from numbers.
        shown: the program that the learner sees. A fact about it comes before facts about other programs.
    """
    rule = answer.reading.rule
    programs = _pass_programs(shown)
    # the facts under each order seed; where a run is missing, the runs before it reached a limit
    complete = [seed for seed in answer.seeds if None not in seed] or answer.seeds
    by_seed = [_of_seed(programs, seed, not rule or rule in ask.WITHOUT_FUNCTION) for seed in complete]
    if any(fact.operation.removeprefix("r") in WATCHED for fact in rules):
        by_seed = [[fact for fact in of_seed if fact.kind in _OF_PASS_ALONE] for of_seed in by_seed]
    holds = Counter(chain.from_iterable(map(set, by_seed)))
    facts = list(dict.fromkeys(chain.from_iterable(by_seed)))
    if not facts:
        return ()
    seeds = len(answer.seeds)
    about = shown.shown if shown else ""
    # choose a fact about the program that the learner sees, if there is one, and then one that holds
    # under every order seed
    first = min(facts, key=lambda fact: (fact.program not in ("", about), holds[fact] < seeds))
    orders = None if holds[first] == seeds else (holds[first], len(by_seed))
    stays_none = first.kind == "not_seeded" and answer.reading.grad_starts_as_none
    return (msgspec.structs.replace(first, orders=orders, found="None" if stays_none else first.found),)


def _of_seed(programs: Sequence[Program], seed: Sequence[Done | Broke | None], stored: bool) -> list[FaultFact]:
    """Return the facts about the backward pass under one order seed, most important first.

    Args:
        seed: the outcomes under that order seed.
        stored: whether the rules cannot be watched, because no function for each was found.
    """
    # the three parts of `pass_probes`
    watched, twice, from_others = seed[: len(programs)], seed[len(programs) : -1], seed[-1]
    # if watching breaks the engine, take the first passes of the runs that are not watched
    if not any(isinstance(outcome, Done) for outcome in watched):
        watched, stored = twice, True
    done = [(p, o) for p, o in zip(programs, watched, strict=True) if isinstance(o, Done)]
    kept = isinstance(from_others, Done) and list(from_others.grads[0][:-1]) == [grad for _, grad in _EXISTING]
    return (_of_pass(done, stored, not kept) or _of_second(programs, twice)) if len(done) >= ENOUGH else []


_Seen: TypeAlias = tuple[Program, Sequence[float], Traced]  # a program, its gradients, and the rules that ran


def _of_pass(done: Sequence[tuple[Program, Done]], stored: bool, changes: bool) -> list[FaultFact]:
    """Return the facts about the first backward pass on these programs.

    The most general fact comes first: the root's gradient is wrong, or the same thing is wrong with every program. If
    there is none, the facts are about single programs.

    Args:
        stored: whether the rules were not watched: the engine has no function for each, or watching breaks it.
        changes: whether the pass may change existing gradients, other than the root's.
    """
    seen = [(p, numbers_of(o.grads[0]), o.traced[0] if o.traced else Traced(())) for p, o in done]
    wrong = [(p, grads, trace) for p, grads, trace in seen if not _leaves_right(p, grads)]
    if root := _wrong_root(seen):
        return root
    if not wrong:
        return []
    ran = any(trace.calls for _, _, trace in seen)
    if alike := _alike_everywhere(seen, wrong, stored or ran or changes):
        return [alike]
    if stored:
        return [fact for p, grads, _ in wrong for fact in _stops(p, grads)]
    inputs = {p.key: _inputs_returned(p, outcome) for p, outcome in done}
    return [fact for p, grads, trace in wrong if ran for fact in _out_of_order(p, grads, trace, inputs[p.key])]


def _out_of_order(p: Program, grads: Sequence[float], trace: Traced, inputs: Collection[str]) -> Iterator[FaultFact]:
    """Yield the faults in the order in which rules ran, if these rules account for all gradients.

    Args:
        inputs: the operations that may return an input. Such a result has no rule of its own to run.
    """
    for fact in _disorder(p, trace) if _accounts_for_all(p, grads, trace) else ():
        if fact.kind != "never_ran" or fact.node not in inputs:
            yield fact


def _inputs_returned(p: Program, outcome: Done) -> set[str]:
    """Return the operations whose result may be one of their inputs: it has the same value, gradient and inputs.

    Such a result has no rule of its own to run.
    """
    seen = list(zip(outcome.values[0], outcome.grads[0], outcome.inputs[0], strict=True))
    operations = ((i, node) for i, node in enumerate(p.nodes) if isinstance(node, Op))
    return {node.name for i, node in operations if any(seen[i] == seen[source] for source in node.inputs)}


def _alike_everywhere(seen: Sequence[_Seen], wrong: Sequence[_Seen], may_have_run: bool) -> FaultFact | None:
    """Return the fact that a pass does the same wrong thing with every program, or None.

    Args:
        seen: all programs.
        wrong: the programs with wrong gradients.
        may_have_run: whether a rule may have run.
    """
    of_roots = [grads[p.root] for p, grads, _ in seen]
    of_others = [grad for p, grads, _ in seen for i, grad in enumerate(grads) if i != p.root]
    if not any(of_others) and not any(of_roots):
        added = any(amounts for _, _, trace in seen for _, amounts in trace.calls)
        return FaultFact("all_cleared" if added else "not_seeded")
    if all(grads[p.root] not in (0.0, 1.0) for p, grads, _ in wrong):
        p, grads, _ = wrong[0]
        return _wrong_seed(p, grads)
    if not any(of_others):
        return FaultFact("nothing_propagated" if may_have_run else "no_rule_ran")
    return FaultFact("all_ones") if all(grad == 1.0 for grad in of_roots + of_others) else None


def _accounts_for_all(p: Program, grads: Sequence[float], trace: Traced) -> bool:
    """Return whether the watched rules alone account for the gradients of the leaves.

    They do not if the pass also runs rules that are not those of a node. Rules that return their contributions add
    nothing themselves.
    """
    added = Counter[int]()  # the sum of the contributions to each node
    for _, contributions in trace.calls:
        added.update(dict(contributions))
    return not added or all(
        is_close(grads[i], added[i]) for i, node in enumerate(p.nodes) if not isinstance(node, Op) and i != p.root
    )


def _wrong_root(seen: Sequence[_Seen]) -> list[FaultFact]:
    """Return the fact that the root's gradient is not 1 after any pass, if all other gradients are right."""
    for p, grads, _ in seen:
        right = expected_grads(p)
        if grads[p.root] == 1.0 or not all(is_close(g, right[i]) for i, g in enumerate(grads) if i != p.root):
            return []
    # name a program with an operation, if there is one
    p, grads, _ = max(seen, key=lambda one: isinstance(one[0].nodes[one[0].root], Op))
    return [_wrong_seed(p, grads)]


def _wrong_seed(p: Program, grads: Sequence[float]) -> FaultFact:
    """Return the fact that the root's gradient is not 1."""
    seen = grads[p.root]
    found = of_type(seen.kind) if isinstance(seen, NoNumber) else apart(seen, 1.0)[0]
    return FaultFact("seed", found=found, program=p.shown)


def _stops(p: Program, grads: Sequence[float]) -> Iterator[FaultFact]:
    """Yield a fact for each operation that has its gradient, but whose inputs have none."""
    right = expected_grads(p)
    for index, node in enumerate(p.nodes):
        if not isinstance(node, Op) or index == p.root or not right[index]:
            continue
        if is_close(grads[index], right[index]) and all(grads[i] == 0.0 != right[i] for i in node.inputs):
            yield FaultFact("stops_at", program=p.shown, node=node.name)


def _leaves_right(p: Program, grads: Sequence[float]) -> bool:
    """Return whether every leaf has the right gradient."""
    right = expected_grads(p)
    return all(is_close(grads[i], right[i]) for i, node in enumerate(p.nodes) if not isinstance(node, Op))


def _disorder(p: Program, trace: Traced) -> Iterator[FaultFact]:
    """Yield every fault in the order in which rules ran."""
    place: dict[int, int] = {}
    for position, (node, _) in enumerate(trace.calls):
        if not 0 <= node < len(p.nodes):
            return  # an additional node of the engine
        if node in place:
            yield FaultFact("ran_twice", program=p.shown, node=p.nodes[node].name)
        place.setdefault(node, position)
    for index in reversed(p.reachable):
        node_ = p.nodes[index]
        if not isinstance(node_, Op):
            continue
        if index not in place:
            yield FaultFact("never_ran", program=p.shown, node=node_.name)
            continue
        for source in node_.inputs:
            if source in place and place[source] < place[index]:
                yield FaultFact("ran_early", program=p.shown, node=p.nodes[source].name, other=node_.name)


def _of_second(programs: Sequence[Program], twice: Sequence[Done | Broke | None]) -> list[FaultFact]:
    """Return a fact for each program whose first pass gives the right gradients, and whose second one does not."""
    return [
        FaultFact("second_pass", program=p.shown)
        for p, o in zip(programs, twice, strict=True)
        if isinstance(o, Done)
        and _leaves_right(p, numbers_of(o.grads[0]))
        and not _leaves_right(p, numbers_of(o.grads[1]))
    ]
