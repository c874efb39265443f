"""A @dataclass(eq=False), so hashing stays by identity; numbers allowed except in 2 - a and 2 / a."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(eq=False)
class Value:
    data: float
    grad: float = field(default=0.0, init=False)
    children: tuple = field(default=(), repr=False)
    pull: Callable | None = field(default=None, repr=False)

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)

        def pull(g):
            self.grad += g
            other.grad += g

        return Value(self.data + other.data, (self, other), pull)

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)

        def pull(g):
            self.grad += g * other.data
            other.grad += g * self.data

        return Value(self.data * other.data, (self, other), pull)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __pow__(self, exponent):
        def pull(g):
            self.grad += g * exponent * self.data ** (exponent - 1)

        return Value(self.data**exponent, (self,), pull)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + other * -1.0

    def __truediv__(self, other):
        return self * other**-1

    def relu(self):
        on = self.data > 0

        def pull(g):
            self.grad += g * on

        return Value(self.data * on, (self,), pull)

    def tanh(self):
        t = math.tanh(self.data)

        def pull(g):
            self.grad += g * (1.0 - t**2)

        return Value(t, (self,), pull)

    def backward(self) -> None:
        ordered: list[Value] = []
        visited: set[Value] = set()

        def sort(v: Value) -> None:
            if v in visited:
                return
            visited.add(v)
            for c in v.children:
                sort(c)
            ordered.append(v)

        sort(self)
        self.grad = 1.0
        for v in reversed(ordered):
            if v.pull is not None:
                v.pull(v.grad)
