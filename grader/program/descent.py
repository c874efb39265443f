"""A program after some steps of gradient descent, known by where the descent starts."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from .graph import Node, Program, ProgramError, key_of, number_text


@dataclass(frozen=True)
class Descent:
    """The program `start` after `steps` steps of gradient descent on its root.

    Each step takes `rate` times its gradient from every leaf. The oracle takes the steps, so the values of the leaves
    after them, which differ in their last digits from one machine to the next, stand in no program and in no key.
    """

    start: Program
    rate: float
    steps: int

    def __post_init__(self) -> None:
        if self.steps < 1 or not math.isfinite(self.rate):
            raise ProgramError(f"{self.start.text}: {self.steps} steps at rate {self.rate} are no descent")

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of `start`; the values of its leaves are those before the first step."""
        return self.start.nodes

    @property
    def shown(self) -> str:
        """The program as a learner reads it, and the steps."""
        return f"{self.start.shown}, after {self.steps} steps of gradient descent at rate {number_text(self.rate)}"

    @property
    def question(self) -> list[object]:
        """The question to the oracle: the program where it starts, the rate and the steps."""
        return [*self.start.question, float(self.rate), self.steps]

    @cached_property
    def key(self) -> str:
        """A name for what is computed, whatever its nodes are called."""
        return key_of(self.question)


Question: TypeAlias = Program | Descent
