"""A dict of outstanding uses per node; a node fires, recursively, when its counter reaches zero (no sorted list)."""

import math


class Value:
    def __init__(self, data, prev=(), op=None):
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.op = op
        self.spread = lambda: None

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def spread():
            self.grad += out.grad
            other.grad += out.grad

        out.spread = spread
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def spread():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.spread = spread
        return out

    def __pow__(self, n):
        out = Value(self.data**n, (self,), "**")

        def spread():
            self.grad += n * self.data ** (n - 1) * out.grad

        out.spread = spread
        return out

    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def spread():
            self.grad += out.grad if self.data > 0 else 0.0

        out.spread = spread
        return out

    def sigmoid(self):
        out = Value(1 / (1 + math.exp(-self.data)), (self,), "sigmoid")

        def spread():
            self.grad += out.data * (1 - out.data) * out.grad

        out.spread = spread
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -1 * other

    def __rsub__(self, other):
        return other + -1 * self

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return other * self**-1

    def backward(self):
        uses = {self: 0}

        def count(node):
            for p in node.prev:
                if p in uses:
                    uses[p] += 1
                else:
                    uses[p] = 1
                    count(p)

        def fire(node):
            node.spread()
            for p in node.prev:
                uses[p] -= 1
                if uses[p] == 0:
                    fire(p)

        count(self)
        self.grad = 1.0
        fire(self)
