"""Replays of functions that build a graph themselves: every node that the learner's code makes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from every import every
from read_yaml import read_yaml

from grader.course.load import Limits
from grader.practice.replay import Replay
from grader.practice.replay.record import FileToReplay, Subject, record
from grader.program import Program, program
from grader.runner.client import Run, Source, ask
from grader.runner.sandbox import Warm
from grader.verdict.checks.questions import recorded

SOLUTIONS = Path(__file__).resolve().parents[3] / "solutions"
LIMITS = Limits(calls=20_000, cpu_s=0.5)

LOSS = program(
    "L = cross_entropy([a, b], 1)", "u = exp(a - a); v = exp(b - a); s = u + v; L = log(s) + a - b", a=2, b=1
)
SHARED = program("h = a * b; L = h * h + h", a=0.5, b=-1.5)
PRODUCT = program(
    "h = a * b; d = detach(h); L = d * h + a", "h = a * b; d = c * e; L = d * h + a", a=3, b=-2, c=3, e=-2
)
SOFTMAX = program(
    "p, q = softmax([a, b]); L = p * 3 + q",
    "u = exp(a - a); v = exp(b - a); s = u + v; p = u / s; q = v / s; L = p * 3 + q",
    a=2,
    b=1,
)
DETACHED = "return Value(node.data)"
Make = Callable[..., Replay]
LISTED = read_yaml(Path(__file__).with_name("own_graphs.yaml"))


@pytest.fixture
def shown(warm: Warm) -> Make:
    """Replay a check's run on a solution, in which the second text of each edit replaces the first."""

    def made(name: str, p: Program, steps: tuple[ask.RunStep, ...], *edits: tuple[str, str]) -> Replay:
        text = (SOLUTIONS / f"{name}.py").read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text
            text = text.replace(old, new, 1)
        run = recorded(Run(p, steps))
        assert run is not None
        file = FileToReplay(name, f"{name}.py", Source(Path(f"{name}.py"), text))
        (replay,) = record(warm, LIMITS, file, Subject("a check", run), (), lambda p: None)
        return replay

    return made


def passes(p: Program) -> tuple[ask.RunStep, ...]:
    """Return the steps of a check that compares values and gradients."""
    return (ask.VALUES, ask.Backward(p.root), ask.GRADS, ask.VALUES)


def after(call: ask.RunStep, p: Program, earlier: int = 0) -> tuple[ask.RunStep, ...]:
    """Return the steps of a check of a function that runs a pass, from leaves with the gradient 0.5."""
    at_first = ask.Preload([(p.index[leaf.name], 0.5) for leaf in p.leaves])
    return (at_first, *[ask.Backward(p.root)] * earlier, call, ask.GRADS, ask.VALUES)


RUNS = {
    "loss": (LOSS, passes(LOSS)),
    "softmax": (SOFTMAX, passes(SOFTMAX)),
    "product": (PRODUCT, passes(PRODUCT)),
    "again": (SHARED, after(ask.CallFunction("backward_again", [("node", SHARED.root)]), SHARED, earlier=1)),
    "add": (
        SHARED,
        after(ask.CallFunction("backward_and_add", [("node", SHARED.root), ("node", 0), ("number", 5.0)]), SHARED),
    ),
}


@every("case", LISTED, ids=[case["what"] for case in LISTED])
def test_what_is_shown_of_a_graph(shown: Make, seen: Callable[..., Any], case: dict[str, Any]) -> None:
    """`own_graphs.yaml` lists edits of functions that build a graph, and what their replays show."""
    found = seen(shown(case["of"], *RUNS[case["run"]], *case.get("edits", ())), case)
    assert {key: case[key] for key in found} == found


def operations(replay: Replay) -> list[str]:
    """Return the operations of a replay's nodes."""
    return [node.op for node in replay.nodes]


