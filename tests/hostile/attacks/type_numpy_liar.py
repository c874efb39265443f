"""type: has gradients of a numpy subclass whose `item` answers what it likes."""

import numpy


class Lying(numpy.ndarray):
    def item(self, *_):
        return 4.0

    def __float__(self):
        return 4.0


LIAR = numpy.array(0.5).view(Lying)


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad = other.grad = LIAR
            return
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
