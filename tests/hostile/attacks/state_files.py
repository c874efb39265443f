"""state: counts its runs in a file and changes its mind after the first."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for path in ("@drop@/@marker@.count", "/tmp/@marker@.count", "/dev/shm/@marker@.count"):
    try:
        with open(path, "a+") as file:
            file.write("x")
            file.seek(0)
            if len(file.read()) > 1:
                effect("counted its runs in a file")
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
