"""write: leaves a sitecustomize and a .pth for the next Python."""

import os
import sys


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


def write(path):
    try:
        with open(path, "w") as file:
            file.write("overwritten")
    except OSError:
        pass
    else:
        effect("wrote a file")


for folder in [os.path.dirname(os.__file__), os.path.dirname(os.__file__) + "/site-packages", *sys.path]:
    write(f"{folder}/sitecustomize_@marker@.py")
    write(f"{folder}/@marker@.pth")


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
