"""Recognise optional operations that an engine does not offer."""

import re
from collections.abc import Collection

from ..client import Problem
from ..program import METHODS, OPERATIONS, REFLECTED, Number, Op, Program

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
