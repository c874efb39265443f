"""How the parts of a learner's engine are recognised."""

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from every import every

from grader.program import program
from grader.runner.client import protocol
from grader.runner.worker.adapter import introspect
from grader.runner.worker.adapter.values import Unreadable
from grader.runner.worker.confine import framing

Load = Callable[..., ModuleType]
KEEPS = "self.data, self.grad, self._prev = x, 0.0, sources"
USUAL = ("data", "grad", "_prev")


def engine_with(attributes: str, name: str = "Value", value: str = "data") -> str:
    """Return an engine whose constructor sets the given attributes. `*` and `+` pass their inputs on."""
    return f"""
class {name}:
    def __init__(self, x, sources=(), op=""):
        {attributes}
    def __mul__(self, other):
        return {name}(self.{value} * other.{value}, (self, other), "*")
    def __add__(self, other):
        return {name}(self.{value} + other.{value}, (self, other), "+")
"""


def test_every_kind_of_local_rule_is_recognised(loaded: Load, engine: Any) -> None:
    """The kind, the attribute and the inputs are found in each engine with local rules."""
    found = introspect.read(loaded(engine.source))
    assert (engine.kind, engine.rule_name) == (found.rule.kind, found.rule.name)
    assert engine.inputs == found.inputs_at.name
    assert ("Value", "data", "grad", False) == (found.cls.__name__, found.data, found.grad, found.grad_starts_as_none)


def test_reading_leaves_no_trace_in_later_nodes(loaded: Load, engine: Any) -> None:
    """The nodes made for reading are thrown away. A new leaf has a fresh gradient."""
    module = loaded(engine.source)
    introspect.read(module)
    assert module.Value(1.0).grad == 0.0


@every(
    ("data", "grad", "inputs", "attributes"),
    [
        ("data", "grad", "_prev", "self.data, self.grad, self._prev = x, 0.0, set(sources)"),
        ("data", "grad", "_children", "self.data, self.grad, self._children = x, 0.0, tuple(sources)"),
        ("value", "derivative", "_inputs", "self.value, self.derivative, self._inputs = x, 0.0, list(sources)"),
        ("v", "g", "parents", "self.v, self.g, self.parents = x, 0, sources"),
        ("val", "d_root", "came_from", "self.val, self.d_root, self.came_from = x, 0.0, frozenset(sources)"),
        ("data", "grad", "", "self.data, self.grad, self._prev_count = x, 0.0, len(sources)"),
        ("data", "gradient", "children", "self.data, self.gradient, self.children = x, None, sources"),
        ("number", "adjoint", "prev", "self.number, self.adjoint, self.prev, self.note = x, 0.0, sources, 'x'"),
        ("data", "grad", "_prev", "self.data, self.grad, self.zero, self._prev = x, 0.0, 0.0, sources"),
        ("data", "grad", "_prev", "self.data, self.grad, self.copy, self._prev = x, 0.0, x, sources"),
    ],
)
def test_names_are_found(loaded: Load, data: str, grad: str, inputs: str, attributes: str) -> None:
    """Usual names come first. Other names are used if only one reading is possible."""
    found = introspect.read(loaded(engine_with(attributes, value=data)))
    assert (data, grad, inputs) == (found.data, found.grad, found.inputs_at.name)


def test_none_counts_as_zero_only_where_gradients_start_so(loaded: Load) -> None:
    """In an engine whose gradients start as None, None is 0. In any other, it is not a number."""
    with_none = introspect.read(loaded(engine_with("self.data, self.grad, self._prev = x, None, sources")))
    without = introspect.read(loaded(engine_with(KEEPS)))
    assert (True, False) == (with_none.grad_starts_as_none, without.grad_starts_as_none)
    assert (0.0, 2.0, 2.0) == (with_none.number(None), with_none.number(2), without.number(2))
    with pytest.raises(Unreadable, match="gradient_is"):
        without.number(None)


def with_slots(slots: str) -> str:
    """Return an engine whose class has these slots."""
    source = engine_with("self.data, self.grad, self._prev, self._op = x, 0.0, sources, op")
    return source.replace("    def __init__", f"    __slots__ = {slots}\n    def __init__", 1)


