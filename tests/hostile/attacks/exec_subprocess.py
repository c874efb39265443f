"""exec: runs a program with subprocess."""

import os
import subprocess
import sys


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for command in (["/bin/true"], ["/usr/bin/env"], [sys.executable or "python3", "-c", "pass"]):
    try:
        subprocess.run(command, stdout=subprocess.DEVNULL, timeout=5)
        effect("ran a program")
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
