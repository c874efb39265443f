"""The answer to a whole batch, before its programs are judged one by one, and the programs that it lacks."""

import re
from collections.abc import Collection
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from ..client import Broke, Died, Problem, Read, Run
from ..program import METHODS, OPERATIONS, REFLECTED, Number, Op, Program


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


# -- operations that an engine does not offer

_REFUSALS = ("TypeError", "AttributeError", "AssertionError", "ValueError", "NotImplementedError")  # for a plain number
_NUMBER_REFUSED = re.compile(r"unsupported operand type.*'(int|float)'")


def not_offered(about: Program, problem: Problem) -> bool:
    """Return whether a program failed only because it uses an optional operation.

    Functions beyond those of the course are optional, and so are plain numbers other than exponents.
    """
    operations = [node for node in about.nodes if isinstance(node, Op)]
    extra = any(OPERATIONS[node.op].optional for node in operations)
    sides = {side for node in operations if node.op != "pow" for side in _number_sides(node)}
    if problem.absent and problem.user is None:
        return extra or bool(sides)
    if sides and problem.where == "build" and not problem.lines and _NUMBER_REFUSED.search(problem.message):
        return True  # Python itself refused: the operator is missing, or it returned NotImplemented
    refused = problem.where == "build" and (problem.user is not None or problem.type_name in _REFUSALS)
    # an operation that returned None, or a reflected operator that exists and fails, is offered and wrong
    return refused and sides == {"right"} and not extra and "NoneType" not in problem.message


def lacks(about: Program, problem: Problem, operations: Collection[str]) -> bool:
    """Return whether a program could not be built because the engine does not define one of these operations.

    An operation whose method uses another one of these operations, which the engine lacks, counts as not defined.
    """
    methods = {METHODS.get(op, op) for op in operations}
    if problem.user is None:
        return problem.method in methods & about.methods
    users = methods | {REFLECTED[op] for op in operations if op in REFLECTED}
    return problem.method in methods and problem.user in users & about.methods


def _number_sides(node: Op) -> list[str]:
    """Return the sides of an operation that have a plain number as operand."""
    return [
        side for side, operand in zip(("left", "right"), node.operands, strict=False) if isinstance(operand, Number)
    ]
