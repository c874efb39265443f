"""Small learner files, one for each way to keep a local rule, loaded in this process."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy
import pytest

from grader.runner.worker.adapter import imports, load, values

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from edited_texts import bases_of, edited_texts  # noqa: E402

SHAPES = ROOT / "tests" / "fixtures" / "engines" / "shapes"
FILE = "07_learner.py"


_PASS = """
    def backward(self):
        order, seen = [], set()
        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for source in {inputs}:
                    visit(source)
                order.append(node)
        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            {step}
"""


def _engine(make: str, ops: str, inputs: str, step: str) -> str:
    return f"class Value:\n{make}\n{ops}\n{_PASS.format(inputs=inputs, step=step)}"


def _with_function(parameter: str, upstream: str, step: str, inputs: str = "tuple(_prev)", rule: str = "None") -> str:
    """Return an engine whose nodes keep a function that adds to the gradients of the inputs."""
    ops = []
    for name, symbol, ours, theirs in (("add", "+", "", ""), ("mul", "*", "other.data * ", "self.data * ")):
        ops.append(f"""
    def __{name}__(self, other):
        out = Value(self.data {symbol} other.data, (self, other))
        def run({parameter}):
            self.grad += {ours}{upstream}
            other.grad += {theirs}{upstream}
        out._backward = run
        return out
""")
    make = f"""
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, {inputs}
        self._backward = {rule}
"""
    return _engine(make, "".join(ops), "node._prev", step)


def _with_argument(keeps: dict[str, str], plus: str, times: str, step: str, inputs: str = "") -> str:
    """Return an engine whose constructor is given what a node keeps: its inputs, its rule or its local derivatives.

    Args:
        keeps: the attributes, each with its default.
        plus: the arguments of the constructor in `a + b`, after the value.
        times: the same in `a * b`.
        step: what the backward pass does at each node.
        inputs: the inputs of `node`, by default the first attribute.
    """
    parameters = ", ".join(f"{name}={default}" for name, default in keeps.items())
    make = f"""
    def __init__(self, data, {parameters}):
        self.data, self.grad = data, 0.0
        {", ".join(f"self.{name}" for name in keeps)} = {", ".join(keeps)}
"""
    ops = f"""
    def __add__(self, other):
        return Value(self.data + other.data, {plus})

    def __mul__(self, other):
        return Value(self.data * other.data, {times})
"""
    return _engine(make, ops, inputs or f"node.{next(iter(keeps))}", step)


CLOSURE = _with_function("", "out.grad", "node._backward()", "set(_prev)", "lambda: None")
VISIT = _with_function("node", "node.grad", "if node._backward: node._backward(node)")
PULL_ADDS = _with_function("upstream", "upstream", "if node._backward: node._backward(node.grad)")

PULL_RETURNS = _with_argument(
    {"inputs": "()", "rule": "None"},
    "(self, other), lambda g: (g, g)",
    "(self, other), lambda g: [g * other.data, g * self.data]",
    """if node.rule:
                for source, share in zip(node.inputs, node.rule(node.grad)):
                    source.grad += share""",
)
PULL_PAIRS = _with_argument(
    {"children": "()", "rule": "None"},
    "[self, other], lambda g: [(self, g), (other, g)]",
    "[self, other], lambda g: [(g * other.data, self), (g * self.data, other)]",
    """for one, two in node.rule(node.grad) if node.rule else ():
                source, share = (one, two) if isinstance(one, Value) else (two, one)
                source.grad += share""",
)
LOCAL_GRADS = _with_argument(
    {"_prev": "()", "slopes": "None"},
    "(self, other), lambda: (1.0, 1.0)",
    "(self, other), lambda: (other.data, self.data)",
    """for source, slope in zip(node._prev, node.slopes() if node.slopes else ()):
                source.grad += slope * node.grad""",
)
PARALLEL = _with_argument(
    {"_children": "()", "_local_grads": "()"},
    "(self, other), (1, 1)",
    "(self, other), (other.data, self.data)",
    """for source, slope in zip(node._children, node._local_grads):
                source.grad += slope * node.grad""",
)
PARALLEL_FUNCTIONS = _with_argument(
    {"parents": "()", "vjps": "()"},
    "[self, other], [lambda g: g, lambda g: g]",
    "[self, other], [lambda g: g * other.data, lambda g: g * self.data]",
    """for source, vjp in zip(node.parents, node.vjps):
                source.grad += vjp(node.grad)""",
)
PAIRS = _with_argument(
    {"edges": "()"},
    "[(self, 1.0), (other, 1.0)]",
    "[(self, other.data), (other, self.data)]",
    """for source, slope in node.edges:
                source.grad += slope * node.grad""",
    "[source for source, _ in node.edges]",
)
PAIRS_TURNED = _with_argument(
    {"edges": "()"},
    "((lambda g: g, self), (lambda g: g, other))",
    "((lambda g: g * other.data, self), (lambda g: g * self.data, other))",
    """for share, source in node.edges:
                source.grad += share(node.grad)""",
    "[source for _, source in node.edges]",
)
METHOD = _engine(
    """
    __slots__ = ("data", "grad", "_prev", "local")

    def __init__(self, data, _prev=(), local=()):
        self.data, self.grad, self._prev, self.local = data, 0.0, _prev, local
