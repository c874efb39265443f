"""Programs executed with a learner's engine, step by step, in this process."""

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from every import every

from grader.client import Run, bounds
from grader.program import NOTHING, Program, chain, diamonds, leaf, operations, program
from grader.worker.adapter.execute import _REFLECTED, _REFUSED, execute
from grader.worker.adapter.given import FUNCTIONS, OPERATORS

FILE = "07_learner.py"
Execute = Callable[..., Any]
Load = Callable[..., ModuleType]


def floats(result: list[Any]) -> list[float | str]:
    """Return the numbers of a `values`, `grads` or `numbers` result. Anything else stays a text."""
    return [token if token.startswith("!") else float.fromhex(token) for token in result[1]]


def trace(result: list[Any]) -> list[tuple[int, dict[int, float]]]:
    return [(node, {i: float.fromhex(share) for i, share in added}) for node, added in result[1]]


def results(outcome: list[Any]) -> list[Any]:
    """Return the results of a run without a problem."""
    assert outcome[0] == "done", outcome
    return list(outcome[1])


BOTH = program("L = a * b + a", a=2, b=-3)  # nodes: a, b, a * b, L


def with_function(closures: str, body: str) -> str:
    """Return the usual engine with a function `f(root)`."""
    return closures + "\ndef f(root, *more):\n" + "\n".join(f"    {line}" for line in body.splitlines()) + "\n"


# -- building and reading ------------------------------------------------------------------------------


def test_values_of_every_node(executed: Execute, engine: Any) -> None:
    """`values` has a number for each node, in the program's order."""
    (values,) = results(executed(engine.source, BOTH, ["values"]))
    assert [2.0, -3.0, -6.0, -4.0] == floats(values)


def test_backward_gives_every_node_its_gradient(executed: Execute, engine: Any) -> None:
    """`backward` has an empty result. After it, `grads` has the gradient of every node."""
    nothing, grads = results(executed(engine.source, BOTH, ["backward", 3], ["grads"]))
    assert nothing == ["nothing"]
    assert [-2.0, 2.0, 1.0, 1.0] == floats(grads)


def test_a_rule_says_where_it_stands(executed: Execute, closures: str) -> None:
    """`rule` gives the lines of a closure that belongs to the operation.

    A leaf, and a node whose rule is None, have no such lines.
    """
    lines = closures.splitlines()
    first = next(i for i, line in enumerate(lines, 1) if "self.data * other.data" in line) + 1
    assert [["rule", "own", True, first, first + 2]] == results(executed(closures, BOTH, ["rule", 2]))
    assert [["rule", "input", True, 0, 0]] == results(executed(closures, BOTH, ["rule", 0]))
    head, _, mul = closures.rpartition("out._backward = run")
    called = f"{head}out._backward = run(){mul}"
    assert [["rule", "none", True, 0, 0]] == results(executed(called, BOTH, ["rule", 2]))


def test_an_operation_made_of_others_is_not_alone(executed: Execute, closures: str) -> None:
    """The rules of nodes inside an operation count as rules of others."""
    made = "def __sub__(self, other):\n        return self + other * other\n\n    def __mul__(self, other):"
    twice = closures.replace("def __mul__(self, other):", made)
    (rule,) = results(executed(twice, program("L = a - b", a=2, b=-3), ["rule", 2]))
    assert ["rule", "own", False] == rule[:3]


def test_a_fresh_graphs_gradients_are_zero(executed: Execute, engine: Any) -> None:
    """Before a backward pass, every gradient is 0."""
    (grads,) = results(executed(engine.source, BOTH, ["grads"]))
    assert [0.0] * 4 == floats(grads)


def test_gradients_that_start_as_none_read_as_zero(executed: Execute, closures: str) -> None:
    """If an engine's gradients start as None, None is read as 0."""
    source = closures.replace("data, 0.0, set(_prev)", "data, None, set(_prev)")
    (grads,) = results(executed(source, BOTH, ["grads"]))
    assert [0.0] * 4 == floats(grads)


OPERATIONS = """
class Value:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
    def __add__(self, other):
        return Value(self.data + getattr(other, "data", other))
    __radd__ = __add__
    def __sub__(self, other):
        return Value(self.data - getattr(other, "data", other))
    def __rsub__(self, other):
        return Value(other - self.data)
    def __mul__(self, other):
        return Value(self.data * getattr(other, "data", other))
    def __truediv__(self, other):
        return Value(self.data / getattr(other, "data", other))
    def __rtruediv__(self, other):
        return Value(other / self.data)
    def __pow__(self, exponent):
        return Value(self.data ** exponent)
    def __rpow__(self, base):
        return Value(base ** self.data)
    def __neg__(self):
        return Value(-self.data)
    def relu(self):
        return Value(max(0.0, self.data))
def tanh(x):
    return Value(x.data / 100)
"""


@every(
    ("expected", "text"),
    [
        (1.5, "L = a + b"),
        (2.5, "L = a - b"),
        (-1.0, "L = a * b"),
        (-4.0, "L = a / b"),
        (8.0, "L = a ** 3"),
        (-2.0, "L = -a"),
        (0.0, "L = relu(b)"),
        (0.02, "L = tanh(a)"),
        (5.0, "L = 3 + a"),
        (1.0, "L = 3 - a"),
        (1.5, "L = 3 / a"),
        (9.0, "L = 3 ** a"),
        (2.5, "L = a + 0.5"),
    ],
)
def test_operations_are_written_as_a_learner_would(executed: Execute, expected: float, text: str) -> None:
    """Operators on either side, methods and functions of the file execute a program."""
    asked = program(text, **{name: value for name, value in {"a": 2, "b": -0.5}.items() if name in text.split("= ")[1]})
    (values,) = results(executed(OPERATIONS, asked, ["values"]))
    assert expected == floats(values)[-1]


