"""exec: writes a program into memory and executes it by its descriptor."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    handle = os.memfd_create("program", 0)
    effect("made a file in memory")
    os.write(handle, b"#!/bin/echo EFFECT ran a program from memory\n")
    os.execve(handle, ["program"], {})
except (OSError, AttributeError):
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
