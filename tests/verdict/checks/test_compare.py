"""Comparing numbers accepts any order of summation, and no wrong formula."""

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from answering import answer
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.checks import CheckFailed
from grader.course.oracle.answer_book import Answer
from grader.course.program import Leaf, Op
from grader.course.remarks import (
    BeforeInput,
    ListedTwice,
    NeverRan,
    NoList,
    NoNode,
    NotListed,
    NotRight,
    RanEarly,
    RanTwice,
    SecondPass,
    TraceFault,
    Unrelated,
)
from grader.program import Program, draw, program
from grader.runner.client import Called, Numbers, Odd, Traced
from grader.verdict.checks.outcome import (
    Finding,
    alike,
    close,
    compare_grads,
    compare_returned,
    compare_values,
    gradient_name,
    in_single_precision,
    judge_topological,
    judge_trace,
    largest,
    not_called,
)


def finding(compare: Callable[..., None], *arguments: Any) -> Finding:
    """Return the finding of a comparison that fails."""
    with pytest.raises(CheckFailed) as failure:
        compare(*arguments)
    return failure.value.finding


@every(("shown", "truth"), [(0.0, -1.1102230246251565e-16), (0.0, 0.0), (1e-13, 1e-13), (1e-9, 1e-9), (2.5, 2.5)])
def test_a_rounding_error_is_shown_as_zero(shown: float, truth: float) -> None:
    """Torch's gradient of `(2 / a) * a` may be -1.1e-16. A learner reads 0."""
    asked = program("L = (2 / a) * a", a=2.5)
    grads = [truth] * len(asked.nodes)
    found = finding(compare_grads, asked, grads, [7.0] * len(grads), 2.5)
    assert {shown} == set(found.expected.values())


@every(
    ("expected", "observed", "truth", "scale"),
    [
        (True, 6.0, 6.0, 6.0),
        (True, 6.0 + 1e-12, 6.0, 6.0),
        (True, 1e-12, 0.0, 1.0),
        (True, 1e6 + 1e-4, 1e6, 1e6),
        (True, 1e-10, 0.0, 0.0),
        (True, -0.0, 0.0, 0.0),
        (False, 6.0 + 1e-6, 6.0, 6.0),
        (False, 6.00001, 6.0, 6.0),
        (False, -6.0, 6.0, 6.0),
        (False, 0.0, 1e-5, 1.0),
        (False, 1e6 + 1, 1e6, 1e6),
        (False, math.nan, 6.0, 6.0),
        (False, math.inf, 6.0, 6.0),
        (False, -math.inf, 6.0, 1e300),
        (False, Odd("NoneType"), 0.0, 1.0),
        (False, Odd("float64"), 0.0, 1e12),
    ],
)
def test_close_means_right_up_to_rounding(expected: bool, observed: Any, truth: float, scale: float) -> None:
    """The tolerance grows with the largest number in the program and knows neither NaN nor infinity."""
    assert expected is close(observed, truth, scale)


def test_sums_in_another_order_are_right() -> None:
    """Adding many contributions in another order stays well within the tolerance."""
    shares = [(-1) ** i * 1000 / (i + 1) for i in range(2000)]
    assert close(sum(shares), math.fsum(reversed(shares)), 1000)


def test_the_largest_number_counts_without_its_sign() -> None:
    """Values and gradients both set the scale."""
    assert largest(Answer((1.0, -7.0), (2.0, 3.0))) == 7.0
    assert largest(Answer((1.0, 2.0), (2.0, -30.0))) == 30.0


@every(("expected", "name"), [("dL/da", "a"), ("dL/d(a * b)", "a * b"), ("dL/d(a + a #2)", "a + a #2")])
def test_slopes_are_named_as_one_writes_them(expected: str, name: str) -> None:
    """A node without a name is shown by its expression in parentheses."""
    assert expected == gradient_name(program("L = a + b", a=1, b=2), name)


def test_right_numbers_pass() -> None:
    """If every number is right, nothing is raised."""
    asked = program("L = a * b + a", a=2, b=-3)
    truth = answer(asked)
    compare_values(asked, truth, truth.values)
    compare_grads(asked, truth.grads, truth.grads, largest(truth))


def test_a_wrong_gradient_is_shown_beside_torchs() -> None:
    """The finding has the program, and the expected and the actual number under the same name."""
    asked = program("L = a * a", a=3)
    found = finding(compare_grads, asked, answer(asked).grads, (3.0, 1.0), 9.0, (SecondPass(),))
    assert (
        Finding(
            "failed", "L = a * a    with a = 3", {"dL/da": 6.0}, {"dL/da": 3.0}, (SecondPass(),), expected_by="torch"
        )
        == found
    )


def test_a_wrong_value_is_shown_by_the_nodes_name() -> None:
    """A value is named by its node, without `.data`."""
    asked = program("L = a + b", a=1, b=2)
    found = finding(compare_values, asked, answer(asked), (1.0, 2.0, Odd("NoneType")))
    assert ({"L": 3.0}, {"L": "None"}) == (found.expected, found.actual)


