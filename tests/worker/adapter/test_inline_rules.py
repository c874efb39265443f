"""Rules inside the backward pass itself are recognised, run alone and tripled."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from grader.program import program
from grader.worker.adapter import introspect

Load = Callable[[str], ModuleType]
INLINE = ("tape_of_closures", "rules_in_the_pass", "rules_in_the_pass_from_zero")
GRAPH = program("h = a * b; L = h * h + a", a=2, b=-3)


@pytest.mark.parametrize(
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
