"""A program to replay, and the steps of a recorded run on it."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..checks.questions import MOST_NODES
from ..client import Run
from ..program import Program, ProgramError
from ..words.replay import too_many_nodes


@dataclass(frozen=True)
class Asked:
    """A program to replay.

    Attributes:
        title: the title of the replay.
        run: the program and the steps, of which the first is `record`.
        preset: the id of a preset, or an empty text.
    """

    title: str
    run: Run
    preset: str = ""

    @property
    def program(self) -> Program:
        return self.run.program

    @property
    def upstream(self) -> float:
        """Return the gradient that the root is given."""
        last = self.run.steps[-1]
        return float(last[2]) if last[0] == "local_rules" else 1.0

    @property
    def before(self) -> Mapping[int, float]:
        """Return the gradients that exist before the recorded pass, by index."""
        step = self.run.steps[self.run.steps[0][1]]
        return {index: float(grad) for index, grad in step[1]} if step[0] == "preload" else {}


def asked(program: Program, title: str = "", preset: str = "") -> Asked:
    """Return a program to replay, with the file's own backward pass, or with its local rules if it has no such pass.

    Raises `ProgramError` for a program with too many nodes to show.
    """
    if len(program.nodes) > MOST_NODES:
        raise ProgramError(too_many_nodes(program.text, len(program.nodes), MOST_NODES))
    steps = (("record", 1), ("pass_or_rules", program.root))
    return Asked(title or program.text, Run(program, steps), preset)
