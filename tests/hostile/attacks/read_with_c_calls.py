"""read: opens a secret with the C library and with raw system calls, Python's open aside."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


path = b"@secrets@/token.txt"
machine = os.uname().machine
openat, openat2 = (257, 437) if machine == "x86_64" else (56, 437)
how = (ctypes.c_uint64 * 3)(0, 0, 0)
attempts = [
    lambda: libc.open(path, 0),
    lambda: libc.syscall(openat, -100, path, 0),
    lambda: libc.syscall(openat2, -100, path, ctypes.byref(how), 24),
]
for attempt in attempts:
    if attempt() >= 0:
        effect("opened a secret by a C call")


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
