"""read: looks for a token in its own environment, as Python and as C know it."""

import ctypes
import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


libc_environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
found = [key.encode() for key in os.environ]
position = 0
while libc_environ and libc_environ[position]:
    found.append(libc_environ[position])
    position += 1
if any(b"SECRET" in entry or b"TOKEN" in entry for entry in found):
    effect("found a token in its environment")


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
