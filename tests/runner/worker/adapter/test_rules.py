"""Local rules of every kind are run alone, tripled and watched."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from every import every

from grader.runner.worker.adapter import introspect
from grader.runner.worker.adapter.rules import rules_of

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


@every(
    ("kind", "name"), [*(("inline", name) for name in INLINE), ("", "gradients_in_a_dict"), ("called", "interpreter")]
)
def test_a_pass_that_reads_gradients_and_adds_is_recognised(
    loaded_shape: Load, shapes: dict[str, str], kind: str, name: str
) -> None:
    """A pass that keeps gradients elsewhere is not recognised, and neither is one with a function to call."""
    assert kind == introspect.read(loaded_shape(shapes[name])).rule.kind


@pytest.mark.parametrize("name", INLINE)
def test_the_class_is_left_as_it_was(loaded_shape: Load, shapes: dict[str, str], name: str) -> None:
    """Gradients are watched only while a pass runs."""
    module = loaded_shape(shapes[name])
    before = dict(vars(module.Value))
    introspect.read(module)
    assert before == dict(vars(module.Value))