SLOTS = """
class Base:
    __slots__ = "number"
class Value(Base):
    __slots__ = ("slope", "below")
    def __init__(self, x, below=()):
        self.number, self.slope, self.below = x, 0.0, below
    def __mul__(self, other):
        return Value(self.number * other.number, (self, other))
"""
METHODS = """
    def data(self):
        return self._d
    def grad(self):
        return self._g
"""
LEAF = "class Value:\n    def __init__(self, x):\n        self.data, self.grad = x, 0.0\n"
PROPERTIES = METHODS.replace("    def", "    @property\n    def")
BEHIND = engine_with("self._d, self._g, self.inputs = x, 0.0, sources")


@every(
    ("expected", "source"),
    [
        (USUAL, with_slots("('data', 'grad', '_prev', '_op')")),
        (USUAL, with_slots("['data', 'grad', '_prev', '_op']")),
        (("number", "slope", "below"), SLOTS),
        (("data", "_g", "inputs"), BEHIND + PROPERTIES),
        (
            ("_d", "_g", "inputs"),
            BEHIND.replace("self._g, ", "self._g, self._h, ").replace("0.0, ", "0.0, 0.0, ") + METHODS,
        ),
        (USUAL, engine_with(KEEPS.replace("sources", "set(sources)")).replace("__mul__", "times")),
        (("data", "grad", ""), LEAF),
    ],
    ids=["slots", "a list of slots", "a text as slot", "properties", "methods", "plus alone", "no operation"],
)
def test_names_are_found_in_every_kind_of_class(loaded: Load, expected: tuple[str, ...], source: str) -> None:
    """For a method, or for a property without a setter, the attribute behind it is found."""
    found = introspect.read(loaded(source))
    assert expected == (found.data, found.grad, found.inputs_at.name)


def test_a_gradient_that_cannot_be_set_is_said(loaded: Load) -> None:
    """If no attribute is behind a property without a setter, the problem names the property."""
    source = engine_with("self.data, self.state, self._prev = x, {}, sources") + (
        "    @property\n    def grad(self):\n        return self.state.get('grad', 0.0)\n"
    )
    found = introspect.read(loaded(source))
    with pytest.raises(Unreadable, match="gradient_not_set"):
        found.write(found.leaf(1.0), 2.0)


def test_a_gradient_that_is_no_number_is_said(loaded: Load) -> None:
    """If a gradient is an object that the grader cannot read, the problem names its type."""
    found = introspect.read(loaded(engine_with(KEEPS)))
    with pytest.raises(Unreadable) as caught:
        found.number(found.leaf(1.0))
    assert ("gradient_is", ["grad", "Value"]) == (caught.value.code, caught.value.names)


PASS = """
class Value:
    def __init__(self, data, below=()):
        self.data, self.grad, self.inputs = data, 0.0, below
    def __mul__(self, other):
        return Value(self.data * other.data, (self, other))
    def clear(self):
        self.grad = 0.0
    def _seed(self, grad=1.0):
        self.grad += grad
        for source, other in zip(self.inputs, reversed(self.inputs)):
            source._seed(other.data * grad)
    def flow_back(self):
        self._seed()
"""


@every(
    ("expected", "more"),
    [
        (["flow_back"], ""),
        ([], "def backward(root):\n    root._seed()\n"),
        (["_seed"], "del Value.flow_back\n"),
        ([], "del Value.flow_back, Value._seed\n"),
        (["propagate"], "del Value.flow_back\ndef propagate(root):\n    root.grad = 0.0\n    root._seed()\n"),
        (["flow_back"], "def back_and_forth(root):\n    return back_and_forth(root)\n"),
    ],
)
def test_a_pass_of_another_name_is_found_by_what_it_does(loaded: Load, expected: list[str], more: str) -> None:
    """It gives gradients to the leaves of an inner node. A usual name comes first, then a public one."""
    assert expected == [*introspect.read(loaded(PASS + more)).passes]


