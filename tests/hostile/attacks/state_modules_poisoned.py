"""state: replaces modules in sys.modules for the next check, exercise and submission."""

import os
import sys
import types


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


if "left_behind" in sys.modules:
    effect("found a module that an earlier run left")
sys.modules["left_behind"] = types.ModuleType("left_behind")
for name in ("json", "math", "struct", "worker.confine.framing", "submission", "numpy"):
    sys.modules[name] = types.ModuleType(name)


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
