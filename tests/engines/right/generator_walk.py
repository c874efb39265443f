"""The graph is walked by a recursive generator that yields nodes inputs-first."""

import math


def inputs_first(node, visited):
    if id(node) in visited:
        return
    visited.add(id(node))
    for source in node.sources:
        yield from inputs_first(source, visited)
    yield node


class Value:
    def __init__(self, data, sources=(), back=None):
        self.data = data
        self.grad = 0.0
        self.sources = frozenset(sources)
        self.back = back or (lambda g: None)

    def backward(self):
        self.grad = 1.0
        nodes = [*inputs_first(self, set())]
        for node in reversed(nodes):
            node.back(node.grad)

    def bump(self, amount):
        self.grad += amount

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)

        def back(g):
            self.bump(g)
            other.bump(g)

        return Value(self.data + other.data, (self, other), back)

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)

        def back(g):
            self.bump(g * other.data)
            other.bump(g * self.data)

        return Value(self.data * other.data, (self, other), back)

    def __pow__(self, n):
        return Value(self.data**n, [self], lambda g: self.bump(g * n * self.data ** (n - 1)))

    def __neg__(self):
        return Value(-self.data, [self], lambda g: self.bump(-g))

    def relu(self):
        return Value(max(0.0, self.data), [self], lambda g: self.bump(g * (self.data > 0)))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, [self], lambda g: self.bump(g * e))

    def log(self):
        return Value(math.log(self.data), [self], lambda g: self.bump(g / self.data))

    def tanh(self):
        p, m = math.exp(self.data), math.exp(-self.data)
        t = (p - m) / (p + m)
        return Value(t, [self], lambda g: self.bump(g * (1 - t * t)))

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        return Value(s, [self], lambda g: self.bump(g * s * (1 - s)))

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return other * self**-1
