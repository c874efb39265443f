"""descriptor: opens descriptors without end: pipes, duplicates, events."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


made = 0
for attempt in (lambda: os.dup(0), lambda: os.pipe(), lambda: libc.eventfd(0, 0), lambda: libc.dup(0)):
    for _ in range(25_000):
        try:
            result = attempt()
        except OSError:
            break
        if isinstance(result, int) and result < 0:
            break
        made += 1
if made > 200:
    effect("opened hundreds of descriptors")


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
