"""read: reads the memory of its ancestors through /proc/PID/mem."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for pid in (os.getppid(), int("@grader_pid@")):
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            start = int(maps.readline().partition("-")[0], 16)
            memory.seek(start)
            if memory.read(64):
                effect("read an ancestor's memory")
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