def test_every_node_of_a_loss_is_shown_with_its_operation(shown: Make) -> None:
    """`cross_entropy` makes sums, exponentials, a logarithm and a difference, which are shown with their lines."""
    replay = shown("15_softmax", LOSS, passes(LOSS))
    assert (True, "", None, ()) == (replay.own_graph, replay.fault, replay.problem, replay.aliases)
    # two shifted logits and their exponentials, the sum that begins with 0, the log, and the difference
    assert ["leaf", "leaf", "add", "exp", "add", "add", "exp", "add", "log", "add", "mul", "add"] == operations(replay)
    text = (SOLUTIONS / "15_softmax.py").read_text(encoding="utf-8").split("\n")
    lines = {text[one.line - 1].strip() for one in replay.forward if one.line}
    assert {"total = sum((logit - m).exp() for logit in logits)", "return total.log() - (logits[target] - m)"} == lines


def test_each_inner_rule_is_a_step_with_a_right_contribution(shown: Make) -> None:
    """Every rule of the graph runs, users first, and adds what a right rule adds."""
    replay = shown("15_softmax", LOSS, passes(LOSS))
    assert replay.reference[0].node == replay.backward[0].node == replay.root
    assert {visit.node for visit in replay.reference} == {visit.node for visit in replay.backward}
    for visit in replay.backward:
        assert not visit.inner
        assert pytest.approx([one.amount for one in visit.expected]) == [one.amount for one in visit.changes]
    grads = {node.name: node.yours.grad for node in replay.nodes[:2]}
    assert pytest.approx({"a": 0.7310585786300049, "b": -0.7310585786300049}) == grads


def test_a_list_of_results_is_one_graph(shown: Make) -> None:
    """The probabilities of `softmax` share the sum that they are divided by."""
    replay = shown("15_softmax", SOFTMAX, passes(SOFTMAX))
    assert ("", None) == (replay.fault, replay.problem)
    assert {"a", "b", "p", "q", "L"} <= {node.name for node in replay.nodes}
    assert 2 == operations(replay).count("exp")


def test_large_numbers_inside_of_a_function_hide_no_difference(shown: Make) -> None:
    """exp(500) is larger than the error by far, but the probabilities are compared with each other alone."""
    far = SOFTMAX.with_leaves([500, 499]).following(SOFTMAX.truth.with_leaves([500, 499]))  # type: ignore[union-attr]
    edit = ("(logit - m).exp()", "(logit if logit.data < 400 else Value(400.0)).exp()")
    replay = shown("15_softmax", far, passes(far), edit)
    assert ("forward", True) == (replay.fault, replay.nodes[replay.fault_node or 0].name in ("p", "q"))


def test_a_detached_node_is_a_leaf_of_the_graph(shown: Make) -> None:
    """No rule runs for it, and its gradient is torch's."""
    replay = shown("16_no_grad", PRODUCT, passes(PRODUCT))
    at = next(i for i, node in enumerate(replay.nodes) if node.name == "d")
    assert ("", "leaf", -6.0, -6.0) == (
        replay.fault,
        replay.nodes[at].op,
        replay.nodes[at].leaf_value,
        replay.nodes[at].yours.grad,
    )
    assert at not in [visit.node for visit in replay.backward]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "class Value:",
            "class Kept(type):\n    def __setattr__(cls, name, value):\n        raise TypeError(name)\n\n\n"
            "class Value(metaclass=Kept):",
        ),
        (DETACHED, "made = Value(node.data)\n    made.data = 'x'\n    return made"),
        ("    def __add__(self, other):", "    def __add__(self, other, *more):"),
    ],
)
def test_unusual_code_is_shown_or_said_not_to_be(shown: Make, old: str, new: str) -> None:
    """A class that refuses other methods, and a value that is no number: there is a problem, or a whole graph."""
    replay = shown("16_no_grad", PRODUCT, passes(PRODUCT), (old, new))
    assert replay.own_graph != (replay.problem is not None)


def test_a_second_pass_adds_to_what_the_leaves_hold(shown: Make) -> None:
    """The recorded pass is the second one. The leaves keep the contributions of the first."""
    replay = shown("16_no_grad", *RUNS["again"])
    assert ("", None) == (replay.fault, replay.problem)
    assert [node.expected.grad for node in replay.nodes] == [node.yours.grad for node in replay.nodes]
