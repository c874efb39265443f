"""Local rules of every kind are run alone, tripled and watched."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from every import every

from grader.program import program
from grader.worker.adapter import introspect
from grader.worker.adapter.rules import rules_of
from grader.worker.adapter.values import Unreadable

functions = pytest.mark.parametrize(
    "engine",
    [
        "closure",
        "method",
        "visit",
        "pull that adds",
        "pull that returns shares",
        "pull that returns pairs",
        "local_grads",
    ],
    indirect=True,
)
Load = Callable[[str], ModuleType]


class Case:
    """Two leaves, a = 3 and b = -2, and the rules of their engine."""

    def __init__(self, module: ModuleType) -> None:
        self.shape = introspect.read(module)
        self.rules: Any = rules_of(self.shape)
        self.a, self.b = module.Value(3.0), module.Value(-2.0)

    @property
    def grads(self) -> tuple[Any, Any]:
        return self.a.grad, self.b.grad


@pytest.fixture
def case(loaded: Load, engine: Any) -> Case:
    return Case(loaded(engine.source))


def test_times_hands_on_the_other_ones_value(case: Case) -> None:
    """The rule of a * b adds the upstream gradient times the other value to each input."""
    node = case.a * case.b
    node.grad = 0.5
    case.rules.run(node)
    assert case.grads == (-1.0, 1.5)


def test_plus_hands_on_what_arrives(case: Case) -> None:
    """The rule of a + b adds the upstream gradient to both inputs."""
    node = case.a + case.b
    node.grad = -2.5
    case.rules.run(node)
    assert case.grads == (-2.5, -2.5)


def test_shares_add_to_what_is_there(case: Case) -> None:
    """An existing gradient of an input is kept."""
    case.a.grad, case.b.grad = 5.0, -7.0
    node = case.a * case.b
    node.grad = 1.0
    case.rules.run(node)
    assert case.grads == (3.0, -4.0)


def test_one_value_used_twice_receives_both_shares(case: Case) -> None:
    """In a * a, a receives its own value times the upstream gradient twice."""
    node = case.a * case.a
    node.grad = 2.0
    case.rules.run(node)
    assert case.a.grad == 12.0


def test_an_operations_result_has_a_rule(case: Case) -> None:
    """Every kind of rule is found on the result of an operation."""
    assert case.rules.has(case.a * case.b)


def test_a_tripled_rule_hands_on_three_times_as_much(case: Case) -> None:
    """Tripling a rule changes the contributions to its inputs, and not the node's own gradient."""
    node = case.a * case.b
    node.grad = 0.5
    case.rules.triple(node)
    case.rules.run(node)
    assert case.grads == (-3.0, 4.5)
    assert node.grad == 0.5


def test_tripling_one_node_leaves_the_others(case: Case) -> None:
    """Only the contributions of that node are tripled."""
    tripled, other = case.a * case.b, case.a * case.b
    case.rules.triple(tripled)
    other.grad = 0.5
    case.rules.run(other)
    assert case.grads == (-1.0, 1.5)


def test_the_engines_own_pass_meets_the_tripled_rule(case: Case) -> None:
    """A backward pass that runs the rules gives three times the gradients."""
    node = case.a * case.b
    case.rules.triple(node)
    introspect.backward_of(ModuleType("nothing"), node, "_backward")()
    assert case.grads == (-6.0, 9.0)
    assert node.grad == 1.0


@functions
def test_a_watched_rule_does_what_it_did(case: Case) -> None:
    """The callback is called once for each run, and no gradient changes."""
    node = case.a * case.b
    node.grad = 0.5
    seen = []

    def around(watched: Any, run: Callable[[], Any]) -> Any:
        before = case.grads
        result = run()
        seen.append((watched is node, before))
        return result

    case.rules.watch(node, around)
    case.rules.run(node)
    assert seen == [(True, (0.0, 0.0))]
    assert case.grads == (-1.0, 1.5)


@functions
def test_watching_one_node_leaves_the_others(case: Case) -> None:
    """Other nodes are not watched, even if the rule is a method of the class."""
    watched, other = case.a * case.b, case.a * case.b
    case.rules.watch(watched, lambda node, run: pytest.fail("nobody watches this one"))
    other.grad = 0.5
    case.rules.run(other)
    assert case.grads == (-1.0, 1.5)


