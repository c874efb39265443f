"""Calls of each check of an engine, and answers to them that are wrong in one place."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from answering import Says, engine_that, honest
from every import every

from grader.checks import CheckFailed, EngineUnderCheck, GivenPass
from grader.program import program
from grader.runner.client import Batch
from grader.verdict.checks.outcome import Finding

Ask = Callable[[EngineUnderCheck], None]
Change = Callable[[Any], Any]

BOTH = program("L = a * b + a", a=2, b=-3)
SQUARE = program("L = a * a", a=3)
TANH = program("L = tanh(a)", a=3)
PASSES = (
    GivenPass(BOTH),
    GivenPass(BOTH, "lost", lambda a, b: (a - 1, b)),
    GivenPass(SQUARE, "small", lambda a: (1.0003 * a,)),
)
DOUBLED = program("L = (2 * a) * a", a=3)
NONE, NINE = (0.0).hex(), (9.0).hex()

ASKS: dict[str, Ask] = {
    "agrees": lambda engine: engine.agrees(BOTH, SQUARE),
    "agrees where offered": lambda engine: engine.agrees(BOTH, SQUARE, where_offered=True),
    "computes": lambda engine: engine.computes(BOTH, SQUARE),
    "local rules": lambda engine: engine.local_rules_agree(BOTH, SQUARE, upstream=-2.5, already={"a": 5.0}),
    "uses local rules": lambda engine: engine.backward_uses_local_rules(BOTH, SQUARE),
    "each rule once": lambda engine: engine.backward_runs_each_rule_once(BOTH, SQUARE),
    "agrees anew": lambda engine: engine.agrees_anew(BOTH, SQUARE),
    "agrees released": lambda engine: engine.agrees_released(BOTH, SQUARE),
    "sorts": lambda engine: engine.sorts(BOTH, SQUARE),
    "sorts untouched": lambda engine: engine.sorts(BOTH, SQUARE, untouched=True),
    "by hand": lambda engine: engine.by_hand("pass_back", BOTH, SQUARE),
    "differentiates": lambda engine: engine.differentiates("numeric_grad", BOTH, SQUARE, tolerance=1e-5),
    "tells apart": lambda engine: engine.tells_apart("agrees", *PASSES[1:]),
}


every_ask = every("ask", ASKS.values(), ids=list(ASKS))


def finding(says: Says, ask: Ask, source: str = "", **options: Any) -> Finding:
    """Return the finding of a check that fails."""
    return finding_of(engine_that(says, source, **options), ask)


def finding_of(engine: EngineUnderCheck, ask: Ask) -> Finding:
    with pytest.raises(CheckFailed) as failure:
        ask(engine)
    return failure.value.finding


def listened(batches: list[Batch], says: Says = honest) -> Says:
    """Return a process that also keeps the batches."""

    def heard(batch: Batch) -> Any:
        batches.append(batch)
        return says(batch)

    return heard


def with_result(run: int, step: int, change: Change, seeds: Any = None, says: Says = honest) -> Says:
    """Return a right answer in which one result is changed, under all or some order seeds."""

    def changed(batch: Batch) -> Any:
        message = says(batch)
        for i, seed in enumerate(message[2]):
            results = seed[run][1]
            if (seeds is None or i in seeds) and step < len(results):
                results[step] = change(results[step])
        return message

    return changed


def read_as(says: Says, rule: str) -> Says:
    """Return the answers of an engine whose rules are read as another kind."""

    def read(batch: Batch) -> Any:
        message = says(batch)
        message[1] = [*message[1][:4], rule, rule, *message[1][6:]]
        return message

    return read


def broken(problem: list[Any], results: Change = lambda done: [], where: int = 0, only: Sequence[str] = ()) -> Says:
    """Return a right answer in which one run broke; with `only`, in batches that begin with one of these programs."""

    def broke(batch: Batch) -> Any:
        message = honest(batch)
        if not only or batch.runs[0].program.key in only:
            for seed in message[2]:
                seed[where] = ["broke", results(seed[where][1]), problem]
        return message

    return broke


def left_out(*places: tuple[int, int], says: Says = honest) -> Says:
    """Return an answer without some runs, given by order seed and run."""

    def less(batch: Batch) -> Any:
        message = says(batch)
        for seed, run in places:
            message[2][seed][run] = None
        return message

    return less


HALVES = {"half of 3": 1.5, "half of 5": 2.5}


def halves(engine: EngineUnderCheck, **options: Any) -> None:
    engine.returns("half", 3.0, 5.0, expected=HALVES, about="half(3, 5)", **options)
