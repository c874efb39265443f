"""The recording of a run: the line that made each node, the order of rules, and the line of each gradient's write."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from edited_texts import bases_of, edited_texts

from grader.program import Program, program
from grader.runner.client import ask
from grader.runner.worker.adapter import execute, recording

FILE = "07_learner.py"
SHAPES = Path(__file__).resolve().parents[3] / "fixtures" / "engines" / "shapes"
NAMES_OF_SHAPES = [one.name for one in edited_texts(SHAPES / "right.yaml", bases_of(SHAPES))]
Execute = Callable[..., Any]

NEST = program("L = (a * b + c) * (a + b)", a=2, b=-3, c=10)  # nodes: a, b, c, a * b, a * b + c, a + b, L
SQUARE = program("L = a * a", a=3)


class Change(NamedTuple):
    node: int
    before: float | str
    after: float | str
    line: int
    outside: bool


class Visit(NamedTuple):
    node: int
    inner: bool
    upstream: float | str
    line: int
    changes: list[Change]

    @property
    def amounts(self) -> dict[int, float]:
        """Return the contributions that each node received."""
        found: dict[int, float] = {}
        for change in self.changes:
            assert isinstance(change.before, float)
            assert isinstance(change.after, float)
            found[change.node] = found.get(change.node, 0.0) + change.after - change.before
        return found


class Found(NamedTuple):
    lines: list[int]
    visits: list[Visit]
    values: list[float | str]
    grads: list[float | str]
    left_out: int
    elsewhere: bool
    at_first: list[float | str]
    traced: list[Any] | None

    @property
    def order(self) -> list[int]:
        return [visit.node for visit in self.visits]


def number(token: str) -> float | str:
    return token if token.startswith("!") else float.fromhex(token)


def recorded(outcome: list[Any]) -> Found:
    """Return the recording in an outcome."""
    tag, made, visits, values, grads, left_out, elsewhere, at_first, traced = outcome[1][0]
    assert tag == "record"
    assert [*range(len(made))] == [place for place, _ in made]
    return Found(
        [line for _, line in made],
        [
            Visit(
                node,
                inner,
                number(up),
                line,
                [Change(i, number(one), number(two), *rest) for i, one, two, *rest in rows],
            )
            for node, inner, up, line, rows in visits
        ],
        [number(token) for token in values],
        [number(token) for token in grads],
        left_out,
        elsewhere,
        [number(token) for token in at_first],
        traced,
    )


def steps(of: Program) -> list[ask.RunStep]:
    return [ask.Record(1), ask.Backward(of.root)]


def line_of(source: str, part: str, nth: int = 0) -> int:
    return [i for i, line in enumerate(source.splitlines(), 1) if part in line][nth]


# -- graphs that functions of the file build -------------------------------------------------------------

TWICE = program("d = twice(a); L = d * b", "d = a * a + a * a; L = d * b", a=2, b=3)
FUNCTION = "\ndef twice(node):\n    one = node * node\n    return one + one\n"


def test_the_operations_of_a_function_are_traced(executed: Execute, engine: Any) -> None:
    """A node has its operation, its operands and the program's nodes that it is, whatever kind of rule it has."""
    found = recorded(executed(engine.source + FUNCTION, TWICE, *steps(TWICE)))
    assert [
        [[0], "leaf", [], [(2.0).hex()]],
        [[1], "leaf", [], [(3.0).hex()]],
        [[], "mul", [0, 0], []],
        [[2], "add", [2, 2], []],
        [[3], "mul", [3, 1], []],
    ] == found.traced
    assert ([2.0, 3.0, 4.0, 8.0, 24.0], [24.0, 8.0, 6.0, 3.0, 1.0]) == (found.values, found.grads)
    assert [4, 3, 2] == found.order


def test_the_methods_of_the_class_are_its_own_after_a_trace(executed: Execute, closures: str) -> None:
    """The function sees replaced methods only while it is recorded."""
    source = f"{closures}{FUNCTION}kept = Value.__add__\ndef same(node):\n    return float(Value.__add__ is kept)\n"
    call = ask.CallFunction("same", [("node", 0)])
    assert [(1.0).hex()] == executed(source, TWICE, call)[1][0][1]
    assert [(0.0).hex()] == executed(source, TWICE, ask.Record(1), call)[1][1][1]


# -- every kind of rule ---------------------------------------------------------------------------------


def test_every_kind_of_rule_gives_its_visits(executed: Execute, engine: Any) -> None:
    """Users come before their inputs. Each visit has its upstream gradient and its contributions."""
    found = recorded(executed(engine.source, NEST, *steps(NEST)))
    assert [7.0, 2.0, -1.0, -1.0, -1.0, 4.0, 1.0] == found.grads
    assert {3, 4, 5, 6} == set(found.order)
    assert len(found.order) == 4
    amounts = {visit.node: (visit.upstream, visit.amounts) for visit in found.visits}
    assert amounts == {
        6: (1.0, {4: -1.0, 5: 4.0}),
        5: (4.0, {0: 4.0, 1: 4.0}),
        4: (-1.0, {3: -1.0, 2: -1.0}),
        3: (-1.0, {0: 3.0, 1: -2.0}),
    }
    assert all(change.line for visit in found.visits for change in visit.changes)


