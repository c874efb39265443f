"""cpu: switches the counting of calls off and calls itself exponentially often."""

import sys

sys.settrace(None)
sys.setprofile(None)


def often(depth):
    return often(depth - 1) + often(depth - 1) if depth else 1


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            often(60)
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
