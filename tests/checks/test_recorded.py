"""The runs of a check that can be recorded, and the step where a recording begins."""

from typing import Any

import pytest

from grader.checks.questions import recorded
from grader.client import Run
from grader.program import NOTHING, chain, leaf, program

BOTH = program("L = a * b", a=2, b=-3)  # nodes: a, b, L
NODES = [["node", 0], ["node", 1], ["node", 2]]


def steps(*steps: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...] | None:
    """Return the steps of a recorded run."""
    run = recorded(Run(BOTH, steps))
    return run.steps if run else None


def test_a_pass_is_followed() -> None:
    """Steps that only read are left out, and the pass is the last step."""
    expected = (("record", 1), ("backward", 2))
    assert expected == steps(("values",), ("backward", 2), ("grads",), ("values",))
    assert expected == steps(("watch",), ("backward", 2), ("traced",))
    assert expected == steps(("triple", 2), ("backward", 2), ("grads",))


def test_gradients_that_are_there_before_are_part_of_it() -> None:
    """Gradients that are set before the rules run are recorded too."""
    there = ("preload", [[0, 5.0]])
    assert (("record", 1), there, ("local_rules", 2, 4.0)) == steps(("values",), there, ("local_rules", 2, 4.0))


def test_of_two_passes_the_second_is_followed() -> None:
    """If a check runs two passes, the second one is recorded."""
    given: Any = ("backward", 2), ("preload", []), ("backward", 2), ("grads",)
    assert (("record", 2), *given[:3]) == steps(*given)
    rules, clear = ("local_rules", 2, 1.0), ("call", "zero_grad", [["nodes", [0, 1, 2]]])
    expected: Any = (("record", 4), ("preload", []), rules, clear, rules)
    assert expected == steps(("preload", []), rules, clear, ("grads",), rules, ("grads",))


def test_a_function_that_is_given_every_node_is_a_pass() -> None:
    """A function that gets every node counts as a pass, as in an exercise by hand."""
    call = ("call", "sum_of_product", NODES)
    assert (("record", 1), ("preload", []), call) == steps(("preload", []), ("watch",), call, ("traced",))


@pytest.mark.parametrize(
    "run",
    [
        Run(BOTH, (("values",),)),
        Run(BOTH, (("call", "build_topo", [["node", 2]]),)),
        Run(BOTH, (("train", 2, 3, 0.1), ("values",))),
        Run(NOTHING, (("call", "square", []),)),
        Run(leaf(2.0), (("backward", 0),)),
        Run(chain(1_000), (("backward", 999),)),
    ],
    ids=["values", "an order", "a training", "numbers", "a leaf", "too many nodes"],
)
def test_other_runs_cannot_be_recorded(run: Run) -> None:
    """A run without a pass, or with no nodes or too many nodes, cannot be recorded."""
    assert recorded(run) is None


def test_how_a_program_is_spelled_is_kept() -> None:
    """Whole numbers and operations in place are asked in the same form as by the check."""
    run = recorded(Run(BOTH, (("backward", 2),), whole=True, in_place=True))
    assert run is not None
    assert (True, True) == (run.whole, run.in_place)
