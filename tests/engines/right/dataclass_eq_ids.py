"""A plain @dataclass compares by value and cannot be hashed, so visited nodes are kept as a set of id()s."""

import math
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Value:
    data: float
    grad: float = 0.0
    _prev: list = field(default_factory=list, repr=False, compare=False)
    _backward: Any = field(default=None, repr=False, compare=False)

    def __add__(self, other):
        out = Value(self.data + other.data, _prev=[self, other])

        def run():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = run
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, _prev=[self, other])

        def run():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = run
        return out

    def __neg__(self):
        out = Value(-self.data, _prev=[self])

        def run():
            self.grad -= out.grad

        out._backward = run
        return out

    def __pow__(self, n):
        out = Value(self.data**n, _prev=[self])

        def run():
            self.grad += out.grad * n * self.data ** (n - 1)

        out._backward = run
        return out

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * (other ** (-1))

    def relu(self):
        out = Value(max(0.0, self.data), _prev=[self])

        def run():
            self.grad += out.grad if out.data > 0 else 0.0

        out._backward = run
        return out

    def exp(self):
        out = Value(math.exp(self.data), _prev=[self])

        def run():
            self.grad += out.data * out.grad

        out._backward = run
        return out

    def log(self):
        out = Value(math.log(self.data), _prev=[self])

        def run():
            self.grad += (1.0 / self.data) * out.grad

        out._backward = run
        return out

    def backward(self):
        topo = []
        visited = set()

        def visit(v):
            if id(v) not in visited:
                visited.add(id(v))
                for p in v._prev:
                    visit(p)
                topo.append(v)

        visit(self)
        self.grad = 1.0
        for v in topo[::-1]:
            if v._backward:
                v._backward()