HALVES = program("p, q = halves([a, b], 2); L = p * q", "p = a / 2; q = b / 2; L = p * q", a=3, b=-8)
CALLED = OPERATIONS + "calls = []\ndef halves(nodes, n):\n    calls.append(n)\n    return "


@pytest.mark.parametrize("body", ["[node / n for node in nodes]", "(node / n for node in nodes)"])
def test_a_function_makes_several_nodes_in_one_call(executed: Execute, body: str) -> None:
    """A list and any other iterable give the nodes of a program, in their order."""
    (values,) = results(executed(CALLED + body, HALVES, ["values"]))
    assert [3.0, -8.0, 1.5, -4.0, -6.0] == floats(values)
    once = body.replace("node / n for", "node / len(calls) / 2 for")
    assert [values] == results(executed(CALLED + once, HALVES, ["values"]))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("None", ["makes_no_list", ["halves", "NoneType"], []]),
        ("nodes[0]", ["makes_no_list", ["halves", "Value"], []]),
        ("nodes[:1]", ["makes_others", ["halves"], [1, 2]]),
        ("iter(lambda: nodes[0], 0)", ["makes_others", ["halves"], [68, 2]]),
    ],
)
def test_a_function_that_makes_something_else_is_named(executed: Execute, body: str, problem: list[Any]) -> None:
    """The problem has the name of the function, and what it returned. An endless iterator comes to an end."""
    _, _, (where, kind, code, _, _, *rest) = executed(CALLED + body, HALVES, ["values"])
    assert ["build", "shape", *problem] == [where, kind, code, *rest]


def test_a_function_gets_lists_of_nodes_numbers_and_texts(executed: Execute) -> None:
    """Every list is new, and a number stays an int."""
    picked = program("L = pick([1, 0], ['aba', ''], rows)", "L = rows[1][0] * 3", rows=[[2, 3], [4, 5]])
    body = "def pick(places, texts, rows):\n    return rows[places[0]][places[1]] * len(texts[0])"
    (values,) = results(executed(f"{OPERATIONS}{body}", picked, ["values"]))
    assert [2.0, 3.0, 4.0, 5.0, 12.0] == floats(values)


def test_other_objects_in_place_of_made_nodes_are_seen(executed: Execute) -> None:
    """A number among the nodes is observed as its type."""
    only = program("p, q = halves([a, b], 2)", "p = a / 2; q = b / 2", a=3, b=-8)
    (values,) = results(executed(CALLED + "[nodes[0], 0.5]", only, ["values"]))
    assert [3.0, -8.0, 3.0, "!float"] == floats(values)


@pytest.mark.parametrize(
    ("lacking", "text"), [("exp", "L = exp(a)"), ("sigmoid", "L = sigmoid(a)"), ("__rmul__", "L = 3 * a")]
)
def test_what_an_engine_does_not_offer_is_told_apart(executed: Execute, lacking: str, text: str) -> None:
    """A missing function or reflected operator is `not_offered`, and not an exception of the learner's code."""
    outcome = executed(OPERATIONS, program(text, a=2.0), ["values"])
    assert outcome == ["broke", [], ["build", "not_offered", "NotOffered", "", [], [lacking]]]


@pytest.mark.parametrize(
    "more",
    [
        "from math import exp",
        "def exp(x):\n    return math.exp(x)",
        "def exp(x):\n    return 2.0",
    ],
    ids=["imported", "for floats", "no node"],
)
def test_what_is_called_as_a_function_and_is_none_is_not_offered(executed: Execute, more: str) -> None:
    """An operation's name that is not a function does not offer the operation."""
    outcome = executed(f"import math\n{OPERATIONS}\n{more}\n", program("L = exp(a)", a=2.0), ["values"])
    assert outcome == ["broke", [], ["build", "not_offered", "NotOffered", "", [], ["exp"]]]


def test_a_method_that_takes_an_argument_is_named(executed: Execute) -> None:
    """`log(message)` is not a logarithm.

    It is named as a method that wants an argument, and the operation does not count as missing.
    """
    more = "class Value(Value):\n    def exp(self, message):\n        return message"
    outcome = executed(f"{OPERATIONS}\n{more}\n", program("L = exp(a)", a=2.0), ["values"])
    assert outcome == ["broke", [], ["build", "wants_argument", "WantsArgument", "", [], ["exp"]]]


def test_a_function_that_is_offered_and_broken_is_told(executed: Execute) -> None:
    """Any exception except TypeError is the function's own."""
    outcome = executed(OPERATIONS.replace("x.data / 100", "x.date / 100"), program("L = tanh(a)", a=2.0), ["values"])
    assert ("broke", "raised", "AttributeError") == (outcome[0], *outcome[2][1:3])


@pytest.mark.parametrize(
    ("lacking", "text"),
    [("__sub__", "L = a - b"), ("__sub__", "L = a - 2"), ("__pow__", "L = a ** 2"), ("__neg__", "L = -a")],
)
def test_an_operator_that_the_class_does_not_define_is_not_offered(
    executed: Execute, closures: str, lacking: str, text: str
) -> None:
    """Python raises TypeError, and the class has no such method."""
    asked = program(text, **{name: value for name, value in {"a": 1, "b": 2}.items() if name in text})
    outcome = executed(closures, asked, ["values"])
    assert outcome == ["broke", [], ["build", "not_offered", "NotOffered", "", [], [lacking]]]