def test_each_use_is_a_change_of_its_own(executed: Execute, engine: Any) -> None:
    """`a * a` writes a.grad twice."""
    found = recorded(executed(engine.source, SQUARE, *steps(SQUARE)))
    assert [[(0.0, 3.0), (3.0, 6.0)]] == [[(one.before, one.after) for one in v.changes] for v in found.visits]


def test_rules_that_the_grader_runs_are_recorded_alike(executed: Execute, engine: Any) -> None:
    """`local_rules` gives the same visits as a backward pass."""
    found = recorded(executed(engine.source, NEST, ask.Record(1), ask.LocalRules(6, 1.0)))
    assert [6, 5, 4, 3] == found.order
    assert [7.0, 2.0, -1.0] == found.grads[:3]


NOT_SEEN = ("function_with_context", "gradients_in_a_dict")  # single visits cannot be told from each other
BETWEEN = ("zeros_before_the_pass",)  # an operation makes a node for each use, whose rule is one of the operand's


@pytest.mark.parametrize("name", NAMES_OF_SHAPES)
def test_engines_of_other_shapes_are_recorded(
    loaded_shape: Callable[[str], ModuleType], shapes: dict[str, str], name: str
) -> None:
    """The visits add up to the final gradients of the leaves, or the recording says that they do not."""
    batch = {"runs": [[NEST.sent, steps(NEST)]], "order_seeds": [0], "calls": 10_000, "engine": True}
    found = recorded(execute.execute(loaded_shape(shapes[name]), FILE, batch)[2][0][0])
    assert [7.0, 2.0, -1.0] == found.grads[:3]
    assert (name not in NOT_SEEN) == (bool(found.visits) and not found.elsewhere)
    if name in NOT_SEEN:
        return
    assert [3, 4, 5, 6] == sorted(set(found.order) if name in BETWEEN else found.order)
    sums = [sum(visit.amounts.get(leaf, 0.0) for visit in found.visits) for leaf in range(3)]
    assert [7.0, 2.0, -1.0] == sums


# -- lines ----------------------------------------------------------------------------------------------


def test_the_line_that_makes_a_node_is_the_operations(executed: Execute, closures: str) -> None:
    """A leaf has no line. A node inside an operation has the line of the operation."""
    minus = "def __sub__(self, other):\n        return self + other * -1.0\n\n    def __mul__(self, other):\n"
    wrap = "        other = other if isinstance(other, Value) else Value(other)\n"
    source = closures.replace("def __mul__(self, other):\n", minus + wrap)
    found = recorded(executed(source, program("d = a * b; L = d - b", a=2, b=3), ask.Record(1), ask.Backward(3)))
    assert [0, 0, line_of(source, "self.data * other.data"), line_of(source, "self + other * -1.0")] == found.lines


def test_the_line_that_writes_is_the_innermost_of_the_file(executed: Execute, closures: str) -> None:
    """If a rule calls a helper, the write has the helper's line, and the visit has the rule's first line."""
    source = closures.replace("self.grad += out.grad", "add(self, out.grad)", 1)
    source += "\n\ndef add(node, amount):\n    node.grad += amount\n"
    both = program("L = a + b", a=2, b=3)
    (visit,) = recorded(executed(source, both, *steps(both))).visits
    assert line_of(source, "def run()") == visit.line
    assert [line_of(source, "node.grad += amount"), line_of(source, "other.grad += out.grad")] == [
        change.line for change in visit.changes
    ]


# -- what goes wrong --------------------------------------------------------------------------------------


def test_a_write_that_does_away_with_what_was_there_shows(executed: Execute, closures: str) -> None:
    """With `=`, the second use of a finds 3 and leaves 3."""
    source = closures.replace("self.grad += other.data", "self.grad = other.data")
    source = source.replace("other.grad += self.data", "other.grad = self.data")
    (visit,) = recorded(executed(source, SQUARE, *steps(SQUARE))).visits
    assert [(0.0, 3.0), (3.0, 3.0)] == [(one.before, one.after) for one in visit.changes]


def test_a_rule_that_runs_twice_is_two_visits(executed: Execute, engine: Any) -> None:
    """If the order lists a node once for each path, its rule has as many visits."""
    source = engine.source.replace("if id(node) not in seen:", "if True:")
    diamond = program("b = a * a; c = b + a; L = c * b", a=3)
    found = recorded(executed(source, diamond, *steps(diamond)))
    assert 2 == found.order.count(1)


