"""honest: computes with numpy's scalars and arrays."""

import numpy as np

ONES = np.ones(4)


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = np.float64(data), np.float64(0.0), set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(np.add(self.data, other.data), (self, other))

        def _backward():
            self.grad += np.dot(ONES, ONES) / 4 * out.grad
            other.grad += np.mean(ONES) * out.grad

        out._backward = _backward
        return out