@every(
    "method",
    [
        "return NotImplemented",
        "return Value(self.data - other)",
        "return self + [-1] * other",
        "return self + (-str(other))",
        "return self.data.minus(other) if other is None else self + len(other)",
        "raise TypeError('unsupported operand')",
        """raise TypeError("bad operand type for unary -: 'Value'")""",
    ],
)
def test_an_operator_that_is_there_and_refuses_is_the_learners_exception(
    executed: Execute, closures: str, method: str
) -> None:
    """A method that exists is not missing, whatever it raises."""
    source = closures.replace(
        "    def __add__", f"    def __sub__(self, other):\n        {method}\n\n    def __add__", 1
    )
    outcome = executed(source, program("L = a - b", a=1, b=2), ["values"])
    assert ("broke", "raised", "TypeError") == (outcome[0], outcome[2][1], outcome[2][2])


@pytest.mark.parametrize(
    ("lacking", "used_by", "body", "text"),
    [
        ("__neg__", "__sub__", "return self + (-other)", "L = a - b"),
        ("__pow__", "__truediv__", "return self * other**-1", "L = a / b"),
        ("__neg__", "__rsub__", "return -self + other", "L = 2 - a"),
        ("__truediv__", "__sub__", "return (self + other) * ((self + other) / other)", "L = a - b"),
    ],
)
def test_an_operator_that_uses_a_missing_one_names_both(
    executed: Execute, closures: str, lacking: str, used_by: str, body: str, text: str
) -> None:
    """The exception is Python's own, inside the learner's method, for a method that the class lacks."""
    method = f"    def {used_by}(self, other):\n        {body}\n\n"
    source = closures.replace("    def __add__", f"{method}    def __add__", 1)
    line = source[: source.index(body)].count("\n") + 1
    asked = program(text, **{name: value for name, value in {"a": 1, "b": 2}.items() if name in text})
    outcome = executed(source, asked, ["values"])
    assert outcome == ["broke", [], ["build", "not_offered", "NotOffered", "", [line], [lacking, used_by]]]


def test_an_operator_missing_in_a_rule_is_the_learners_exception(executed: Execute, closures: str) -> None:
    """Only an operation that cannot be computed counts as missing, and not one whose rule fails."""
    source = closures.replace("out.grad", "(-out).grad")
    outcome = executed(source, program("L = a + b", a=1, b=2), ["backward", 2])
    assert ("broke", "raised", "TypeError") == (outcome[0], outcome[2][1], outcome[2][2])


@pytest.mark.parametrize(("leaf_type", "whole"), [("float", False), ("int", True)])
def test_whole_leaves_are_ints_where_a_run_says_so(leaf_type: str, whole: bool) -> None:
    """A leaf is given as `2.0`, or as `2` if the run asks for ints."""
    (_, first, *_), (_, second, *_) = Run(program("L = a * b", a=2, b=0.5), (), whole=whole).spell(BOTH.wire)[:2]
    assert [leaf_type] * 2 == [type(first).__name__, type(second).__name__]


def test_operations_in_place_are_sent_as_that() -> None:
    """If the left operand is a node, `x + y` is executed as `x += y`."""
    asked = program("b = 2 + a; L = b * a", a=3)
    assert ["leaf", "add", "imul"] == [op for op, *_ in Run(asked, (), in_place=True).spell(asked.wire)]


@pytest.mark.parametrize(
    ("expected", "returned"),
    [("!NoneType", "None"), ("!str", "'out'"), ("!float", "self.data * other.data"), ("!tuple", "(self, other)")],
)
def test_an_operation_that_gives_no_node_shows_what_it_gave(
    executed: Execute, closures: str, expected: str, returned: str
) -> None:
    """If an operation returns something else, its type replaces the value and the gradient."""
    body = f"    def __add__(self, other):\n        return {returned}\n"
    source = closures.replace("    def __add__", f"{body}\n    def plus", 1)
    values, grads = results(executed(source, program("L = a + b", a=1, b=2), ["values"], ["grads"]))
    assert [1.0, 2.0, expected] == floats(values)
    assert [0.0, 0.0, expected] == floats(grads)


@pytest.mark.parametrize("step", [["backward", 2], ["local_rules", 2, 1.0], ["preload", [[2, 1.0]]], ["triple", 2]])
def test_a_step_on_something_that_is_no_node_says_so(executed: Execute, closures: str, step: list[Any]) -> None:
    """If an operation returned None, the step that needs its result says so instead of raising AttributeError."""
    source = closures.replace("        out._backward = run\n        return out", "        out._backward = run", 1)
    outcome = executed(source, program("L = a + b", a=1, b=2), step)
    assert ("broke", [], "shape") == (outcome[0], outcome[1], outcome[2][1])
    assert ["no_node", "", [], ["NoneType", "Value"]] == outcome[2][2:6]


@pytest.mark.parametrize(
    ("expected", "assigned"), [("!NoneType", "None"), ("!str", "'1.0'"), ("!list", "[1.0]"), ("!bool", "True")]
)
def test_a_gradient_that_is_no_number_goes_by_its_type(
    executed: Execute, closures: str, expected: str, assigned: str
) -> None:
    """None, texts, lists and truth values in .grad are named by their type."""
    source = closures.replace("self.grad = 1.0", f"self.grad = {assigned}\n        return")
    _, grads = results(executed(source, BOTH, ["backward", 3], ["grads"]))
    assert expected == floats(grads)[3]


# -- local rules ---------------------------------------------------------------------------------------


def test_local_rules_pass_the_upstream_gradient_down(executed: Execute, engine: Any) -> None:
    """The rules of all operations run from `upstream` at the root, without the engine's own backward()."""
    source = re.sub(r"( +)def backward\(.*\n", r"\g<0>\1    raise RuntimeError\n", engine.source)
    _, nothing, grads = results(executed(source, BOTH, ["preload", []], ["local_rules", 3, -2.5], ["grads"]))
    assert nothing == ["nothing"]
    assert [5.0, -5.0, -2.5, -2.5] == floats(grads)


