"""Grade a small engine of our own in the warm process, so that forks find everything that they use as a fork leaves it.

The interpreter specialises code, fills caches and lays out objects the first few times that a line runs; each fork
that did so again would copy the pages of memory that this writes to.
"""

import builtins
import sys
from typing import Any

from . import frames, limits, load, run

_SOURCE = """
class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = set(_prev)
        self._op = _op
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def backward(self):
        self.grad = 1.0
        for node in reversed(build_topo(self)):
            node._backward()


def build_topo(root):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for source in node._prev:
                visit(source)
            order.append(node)

    visit(root)
    return order
"""
_PROGRAM = [["leaf", 2.0], ["leaf", 3.0], ["mul", 0, 1], ["add", 2, 0]]
_ROOT = len(_PROGRAM) - 1
_STEPS: list[list[Any]] = [
    [["values"], ["backward", _ROOT], ["grads"], ["values"]],
    [["values"], ["preload", [[0, 1.0]]], ["local_rules", _ROOT, 1.0], ["grads"]],
    [["triple", _ROOT], ["backward", _ROOT], ["grads"]],
    [["watch"], ["backward", _ROOT], ["traced"]],
    [["call", "build_topo", [["node", _ROOT]]]],
]
_TIMES = 6


def rehearse() -> None:
    """Load and run the small engine a few times over, and forget it."""
    parsed = load.parse(_SOURCE, "rehearsal.py")
    batch = {
        "runs": [[_PROGRAM, steps] for steps in _STEPS],
        "order_seeds": [0, 1, 2, 3],
        "calls": 1000,
        "engine": True,
    }
    given = dict(vars(builtins))
    for _ in range(_TIMES):
        module = load.execute(parsed, given, 1000)
        frames.encode(run.execute(module, parsed.filename, batch))
        limits.stop_clocks()
    del sys.modules[load.MODULE]