@functions
def test_a_watched_and_tripled_rule_is_both(case: Case) -> None:
    """A tripled rule that is watched shows three times the contributions."""
    node = case.a * case.b
    node.grad = 0.5
    runs = []
    case.rules.triple(node)
    case.rules.watch(node, lambda watched, run: runs.append(watched) or run())
    case.rules.run(node)
    assert [node] == runs
    assert case.grads == (-3.0, 4.5)


def test_gradients_that_start_as_none_are_zero_to_a_stored_rule(loaded: Load) -> None:
    """A stored local derivative adds its contribution to a gradient that is None as to 0."""
    source = """
class Value:
    def __init__(self, data, edges=()):
        self.data, self.grad, self.edges = data, None, edges
    def __mul__(self, other):
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])
"""
    case = Case(loaded(source))
    node = case.a * case.b
    node.grad = 0.5
    case.rules.run(node)
    assert case.grads == (-1.0, 1.5)


def test_a_rule_that_gives_too_few_shares_is_an_error(loaded: Load) -> None:
    """If the number of contributions differs from the number of inputs, it is an error of the learner's code."""
    source = """
class Value:
    def __init__(self, data, inputs=(), rule=None):
        self.data, self.grad, self.inputs, self.rule = data, 0.0, inputs, rule
    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), lambda g: [g * other.data])
    def backward(self):
        self.grad = 1.0
"""
    case = Case(loaded(source))
    node = case.a * case.b
    with pytest.raises(Unreadable, match=r"contributions.*1, 2"):
        case.rules.run(node)


def test_a_closure_with_defaults_is_no_function_of_the_gradient(loaded: Load) -> None:
    """`def run(a=self, b=other)` needs no argument, so it is called without one."""
    source = """
class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, set(_prev), lambda: None
    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def run(a=self, b=other, out=out):
            a.grad += b.data * out.grad
            b.grad += a.data * out.grad
        out._backward = run
        return out
"""
    case = Case(loaded(source))
    node = case.a * case.b
    node.grad = 0.5
    case.rules.run(node)
    assert case.shape.rule.kind == "closure"
    assert case.grads == (-1.0, 1.5)


@pytest.mark.parametrize("returned", ["self.grad, other.grad", "[1.0, 2.0]", "out", "True"])
def test_what_a_closure_returns_besides_does_not_count(loaded: Load, returned: str) -> None:
    """The result of a closure that adds to its inputs is ignored."""
    source = f"""
class Value:
    def __init__(self, data):
        self.data, self.grad, self._backward = data, 0.0, lambda: None
    def __mul__(self, other):
        out = Value(self.data * other.data)
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
            return {returned}
        out._backward = _backward
        return out
    def backward(self):
        self.grad = 1.0
        self._backward()
"""
    case = Case(loaded(source))
    assert "closure" == case.shape.rule.kind


INPUTS_FIRST = """
class Value:
    def __init__(self, data, inputs=()):
        self.data, self.grad, self.inputs = data, 0.0, inputs
    def __mul__(self, other):
        return Value(self.data * other.data, (self, other))
    def push(self, a, b, grad):
        a.grad += b.data * grad
        b.grad += a.data * grad
    def backward(self):
        self.grad = 1.0
        self.push(*self.inputs, self.grad)
        for source in self.inputs:
            if source.inputs:
                source.push(*source.inputs, source.grad)
"""


@pytest.mark.parametrize("engine", ["pull that adds"], indirect=True)
def test_a_pass_may_name_the_upstream_gradient(loaded: Load, engine: Any) -> None:
    """A rule with one parameter may be called by keyword. It is tripled and watched in the same way."""
    source = engine.source.replace("node._backward(node.grad)", "node._backward(upstream=node.grad)")
    assert source != engine.source
    _triples_the_pass(Case(loaded(source)))


def test_the_upstream_gradient_may_follow_the_inputs(loaded: Load) -> None:
    """The upstream gradient is the argument after all inputs, however many there are."""
    _triples_the_pass(Case(loaded(INPUTS_FIRST)))


def _triples_the_pass(case: Case) -> None:
    node = case.a * case.b
    seen = []

    def around(watched: Any, run: Any) -> Any:
        seen.append(case.rules.upstream(watched, run))
        return run()

    case.rules.triple(node)
    case.rules.watch(node, around)
    node.backward()
    assert case.grads == (-6.0, 9.0)
    assert [1.0] == seen