def test_preloaded_gradients_are_kept(executed: Execute, engine: Any) -> None:
    """Rules add their contributions to the gradients that `preload` sets."""
    steps = ["preload", [[0, 5.0], [1, -7.0]]], ["local_rules", 3, 1.0], ["grads"]
    assert [3.0, -5.0, 1.0, 1.0] == floats(results(executed(engine.source, BOTH, *steps))[2])


def test_preload_sets_everything_else_to_zero(executed: Execute, closures: str) -> None:
    """Other gradients are set to 0, also those of nodes inside an operation."""
    source = closures.replace("data, 0.0, set(_prev)", "data, 9.0, set(_prev)")
    _, grads = results(executed(source, BOTH, ["preload", [[1, 2.0]]], ["grads"]))
    assert [0.0, 2.0, 0.0, 0.0] == floats(grads)


def test_rules_run_for_nodes_that_the_engine_made_besides(executed: Execute, closures: str) -> None:
    """If a - b is made as a + b * -1, the rules of all three operations run."""
    source = closures + "    def __sub__(self, other):\n        return self + other * Value(-1.0)\n"
    _, _, grads = results(
        executed(source, program("L = a - b", a=1, b=2), ["preload", []], ["local_rules", 2, 2.0], ["grads"])
    )
    assert [2.0, -2.0, 2.0] == floats(grads)


def test_rules_above_the_root_stay_still(executed: Execute, closures: str) -> None:
    """From an inner node, only the rules of the nodes that it was computed from run."""
    _, _, grads = results(executed(closures, BOTH, ["preload", []], ["local_rules", 2, 1.0], ["grads"]))
    assert [-3.0, 2.0, 1.0, 0.0] == floats(grads)


def test_an_engine_without_rules_is_told_so(executed: Execute) -> None:
    """If nodes have neither closures nor local derivatives, the problem says that there is no rule."""
    outcome = executed(OPERATIONS, program("L = a + b", a=1, b=2), ["local_rules", 2, 1.0])
    assert outcome[2][:3] == ["local_rules", "shape", "no_rule"]
    assert outcome[2][5][:2] == ["data", "grad"]


def test_a_node_without_its_rule_is_told(executed: Execute, closures: str) -> None:
    """The problem names an operation whose result has no `_backward` to call."""
    source = closures.replace("out._backward = run", "out._backward = None", 1)
    outcome = executed(source, program("L = a + b", a=1, b=2), ["local_rules", 2, 1.0])
    assert outcome[2] == ["local_rules", "shape", "nothing_to_call", "", [], ["_backward"], []]


def test_an_exception_in_a_rule_has_its_line(executed: Execute, closures: str) -> None:
    """An exception in a rule has the learner's line."""
    source = closures.replace("            self.grad += out.grad", "            raise NotImplementedError('what?')")
    line = source[: source.index("raise NotImplementedError")].count("\n") + 1
    outcome = executed(source, program("L = a + b", a=1, b=2), ["values"], ["local_rules", 2, 1.0])
    assert ("broke", "values") == (outcome[0], outcome[1][0][0])
    assert outcome[2] == ["local_rules", "raised", "NotImplementedError", "what?", [line]]


def test_a_tripled_root_triples_every_gradient(executed: Execute, engine: Any) -> None:
    """A backward pass that runs the rules gives three times the gradients. The root's own gradient stays 1."""
    _, _, grads = results(executed(engine.source, BOTH, ["triple", 3], ["backward", 3], ["grads"]))
    assert [-6.0, 6.0, 3.0, 1.0] == floats(grads)


def test_gradients_by_differences_do_not_follow(executed: Execute, closures: str) -> None:
    """Gradients that are computed without the rules do not change."""
    source = closures[: closures.index("    def backward")] + (
        "    def backward(self):\n        self.grad = 1.0\n        for node in self._prev: node.grad = 4.0\n"
    )
    _, _, grads = results(executed(source, program("L = a * a", a=2), ["triple", 1], ["backward", 1], ["grads"]))
    assert [4.0, 1.0] == floats(grads)


@pytest.mark.parametrize(
    "engine",
    ["closure", "method", "visit", "pull that adds"],
    indirect=True,
)
def test_a_trace_has_each_rule_and_what_it_added(executed: Execute, engine: Any) -> None:
    """The trace has the order in which closures ran, and their contributions."""
    _, _, traced = results(executed(engine.source, BOTH, ["watch"], ["backward", 3], ["traced"]))
    assert trace(traced) == [(3, {0: 1.0, 2: 1.0}), (2, {0: -3.0, 1: 2.0})]


@pytest.mark.parametrize("engine", ["pairs", "parallel", "pairs of functions", "parallel functions"], indirect=True)
def test_stored_gradients_leave_no_trace(executed: Execute, engine: Any) -> None:
    """An engine with stored local derivatives has no functions to trace."""
    watch, _, traced = results(executed(engine.source, BOTH, ["watch"], ["backward", 3], ["traced"]))
    assert (["nothing"], ["trace", []]) == (watch, traced)


def test_a_closure_that_runs_twice_is_seen_twice(executed: Execute, closures: str) -> None:
    """The trace has every run of a closure."""
    source = closures.replace("node._backward()", "node._backward(); node._backward()")
    _, _, traced = results(executed(source, program("L = a * b", a=2, b=3), ["watch"], ["backward", 2], ["traced"]))
    assert [2, 2] == [node for node, _ in trace(traced)]


def test_a_trace_is_cut_after_a_thousand_runs(executed: Execute, closures: str) -> None:
    """The answer stays small, however often a closure is called."""
    source = closures.replace("node._backward()", "[node._backward() for _ in range(1500)]")
    _, _, traced = results(executed(source, program("L = a * b", a=2, b=3), ["watch"], ["backward", 2], ["traced"]))
    assert len(traced[1]) == 1000


