"""namespace: takes back what was given up: dumpable, no_new_privs, seccomp, capabilities."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


attempts = [
    lambda: libc.prctl(4, 1, 0, 0, 0),
    lambda: libc.prctl(38, 0, 0, 0, 0),
    lambda: libc.prctl(24, 21, 0, 0, 0),
    lambda: libc.prctl(36, 1, 0, 0, 0),
    lambda: libc.personality(0x0040000),
]
for attempt in attempts:
    if attempt() >= 0:
        effect("changed what prctl allows")


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
