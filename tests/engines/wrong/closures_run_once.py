"""Recursion with no visited set; a closure is replaced by nothing after its first call, so later shares stop there."""

import math


class Value:
    """A number, its inputs and a closure that passes the gradient on."""

    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(_children)
        self._op = _op
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def _unary(self, value, slope, op):
        """A node with one input; `slope` gives the local derivative from input and output."""
        out = Value(value, (self,), op)

        def _backward():
            self.grad += slope(self.data, out.data) * out.grad

        out._backward = _backward
        return out

    def __pow__(self, exponent):
        return self._unary(self.data**exponent, lambda x, y: exponent * x ** (exponent - 1), f"**{exponent}")

    def relu(self):
        return self._unary(max(0.0, self.data), lambda x, y: 1.0 if x > 0 else 0.0, "relu")

    def tanh(self):
        return self._unary(math.tanh(self.data), lambda x, y: 1 - y * y, "tanh")

    def exp(self):
        return self._unary(math.exp(self.data), lambda x, y: y, "exp")

    def log(self):
        return self._unary(math.log(self.data), lambda x, y: 1 / x, "log")

    def sigmoid(self):
        return self._unary(1 / (1 + math.exp(-self.data)), lambda x, y: y * (1 - y), "sigmoid")

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rsub__(self, other):
        return other + (-self)

    def __rmul__(self, other):
        return self * other

    def __rtruediv__(self, other):
        return other * self**-1

    def backward(self, root=True):
        if root:
            self.grad = 1.0
        self._backward()
        self._backward = lambda: None
        for child in self._prev:
            child.backward(root=False)
