"""The answer to a whole batch, before its programs are judged one by one."""

from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from ..client import Broke, Died, Problem, Read, Run


class Shown(Struct, frozen=True):
    """A batch and its answer.

    Attributes:
        wrong: The indices of the runs that were wrong.
        aside: The indices of the runs that a diagnosis must ignore: those of programs drawn at random, and of
            programs that the engine need not be able to build.
        unsettled: The indices of the runs that were wrong under some order seeds only.
        huge: Whether a graph was so large that it was run under one order seed only.
    """

    runs: tuple[Run, ...]
    answer: Read | Problem | Died
    wrong: frozenset[int]
    aside: frozenset[int]
    unsettled: frozenset[int] = frozenset()
    huge: bool = False


def outline(answer: Read | Problem | Died) -> Read | Problem | Died:
    """Return only whether each run was completed.

    Of a huge graph, other observations differ between engines that make the same mistake in slightly different ways.
    """
    if not isinstance(answer, Read):
        return answer
    return Read(
        answer.reading,
        tuple(tuple(replace(outcome, results=()) if outcome else None for outcome in seed) for seed in answer.seeds),
    )


def left_out(answer: Read) -> bool:
    """Return whether the answer lacks a requested run, although no earlier run had reached a limit."""
    for outcome in chain.from_iterable(answer.seeds):
        if outcome is None:
            return True
        if isinstance(outcome, Broke) and outcome.problem.ran_out:
            return False
    return False
