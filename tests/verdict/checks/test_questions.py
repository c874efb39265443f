"""The runs of a check that can be recorded, and the step where a recording begins."""

from typing import Any

from every import every

from grader.course.oracle import Redraw
from grader.course.oracle.answer_book import Answer
from grader.course.program import NOTHING
from grader.program import chain, leaf, program
from grader.runner.client import Run
from grader.verdict.checks.questions import Questions, recorded

BOTH = program("L = a * b", a=2, b=-3)  # nodes: a, b, L
NODES = [["node", 0], ["node", 1], ["node", 2]]


def steps(*steps: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...] | None:
    """Return the steps of a recorded run."""
    run = recorded(Run(BOTH, steps))
    return run.steps if run else None


THERE = ("preload", [[0, 5.0]])
RULES, CLEAR = ("local_rules", 2, 4.0), ("call", "zero_grad", [["nodes", [0, 1, 2]]])
EMPTY: tuple[Any, ...] = ("preload", [])
BACKWARD, BY_HAND = ("backward", 2), ("call", "sum_of_product", NODES)
AGAIN = ("call", "backward_again", [["node", 2]])


@every(
    ("expected", "given"),
    [
        ((1, BACKWARD), (("values",), BACKWARD, ("grads",), ("values",))),
        ((1, BACKWARD), (("watch",), BACKWARD, ("traced",))),
        ((1, BACKWARD), (("triple", 2), BACKWARD, ("grads",))),
        ((1, THERE, RULES), (("values",), THERE, RULES)),
        ((2, BACKWARD, EMPTY, BACKWARD), (BACKWARD, EMPTY, BACKWARD, ("grads",))),
        ((4, EMPTY, RULES, CLEAR, RULES), (EMPTY, RULES, CLEAR, ("grads",), RULES, ("grads",))),
        ((1, EMPTY, BY_HAND), (EMPTY, ("watch",), BY_HAND, ("grads",), ("traced",))),
        ((3, THERE, BACKWARD, AGAIN), (THERE, BACKWARD, AGAIN, ("grads",), ("values",))),
    ],
    ids=["backward", "watched", "tripled", "gradients before", "a second pass", "rules again", "by hand", "again"],
)
def test_the_last_pass_is_recorded(expected: tuple[Any, ...], given: tuple[Any, ...]) -> None:
    """Steps that only read are left out, and the last pass is the last step.

    A recording begins with the gradients that are set before this pass. A function after which gradients are read is a
    pass.
    """
    begin, *recorded_steps = expected
    assert (("record", begin), *recorded_steps) == steps(*given)


@every(
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


def test_a_function_that_makes_nodes_is_recorded_and_one_that_follows_the_pass_is_not() -> None:
    """A recording shows the graph that a function builds, if the program is small, and ends with a pass."""
    made = program("d = double(a); L = d * a", "d = a + a; L = d * a", a=2)
    run = recorded(Run(made, (("backward", made.root), ("grads",))))
    assert run is not None
    assert (("record", 1), ("backward", made.root)) == run.steps
    many = ", ".join(f"d{k}" for k in range(20))
    large = program(
        f"{many} = copies(a); L = d0 * a", f"{'; '.join(f'd{k} = a + {k}' for k in range(20))}; L = d0 * a", a=2
    )
    assert recorded(Run(large, (("backward", large.root), ("grads",)))) is None
    assert steps(BACKWARD, ("call", "numbers", [["nodes", [0, 1]]]), ("grads",)) is None


def test_a_redrawn_program_follows_its_truth() -> None:
    """Under another seed, the leaves of a program have the values that its second text gets."""
    made = program("d = detach(a); L = d * b + a", "d = c * 1; L = d * b + a", a=3, b=-2, c=3)
    answers = [Answer(p.values, p.gradients()) for p in (made.truth or made,)]
    redraw = Redraw("seed", lambda _: answers, lambda some: [Answer(p.values, p.gradients()) for p in some], {})
    (found,) = Questions("seed", redraw).programs([made], {})
    assert found.truth is not None
    values = {leaf.name: leaf.value for leaf in (*found.leaves, *found.truth.leaves)}
    assert values["a"] == values["c"]
    assert values["a"] * values["b"] + values["a"] == found.values[found.root]
    assert found.leaves != made.leaves
