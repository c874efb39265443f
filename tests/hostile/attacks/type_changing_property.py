"""type: has a gradient that is another number each time it is read."""

import itertools


class Value:
    numbers = itertools.cycle([0.0, 4.0, -2.5, 9.0, -3.0, 5.0, -7.0])

    def __init__(self, data, _prev=()):
        self.data, self._prev = data, tuple(_prev)
        self._backward = lambda: None

    @property
    def grad(self):
        return next(Value.numbers)

    @grad.setter
    def grad(self, value):
        pass

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))
