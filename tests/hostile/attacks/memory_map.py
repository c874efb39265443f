"""memory: maps four gigabytes, shared and private, and touches them."""

import mmap
import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


held = []
for flags in (mmap.MAP_SHARED, mmap.MAP_PRIVATE):
    try:
        for _ in range(32):
            held.append(mmap.mmap(-1, 64 << 20, flags=flags | mmap.MAP_ANONYMOUS))
            held[-1][:: 1 << 20] = b"x" * 64
        effect("mapped two gigabytes")
    except (OSError, ValueError):
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
