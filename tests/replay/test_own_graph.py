"""Replays of functions that build a graph themselves: every node that the learner's code makes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.checks.questions import recorded
from grader.client import Run, Source
from grader.course import Limits
from grader.program import Program, program
from grader.replay import Replay
from grader.replay.record import LearnerFile, Subject, record
from grader.sandbox import Warm

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
LIMITS = Limits(calls=20_000, cpu_s=0.5)

LOSS = program(
    "L = cross_entropy([a, b], 1)", "u = exp(a - a); v = exp(b - a); s = u + v; L = log(s) + a - b", a=2, b=1
)
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
AGAIN = "    for node in nodes_of(loss):\n        if node._prev:\n            node.grad = 0.0\n"
ADDED = "    loss.backward()\n    p.data += amount\n"
Make = Callable[..., Replay]


@pytest.fixture
def shown(warm: Warm) -> Make:
    """Replay a check's run on a solution, in which the second text of each edit replaces the first."""

    def made(name: str, p: Program, steps: tuple[tuple[object, ...], ...], *edits: tuple[str, str]) -> Replay:
        text = (SOLUTIONS / f"{name}.py").read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text
            text = text.replace(old, new, 1)
        run = recorded(Run(p, steps))
        assert run is not None
        file = LearnerFile(name, f"{name}.py", Source(Path(f"{name}.py"), text))
        (replay,) = record(warm, LIMITS, file, Subject("a check", run), (), lambda p: None)
        return replay

    return made


def passes(p: Program) -> tuple[tuple[object, ...], ...]:
    """Return the steps of a check that compares values and gradients."""
    return (("values",), ("backward", p.root), ("grads",), ("values",))


def after(call: tuple[object, ...], p: Program, earlier: int = 0) -> tuple[tuple[object, ...], ...]:
    """Return the steps of a check of a function that runs a pass, from leaves with the gradient 0.5."""
    at_first = ("preload", [[p.index[leaf.name], 0.5] for leaf in p.leaves])
    return (at_first, *[("backward", p.root)] * earlier, call, ("grads",), ("values",))


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


def test_a_loss_with_a_wrong_value_differs_at_its_node(shown: Make) -> None:
    """The value that differs is that of the program's node, because the inner nodes are the learner's own."""
    replay = shown("15_softmax", LOSS, passes(LOSS), ("total.log() - (logits[target] - m)", "total.log() - m"))
    assert ("forward", "L") == (replay.fault, replay.nodes[replay.fault_node or 0].name)


def test_large_numbers_inside_of_a_function_hide_no_difference(shown: Make) -> None:
    """exp(500) is larger than the error by far, but the probabilities are compared with each other alone."""
    far = SOFTMAX.with_leaves([500, 499]).following(SOFTMAX.truth.with_leaves([500, 499]))  # type: ignore[union-attr]
    edit = ("(logit - m).exp()", "(logit if logit.data < 400 else Value(400.0)).exp()")
    replay = shown("15_softmax", far, passes(far), edit)
    assert ("forward", True) == (replay.fault, replay.nodes[replay.fault_node or 0].name in ("p", "q"))


def test_logits_that_are_not_in_the_graph_have_a_wrong_gradient(shown: Make) -> None:
    """If the probabilities are new leaves, no rule leads back to the logits."""
    replay = shown(
        "15_softmax", SOFTMAX, passes(SOFTMAX), ("[e / total for e in exps]", "[Value((e / total).data) for e in exps]")
    )
    assert ("graph", "b") == (replay.fault, replay.nodes[replay.fault_node or 0].name)


def test_a_graph_with_right_rules_can_be_the_wrong_graph(shown: Make) -> None:
    """If the sum is a number, every rule is right for the graph, and the gradients of the logits are not."""
    edit = ("return total.log() - (logits[target] - m)", "return Value(total.data).log() - (logits[target] - m)")
    replay = shown("15_softmax", LOSS, passes(LOSS), edit)
    assert ("graph", None) == (replay.fault, replay.first_difference)
    assert replay.nodes[replay.fault_node or 0].name in ("a", "b")


def test_an_engine_that_clears_gradients_after_use_has_a_right_graph(shown: Make) -> None:
    """The root's gradient is 0 in the end, like those of all operations."""
    edit = ("            node._backward()", "            node._backward()\n            node.grad *= not node._prev")
    replay = shown("16_no_grad", PRODUCT, passes(PRODUCT), edit)
    assert ("", 0.0) == (replay.fault, replay.nodes[replay.root].yours.grad)


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


def test_a_node_that_is_returned_as_it_is_has_two_names(shown: Make) -> None:
    """The replay says that d is the same node as h, and that the graph is not the right one."""
    replay = shown("16_no_grad", PRODUCT, passes(PRODUCT), (DETACHED, "return node"))
    assert ((("h", "d"),), "graph") == (replay.aliases, replay.fault)
    assert "h" == replay.nodes[replay.fault_node or 0].name


def test_a_node_that_no_operation_made_is_not_shown(shown: Make) -> None:
    """A node with inputs of its own has no known operation. The replay says so, and shows the leaves."""
    edit = (DETACHED, "return Value(node.data, (node,))")
    replay = shown("16_no_grad", PRODUCT, passes(PRODUCT), edit)
    assert replay.problem is not None
    assert "so it cannot be shown." in replay.problem.text
    assert (False, ["leaf"] * 2, ()) == (replay.own_graph, operations(replay), replay.backward)


def test_code_that_raises_an_error_shows_its_line(shown: Make) -> None:
    """If the graph could not be built, the leaves are shown beside the error."""
    replay = shown("16_no_grad", PRODUCT, passes(PRODUCT), (DETACHED, "return Value(node.value)"))
    assert replay.problem is not None
    assert ("build", True, ["leaf"] * 2) == (replay.problem.where, replay.problem.line > 0, operations(replay))


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


SHARED = program("h = a * b; L = h * h + h", a=0.5, b=-1.5)


def test_a_second_pass_adds_to_what_the_leaves_hold(shown: Make) -> None:
    """The recorded pass is the second one. The leaves keep the contributions of the first."""
    call = ("call", "backward_again", [["node", SHARED.root]])
    replay = shown("16_no_grad", SHARED, after(call, SHARED, earlier=1))
    assert ("", None) == (replay.fault, replay.problem)
    assert [node.expected.grad for node in replay.nodes] == [node.yours.grad for node in replay.nodes]


def test_a_gradient_that_is_left_from_the_first_pass_is_the_fault(shown: Make) -> None:
    """Where nothing is cleared, h begins the second pass with what it had at the end of the first."""
    call = ("call", "backward_again", [["node", SHARED.root]])
    replay = shown("16_no_grad", SHARED, after(call, SHARED, earlier=1), (AGAIN, ""))
    assert "held" == replay.fault
    about = replay.nodes[replay.fault_node or 0].op
    assert about in ("mul", "add")


def test_a_value_that_changes_before_the_pass_is_the_fault(shown: Make) -> None:
    """The rule reads the new value of a."""
    call = ("call", "backward_and_add", [["node", SHARED.root], ["node", 0], ["number", 5.0]])
    assert "" == shown("16_no_grad", SHARED, after(call, SHARED)).fault
    swapped = "    p.data += amount\n    loss.backward()\n"
    replay = shown("16_no_grad", SHARED, after(call, SHARED), (ADDED, swapped))
    assert ("moved", "a") == (replay.fault, replay.nodes[replay.fault_node or 0].name)
    assert 0.5 == replay.nodes[0].yours.data