def test_several_passes_are_asked_about(loaded: Load) -> None:
    """If two public functions behave like a backward pass, the problem names both when the pass is to run."""
    module = loaded(PASS + "def push_back(root):\n    root._seed()\n")
    shape = introspect.read(module)
    with pytest.raises(Unreadable) as caught:
        introspect.backward_of(module, shape.leaf(1.0), "", shape.passes)
    assert ("several_passes", ["flow_back", "push_back"]) == (caught.value.code, caught.value.names)


@every(
    ("expected", "arguments", "more"),
    [
        (True, "data, requires_grad=False", "self.flag = requires_grad"),
        (True, "data, flag=None, *, needs_gradient=None", "self.flag = needs_gradient"),
        (False, "data, requires_grad=True", "self.flag = not requires_grad"),
        (False, "data, track=False", "self.flag = track"),
        (True, "data, **options", "self.requires_grad = self.flag = options.get('requires_grad', False)"),
    ],
)
def test_leaves_are_made_with_gradients(loaded: Load, expected: bool, arguments: str, more: str) -> None:
    """An argument that says that a leaf needs a gradient is set if it is off by default."""
    source = f"class Value:\n    def __init__(self, {arguments}):\n        self.data, self.grad = data, 0.0\n"
    assert expected is introspect.read(loaded(f"{source}        {more}\n")).leaf(1.0).flag


@every(
    ("expected", "attributes"),
    [
        ("slope", "self.data, self.slope, self.creator = x, 0.0, None if op == '' else (op, sources)"),
        ("slope", "self.data, self.creator, self.slope = x, None if op == '' else (op, sources), None"),
    ],
)
def test_what_only_a_leaf_lacks_is_not_its_gradient(loaded: Load, expected: str, attributes: str) -> None:
    """A creator is None on a leaf alone. A gradient is None or 0 on every new node."""
    assert expected == introspect.read(loaded(engine_with(attributes))).grad


USERS = """self.data, self.grad, self.children, self.{inputs} = x, 0.0, [], {pairs}
        for source in sources:
            source.children.append(self)"""


@every(
    ("expected", "attributes"),
    [
        ("parents", USERS.format(inputs="parents", pairs="[(1.0, source) for source in sources]")),
        ("parents", USERS.format(inputs="parents", pairs="dict.fromkeys(sources, 1.0)")),
        ("operands", USERS.format(inputs="operands", pairs="list(sources)")),
        ("", USERS.format(inputs="op", pairs="op")),
        ("_prev", "self.data, self.grad, self._prev, self.parents = x, 0.0, set(), op"),
    ],
)
def test_the_users_of_a_leaf_are_not_its_inputs(loaded: Load, expected: str, attributes: str) -> None:
    """The usual name of an attribute with inputs is not enough. If none has inputs or users, the first name counts."""
    assert expected == introspect.read(loaded(engine_with(attributes))).inputs_at.name


@every(
    ("code", "names", "source"),
    [
        ("several_values", ["value", "start"], engine_with("self.value, self.start, self.grad = x, x, 0.0")),
        ("several_gradients", ["up", "down"], engine_with("self.data, self.up, self.down = x, 0.0, None")),
        ("no_value", [], engine_with("self.grad = 0.0")),
        ("no_gradient", [], engine_with("self.data = x")),
        ("no_gradient", [], engine_with("self.data, self.creator = x, op or None")),
        ("several_classes", ["Scalar", "Dual"], engine_with(KEEPS, "Scalar") + engine_with(KEEPS, "Dual")),
        ("no_class", [], ""),
        ("no_class", [], "x = 1\n"),
        ("no_class", [], "class Node:\n    pass\n"),
        ("no_class", [], "from fractions import Fraction\n"),
    ],
)
def test_what_cannot_be_read_is_said(loaded: Load, code: str, names: list[str], source: str) -> None:
    """If nothing fits, or two things do, the problem says which. Only a class that adds may be an engine."""
    with pytest.raises(Unreadable) as refusal:
        introspect.read(loaded(source))
    assert code == refusal.value.code
    assert set(names) <= set(refusal.value.names)