# -- calls ---------------------------------------------------------------------------------------------


@every(
    ("expected", "body"),
    [
        (["nothing"], "return None"),
        (["nodes", [3]], "return root"),
        (["nodes", [0, 2, 3]], "return [*sorted(root._prev, key=id), root]"),
        (["nodes", []], "return []"),
        (["other", "generator"], "yield from ()"),
        (["other", "generator"], "yield root\nyield root"),
        (["other", "list_iterator"], "return iter([root])"),
        (["nodes", [3]], "return {root: 1}.keys()"),
        (["nodes", [3, -1]], "return [root, 'x']"),
        (["nodes", [3, -1]], "return (root, None)"),
        (["numbers", [(2.5).hex()]], "return 2.5"),
        (["numbers", [(3.0).hex()]], "return 3"),
        (["numbers", [(1.0).hex(), (2.0).hex()]], "return [1, 2.0]"),
        (["numbers", [(1.0).hex(), "!str"]], "return (1, 'x')"),
        (["numbers", ["!str"]], "return ['x']"),
        (["numbers", ["nan"]], "return float('nan')"),
        (["other", "str"], "return 'a, b'"),
        (["other", "bytes"], "return b'ab'"),
        (["other", "dict"], "return {root: 1}"),
        (["truth", True], "return True"),
        (["other", "function"], "return f"),
        (["other", "object"], "return object()"),
    ],
)  # fmt: skip
def test_whatever_a_function_returns_is_told(executed: Execute, closures: str, expected: list[Any], body: str) -> None:
    """Nodes are given by index, numbers exactly, None as nothing, and anything else by its type's name."""
    (returned,) = results(executed(with_function(closures, body), BOTH, ["call", "f", [["node", 3]]]))
    assert expected == returned


@pytest.mark.parametrize("body", ["return Value(1.0)", "return [Value(1.0), root]", "return (root * root, root)"])
def test_a_node_made_besides_has_an_index_beyond_the_program(executed: Execute, closures: str, body: str) -> None:
    """A node that the engine made in addition to the program's nodes differs from an unknown object."""
    (returned,) = results(executed(with_function(closures, body), BOTH, ["call", "f", [["node", 3]]]))
    index, *rest = returned[1]
    assert index >= 4
    assert rest in ([], [3])


def test_a_generator_without_end_is_cut(executed: Execute, closures: str) -> None:
    """An endless generator gives a list of bounded length."""
    source = with_function(closures, "while True:\n    yield 1.0")
    (returned,) = results(executed(source, BOTH, ["call", "f", [["node", 3]]]))
    assert returned[0] == "numbers"
    assert 8 <= len(returned[1]) <= 100


def test_a_generator_that_raises_is_the_learners_problem(executed: Execute, closures: str) -> None:
    """An exception during iteration is reported like one inside the call."""
    source = with_function(closures, "yield root\nraise ValueError('enough')")
    outcome = executed(source, BOTH, ["call", "f", [["node", 3]]])
    assert outcome[2][:4] == ["call", "raised", "ValueError", "enough"]


@pytest.mark.parametrize(
    ("expected", "arguments", "body"),
    [
        ([2.0, 0.5], [["node", 0], ["number", 0.5]], "return [root.data, more[0]]"),
        ([3.0, 2.0, -3.0], [["nodes", [0, 1]], ["number", 3]], "return [more[0], *(node.data for node in root)]"),
        ([0.0], [["nodes", []]], "return [len(root)]"),
    ],
)
def test_arguments_are_nodes_lists_of_nodes_and_numbers(
    executed: Execute, closures: str, expected: list[float], arguments: list[Any], body: str
) -> None:
    """A function is called with the arguments that the check names."""
    (returned,) = results(executed(with_function(closures, body), BOTH, ["call", "f", arguments]))
    assert expected == floats(returned)


def test_a_function_that_is_not_there_is_named(executed: Execute, closures: str) -> None:
    """A missing function has the name that the exercise asks for."""
    outcome = executed(closures, BOTH, ["call", "build_topo", [["node", 3]]])
    assert outcome[2] == ["call", "shape", "no_function", "", [], ["build_topo"], []]


# -- order, budgets, batches ---------------------------------------------------------------------------


def test_an_order_seed_decides_how_a_set_is_walked(executed: Execute, closures: str) -> None:
    """A function that depends on a set's order has different results under the seeds 0 and 1.

    A repeated run has the same results.
    """
    source = with_function(closures, "return list(root._prev)")
    asked = program("L = a * b", a=2, b=3)
    answers = [
        results(executed(source, asked, ["call", "f", [["node", 2]]], order_seed=seed))[0][1] for seed in (0, 1, 0, 1)
    ]
    assert answers == [[0, 1], [1, 0], [0, 1], [1, 0]]


FIRST_INPUTS = "\ndef first_inputs(root):\n    return [next(iter(node._prev or [node])) for node in root]\n"


def test_a_large_graph_has_a_chosen_order_of_sets(executed: Execute, closures: str) -> None:
    """The order of the inputs of a node is the same wherever Python puts the nodes, and mixes early and late ones."""
    orders = []
    for layout in range(2):
        junk = [[None] * (size % 61) for size in range(4001 * layout)]
        del junk[::3]
        call = ["call", "first_inputs", [["nodes", list(range(5000))]]]
        orders.append(results(executed(closures + FIRST_INPUTS, chain(5000), call, calls=100_000, order_seed=2)))
    assert orders[0] == orders[1]
    assert 2000 < orders[0][0][1].count(1) < 3000


