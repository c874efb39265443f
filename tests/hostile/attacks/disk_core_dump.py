"""disk: aborts, so that a core file with its memory is written."""

import os
import resource


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    resource.setrlimit(resource.RLIMIT_CORE, (1 << 30, 1 << 30))
    effect("raised the limit of core files")
except (OSError, ValueError):
    pass
os.abort()


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
