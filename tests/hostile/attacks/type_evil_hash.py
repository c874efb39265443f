"""type: has hashes and comparisons that raise, change and end the program."""

import random


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, list(_prev)
        self._backward = lambda: None

    def __hash__(self):
        return random.randrange(2**61)

    def __eq__(self, other):
        raise SystemExit(0)

    def __bool__(self):
        raise SystemExit(0)

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))
