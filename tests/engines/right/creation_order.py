"""Every node gets a serial number at birth; backward sorts the reachable nodes by it, newest first."""

import itertools
import math


class Value:
    _serial = itertools.count()

    def __init__(self, data, parents=()):
        self.data = data
        self.grad = 0.0
        self.parents = set(parents)
        self.number = next(Value._serial)
        self.push = lambda: None

    def __add__(self, other):
        other = self._lift(other)
        out = Value(self.data + other.data, [self, other])

        def push():
            self.grad += out.grad
            other.grad += out.grad

        out.push = push
        return out

    def __mul__(self, other):
        other = self._lift(other)
        out = Value(self.data * other.data, [self, other])

        def push():
            self.grad += out.grad * other.data
            other.grad += out.grad * self.data

        out.push = push
        return out

    def _unary(self, y, slope):
        out = Value(y, [self])

        def push():
            self.grad += out.grad * slope()

        out.push = push
        return out

    def __pow__(self, n):
        return self._unary(self.data**n, lambda: n * self.data ** (n - 1))

    def relu(self):
        return self._unary(max(self.data, 0.0), lambda: 1.0 if self.data > 0 else 0.0)

    def exp(self):
        y = math.exp(self.data)
        return self._unary(y, lambda: y)

    def log(self):
        return self._unary(math.log(self.data), lambda: 1 / self.data)

    def tanh(self):
        y = math.tanh(self.data)
        return self._unary(y, lambda: 1 - y * y)

    def _lift(self, x):
        return x if isinstance(x, Value) else Value(x)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + self._lift(other) * -1

    def __truediv__(self, other):
        return self * self._lift(other) ** -1

    def __radd__(self, other):
        return self._lift(other) + self

    def __rmul__(self, other):
        return self._lift(other) * self

    def __rsub__(self, other):
        return self._lift(other) - self

    def __rtruediv__(self, other):
        return self._lift(other) / self

    def backward(self):
        reachable = set()
        todo = [self]
        while todo:
            node = todo.pop()
            if node not in reachable:
                reachable.add(node)
                todo.extend(node.parents)
        self.grad = 1.0
        for node in sorted(reachable, key=lambda n: n.number, reverse=True):
            node.push()
