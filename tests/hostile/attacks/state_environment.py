"""state: leaves environment variables that steer the next Python."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


if "BACKWARD_LEFT" in os.environ:
    effect("found what an earlier run left in the environment")
os.environ.update(BACKWARD_LEFT="1", PYTHONPATH="@drop@", LD_PRELOAD="@drop@/x.so", PYTEST_ADDOPTS="--co")


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