WEAK = """
import weakref

class Value:
    def __init__(self, data, inputs=()):
        self.data, self.grad = data, 0.0
        self._prev = weakref.WeakSet(inputs)
        self._backward = lambda: None

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def run():
            for source in out._prev:
                source.grad += out.data / source.data * out.grad
        out._backward = run
        return out

    def backward(self):
        self.grad = 1.0
        self._backward()
        for source in self._prev:
            source._backward()
"""


def test_a_released_node_lives_as_long_as_its_users_hold_it(executed: Execute, closures: str) -> None:
    """Only weak references lose it. Its own gradient is not reported."""
    graph = program("L = (a * b) * c", a=2, b=-3, c=10)
    steps = (["release", graph.root], ["backward", graph.root], ["grads"])
    index = graph.index
    for source, expected in ((closures, [-30.0, 20.0, -6.0]), (WEAK, [0.0, 0.0, -6.0])):
        *_, grads = results(executed(source, graph, *steps))
        assert expected == [floats(grads)[index[name]] for name in "abc"]
        assert floats(grads)[index["a * b"]] == 0.0


def test_inputs_are_read_for_every_node(executed: Execute, closures: str) -> None:
    """Leaves have none, and a node that is used twice counts once in a set."""
    graph = program("b = a * a; L = b + a", a=2)
    (inputs,) = results(executed(closures, graph, ["inputs"]))
    assert ["inputs", [[], [0], [0, 1]]] == [inputs[0], [sorted(of_node) for of_node in inputs[1]]]


def test_the_list_that_a_function_was_given_can_be_read_again(executed: Execute, closures: str) -> None:
    """It has the nodes that the function left in it."""
    source = f"{closures}\ndef pop(nodes):\n    nodes.pop()\n"
    _, left = results(executed(source, BOTH, ["call", "pop", [["nodes", [0, 1, 2]]]], ["given_list"]))
    assert ["nodes", [0, 1]] == left


def handed(asked: Program, *grads: float) -> list[list[Any]]:
    values = [node.value for node in asked.leaves]
    return [["function", [asked.wire, asked.root, list(grads)]], ["numbers", values]]


TRIED = """
def tried(f, values):
    leaves = [Value(x) for x in values]
    result = f(*leaves)
    result.backward()
    values.append(0.5)
    return [result.data, *[leaf.grad for leaf in leaves], f(*[Value(x + 1) for x in values[:2]]).data]
"""


def test_a_function_is_handed_over_with_its_gradients(executed: Execute, closures: str) -> None:
    """Its value is that of the program, wherever it is computed. Its gradients are those of the table."""
    returned, left = results(
        executed(f"{closures}{TRIED}", NOTHING, ["call", "tried", handed(BOTH, 7.0, -0.25)], ["given_numbers"])
    )
    assert [BOTH.values[BOTH.root], 7.0, -0.25] == floats(returned)[:3]
    assert BOTH.with_leaves([x + 1 for x in BOTH.values[:2]]).values[BOTH.root] == floats(returned)[3]
    assert [*BOTH.values[:2], 0.5] == floats(left)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("f(Value(1.0))", "TypeError", "f() takes 2 positional arguments but 1 was given"),
        ("f(Value(1.0), 2.0)", "TypeError", "argument 2 of f() is of type float, but f() takes a Value"),
        (
            "f(Value(1.0), Value(Value(2.0)))",
            "TypeError",
            "argument 2 of f() is a Value that holds no number, but a Value",
        ),
    ],
)
def test_a_handed_function_takes_nodes(executed: Execute, closures: str, call: str, error: str, message: str) -> None:
    """The exception is raised in the line of the learner's file that calls the function."""
    source = f"{closures}\ndef tried(f, values):\n    return {call}\n"
    outcome = executed(source, NOTHING, ["call", "tried", handed(BOTH, 0.0, 0.0)])
    assert ["raised", error, message, [source.count("\n")]] == outcome[2][1:5]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (["truth", False], "all([True, False])"),
        (["numbers", [(1.0).hex()]], "1"),
        (["other", "str"], "'True'"),
    ],
)
def test_a_truth_value_is_returned_as_such(executed: Execute, closures: str, expected: list[Any], text: str) -> None:
    """A bool is no number."""
    (returned,) = results(executed(f"{closures}\ndef tells():\n    return {text}\n", BOTH, ["call", "tells", []]))
    assert expected == returned


def test_a_truth_value_of_numpy_is_one_too(executed: Execute, closures: str) -> None:
    """An array of one truth value is one as well, and an array of several is a list of objects."""
    for text, expected in (
        ("numpy.float64(1) < 2", ["truth", True]),
        ("numpy.array([False])", ["truth", False]),
        ("numpy.array([True, False])", ["numbers", ["!bool", "!bool"]]),
    ):
        source = f"import numpy\n{closures}\ndef tells():\n    return {text}\n"
        (returned,) = results(executed(source, BOTH, ["call", "tells", []]))
        assert expected == returned


def test_a_result_that_is_none_has_no_number(executed: Execute, closures: str) -> None:
    """Only a released node reads 0."""
    source = closures.replace("def __mul__(self, other):", "def __mul__(self, other):\n        return\n", 1)
    assert source != closures
    (values,) = results(executed(source, program("L = a * b", a=2, b=3), ["values"]))
    assert "!NoneType" == values[1][-1]


def test_a_single_leaf_is_a_program(executed: Execute, closures: str) -> None:
    """A program may have no operation."""
    _, grads, values = results(executed(closures, leaf(2.0), ["backward", 0], ["grads"], ["values"]))
    assert ([1.0], [2.0]) == (floats(grads), floats(values))


