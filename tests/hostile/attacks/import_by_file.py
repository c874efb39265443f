"""import: loads the solution of its own exercise as a module, by its path."""

import importlib.util
import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    spec = importlib.util.spec_from_file_location("solution", "@course@/solutions/01_distribute.py")
    solution = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(solution)
    if solution.Value:
        effect("loaded the solution")
except Exception:
    pass


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
