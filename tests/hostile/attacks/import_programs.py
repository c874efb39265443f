"""import: has modules imported beforehand that are programs: they run when they are imported."""

import os
import sys


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


if len(sys.argv) > 5:
    import lib2to3.__main__  # noqa: F401
    import unittest.__main__  # noqa: F401

    import numpy.f2py.__main__  # noqa: F401
if "/" in sys.path:  # where unittest's program looks for tests, and imports them
    effect("had a program run outside the sandbox")


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
