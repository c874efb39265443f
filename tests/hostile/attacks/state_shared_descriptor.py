"""state: leaves a position and flags on a descriptor that it shares with what comes after."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    if os.lseek(0, 0, os.SEEK_CUR) == 777:
        effect("found a position that an earlier run left")
    os.lseek(0, 777, os.SEEK_SET)
except OSError:
    pass
try:
    if not os.get_blocking(0):
        effect("found a flag that an earlier run left")
    os.set_blocking(0, False)
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
