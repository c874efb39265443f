"""Answers to programs from the table of operations, where torch's are not at hand."""

import math

from ..program import Descent, Program, Question
from .answer_book import Answer
from .answers import NoAnswer, Oracle


class TableOracle(Oracle):
    """An oracle that computes every answer with the values and the local derivatives in the table of operations.

    Only what serves an explanation may depend on it. Points depend on torch.
    """

    def __init__(self) -> None:
        super().__init__(None, None)

    def _computed(self, program: Question) -> Answer:
        at = program
        if isinstance(program, Descent):
            at = program.start
            for _ in range(program.steps):
                at = _stepped(at, program.rate)
        assert isinstance(at, Program)
        answer = Answer(at.values, at.gradients())
        if not all(map(math.isfinite, (*answer.values, *answer.grads))):
            raise NoAnswer(f"{at.shown} has no finite answer")
        return answer


def _stepped(at: Program, rate: float) -> Program:
    """Return a program after a step of gradient descent."""
    grads = at.gradients()
    return at.with_leaves([leaf.value - rate * grads[at.index[leaf.name]] for leaf in at.leaves])