def batch(*runs: tuple[Program, list[Any]], seeds: tuple[int, ...] = (0,), calls: int = 5000) -> dict[str, Any]:
    wire = [[asked.wire, steps] for asked, steps in runs]
    return {"runs": wire, "order_seeds": list(seeds), "calls": calls, "engine": True}


def test_a_batch_has_an_outcome_for_each_seed_and_run(loaded: Load, closures: str) -> None:
    """Every run is executed once under every order seed. The reading comes first."""
    asked = batch((BOTH, [["values"]]), (leaf(1.0), []), seeds=(0, 1, 2, 3))
    read, wire, seeds = execute(loaded(closures), FILE, asked)
    assert (read, wire[0]) == ("read", "Value")
    assert [[outcome[0] for outcome in outcomes] for outcomes in seeds] == [["done", "done"], *[["same", "same"]] * 3]


def test_an_outcome_that_differs_between_seeds_is_told_each_time(loaded: Load, closures: str) -> None:
    """An outcome that is equal to that of the first order seed is `same`. Any other is given in full."""
    source = closures + "def first(node):\n    return [next(iter(node._prev))]\n"
    asked = batch((BOTH, [["call", "first", [["node", 3]]]]), (leaf(1.0), []), seeds=(0, 1))
    _, _, (one, other) = execute(loaded(source), FILE, asked)
    assert ["done", "done"] == [outcome[0] for outcome in one]
    assert ["done", "same"] == [outcome[0] for outcome in other]
    assert one[0] != other[0]


def test_a_row_in_short_makes_the_same_nodes(loaded: Load, closures: str) -> None:
    """A chain in its short form gives the same nodes as one with every operation spelled out."""
    made = chain(50)
    answers = []
    for wire in (made.sent, made.wire):
        asked = {"runs": [[wire, [["values"], ["backward", made.root], ["grads"]]]], "order_seeds": [0]}
        answers.append(execute(loaded(closures), FILE, asked | {"calls": 5000, "engine": True}))
    assert len(made.sent) < 10
    assert answers[0] == answers[1]


def test_one_broken_run_leaves_the_others(loaded: Load, closures: str) -> None:
    """An exception ends only the present run. The runs before and after it are complete."""
    asked = batch((leaf(1.0), []), (program("L = a / b", a=1, b=2), []), (leaf(2.0), []))
    _, _, (outcomes,) = execute(loaded(closures), FILE, asked)
    assert ["done", "broke", "done"] == [outcome[0] for outcome in outcomes]


def test_once_the_budget_is_spent_nothing_more_is_run(loaded: Load, closures: str) -> None:
    """After a run that used up its calls, the rest of the batch is left out, under every order seed."""
    source = closures.replace("visit(source)", "visit(source); seen.clear()")
    asked = batch((leaf(1.0), []), (diamonds(30), [["backward", diamonds(30).root]]), (leaf(2.0), []), seeds=(0, 1))
    _, _, (first, second) = execute(loaded(source), FILE, asked)
    assert ("done", "broke", "calls", "unrun") == (first[0][0], first[1][0], first[1][2][1], first[2][0])
    assert [["unrun"]] * 3 == second


def test_each_run_has_a_budget_of_its_own(loaded: Load, closures: str) -> None:
    """Calls are counted for each run."""
    runs = [(program("L = a + b", a=1, b=2), [["values"]])] * 50
    _, _, (outcomes,) = execute(loaded(closures), FILE, batch(*runs, calls=20))
    assert {"done"} == {outcome[0] for outcome in outcomes}


def test_a_file_that_is_no_engine_is_unread(loaded: Load) -> None:
    """A file that is not readable as an engine gives one problem for the whole batch."""
    answer = execute(loaded("x = 1\n"), FILE, batch((leaf(1.0), [])))
    assert answer == ["unread", ["reading", "shape", "no_class", "", [], [], []]]


def test_without_an_engine_functions_are_called_with_numbers(loaded: Load) -> None:
    """A file with only functions needs no class, and no node is built."""
    asked = batch((Program((), 0, ""), [["call", "half", [["number", 3.0]]]]))
    read, wire, ((outcome,),) = execute(loaded("def half(x):\n    return x / 2\n"), FILE, asked | {"engine": False})
    assert (read, wire[1:]) == ("read", ["data", "grad", "", "", "", False])
    assert [["numbers", [(1.5).hex()]]] == results(outcome)


def test_a_constructor_without_end_is_unread(loaded: Load) -> None:
    """Reading the engine has a budget of calls, too."""
    source = (
        "class Value:\n    def __init__(self, x):\n        while self.m(): pass\n    def m(self):\n        return 1\n"
    )
    answer = execute(loaded(source), FILE, batch((leaf(1.0), [])))
    assert answer[0] == "unread"
    assert answer[1][:2] == ["reading", "calls"]


def test_the_same_object_twice_goes_by_its_first_index(executed: Execute) -> None:
    """If an operation returns its operand, two nodes of the program are the same object."""
    source = """
class Value:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
    def __pow__(self, exponent):
        return self
    def __add__(self, other):
        return Value(self.data + other.data)
def f(node):
    return node
"""
    values, returned = results(executed(source, program("L = a ** 1", a=2), ["values"], ["call", "f", [["node", 1]]]))
    assert [2.0, 2.0] == floats(values)
    assert returned == ["nodes", [0]]


def test_the_worker_knows_the_operators_of_the_table() -> None:
    """The worker imports nothing of the grader, so it has lists of its own, which are the same."""
    table = {name: operation.compute for name, operation in operations.OPERATIONS.items() if operation.symbol}
    methods = {symbol: operations.METHODS[name] for name, symbol in operations.BINARY.items()}
    assert (table, operations.REFLECTED) == (OPERATORS, _REFLECTED)
    assert [{"-": operations.METHODS["neg"]}, methods] == list(_REFUSED.values())


