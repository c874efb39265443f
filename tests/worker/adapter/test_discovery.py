"""How a backward pass calls its local rules, learned by watching one run."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from grader.worker.adapter import introspect
from grader.worker.adapter.rules import CalledRules, rules_of

Load = Callable[..., ModuleType]

ENGINE = """
class Value:
    def __init__(self, data, inputs=()):
        self.data, self.grad, self.inputs = data, 0.0, inputs

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other))

    def local(self, grad):
        a, b = self.inputs
        return b.data * grad, a.data * grad

    def backward(self):
        BODY
"""


@pytest.mark.parametrize(
    ("expected", "name"),
    [
        (("closure", "_backward"), "numpy_shapes"),
        (("closure", "_backward"), "numpy_in_place"),
        (("called", "_backward", "", ("node", "*inputs"), (), True), "rule_of_node_and_inputs"),
        (("called", "rule", "", (), (("grad", "grad"), ("inputs", "inputs")), False), "rule_with_keywords"),
        (("called", "backward", "grad_fn", ("grad",), (), False), "grad_fn_object"),
        (("called", "backward", "grad_fn", ("grad",), (), True), "grad_fn_object_adds"),
        (("called", "chain_rule", "", ("grad",), (), False), "function_with_context"),
        (("called", "backward", "_ctx", ("part", "grad"), (), False), "context_on_the_node"),
        (("called", "backward", "creator", ("grad",), (), False), "creator"),
        (("pairs", "derivatives"), "dict_of_derivatives"),
        (("pairs", "derivatives"), "dict_for_each_use"),
        (("parallel", "local_grads"), "leaves_without_derivatives"),
        (("pairs", "edges"), "named_tuples"),
        (("pairs", "trace"), "triples"),
        (("pairs", "edges"), "edge_objects"),
        (("pairs", "edges"), "edge_slopes"),
        (("parallel", "_d"), "parents_method"),
        (("called", "propagate", "", ("node",), (), True), "interpreter"),
        (("called", "", "op", ("node", "*inputs"), (), True), "table_of_rules"),
        (("closure", "backward"), "closure_called_backward"),
        (("closure", "_backward"), "requires_grad"),
        (("inline", ""), "tape_of_closures"),
        (("inline", ""), "rules_in_the_pass"),
        (("", ""), "gradients_in_a_dict"),
        (("closure", "_backward"), "require_grad"),
        (("closure", "_backward"), "gradient_if_needed"),
        (("closure", "_backward"), "flag_set_afterwards"),
        (("called", "_backward", "", (), (), False), "closure_returns_pairs"),
        (("called", "_backward", "", (), (), False), "closure_yields_pairs"),
        (("called", "_backward", "", (), (), False), "closure_returns_contributions"),
        (("called", "_backward", "", (), (), False, "local"), "closure_returns_derivatives"),
        (("called", "_backward", "", (), (), False), "closure_returns_dict"),
        (("called", "derivatives", "", (), (), False, "local"), "rules_in_a_method"),
        (("called", "_backward", "", (), (), False), "pass_called_otherwise"),
        (("inline", ""), "pass_is_a_function"),
        (("closure", "_backward"), "gradient_property"),
        (("closure", "_backward"), "methods_for_numbers"),
        (("closure", "_backward"), "gradient_is_a_node"),
        (("inline", ""), "tape_cleared_by_zeros"),
        (("pairs", "edges"), "edges_in_a_counter"),
        (("pairs", "edges"), "derivatives_of_the_result"),
        (("pairs", "edges"), "derivatives_of_the_input"),
        (("parallel", "slopes"), "derivatives_of_nothing"),
        (("closure", "backward"), "pass_beside_closure_called_backward"),
        (("closure", "propagate"), "recursive_method_beside_closure"),
    ],
)
def test_each_shape_is_read(loaded_shape: Load, shapes: dict[str, str], expected: tuple[Any, ...], name: str) -> None:
    """The kind and the place of the rule are found.

    For a rule seen in the pass, so are its arguments and whether it adds.
    """
    found = introspect.read(loaded_shape(shapes[name]))
    kind, call = found.rule.kind, found.rule.call
    assert call is None or found.rule.name == call.name
    seen = (
        (call.via, call.arguments, call.named, call.adds, *["local"] * call.local) if call and kind == "called" else ()
    )
    assert expected == (kind, found.rule.name, *seen)


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        (True, "for s, g in zip(self.inputs, self.local(self.grad)): s.grad += g; s.backward() if s.inputs else 0"),
        (False, "for s, g in zip(self.inputs, self.local(1.0)): s.grad += g"),  # for the root alone
        (False, "self.local(1.0); self.local(1.0)"),
        (False, "self.local(*[2.0] * 2)"),
        (False, "raise ValueError"),
        (False, "pass"),
    ],
)
def test_a_rule_is_called_once_for_each_operation(loaded: Load, expected: bool, body: str) -> None:
    """A function that the pass calls in another way is not taken for the local rule."""
    found = introspect.read(loaded(ENGINE.replace("BODY", f"self.grad = self.grad or 1.0\n        {body}")))
    assert expected == (found.rule.kind == "called")


def test_a_function_that_goes_on_by_itself_is_no_local_rule(loaded: Load) -> None:
    """If one call propagates through several nodes, there is no rule of one operation."""
    source = ENGINE.replace("BODY", "self.grad = 1.0\n        self.push(1.0)").replace(
        "    def backward",
        "    def push(self, grad):\n"
        "        for source, share in zip(self.inputs, self.inputs and self.local(grad)):\n"
        "            source.grad += share\n"
        "            source.push(share)\n\n"
        "    def backward",
    )
    call = introspect.read(loaded(source)).rule.call
    assert call is not None
    assert "local" == call.name


def test_the_file_is_left_as_it_was(loaded_shape: Load, shapes: dict[str, str]) -> None:
    """Functions of the file and entries of its tables are watched only while the pass runs."""
    for name, names in (("interpreter", ("propagate",)), ("table_of_rules", ("_add", "_mul"))):
        module = loaded_shape(shapes[name])
        before = [getattr(module, one) for one in names] + [*vars(module).get("RULES", {}).values()]
        introspect.read(module)
        assert before == [getattr(module, one) for one in names] + [*vars(module).get("RULES", {}).values()]


@pytest.mark.parametrize(
    "name", ["rule_of_node_and_inputs", "rule_with_keywords", "grad_fn_object", "interpreter", "table_of_rules"]
)
def test_one_node_is_tripled_and_watched_alone(loaded_shape: Load, shapes: dict[str, str], name: str) -> None:
    """A function that nodes share is replaced for only one of them."""
    module = loaded_shape(shapes[name])
    shape = introspect.read(module)
    rules = rules_of(shape)
    assert isinstance(rules, CalledRules)
    a, b = module.Value(3.0), module.Value(-2.0)
    tripled, other = a * b, a * b
    seen = []
    rules.triple(tripled)
    rules.watch(tripled, lambda node, run: seen.append(node) or run())
    for node in (tripled, other):
        shape.write(node, 0.5)
        rules.run(node)
    assert (-1.0 - 3.0, 1.5 + 4.5) == (a.grad, b.grad)
    assert [tripled] == seen


def test_a_gradient_is_written_in_the_type_that_stands_there(loaded_shape: Load, shapes: dict[str, str]) -> None:
    """An array stays an array of the same shape, and a float stays a float."""
    for name, expected in (("numpy_in_place", (1,)), ("numpy_shapes", ()), ("creator", None)):
        module = loaded_shape(shapes[name])
        shape = introspect.read(module)
        leaf = shape.leaf(2.0)
        shape.write(leaf, 0.5)
        assert (expected, 0.5) == (getattr(leaf.grad, "shape", None), shape.number(leaf.grad))
