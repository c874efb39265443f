"""namespace: changes the machine's name."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


attempts = [
    lambda: libc.sethostname(b"@marker@", 4),
    lambda: libc.setdomainname(b"@marker@", 4),
]
for attempt in attempts:
    if attempt() >= 0:
        effect("changed the machine's name")


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
