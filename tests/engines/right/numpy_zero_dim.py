"""data and grad are 0-d numpy arrays, and gradients are added to in place."""

import numpy as np


def arr(x):
    return np.array(x, dtype=np.float64)  # always a fresh array: in-place adds must not be shared


class Value:
    __array_ufunc__ = None

    def __init__(self, data, parents=()):
        self.data = arr(data)
        self.grad = np.zeros_like(self.data)
        self.parents = parents
        self.grad_fn = None

    def __add__(self, other):
        other = Value.of(other)
        out = Value(self.data + other.data, (self, other))

        def grad_fn():
            self.grad += out.grad
            other.grad += out.grad

        out.grad_fn = grad_fn
        return out

    def __mul__(self, other):
        other = Value.of(other)
        out = Value(self.data * other.data, (self, other))

        def grad_fn():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.grad_fn = grad_fn
        return out

    @classmethod
    def of(cls, x):
        return x if isinstance(x, cls) else cls(x)

    def _elementwise(self, forward, slope):
        out = Value(forward(self.data), (self,))

        def grad_fn():
            self.grad += slope(self.data) * out.grad

        out.grad_fn = grad_fn
        return out

    def __pow__(self, n):
        return self._elementwise(lambda x: x**n, lambda x: n * x ** (n - 1.0))

    def relu(self):
        return self._elementwise(lambda x: np.maximum(x, 0.0), lambda x: x > 0)

    def tanh(self):
        return self._elementwise(np.tanh, lambda x: 1.0 / np.cosh(x) ** 2)

    def exp(self):
        return self._elementwise(np.exp, np.exp)

    def log(self):
        return self._elementwise(np.log, np.reciprocal)

    def __neg__(self):
        return self._elementwise(np.negative, lambda x: -1.0)

    def __sub__(self, other):
        return self + -Value.of(other)

    def __truediv__(self, other):
        return self * Value.of(other) ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return Value.of(other) - self

    def __rtruediv__(self, other):
        return Value.of(other) / self

    def backward(self):
        order = []
        seen = set()

        def go(v):
            seen.add(v)
            for p in v.parents:
                if p not in seen:
                    go(p)
            order.append(v)

        go(self)
        self.grad = np.ones_like(self.data)
        for v in order[::-1]:
            if v.grad_fn is not None:
                v.grad_fn()
