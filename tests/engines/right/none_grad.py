"""A gradient is None until something flows into it (a dead relu still sends a real 0.0)."""

import math


class Value:
    def __init__(self, data, srcs=(), rule=None):
        self.data = data
        self.grad = None
        self._srcs = srcs
        self._rule = rule

    def _receive(self, g):
        if self.grad is None:
            self.grad = g
        else:
            self.grad = self.grad + g

    def __add__(self, other):
        other = as_value(other)

        def rule(g):
            self._receive(g)
            other._receive(g)

        return Value(self.data + other.data, (self, other), rule)

    def __mul__(self, other):
        other = as_value(other)

        def rule(g):
            self._receive(g * other.data)
            other._receive(g * self.data)

        return Value(self.data * other.data, (self, other), rule)

    def __pow__(self, n):
        if not isinstance(n, int | float):
            raise TypeError("only constant exponents")
        return Value(self.data**n, (self,), lambda g: self._receive(g * n * self.data ** (n - 1)))

    def relu(self):
        if self.data > 0:
            return Value(self.data, (self,), self._receive)
        return Value(0.0, (self,), lambda g: self._receive(0.0))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), lambda g: self._receive(g * (1 - t * t)))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), lambda g: self._receive(g * e))

    def log(self):
        return Value(math.log(self.data), (self,), lambda g: self._receive(g / self.data))

    def sigmoid(self):
        return 1 / ((-self).exp() + 1)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -as_value(other)

    def __truediv__(self, other):
        return self * as_value(other) ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return as_value(other) - self

    def __rtruediv__(self, other):
        return as_value(other) / self

    def backward(self):
        order, seen = [], set()

        def explore(v):
            if v not in seen:
                seen.add(v)
                for s in v._srcs:
                    explore(s)
                order.append(v)

        explore(self)
        self.grad = 1.0
        for v in reversed(order):
            if v._rule is not None:
                v._rule(v.grad)


def as_value(x):
    return x if isinstance(x, Value) else Value(x)
