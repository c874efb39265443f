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
        if isinstance(program, Program):
            answer = Answer(program.values, program.gradients())
        else:
            answer = _descended(program)
        if not all(map(math.isfinite, (*answer.values, *answer.grads))):
            raise NoAnswer(f"{program.shown} has no finite answer")
        return answer


def _descended(asked: Descent) -> Answer:
    """Return the answer to a descent."""
    at, before = asked.start, []
    for _ in range(asked.steps):
        before.append(at.values[at.root])
        grads = at.gradients()
        at = at.with_leaves([leaf.value - asked.rate * grads[at.index[leaf.name]] for leaf in at.leaves])
    return Answer((*before, *(leaf.value for leaf in at.leaves)), ())
