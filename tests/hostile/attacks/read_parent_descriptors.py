"""read: opens the descriptors of its ancestors through /proc/PID/fd."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for pid in (os.getppid(), int("@grader_pid@")):
    for fd in range(64):
        try:
            os.close(os.open(f"/proc/{pid}/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK))
        except OSError:
            continue
        effect("opened an ancestor's descriptor")


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
