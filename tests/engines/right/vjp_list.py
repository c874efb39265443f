"""Each node keeps a list of (input, function from its gradient to the input's contribution) pairs."""

import math
from operator import neg


def same(g):
    return g


class Value:
    def __init__(self, data, vjps=()):
        self.data = data
        self.grad = 0.0
        self._vjps = list(vjps)

    @classmethod
    def wrap(cls, thing):
        return thing if isinstance(thing, cls) else cls(thing)

    def __add__(self, other):
        other = self.wrap(other)
        return Value(self.data + other.data, [(self, same), (other, same)])

    def __sub__(self, other):
        other = self.wrap(other)
        return Value(self.data - other.data, [(self, same), (other, neg)])

    def __mul__(self, other):
        other = self.wrap(other)
        return Value(
            self.data * other.data,
            [(self, lambda g: g * other.data), (other, lambda g: g * self.data)],
        )

    def __truediv__(self, other):
        other = self.wrap(other)
        q = self.data / other.data
        return Value(q, [(self, lambda g: g / other.data), (other, lambda g: -g * q / other.data)])

    def __neg__(self):
        return Value(-self.data, [(self, neg)])

    def __pow__(self, n):
        return Value(self.data**n, [(self, lambda g: g * n * self.data ** (n - 1))])

    def __radd__(self, other):
        return self.wrap(other) + self

    def __rsub__(self, other):
        return self.wrap(other) - self

    def __rmul__(self, other):
        return self.wrap(other) * self

    def __rtruediv__(self, other):
        return self.wrap(other) / self

    def relu(self):
        return Value(max(self.data, 0.0), [(self, lambda g: g if self.data > 0 else 0.0)])

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, [(self, lambda g: g * (1 - y * y))])

    def exp(self):
        y = math.exp(self.data)
        return Value(y, [(self, lambda g: g * y)])

    def log(self):
        return Value(math.log(self.data), [(self, lambda g: g / self.data)])

    def sigmoid(self):
        y = 1 / (1 + math.exp(-self.data))
        return Value(y, [(self, lambda g: g * y * (1 - y))])

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for inp, _ in node._vjps:
                    visit(inp)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for inp, vjp in node._vjps:
                inp.grad += vjp(node.grad)
