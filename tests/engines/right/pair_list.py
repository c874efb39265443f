"""Each node keeps a list of (input, local gradient) pairs; no reflected operators, so 2 + a is an error."""

from math import exp, log, tanh


class Value:
    def __init__(self, data, pairs=None):
        self.data = float(data)
        self.grad = 0.0
        self.pairs = pairs or []

    def __str__(self):
        return f"{self.data:g} (d={self.grad:g})"

    def __add__(self, other):
        if isinstance(other, Value):
            return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])
        return Value(self.data + other, [(self, 1.0)])

    def __sub__(self, other):
        if isinstance(other, Value):
            return Value(self.data - other.data, [(self, 1.0), (other, -1.0)])
        return Value(self.data - other, [(self, 1.0)])

    def __mul__(self, other):
        if isinstance(other, Value):
            return Value(self.data * other.data, [(self, other.data), (other, self.data)])
        return Value(self.data * other, [(self, other)])

    def __truediv__(self, other):
        if isinstance(other, Value):
            a, b = self.data, other.data
            return Value(a / b, [(self, 1.0 / b), (other, -a / (b * b))])
        return Value(self.data / other, [(self, 1.0 / other)])

    def __neg__(self):
        return Value(-self.data, [(self, -1.0)])

    def __pow__(self, n):
        return Value(self.data**n, [(self, n * self.data ** (n - 1))])

    def relu(self):
        if self.data > 0:
            return Value(self.data, [(self, 1.0)])
        return Value(0.0, [(self, 0.0)])

    def tanh(self):
        t = tanh(self.data)
        return Value(t, [(self, 1.0 - t**2)])

    def exp(self):
        e = exp(self.data)
        return Value(e, [(self, e)])

    def log(self):
        return Value(log(self.data), [(self, 1.0 / self.data)])

    def _postorder(self, seen, out):
        seen.add(self)
        for node, _ in self.pairs:
            if node not in seen:
                node._postorder(seen, out)
        out.append(self)
        return out

    def backward(self):
        order = self._postorder(set(), [])
        self.grad = 1.0
        for node in reversed(order):
            for source, slope in node.pairs:
                source.grad += slope * node.grad