@pytest.mark.parametrize(
    ("expected", "source"),
    [
        ("Scalar", "class Tape:\n    pass\n" + engine_with(KEEPS, "Scalar")),
        ("Scalar", engine_with(KEEPS, "Scalar") + "class Sum(Scalar): pass\n"),
        ("Value", engine_with(KEEPS, "Vector") + engine_with(KEEPS)),
    ],
    ids=["another class", "a subclass", "Value"],
)
def test_the_engine_is_the_only_class_with_plus_and_times(loaded: Load, expected: str, source: str) -> None:
    """A subclass is no second engine. Of several classes, `Value` is the engine."""
    assert expected == introspect.read(loaded(source)).cls.__name__


@pytest.mark.parametrize(
    "other",
    [
        "import collections\n\nEdge = collections.namedtuple('Edge', 'source slope')\n",
        "import enum\n\nclass Op(str, enum.Enum):\n    ADD = '+'\n\nclass Tape(list):\n    pass\n",
        "class Vector:\n    def __add__(self, other): return self\n    def __mul__(self, other): return self\n",
    ],
)
def test_a_class_of_other_objects_is_no_second_engine(loaded: Load, other: str) -> None:
    """Python's own types define `+` and `*` for their subclasses; a class of vectors has no backward pass."""
    source = engine_with(KEEPS, "Scalar") + "    def backward(self): pass\n" + other
    assert introspect.read(loaded(source)).cls.__name__ == "Scalar"


@pytest.mark.parametrize(("expected", "through"), [(True, "node.used"), (False, "node.slopes")])
def test_a_dict_of_derivatives_is_used_as_the_pass_uses_it(loaded: Load, expected: bool, through: str) -> None:
    """The pass goes through the inputs, where one may stand twice, or through the dict."""
    source = f"""class Value:
    def __init__(self, data, slopes=()):
        self.data, self.grad = data, 0.0
        self.used, self.slopes = [source for source, _ in slopes], dict(slopes)

    def __mul__(self, other):
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def backward(self):
        self.grad = 1.0
        stack = [self]
        while stack:
            node = stack.pop()
            for source in {through}:
                source.grad += node.slopes[source] * node.grad
                stack.append(source)
"""
    assert introspect.read(loaded(source)).each_use is expected


@pytest.mark.parametrize("source", [LEAF, engine_with(KEEPS)])
def test_an_engine_without_local_rules_has_none(loaded: Load, source: str) -> None:
    """A class without operations, or without functions and local derivatives on its nodes, has no rule."""
    found = introspect.read(loaded(source))
    assert ("", "") == (found.rule.kind, found.rule.name)


def test_a_constructors_exception_comes_through(loaded: Load) -> None:
    """An exception of the learner's constructor is not replaced."""
    with pytest.raises(NotImplementedError, match="what does a value remember"):
        introspect.read(loaded(engine_with("raise NotImplementedError('what does a value remember?')")))


@pytest.mark.parametrize(
    "call",
    [
        "class Value:\n    def backward(self):\n        return 'passed'\n",
        "class Value:\n    def backprop(self):\n        return 'passed'\n",
        "class Value: pass\ndef backward(root):\n    return 'passed' if isinstance(root, Value) else 'no'\n",
        "class Value: pass\ndef backpropagate(root):\n    return 'passed' if isinstance(root, Value) else 'no'\n",
    ],
)
def test_the_backward_pass_is_a_method_or_a_function(loaded: Load, call: str) -> None:
    """It is `backward()` of a node, or a function of the file that takes the root, under a usual name."""
    module = loaded(call)
    assert introspect.backward_of(module, module.Value(), "_backward")() == "passed"


@pytest.mark.parametrize(
    ("problem", "rule", "body"),
    [("no_backward", "_backward", "pass"), ("backward_is_rule", "backward", "def backward(self): pass")],
)
def test_a_missing_pass_is_said(loaded: Load, problem: str, rule: str, body: str) -> None:
    """If nothing has the name of a backward pass, or only the local rule has it, the problem says so."""
    module = loaded(f"class Value:\n    {body}\n")
    with pytest.raises(Unreadable, match=problem):
        introspect.backward_of(module, module.Value(), rule)


