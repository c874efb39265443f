"""backward() first sets every reachable gradient to zero, so calling it twice gives the same answer twice."""

import math


class Value:
    def __init__(self, data, _from=(), _local=()):
        self.data = float(data)
        self.grad = 0.0
        self._from = _from
        self._local = _local

    def zero_grad(self):
        for node in self._sorted():
            node.grad = 0.0

    def backward(self):
        nodes = self._sorted()
        for node in nodes:
            node.grad = 0.0
        self.grad = 1.0
        for node in reversed(nodes):
            for src, d in zip(node._from, node._local, strict=True):
                src.grad += d * node.grad

    def _sorted(self):
        """Inputs before outputs, this node last."""
        result = []
        marked = set()

        def mark(n):
            if n in marked:
                return
            marked.add(n)
            for src in n._from:
                mark(src)
            result.append(n)

        mark(self)
        return result

    def __add__(self, other):
        other = v(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __sub__(self, other):
        other = v(other)
        return Value(self.data - other.data, (self, other), (1.0, -1.0))

    def __mul__(self, other):
        other = v(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __truediv__(self, other):
        other = v(other)
        return Value(self.data / other.data, (self, other), (1 / other.data, -self.data / other.data**2))

    def __pow__(self, n):
        slope = 0.0 if n == 0 else n * self.data ** (n - 1)
        return Value(self.data**n, (self,), (slope,))

    def __neg__(self):
        return Value(-self.data, (self,), (-1.0,))

    def __radd__(self, other):
        return v(other) + self

    def __rsub__(self, other):
        return v(other) - self

    def __rmul__(self, other):
        return v(other) * self

    def __rtruediv__(self, other):
        return v(other) / self

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), ((1 - t) * (1 + t),))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (e,))

    def log(self):
        return Value(math.log(self.data), (self,), (1 / self.data,))

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        return Value(s, (self,), (s * (1 - s),))


def v(x):
    return x if isinstance(x, Value) else Value(x)
