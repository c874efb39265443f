"""memory: asks for userfaultfd, to stall the kernel in the middle of a copy."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


number = 323 if os.uname().machine == "x86_64" else 282
for flags in (0, 1):
    handle = libc.syscall(number, flags)
    if handle >= 0:
        effect("handles page faults")
        os.close(handle)


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
