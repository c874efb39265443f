"""limit: finds out that a file exists, and how large it is, without opening it."""

import os

try:
    if os.stat("@secrets@/token.txt").st_size:
        os.write(1, b"EFFECT found the size of a secret\n")
except OSError:
    pass


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))