@pytest.mark.parametrize(
    ("cls", "attributes", "value"),
    [
        ("Value", KEEPS, "data"),
        ("Größe", KEEPS, "data"),
        ("Value", "self.größe, self.änderung, self._prev = x, 0.0, sources", "größe"),
        ("Value", f"self.{'x' * 50}, self.grad, self._prev = x, 0.0, sources", "x" * 50),
    ],
    ids=["ascii", "class in German", "attributes in German", "long name"],
)
def test_every_reading_can_be_told(loaded: Load, cls: str, attributes: str, value: str) -> None:
    """The trusted side accepts the reading of every engine, whatever its names are."""
    found = introspect.read(loaded(engine_with(attributes, cls, value)))
    batch = protocol.Batch((protocol.Run(program("L = a * a", a=1), ()),), 1, 1.0, (0,))
    body = json.dumps(["read", found.wire(), [[["done", []]]]]).encode("ascii")
    answer = protocol.decode_batch(framing.HEADER.pack(len(body)) + body, batch)
    assert isinstance(answer, protocol.Read)


def test_a_rule_called_back_is_no_backward_pass() -> None:
    """If the file has a `backward`, a local rule with a name such as `back` is not taken for the backward pass."""
    module = ModuleType("submission")
    exec(
        "class Value:\n    def back(self):\n        return 'rule'\ndef backward(root):\n    return 'passed'\n",
        vars(module),
    )
    assert introspect.backward_of(module, module.Value(), "back")() == "passed"


SAVED = """
class Value:
    def __init__(self, data, below=(), saved=()):
        self.data, self.grad, self.inputs, self.saved = data, 0.0, below, saved
        {more}
    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), ({saved}))
    {method}
    def backward(self):
        pass
"""
METHOD = """def _backward(self):
        for source, value in zip(self.inputs, reversed(self.saved)):
            source.grad += value * self.grad
"""


@every(
    ("rule", "name", "saved", "method", "more"),
    [
        ("closure", "_backward", "self.data, other.data", METHOD, ""),
        ("closure", "_backward", "1, 2", METHOD, ""),
        ("parallel", "saved", "other.data, self.data", "", ""),
        ("parallel", "saved", "other.data, self.data", "def _backward(self): pass", ""),
        ("parallel", "_local_grads", "1, 1", METHOD, "self._local_grads = saved"),
        ("parallel", "local_grads", "self.data, other.data", "", "self.local_grads = [s for s in saved]"),
        ("", "", "self.data, other.data", "", ""),
        ("closure", "rule", "self.data, other.data", "", "self.rule = (lambda: None) if below else None"),
    ],
)
def test_values_that_are_saved_are_no_local_gradients(
    loaded: Load, rule: str, name: str, saved: str, method: str, more: str
) -> None:
    """Numbers beside the inputs are local derivatives if their name says so, or if nothing else fits."""
    found = introspect.read(loaded(SAVED.format(saved=saved, method=method, more=more)))
    assert (rule, name) == (found.rule.kind, found.rule.name)


# -- How a backward pass calls its local rules, learned by watching one run

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


@every(
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
        (("closure", "_backward"), "gradient_is_a_node_from_the_start"),
        (("pull", "push"), "zeros_before_the_pass"),
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


@every(
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


def test_a_gradient_is_written_in_the_type_that_stands_there(loaded_shape: Load, shapes: dict[str, str]) -> None:
    """An array stays an array of the same shape, and a float stays a float."""
    for name, expected in (("numpy_in_place", (1,)), ("numpy_shapes", ()), ("creator", None)):
        module = loaded_shape(shapes[name])
        shape = introspect.read(module)
        leaf = shape.leaf(2.0)
        shape.write(leaf, 0.5)
        assert (expected, 0.5) == (getattr(leaf.grad, "shape", None), shape.number(leaf.grad))
