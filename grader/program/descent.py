"""A program after some steps of gradient descent, given by the program before the first step."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from .graph import Node, Program, ProgramError, key_of, number_text


@dataclass(frozen=True)
class Descent:
    """The program `start` after `steps` steps of gradient descent on its root.

    Each step subtracts `rate` times its gradient from every leaf. The oracle computes the steps. The
    values of the leaves after them may differ in their last digits between machines, so no program
    and no key contains them.
    """

    start: Program
    rate: float
    steps: int

    def __post_init__(self) -> None:
        if self.steps < 1 or not math.isfinite(self.rate):
            raise ProgramError(
                f"{self.start.text}: a descent needs at least 1 step and a finite rate "
                f"(steps: {self.steps}, rate: {self.rate})"
            )

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes of `start`. The values of its leaves are those before the first step."""
        return self.start.nodes

    @property
    def shown(self) -> str:
        """Return the program and the steps as a learner reads them."""
        steps = "1 step" if self.steps == 1 else f"{self.steps} steps"
        return f"{self.start.shown}, after {steps} of gradient descent at rate {number_text(self.rate)}"

    @property
    def question(self) -> list[object]:
        """Return the question to the oracle: the starting program, the rate and the number of steps."""
        return [*self.start.question, float(self.rate), self.steps]

    @cached_property
    def key(self) -> str:
        """Return the key of the question, which does not depend on the names of nodes."""
        return key_of(self.question)


Question: TypeAlias = Program | Descent
