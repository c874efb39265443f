"""memory: allocates two gigabytes in large pieces."""

import os
import resource


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


held = []
try:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (OSError, ValueError):
    pass
try:
    for _ in range(64):
        held.append(bytes(32 << 20))
    effect("held two gigabytes")
except MemoryError:
    pass
held.clear()


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