def test_the_worker_computes_the_functions_of_the_table() -> None:
    """A function that is handed to the learner's code has the values of the table."""
    others = [one for one in operations.OPERATIONS.values() if one.symbol is None]
    assert {one.name for one in others} == set(FUNCTIONS)
    cases = [
        (one, x) for one in others for (x,) in (*one.numbers, *(case for _, _, more in one.cases for case in more))
    ]
    wanted = [one.compute(x) for one, x in cases]
    assert wanted == [FUNCTIONS[one.name](x) for one, x in cases]


# -- the same leaves again -----------------------------------------------------------------------------


def test_operations_made_anew_start_without_gradients(executed: Execute, engine: Any) -> None:
    """After `anew`, the leaves are the same nodes with gradient 0, and the operations are new nodes."""
    _, _, grads, _, again = results(
        executed(engine.source, BOTH, ["backward", 3], ["anew"], ["grads"], ["backward", 3], ["grads"])
    )
    assert [[0.0] * 4, [-2.0, 2.0, 1.0, 1.0]] == [floats(grads), floats(again)]


def test_leaves_of_a_graph_that_is_built_again_keep_their_gradients(executed: Execute, engine: Any) -> None:
    """After `build_again`, the leaves are the same nodes with their gradients, and the operations are new nodes."""
    _, _, grads = results(executed(engine.source, BOTH, ["backward", 3], ["build_again"], ["grads"]))
    assert [-2.0, 2.0, 0.0, 0.0] == floats(grads)


BY_ID = """
GRADS = {}
KEPT = []
Value.grad = property(lambda v: GRADS.get(id(v), 0.0), lambda v, grad: GRADS.__setitem__(id(v), grad))
"""


@pytest.mark.parametrize(
    ("expected", "also"),
    [([0.0, 0.0, 1.0, 1.0], ""), ([0.0] * 4, "; KEPT.append(self)")],
    ids=["nobody keeps them", "the file keeps them"],
)
def test_nodes_made_anew_take_the_ids_of_those_that_died(
    executed: Execute, closures: str, expected: list[float], also: str
) -> None:
    """New nodes get the ids of removed nodes, so an engine that keeps gradients by `id()` finds old ones.

    A node that still exists keeps its id.
    """
    init = "self.data, self.grad, self._prev = data, 0.0, set(_prev)"
    source = closures.replace(init, "self.data, self._prev = data, set(_prev)" + also) + BY_ID
    *_, again = results(executed(source, BOTH, ["backward", 3], ["anew"], ["grads"]))
    assert expected == floats(again)


TRAIN = """
def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        for p in parameters:
            p.grad = 0.0
        loss.backward()
        for p in parameters:
            p.data -= rate * p.grad
        losses.append(loss.data)
    return losses
"""


def test_train_is_given_the_program_and_its_leaves(executed: Execute, engine: Any) -> None:
    """For L = a * b + a from a = 2, b = -3, a step of 0.5 against the gradients (-2, 2) leads to a = 3, b = -4."""
    losses, values = results(executed(engine.source + TRAIN, BOTH, ["train", 3, 1, 0.5], ["values"]))
    assert [-4.0] == floats(losses)
    assert [3.0, -4.0] == floats(values)[:2]


# -- the log of a training ------------------------------------------------------------------------------------

LOGGED = program("L = a * b", a=2, b=3)
LOOP = """
def train(loss_of, parameters, steps, rate):
    for _ in range(steps):
        loss = loss_of()
        {clear}
        loss.backward()
        for p in parameters:
            p.data -= rate * p.grad
        Value(7.0)
"""


@pytest.mark.parametrize("clear", ["for p in parameters: p.grad = 0.0", "for p in parameters: vars(p)['grad'] = 0.0"])
def test_a_log_has_what_happens_to_the_leaves(executed: Execute, closures: str, clear: str) -> None:
    """The log has losses, passes and changes of leaves in their order, even those without a write to an attribute."""
    steps = (["preload", [[0, 1.0], [1, 1.0]]], ["log"], ["train", 2, 1, 0.5], ["events"])
    *_, (tag, events, complete) = results(executed(closures + LOOP.format(clear=clear), LOGGED, *steps))
    assert ("log", True) == (tag, complete)
    assert [
        ["loss", 0, 6.0],
        ["grad", 0, 0.0],
        ["grad", 1, 0.0],
        ["pass", 0, 6.0],
        ["left", 0, 3.0],
        ["left", 1, 2.0],
        ["data", 0, 0.5],
        ["data", 1, 2.0],
        ["made", -1, 7.0],
    ] == [[kind, place, float.fromhex(number)] for kind, place, number in events]


def test_a_log_is_cut(executed: Execute, closures: str) -> None:
    """A log holds at most `EVENTS` events, and says that others are left out."""
    more = closures + "\ndef many(nodes):\n    for k in range(1001):\n        nodes[0].data = float(k)\n"
    steps = (["log"], ["call", "many", [["nodes", [0]]]], ["events"])
    (*_, (_, events, complete)) = results(executed(more, LOGGED, *steps))
    assert (bounds.EVENTS, False) == (len(events), complete)


def test_nothing_is_watched_after_a_log(loaded: Load, closures: str) -> None:
    """The class is as before, also if the run broke."""
    module = loaded(closures + LOOP.format(clear="raise ValueError"))
    run = [LOGGED.sent, [["log"], ["train", 2, 1, 0.5], ["events"]]]
    execute(module, FILE, {"runs": [run], "order_seeds": [0], "calls": 1000, "engine": True})
    assert {"grad", "data"}.isdisjoint(vars(module.Value))
    assert module.Value.backward.__code__.co_freevars == ()
