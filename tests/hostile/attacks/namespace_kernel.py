"""namespace: loads kernel modules, turns swap off, and takes the I/O ports."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


x86 = os.uname().machine == "x86_64"

attempts = [
    lambda: libc.syscall(175 if x86 else 105, b"", 0, b""),
    lambda: libc.swapoff(b"/nothing"),
    lambda: libc.syscall(172, 3) if x86 else -1,
]
for attempt in attempts:
    if attempt() >= 0:
        effect("changed the kernel")


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
