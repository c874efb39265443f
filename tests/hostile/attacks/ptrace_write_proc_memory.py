"""ptrace: writes its parent's memory through /proc/PID/mem."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    with open(f"/proc/{os.getppid()}/mem", "r+b", 0) as memory:
        memory.seek(id(None))
        same = memory.read(16)
        memory.seek(id(None))
        memory.write(same)
        effect("wrote its parent's memory")
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