def test_leaves_come_first_and_three_are_shown() -> None:
    """If many numbers are wrong, three are shown, those of the leaves first."""
    asked = program("c = a * b; d = c + b; L = d * c", a=2, b=3)
    found = finding(compare_grads, asked, answer(asked).grads, (0.0,) * 5, 100.0)
    assert list(found.expected) == list(found.actual) == ["dL/da", "dL/db", "dL/dc"]
    assert {"dL/da": 0.0, "dL/db": 0.0, "dL/dc": 0.0} == found.actual


def test_only_what_is_wrong_is_shown() -> None:
    """A right number is not among those shown."""
    asked = program("L = a * b", a=2, b=3)
    found = finding(compare_grads, asked, answer(asked).grads, (3.0, 0.0, 1.0), 6.0)
    assert {"dL/db": 2.0} == found.expected


@every(("expected", "observed"), [("nan", math.nan), ("inf", math.inf), ("a str", Odd("str"))])
def test_what_json_cannot_say_is_shown_in_words(expected: str, observed: Any) -> None:
    """Not-a-number, infinity and other types are words."""
    asked = program("L = a + b", a=1, b=2)
    found = finding(compare_grads, asked, answer(asked).grads, (observed, 1.0, 1.0), 3.0)
    assert {"dL/da": expected} == found.actual


@every(
    ("expected", "other"),
    [
        (True, Answer((2.0, 1e6), (1.0, 0.0))),
        (True, Answer((2.0, 1e6 + 1e-4), (1.0, 0.0))),
        (True, Answer((2.0, 1e6), (1.0 - 1e-4, 1e-4))),
        (False, Answer((2.0, 1e6 + 1e-2), (1.0, 0.0))),
        (False, Answer((2.0, 1e6), (1.0, 1e-2))),
        (False, Answer((2.0, 1e6), (1.0,))),
        (False, Answer((2.0,), (1.0, 0.0))),
        (False, Answer((), ())),
    ],
)
def test_answers_are_alike_up_to_the_tolerance(expected: bool, other: Answer) -> None:
    """Two answers to a program may differ by as much as a verdict tolerates. No number may be missing."""
    one = Answer((2.0, 1e6), (1.0, 0.0))
    assert expected == alike(one, other)


def test_a_guard_in_a_logarithm_is_another_function() -> None:
    """log(x + 1e-12) fails at the smallest x that checks ask for; log(x + 1e-15) passes."""
    slope = 2 / 0.0005
    guarded = [2 / (0.0005 + guard) for guard in (1e-15, 1e-12, 1e-8)]
    assert [True, False, False] == [close(number, slope, slope) for number in guarded]


@every(
    ("expected", "observed"),
    [
        (True, [0.800000011920929, 3.0, 2.4000000953674316]),
        (False, [0.8, 3.0, 2.5]),
        (True, [0.800000011920929, 3.0, 2.5]),
        (False, [0.800000011920929, 3.5, 2.5]),
        (False, [0.800000011920929, 3.0, Odd("NoneType")]),
    ],
)
def test_single_precision_is_recognised(expected: bool, observed: list[Any]) -> None:
    """Single precision is recognised if all numbers exist in it, and most are near the right ones."""
    assert expected == in_single_precision([0.8, 3.0, 2.4], observed)


def test_all_wrong_numbers_are_named_if_the_right_ones_are_not_shown() -> None:
    """A learner would take a number that is not named for a right one."""
    expected = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "e": 5.0}
    returned = Called(Numbers((0.0, 0.0, 0.0, 0.0, 5.0)))
    wrong = finding(compare_returned, "f", returned, expected, "ranks", False)
    assert wrong.remarks == (NotRight(dict.fromkeys("abcd", 0.0)),)


def test_wrong_numbers_with_the_wrong_sign_or_in_each_others_place_are_named() -> None:
    """Each number is judged alone, besides two that are exchanged."""
    expected = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 0.0}
    returned = Called(Numbers((2.0, 1.0, -3.0, 0.0)))
    wrong = finding(compare_returned, "f", returned, expected, "numbers", False)
    assert wrong.remarks == (NotRight({"a": 2.0, "b": 1.0, "c": -3.0}, ("c",), ("a", "b")),)


# -- Every topological order is right, and each wrong order has a reason

quick = settings(database=None, derandomize=True, max_examples=100)

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


def refusal(of: Program, *order: int, returned: Called | None = None) -> Finding:
    """Return the finding about a wrong order."""
    with pytest.raises(CheckFailed) as failure:
        judge_topological(of, returned or Called(nodes=order))
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
    assert (ListedTwice(of.nodes[twice].name),) == refusal(of, *order).remarks


@given(graphs(), st.randoms(use_true_random=False))
@quick
def test_a_missing_node_is_refused(of: Program, rng: random.Random) -> None:
    """The remark on a list without one of the nodes names this node, and a listed node of the same value."""
    order = some_order(of, rng)
    missing = order.pop(rng.randrange(len(order)))
    equal = next((of.nodes[i].name for i in order if of.values[i] == of.values[missing]), None)
    assert (NotListed(of.nodes[missing].name, equal=equal),) == refusal(of, *order).remarks


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
    (remark,) = refusal(of, *order).remarks
    assert isinstance(remark, BeforeInput)
    names = [node.name for node in of.nodes]
    node, late = names.index(remark.node), names.index(remark.input)
    assert late in inputs(of, node)
    assert order.index(node) < order.index(late)


