"""namespace: keeps a key in the kernel's keyring for later."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


x86 = os.uname().machine == "x86_64"

attempts = [
    lambda: libc.syscall(248 if x86 else 217, b"user", b"@marker@", b"x", 1, -2),
    lambda: libc.syscall(250 if x86 else 219, 0, -3, 0),
]
for attempt in attempts:
    if attempt() >= 0:
        effect("used the kernel's keyring")


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
