"""No sorting at all: backward(g) adds g and recurses into every input, summing over paths (right but exponential)."""

import math


class Value:
    def __init__(self, data, grads_wrt=()):
        self.data = data
        self.grad = 0.0
        self._grads_wrt = grads_wrt

    def backward(self, g=1.0):
        self.grad += g
        for parent, local in self._grads_wrt:
            parent.backward(g * local)

    def __repr__(self):
        return f"<{self.data} | {self.grad}>"

    def __add__(self, other):
        other = Value.make(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __sub__(self, other):
        other = Value.make(other)
        return Value(self.data - other.data, ((self, 1.0), (other, -1.0)))

    def __mul__(self, other):
        other = Value.make(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __truediv__(self, other):
        other = Value.make(other)
        return self * other**-1

    def __pow__(self, power):
        return Value(self.data**power, ((self, power * self.data ** (power - 1)),))

    def __neg__(self):
        return 0.0 - self

    def __radd__(self, other):
        return Value.make(other) + self

    def __rsub__(self, other):
        return Value.make(other) - self

    def __rmul__(self, other):
        return Value.make(other) * self

    def __rtruediv__(self, other):
        return Value.make(other) / self

    def relu(self):
        return Value(max(self.data, 0.0), ((self, 1.0 if self.data > 0 else 0.0),))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, ((self, 1 - t**2),))

    @staticmethod
    def make(x):
        return x if isinstance(x, Value) else Value(x)
