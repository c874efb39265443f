"""descriptor: reads its standard input and the terminal for commands to the grader."""

import fcntl
import os
import termios


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    if os.read(0, 1):
        effect("read from standard input")
except OSError:
    pass
try:
    termios.tcgetattr(0)
    effect("has a terminal")
except (OSError, termios.error):
    pass
try:
    fcntl.ioctl(0, 0x5412, b"x")
    effect("typed into a terminal")
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
