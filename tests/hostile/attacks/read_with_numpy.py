"""read: has numpy read a secret, by fromfile, memmap and load."""

import os

import numpy


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


path = "@secrets@/token.txt"
for attempt in (
    lambda: numpy.fromfile(path, dtype=numpy.uint8),
    lambda: numpy.memmap(path, dtype=numpy.uint8, mode="r"),
    lambda: numpy.loadtxt(path, dtype=str),
):
    try:
        if attempt().size:
            effect("had numpy read a secret")
    except Exception:
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
