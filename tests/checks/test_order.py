"""Every topological order is right, and each wrong order has a reason."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.checks import CheckFailed
from grader.checks.order import judge_topological, judge_trace
from grader.checks.outcome import Finding
from grader.client import Called, Odd, Traced
from grader.program import Leaf, Op, Program, draw, program
from grader.words.learner import finding_text

quick = settings(database=None, deadline=None, derandomize=True, max_examples=100)

IDLE = Program((Leaf("a", 2.0), Op("b", "add", (0, 0)), Op("L", "mul", (0, 0))), 2, "b = a + a; L = a * a")
DIAMOND = program("b = a + c; d = a * c; L = b * d", a=2, c=-3)  # a, c, b, d, L


@st.composite
def graphs(rng: st.DrawFn) -> Program:
    """Draw a random graph in which every node is reached from the last one."""
    size = rng(st.integers(1, 12))
    inputs: list[tuple[int, ...]] = [()]
    for i in range(1, size):
        inputs.append(tuple(rng(st.lists(st.integers(0, i - 1), max_size=2))))
    reached = {size - 1}
    for i in reversed(range(size)):
        if i in reached:
            reached.update(inputs[i])
    place = {old: new for new, old in enumerate(sorted(reached))}
    nodes = [
        Op(f"n{old}", "add", tuple(place[i] for i in inputs[old])) if inputs[old] else Leaf(f"n{old}", 1.0)
        for old in sorted(reached)
    ]
    return Program(tuple(nodes), len(nodes) - 1, "a graph")


def some_order(of: Program, rng: random.Random) -> list[int]:
    """Return a random topological order."""
    left = list(range(len(of.nodes)))
    order: list[int] = []
    while left:
        free = [i for i in left if set(inputs(of, i)) <= set(order)]
        order.append(rng.choice(free))
        left.remove(order[-1])
    return order


def inputs(of: Program, index: int) -> Sequence[int]:
    node = of.nodes[index]
    return node.inputs if isinstance(node, Op) else ()


def refusal(of: Program, returned: Called) -> Finding:
    """Return the message about a wrong order."""
    with pytest.raises(CheckFailed) as failure:
        judge_topological(of, returned)
    return failure.value.finding


# -- what build_topo returns ----------------------------------------------------------------------------


@given(graphs(), st.randoms(use_true_random=False))
@quick
def test_every_topological_order_is_right(of: Program, rng: random.Random) -> None:
    """Every order that has each node once and after its inputs is accepted."""
    judge_topological(of, Called(nodes=tuple(some_order(of, rng))))


@given(graphs(), st.randoms(use_true_random=False))
@quick
def test_nodes_that_the_engine_made_besides_do_not_matter(of: Program, rng: random.Random) -> None:
    """The list may contain further nodes of the engine at any place."""
    order = some_order(of, rng)
    for extra in range(3):
        order.insert(rng.randrange(len(order) + 1), len(of.nodes) + extra)
    judge_topological(of, Called(nodes=tuple(order)))


@given(graphs(), st.randoms(use_true_random=False))
@quick
def test_a_node_twice_is_refused(of: Program, rng: random.Random) -> None:
    """A list that contains a node twice is wrong, wherever the second one is."""
    order = some_order(of, rng)
    twice = rng.choice(order)
    order.insert(rng.randrange(len(order) + 1), twice)
    assert finding_text(refusal(of, Called(nodes=tuple(order)))) == (
        f"{of.nodes[twice].name} is in the list more than once"
    )


@given(graphs(), st.randoms(use_true_random=False))
@quick
def test_a_missing_node_is_refused(of: Program, rng: random.Random) -> None:
    """The message about a list without one of the nodes names this node, and a listed node of the same value."""
    order = some_order(of, rng)
    missing = order.pop(rng.randrange(len(order)))
    equal = next((of.nodes[i].name for i in order if of.values[i] == of.values[missing]), None)
    beside = f"; {equal}, which is in the list, has the same value" if equal else ""
    expected = f"{of.nodes[missing].name} is missing from the list{beside}"
    assert expected == finding_text(refusal(of, Called(nodes=tuple(order))))


@given(graphs(), st.randoms(use_true_random=False))
@quick
def test_a_node_before_its_input_is_refused(of: Program, rng: random.Random) -> None:
    """Moving a node before one of its inputs breaks the order, and both are named."""
    operations = [i for i in range(len(of.nodes)) if inputs(of, i)]
    if not operations:
        return
    early = rng.choice(operations)
    order = some_order(of, rng)
    source = rng.choice(inputs(of, early))
    order.remove(early)
    order.insert(order.index(source), early)
    message = str(finding_text(refusal(of, Called(nodes=tuple(order)))))
    assert "comes before its input" in message
    names = [node.name for node in of.nodes]
    node, late = (names.index(name) for name in message.split(" comes before its input "))
    assert late in inputs(of, node)
    assert order.index(node) < order.index(late)


@given(graphs(), st.randoms(use_true_random=False))
@quick
def test_a_stranger_is_refused(of: Program, rng: random.Random) -> None:
    """A list with something that is not a node of the graph is wrong."""
    order = some_order(of, rng)
    order.insert(rng.randrange(len(order) + 1), -1)
    assert "something that is not a node of this graph" in str(finding_text(refusal(of, Called(nodes=tuple(order)))))


@pytest.mark.parametrize(
    ("what", "returned"),
    [
        ("None, as a function without `return` does", Called()),
        ("numbers", Called(numbers=(1.0, 2.0))),
        ("numbers", Called(numbers=(Odd("str"),))),
        ("dict", Called(other="dict")),
        ("str", Called(other="str")),
    ],
)
def test_what_is_no_list_of_nodes_is_named(what: str, returned: Called) -> None:
    """If a function returns something else, the message names what it returned and what it should return."""
    found = refusal(DIAMOND, returned)
    assert finding_text(found) == f"build_topo returned {what}; it should return a list of nodes"
    assert found.program == DIAMOND.shown


def test_a_wrong_order_is_shown_beside_a_right_one() -> None:
    """The finding has a correct order and the actual one, by the nodes' names."""
    found = refusal(DIAMOND, Called(nodes=(4, 3, 2, 1, 0)))
    assert {"order": "a, c, b, d, L"} == found.expected
    assert {"order": "L, d, b, c, a"} == found.actual


