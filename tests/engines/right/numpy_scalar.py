"""data and grad are np.float64 scalars."""

import numpy as np


class Value:
    __array_ufunc__ = None  # let np.float64(2) * value reach our __rmul__

    def __init__(self, data, _prev=(), _op=""):
        self.data = np.float64(data)
        self.grad = np.float64(0)
        self._prev = set(_prev)
        self._op = _op
        self._backward = lambda: None

    def __repr__(self):
        return f"Value({self.data:.4f}, grad={self.grad:.4f})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad = self.grad + out.grad
            other.grad = other.grad + out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad = self.grad + other.data * out.grad
            other.grad = other.grad + self.data * out.grad

        out._backward = _backward
        return out

    def _map(self, y, dy, name):
        out = Value(y, (self,), name)

        def _backward():
            self.grad = self.grad + dy * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        return self._map(self.data**n, n * self.data ** (n - 1), "pow")

    def relu(self):
        return self._map(np.maximum(self.data, 0), np.where(self.data > 0, 1.0, 0.0)[()], "relu")

    def tanh(self):
        t = np.tanh(self.data)
        return self._map(t, 1 - t**2, "tanh")

    def exp(self):
        e = np.exp(self.data)
        return self._map(e, e, "exp")

    def log(self):
        return self._map(np.log(self.data), 1 / self.data, "log")

    def sigmoid(self):
        s = 1 / (1 + np.exp(-self.data))
        return self._map(s, s * (1 - s), "sigmoid")

    def __neg__(self):
        return self._map(-self.data, -1.0, "neg")

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * (other if isinstance(other, Value) else Value(other)) ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return (-self) + other

    def __rtruediv__(self, other):
        return self**-1 * other

    def backward(self):
        topo = []
        visited = set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        self.grad = np.float64(1)
        for v in reversed(topo):
            v._backward()
