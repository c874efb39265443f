"""type: has slots, attributes and a method resolution order without end."""

import itertools


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, tuple(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))


Value.__slots__ = itertools.count()