# -- rules inside the backward pass ------------------------------------------------------------------------


INLINE = ("tape_of_closures", "rules_in_the_pass", "rules_in_the_pass_from_zero")
GRAPH = program("h = a * b; L = h * h + a", a=2, b=-3)


@every(
    ("kind", "name"), [*(("inline", name) for name in INLINE), ("", "gradients_in_a_dict"), ("called", "interpreter")]
)
def test_a_pass_that_reads_gradients_and_adds_is_recognised(
    loaded_shape: Load, shapes: dict[str, str], kind: str, name: str
) -> None:
    """A pass that keeps gradients elsewhere is not recognised, and neither is one with a function to call."""
    assert kind == introspect.read(loaded_shape(shapes[name])).rule.kind


@pytest.mark.parametrize("name", INLINE)
def test_each_rule_runs_alone(executed: Callable[..., Any], shapes: dict[str, str], name: str) -> None:
    """A rule runs from a given upstream gradient and adds to existing gradients. A second run does the same."""
    steps = [["preload", [[0, 5.0], [1, -7.0]]], ["local_rules", GRAPH.root, -2.5], ["grads"]]
    _, results = executed(shapes[name], GRAPH, *steps, *steps)
    expected = [5 - 2.5 * 37, -7 + 2.5 * 24, 30.0, -2.5, -2.5]
    for answer in (results[2], results[5]):
        found = dict(zip([node.name for node in GRAPH.nodes], map(float.fromhex, answer[1]), strict=True))
        assert expected == pytest.approx([found[name] for name in ("a", "b", "h", "h * h", "L")])


def test_a_node_that_the_pass_makes_may_have_any_gradient(executed: Callable[..., Any], shapes: dict[str, str]) -> None:
    """The pass may make nodes of its own. Their gradients are not those of the program."""
    made = 'v.op == "+":\n                t = Value(v.grad)\n                t.grad = None\n'
    text = shapes["rules_in_the_pass"].replace('v.op == "+":\n', made)
    assert "t.grad" in text
    _, results = executed(text, GRAPH, ["preload", []], ["local_rules", GRAPH.root, 1.0], ["grads"])
    assert [37.0, -24.0] == pytest.approx([float.fromhex(results[2][1][GRAPH.index[leaf]]) for leaf in "ab"])


@pytest.mark.parametrize(
    ("code", "counts", "name", "edit"),
    [
        ("unclear_writes", [], "gradients_in_a_dict", ("", "")),
        (
            "pass_stops",
            [1, 1],
            "rules_in_the_pass",
            ('if v.op == "+":', 'if v is not self:\n                return\n            if v.op == "+":'),
        ),
        ("pass_stops", [0, 1], "rules_in_the_pass", ("self.grad = 1.0", "return")),
    ],
)
def test_a_pass_without_recognised_rules_is_described(
    executed: Callable[..., Any], shapes: dict[str, str], code: str, counts: list[int], name: str, edit: tuple[str, str]
) -> None:
    """If no rule is recognised, the problem says how many gradients the pass changes, unless it changes all."""
    text = shapes[name].replace(*edit) if edit[0] else shapes[name]
    assert text != shapes[name] or not edit[0]
    outcome = executed(text, GRAPH, ["local_rules", GRAPH.root, 1.0])
    assert (["local_rules", "shape", code], counts) == (outcome[2][:3], outcome[2][6])


@pytest.mark.parametrize("name", INLINE)
def test_a_tripled_root_triples_what_is_below(executed: Callable[..., Any], shapes: dict[str, str], name: str) -> None:
    """The pass reads a tripled gradient at the root."""
    _, results = executed(shapes[name], GRAPH, ["triple", GRAPH.root], ["backward", GRAPH.root], ["grads"])
    assert [111.0, -72.0] == pytest.approx([float.fromhex(results[2][1][GRAPH.index[leaf]]) for leaf in "ab"])


@pytest.mark.parametrize("name", INLINE)
def test_the_class_is_left_as_it_was(loaded_shape: Load, shapes: dict[str, str], name: str) -> None:
    """Gradients are watched only while a pass runs."""
    module = loaded_shape(shapes[name])
    before = dict(vars(module.Value))
    introspect.read(module)
    assert before == dict(vars(module.Value))
