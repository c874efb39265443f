"""What is replayed: a program, and the steps that a recorded run takes on it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..client import Run
from ..program import Op, Program

MOST_NODES = 40  # of a program that is replayed
_PASSES = ("backward", "local_rules", "call")


@dataclass(frozen=True)
class Asked:
    """A program to replay.

    Attributes:
        title: how it is called.
        run: the program and the steps, the first of which is `record`.
        preset: the id of a preset, or empty.
    """

    title: str
    run: Run
    preset: str = ""

    @property
    def program(self) -> Program:
        return self.run.program

    @property
    def upstream(self) -> float:
        """The gradient that the root is given."""
        last = self.run.steps[-1]
        return float(last[2]) if last[0] == "local_rules" else 1.0

    @property
    def before(self) -> Mapping[int, float]:
        """The gradients that are there before the pass that is recorded, by index."""
        step = self.run.steps[self.run.steps[0][1]]
        return dict(map(tuple, step[1])) if step[0] == "preload" else {}


def asked(program: Program, title: str = "", preset: str = "") -> Asked:
    """Return a program to replay: by the file's own backward pass, or its local rules where it has none."""
    steps = (("record", 1), ("pass_or_rules", program.root))
    return Asked(title or program.text, Run(program, steps), preset)


def of_check(runs: Iterable[Run], title: str) -> Asked | None:
    """Return what shows the first of these runs of a check that can be replayed; None where none can."""
    return next((Asked(title, shown) for run in runs if (shown := recorded(run)) is not None), None)


def recorded(run: Run) -> Run | None:
    """Return a check's run as it is recorded: up to its last pass, which is the one that is followed.

    None for a run without a pass, or with too many nodes.
    """
    passes = [number for number, step in enumerate(run.steps) if step[0] in _PASSES and _is_pass(step)]
    operations = any(isinstance(node, Op) for node in run.program.nodes)
    if not passes or not operations or len(run.program.nodes) > MOST_NODES:
        return None
    steps = [step for step in run.steps[: passes[-1] + 1] if step[0] in ("preload", "anew", *_PASSES)]
    begin = len(steps) - 1
    if begin and steps[begin - 1][0] == "preload":
        begin -= 1
    return replace(run, steps=(("record", begin + 1), *steps))


def _is_pass(step: tuple[Any, ...]) -> bool:
    """Whether a step runs rules: of functions of the file, only one that is given every node may."""
    return step[0] != "call" or (len(step) > 2 and len(step[2]) > 1 and all(kind == "node" for kind, _ in step[2]))
