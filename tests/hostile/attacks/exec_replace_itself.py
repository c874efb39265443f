"""exec: replaces itself by a fresh interpreter with execve."""

import os
import sys

for program, words in (
    (sys.executable, ["-c", "print('EFFECT became another program')"]),
    ("/usr/bin/python3", ["-c", "print('EFFECT became another program')"]),
    ("/bin/sh", ["-c", "echo EFFECT became another program"]),
):
    try:
        os.execve(program, [program, *words], {})
    except (OSError, ValueError):
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
