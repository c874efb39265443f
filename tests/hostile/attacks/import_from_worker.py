"""import: finds the grader's folder from the worker's modules, and reads beside it."""

import os
import sys


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for name, module in list(sys.modules.items()):
    if not name.startswith("worker"):
        continue
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(module.__file__))))
    for path in ("solutions/01_distribute.py", "tests/hidden/answers.json", "course.yaml", "grader/scoring.py"):
        try:
            with open(os.path.join(folder, path)) as file:
                if file.read(10):
                    effect("read beside the worker")
        except OSError:
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
