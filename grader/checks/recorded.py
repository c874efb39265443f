"""Decide which of a check's runs can be recorded, and how."""

from typing import Any

from msgspec.structs import replace

from ..client import Run
from ..program import Op

MOST_NODES = 40  # the most nodes of a program that is recorded
_PASSES = ("backward", "local_rules", "call")


def recorded(run: Run) -> Run | None:
    """Return a check's run in a form that is recorded. It ends with the last pass, which is the recorded one.

    Return None for a run without a pass, without an operation, or with too many nodes.
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
    """Return whether a step runs rules. A function of the file may do so only if it gets every node as an argument."""
    return step[0] != "call" or (len(step) > 2 and len(step[2]) > 1 and all(kind == "node" for kind, _ in step[2]))
