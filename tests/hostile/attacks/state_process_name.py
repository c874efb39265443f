"""state: leaves a message for the next run in the name of its process."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


with_name = ctypes.create_string_buffer(16)
if libc.prctl(16, with_name) == 0 and b"left" in with_name.raw:
    effect("found what an earlier run left in the name of the process")
libc.prctl(15, b"left", 0, 0, 0)


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
