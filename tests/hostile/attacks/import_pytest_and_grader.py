"""import: imports what grades: pytest, msgspec, yaml, the grader itself."""

import importlib
import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for name in ("pytest", "_pytest", "msgspec", "yaml", "grader", "grader.checks", "grader.oracle", "pytest_jsonreport"):
    try:
        if importlib.import_module(name).__file__:
            effect("imported a part of the grader")
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
