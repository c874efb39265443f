"""Type hints everywhere, a Protocol for backward rules, and data/grad as properties with setters; no numbers."""

import math
from collections.abc import Sequence
from typing import Final, Protocol


class Rule(Protocol):
    def __call__(self, upstream: float) -> Sequence[float]: ...


class Value:
    def __init__(self, data: float, inputs: tuple["Value", ...] = (), rule: Rule | None = None) -> None:
        self.data = data
        self.grad = 0.0
        self.inputs: Final = inputs
        self._rule: Final = rule

    @property
    def data(self) -> float:
        return self._data

    @data.setter
    def data(self, new: float) -> None:
        self._data = float(new)

    @property
    def grad(self) -> float:
        return self._grad

    @grad.setter
    def grad(self, new: float) -> None:
        self._grad = float(new)

    def __add__(self, other: "Value") -> "Value":
        return Value(self.data + other.data, (self, other), lambda upstream: (upstream, upstream))

    def __mul__(self, other: "Value") -> "Value":
        x, y = self.data, other.data
        return Value(x * y, (self, other), lambda upstream: (upstream * y, upstream * x))

    def __pow__(self, n: float) -> "Value":
        x = self.data
        return Value(x**n, (self,), lambda upstream: (upstream * n * x ** (n - 1),))

    def __neg__(self) -> "Value":
        return Value(-self.data, (self,), lambda upstream: (-upstream,))

    def __sub__(self, other: "Value") -> "Value":
        return self + (-other)

    def __truediv__(self, other: "Value") -> "Value":
        return self * other**-1

    def relu(self) -> "Value":
        gate = 1.0 if self.data > 0 else 0.0
        return Value(gate * self.data, (self,), lambda upstream: (gate * upstream,))

    def tanh(self) -> "Value":
        t = math.tanh(self.data)
        return Value(t, (self,), lambda upstream: (upstream * (1 - t * t),))

    def sigmoid(self) -> "Value":
        s = 1 / (1 + math.exp(-self.data))
        return Value(s, (self,), lambda upstream: (upstream * s * (1 - s),))

    def backward(self) -> None:
        order: list[Value] = []
        self._append_sorted(order, set())
        self.grad = 1.0
        for node in reversed(order):
            if node._rule is None:
                continue
            for source, contribution in zip(node.inputs, node._rule(node.grad), strict=True):
                source.grad += contribution

    def _append_sorted(self, order: "list[Value]", seen: "set[Value]") -> None:
        if self in seen:
            return
        seen.add(self)
        for source in self.inputs:
            source._append_sorted(order, seen)
        order.append(self)
