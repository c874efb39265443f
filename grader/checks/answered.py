"""The answer to a batch as a whole, before its programs are judged one by one."""

from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from ..client import Broke, Died, Problem, Read, Run


class Shown(Struct, frozen=True):
    """A batch, its answer, and which of its runs came out wrong. Those put `aside` are of programs drawn at
    random, or of programs that the engine need not be able to build."""

    runs: tuple[Run, ...]
    answer: Read | Problem | Died
    wrong: frozenset[int]
    aside: frozenset[int]


def outline(answer: Read | Problem | Died) -> Read | Problem | Died:
    """Only whether each run went through: a huge graph is walked in whatever order the addresses give, so what
    else it shows may differ from run to run."""
    if not isinstance(answer, Read):
        return answer
    return Read(
        answer.reading,
        tuple(tuple(replace(outcome, results=()) if outcome else None for outcome in seed) for seed in answer.seeds),
    )


def left_out(answer: Read) -> bool:
    """Return whether a run is missing that was asked for, before any run had used up the budget."""
    for outcome in chain.from_iterable(answer.seeds):
        if outcome is None:
            return True
        if isinstance(outcome, Broke) and outcome.problem.ran_out:
            return False
    return False
