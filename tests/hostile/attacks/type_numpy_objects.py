"""type: has gradients that are numpy arrays of objects, empty arrays and records."""

import numpy


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad = other.grad = numpy.array([object(), 1.0], dtype=object)
            return
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