""",
    """
    def __add__(self, other):
        return Value(self.data + other.data, {0: self, 1: other}, {0: 1.0, 1: 1.0})

    def __mul__(self, other):
        return Value(self.data * other.data, {0: self, 1: other}, {0: other.data, 1: self.data})

    def _backward(self):
        for place in self._prev:
            self._prev[place].grad += self.local[place] * self.grad
""",
    "dict(node._prev).values()",
    "node._backward()",
)


class Engine(NamedTuple):
    """A learner file, and the expected result of reading it."""

    source: str
    kind: str
    rule_name: str
    inputs: str


ENGINES = {
    "closure": Engine(CLOSURE, "closure", "_backward", "_prev"),
    "method": Engine(METHOD, "closure", "_backward", "_prev"),
    "visit": Engine(VISIT, "visit", "_backward", "_prev"),
    "pull that adds": Engine(PULL_ADDS, "pull", "_backward", "_prev"),
    "pull that returns shares": Engine(PULL_RETURNS, "pull", "rule", "inputs"),
    "pull that returns pairs": Engine(PULL_PAIRS, "pull", "rule", "children"),
    "local_grads": Engine(LOCAL_GRADS, "called", "slopes", "_prev"),
    "pairs": Engine(PAIRS, "pairs", "edges", ""),
    "pairs of functions": Engine(PAIRS_TURNED, "pairs", "edges", ""),
    "parallel": Engine(PARALLEL, "parallel", "_local_grads", "_children"),
    "parallel functions": Engine(PARALLEL_FUNCTIONS, "parallel", "vjps", "parents"),
}


@pytest.fixture(scope="module", autouse=True)
def _few_objects() -> None:
    """Keep existing objects out of the worker's searches for garbage. The worker's own process has few objects."""
    gc.freeze()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return one engine after the other, each with another kind of local rule."""
    return ENGINES[request.param]


@pytest.fixture(scope="session")
def engines() -> dict[str, str]:
    """Return the source of each engine, by name."""
    return {name: engine.source for name, engine in ENGINES.items()}


@pytest.fixture
def closures() -> str:
    """Return the usual engine: a set of inputs, and a closure on each node."""
    return CLOSURE


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Remove the import hook and the module that loading adds, and restore numpy's functions."""
    monkeypatch.setattr(sys, "meta_path", sys.meta_path.copy())
    monkeypatch.setattr(values, "_plain_ways", {})
    yield
    sys.modules.pop(load.MODULE, None)


@pytest.fixture
def loaded() -> Callable[..., ModuleType]:
    """Return a function that loads a learner's source as the worker does."""

    def load_source(source: str, **allow: str) -> ModuleType:
        imports.preimport(source, allow)
        parsed = load.parse(source, FILE)
        return load.execute(parsed, load.builtins_for(parsed, allow))

    return load_source


@pytest.fixture(scope="session")
def shapes() -> dict[str, str]:
    """Return the right engines of other shapes, by name."""
    return {one.name: one.text for one in edited_texts(SHAPES / "right.yaml", bases_of(SHAPES))}


@pytest.fixture
def loaded_shape(loaded: Callable[..., ModuleType]) -> Callable[[str], ModuleType]:
    """Return a function that loads a source that may use numpy."""
    return lambda text: loaded(text, numpy=os.path.dirname(os.path.dirname(numpy.__file__)))


@pytest.fixture
def executed(loaded: Callable[..., ModuleType]) -> Callable[..., Any]:
    """Return a function that loads a source and executes one program on it.

    It returns the outcome under an order seed.
    """
    from grader.program import Program
    from grader.runner.worker.adapter import execute

    def execute_one(source: str, program: Program, *steps: Any, calls: int = 10_000, order_seed: int = 0) -> Any:
        runs = [[program.sent, list(steps)]]
        batch = {"runs": runs, "order_seeds": [order_seed], "calls": calls, "engine": True}
        answer = execute.execute(loaded(source), FILE, batch)
        return answer[2][0][0] if answer[0] == "read" else answer

    return execute_one