def test_an_empty_list_is_shown_as_nothing() -> None:
    """An empty list is a list in which the first node is missing."""
    found = refusal(DIAMOND, Called(nodes=()))
    assert ("a is missing from the list", "nothing") == (finding_text(found), found.actual["order"])


def test_a_long_list_is_cut() -> None:
    """At most twelve names of the actual list are shown."""
    found = refusal(DIAMOND, Called(nodes=(0,) * 500))
    assert str(found.actual["order"]).count("a") == 12
    assert str(found.actual["order"]).endswith("…")


def test_only_what_the_root_needs_has_to_be_there() -> None:
    """Nodes that the root was not computed from are not required."""
    judge_topological(IDLE, Called(nodes=(0, 2)))


def test_what_the_root_does_not_need_may_not_be_there() -> None:
    """Nodes that the root was not computed from may not be in the list."""
    found = refusal(IDLE, Called(nodes=(0, 1, 2)))
    assert "b is in the list, but L is not computed from it" == finding_text(found)


# -- what a backward pass ran ---------------------------------------------------------------------------


def trace(*ran: int) -> Traced:
    return Traced(tuple((i, ()) for i in ran))


def complaint(of: Program, traced: Traced) -> str:
    with pytest.raises(CheckFailed) as failure:
        judge_trace(of, traced)
    return str(finding_text(failure.value.finding))


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
@quick
def test_every_order_with_users_first_is_right(seed: int, rng: random.Random) -> None:
    """The closures of a random graph may run in any order in which users come before inputs."""
    (of,) = draw(str(seed), 1, sizes=(1, 10))
    order = [i for i in reversed(some_order(of, rng)) if isinstance(of.nodes[i], Op)]
    judge_trace(of, trace(*order))


@pytest.mark.parametrize("ran", [(4, 2, 3), (4, 3, 2), (4, 3, 2, 1, 0), (4, 17, 2, 3, 18)])
def test_leaves_and_nodes_besides_may_run_or_not(ran: tuple[int, ...]) -> None:
    """Closures of leaves and of the engine's further nodes are neither required nor forbidden."""
    judge_trace(DIAMOND, trace(*ran))


@pytest.mark.parametrize(
    ("expected", "ran"),
    [
        ("the `_backward` of L never ran", (2, 3)),
        ("the `_backward` of b never ran", (4, 3)),
        ("the `_backward` of b, d and L never ran", ()),
        ("the `_backward` of b ran more than once", (4, 2, 3, 2)),
        ("the `_backward` of L ran more than once", (4, 4, 2, 3)),
        (
            "the `_backward` of b ran before that of L, which had not yet added its contribution to dL/db",
            (2, 4, 3),
        ),
    ],
)
def test_a_wrong_pass_is_told_why(expected: str, ran: tuple[int, ...]) -> None:
    """A closure that never ran, ran twice, or ran before a user is named, with the reason."""
    assert expected == complaint(DIAMOND, trace(*ran))


def test_only_what_the_root_needs_has_to_run() -> None:
    """An operation that the root was not computed from need not run, because it has nothing to propagate."""
    judge_trace(IDLE, trace(2))