@given(graphs(), st.randoms(use_true_random=False))
@quick
def test_a_stranger_is_refused(of: Program, rng: random.Random) -> None:
    """A list with something that is not a node of the graph is wrong."""
    order = some_order(of, rng)
    order.insert(rng.randrange(len(order) + 1), -1)
    assert (NoNode(),) == refusal(of, *order).remarks


@every(
    ("what", "returned"),
    [
        ("None", Called()),
        ("numbers", Called(Numbers((1.0, 2.0)))),
        ("numbers", Called(Numbers((Odd("str"),)))),
        ("dict", Called(other="dict")),
        ("str", Called(other="str")),
    ],
)
def test_another_object_is_named(what: str, returned: Called) -> None:
    """If a function returns something else than a list of nodes, the remark names it."""
    found = refusal(DIAMOND, returned=returned)
    assert ((NoList(what),), DIAMOND.shown) == (found.remarks, found.program)


def test_a_wrong_order_is_shown_beside_a_right_one() -> None:
    """The finding has a correct order and the actual one, by the nodes' names. At most twelve names are shown."""
    found = refusal(DIAMOND, 4, 3, 2, 1, 0)
    assert ({"order": "a, c, b, d, L"}, {"order": "L, d, b, c, a"}) == (found.expected, found.actual)
    long = str(refusal(DIAMOND, *[0] * 500).actual["order"])
    assert (12, True) == (long.count("a"), long.endswith("…"))


def test_an_empty_list_is_shown_as_nothing() -> None:
    """An empty list is a list in which the first node is missing."""
    found = refusal(DIAMOND)
    assert ((NotListed("a"),), "nothing") == (found.remarks, found.actual["order"])


def test_only_what_the_root_needs_has_to_be_there() -> None:
    """Nodes that the root was not computed from are not required."""
    judge_topological(IDLE, Called(nodes=(0, 2)))


def test_what_the_root_does_not_need_may_not_be_there() -> None:
    """Nodes that the root was not computed from may not be in the list."""
    assert (Unrelated("b", "L"),) == refusal(IDLE, 0, 1, 2).remarks


# -- what a backward pass ran ---------------------------------------------------------------------------


def trace(*ran: int) -> Traced:
    return Traced(tuple((i, ()) for i in ran))


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
@quick
def test_every_order_with_users_first_is_right(seed: int, rng: random.Random) -> None:
    """The closures of a random graph may run in any order in which users come before inputs."""
    (of,) = draw(str(seed), 1, sizes=(1, 10))
    order = [i for i in reversed(some_order(of, rng)) if isinstance(of.nodes[i], Op)]
    judge_trace(of, trace(*order))


@every("ran", [(4, 2, 3), (4, 3, 2), (4, 3, 2, 1, 0), (4, 17, 2, 3, 18)])
def test_leaves_and_nodes_besides_may_run_or_not(ran: tuple[int, ...]) -> None:
    """Closures of leaves and of the engine's further nodes are neither required nor forbidden."""
    judge_trace(DIAMOND, trace(*ran))


@every(
    ("expected", "ran"),
    [
        (NeverRan("L"), (2, 3)),
        (NeverRan("b"), (4, 3)),
        (NeverRan("b", ("d", "L")), ()),
        (RanTwice("b"), (4, 2, 3, 2)),
        (RanTwice("L"), (4, 4, 2, 3)),
        (RanEarly("b", "L", "dL/db"), (2, 4, 3)),
    ],
)
def test_a_wrong_pass_is_told_why(expected: TraceFault, ran: tuple[int, ...]) -> None:
    """A closure that never ran, ran twice, or ran before a user is named, with the reason."""
    with pytest.raises(CheckFailed) as failure:
        judge_trace(DIAMOND, trace(*ran))
    assert (expected,) == failure.value.finding.remarks


def test_only_what_the_root_needs_has_to_run() -> None:
    """An operation that the root was not computed from need not run, because it has nothing to propagate."""
    judge_trace(IDLE, trace(2))


# -- rules that are named and not called -------------------------------------------------------------------


@every(
    ("expected", "body"),
    [
        (("L._backward", "e._backward"), "    L._backward\n    e._backward  # then this\n"),
        ((), "    L._backward()\n"),
        ((), "    out = (\n        L._backward\n    )\n"),
        ((), "    rule = \\\n    L._backward\n"),
        ((), "    pass\n\n\ndef g():\n    L._backward\n"),
        (("L._backward",), "    L._backward\n    L._backward\n"),
    ],
    ids=["two", "called", "in brackets", "continued", "in another function", "twice"],
)
def test_lines_without_parentheses(expected: tuple[str, ...], body: str) -> None:
    """Only a line of its own in the function counts."""
    assert expected == not_called(f"def f(e, L):\n{body}", "f")
    assert () == not_called(f"def f(e, L):\n{body}", "h")
