"""honest: reads its own name, module, documentation and line numbers."""

import inspect
import os
import pathlib

HERE = os.path.basename(__file__)
STEM = pathlib.PurePath(__file__).stem
assert HERE.endswith(".py")
assert STEM
assert __doc__.startswith("honest")
assert __name__ != "__main__"
LINE = inspect.currentframe().f_lineno


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
