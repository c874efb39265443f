"""disk: makes a sparse file of a terabyte and a preallocated one."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    handle = os.open("@drop@/@marker@.sparse", os.O_RDWR | os.O_CREAT)
    effect("made a file")
    os.ftruncate(handle, 1 << 40)
    os.posix_fallocate(handle, 0, 1 << 20)
except OSError:
    pass


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
