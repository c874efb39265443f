"""The runs of a check that can be recorded, and the step where a recording begins."""

from typing import Any

from every import every

from grader.course.oracle import Redraw
from grader.course.oracle.answer_book import Answer
from grader.course.program import NOTHING
from grader.program import chain, leaf, program
from grader.runner.client import Run, ask
from grader.verdict.checks.questions import Questions, recorded

BOTH = program("L = a * b", a=2, b=-3)  # nodes: a, b, L
NODES: list[ask.Argument] = [("node", 0), ("node", 1), ("node", 2)]


def steps(*steps: ask.RunStep) -> tuple[ask.RunStep, ...] | None:
    """Return the steps of a recorded run."""
    run = recorded(Run(BOTH, steps))
    return run.steps if run else None


THERE = ask.Preload([(0, 5.0)])
RULES, CLEAR = ask.LocalRules(2, 4.0), ask.CallFunction("zero_grad", [("nodes", [0, 1, 2])])
EMPTY = ask.Preload()
BACKWARD, BY_HAND = ask.Backward(2), ask.CallFunction("sum_of_product", NODES)
AGAIN = ask.CallFunction("backward_again", [("node", 2)])


@every(
    ("expected", "given"),
    [
        ((1, BACKWARD), (ask.VALUES, BACKWARD, ask.GRADS, ask.VALUES)),
        ((1, BACKWARD), (ask.WATCH, BACKWARD, ask.TRACED)),
        ((1, BACKWARD), (ask.Triple(2), BACKWARD, ask.GRADS)),
        ((1, THERE, RULES), (ask.VALUES, THERE, RULES)),
        ((2, BACKWARD, EMPTY, BACKWARD), (BACKWARD, EMPTY, BACKWARD, ask.GRADS)),
        ((4, EMPTY, RULES, CLEAR, RULES), (EMPTY, RULES, CLEAR, ask.GRADS, RULES, ask.GRADS)),
        ((1, EMPTY, BY_HAND), (EMPTY, ask.WATCH, BY_HAND, ask.GRADS, ask.TRACED)),
        ((3, THERE, BACKWARD, AGAIN), (THERE, BACKWARD, AGAIN, ask.GRADS, ask.VALUES)),
    ],
    ids=["backward", "watched", "tripled", "gradients before", "a second pass", "rules again", "by hand", "again"],
)
def test_the_last_pass_is_recorded(expected: tuple[Any, ...], given: tuple[Any, ...]) -> None:
    """Steps that only read are left out, and the last pass is the last step.

    A recording begins with the gradients that are set before this pass. A function after which gradients are read is a
    pass.
    """
    begin, *recorded_steps = expected
    assert (ask.Record(begin), *recorded_steps) == steps(*given)


@every(
    "run",
    [
        Run(BOTH, (ask.VALUES,)),
        Run(BOTH, (ask.CallFunction("build_topo", [("node", 2)]),)),
        Run(BOTH, (ask.Train(2, 3, 0.1), ask.VALUES)),
        Run(NOTHING, (ask.CallFunction("square", []),)),
        Run(leaf(2.0), (ask.Backward(0),)),
        Run(chain(1_000), (ask.Backward(999),)),
    ],
    ids=["values", "an order", "a training", "numbers", "a leaf", "too many nodes"],
)
def test_other_runs_cannot_be_recorded(run: Run) -> None:
    """A run without a pass, or with no nodes or too many nodes, cannot be recorded."""
    assert recorded(run) is None


def test_a_run_on_arrays_is_recorded_if_they_are_small() -> None:
    """All nodes together have at most 1,000 numbers."""
    small, large = (program("L = sum(a * a)", a=[1.0] * count) for count in (499, 500))
    run = recorded(Run(small, (ask.Backward(small.root), ask.GRADS)))
    assert run is not None
    assert (ask.Record(1), ask.Backward(small.root)) == run.steps
    assert recorded(Run(large, (ask.Backward(large.root), ask.GRADS))) is None


def test_how_a_program_is_spelled_is_kept() -> None:
    """Whole numbers and operations in place are asked in the same form as by the check."""
    run = recorded(Run(BOTH, (ask.Backward(2),), whole=True, in_place=True))
    assert run is not None
    assert (True, True) == (run.whole, run.in_place)


def test_a_function_that_makes_nodes_is_recorded_and_one_that_follows_the_pass_is_not() -> None:
    """A recording shows the graph that a function builds, if the program is small, and ends with a pass."""
    made = program("d = double(a); L = d * a", "d = a + a; L = d * a", a=2)
    run = recorded(Run(made, (ask.Backward(made.root), ask.GRADS)))
    assert run is not None
    assert (ask.Record(1), ask.Backward(made.root)) == run.steps
    many = ", ".join(f"d{k}" for k in range(20))
    large = program(
        f"{many} = copies(a); L = d0 * a", f"{'; '.join(f'd{k} = a + {k}' for k in range(20))}; L = d0 * a", a=2
    )
    assert recorded(Run(large, (ask.Backward(large.root), ask.GRADS))) is None
    arrays = program("d = double(a); L = sum(d * a)", "d = a + a; L = sum(d * a)", a=[2, 3])
    assert recorded(Run(arrays, (ask.Backward(arrays.root), ask.GRADS))) is None
    assert steps(BACKWARD, ask.CallFunction("numbers", [("nodes", [0, 1])]), ask.GRADS) is None


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