def test_an_exception_in_a_rule_keeps_what_came_before(executed: Execute, closures: str) -> None:
    """The recording has the visits up to the exception, including the one that raised it."""
    source = closures.replace("other.grad += self.data * out.grad", "raise ValueError('here')")
    outcome = executed(source, NEST, *steps(NEST))
    assert ("broke", "backward") == (outcome[0], outcome[2][0])
    (visit,) = recorded(outcome).visits
    assert (6, {4: -1.0}) == (visit.node, visit.amounts)


def test_an_operation_that_raises_keeps_the_nodes_before_it(executed: Execute, closures: str) -> None:
    """Earlier nodes have their values, and no rule has run."""
    outcome = executed(closures.replace("out = Value(self.data + other.data", "out = Value(1 / 0"), NEST, *steps(NEST))
    assert ("broke", "build") == (outcome[0], outcome[2][0])
    found = recorded(outcome)
    assert ([2.0, -3.0, 10.0, -6.0], []) == (found.values, found.visits)


def test_an_endless_pass_is_cut(executed: Execute, closures: str) -> None:
    """The budget stops an endless pass. The recording has at most as many visits as may be sent."""
    source = closures.replace("for node in reversed(order):", "while True:\n          for node in reversed(order):")
    outcome = executed(source, SQUARE, *steps(SQUARE), calls=5_000)
    assert ("broke", "calls") == (outcome[0], outcome[2][1])
    found = recorded(outcome)
    assert recording.MOST_VISITS == len(found.visits)
    assert found.left_out > 0


def test_nodes_inside_an_operation_have_inner_visits(executed: Execute, closures: str) -> None:
    """If `-` is made of other operations, their rules belong to it. Only nodes of the program have names."""
    wrap = "        other = other if isinstance(other, Value) else Value(other)\n"
    minus = "def __sub__(self, other):\n        return self + other * -1.0\n\n    def __mul__(self, other):\n"
    source = closures.replace("def __mul__(self, other):\n", minus + wrap)
    asked = program("L = a - b", a=2, b=3)
    found = recorded(executed(source, asked, *steps(asked)))
    assert [(2, False, {0: 1.0}), (2, True, {1: -1.0})] == [(v.node, v.inner, v.amounts) for v in found.visits]


def test_what_the_pass_writes_after_a_rule_is_outside(executed: Execute, closures: str) -> None:
    """If the pass clears a gradient after its rule, the recording has that write and its line."""
    source = closures.replace(
        "            node._backward()", "            node._backward()\n            node.grad = 0.0"
    )
    (visit,) = recorded(executed(source, SQUARE, *steps(SQUARE))).visits
    line = line_of(source, "node.grad = 0.0")
    assert [Change(1, 1.0, 0.0, line, True)] == [one for one in visit.changes if one.outside and one.node == 1]


def test_a_later_pass_can_be_recorded_alone(executed: Execute, closures: str) -> None:
    """Rules and gradients are recorded from the named step on."""
    again = [ask.Record(3), ask.Backward(1), ask.Preload(), ask.Backward(1)]
    found = recorded(executed(closures, SQUARE, *again))
    assert [1] == found.order
    assert [6.0, 1.0] == found.grads


def test_a_file_without_a_pass_runs_its_rules(executed: Execute, closures: str) -> None:
    """`pass_or_rules` runs backward() if there is one, and the local rules otherwise."""
    without = closures.replace("def backward(self)", "def other(self)")
    for source in (closures, without):
        found = recorded(executed(source, NEST, ask.Record(1), ask.PassOrRules(6)))
        assert [3, 4, 5, 6] == sorted(found.order)
        assert [7.0, 2.0, -1.0] == found.grads[:3]


def test_a_class_whose_gradient_is_a_default_is_recorded(executed: Execute, closures: str) -> None:
    """A gradient may be an attribute of the class until it is first written."""
    source = closures.replace("class Value:", "class Value:\n    grad = 0.0\n")
    source = source.replace(
        "self.data, self.grad, self._prev = data, 0.0, set(_prev)", "self.data, self._prev = data, set(_prev)"
    )
    assert [6.0, 1.0] == recorded(executed(source, SQUARE, *steps(SQUARE))).grads


def test_rules_in_the_pass_cannot_be_run_one_at_a_time(
    loaded_shape: Callable[[str], ModuleType], shapes: dict[str, str]
) -> None:
    """If the rules are inside backward(), the recording of single rules says that there are none."""
    runs = [[SQUARE.sent, [ask.Record(1), ask.LocalRules(1, 1.0)]]]
    batch = {"runs": runs, "order_seeds": [0], "calls": 10_000, "engine": True}
    outcome = execute.execute(loaded_shape(shapes["rules_in_the_pass"]), FILE, batch)[2][0][0]
    assert ("broke", "shape") == (outcome[0], outcome[2][1])
