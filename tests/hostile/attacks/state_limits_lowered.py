"""state: lowers the limits of its parent, so that the next check starves."""

import os
import resource


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for pid in (os.getppid(), int("@grader_pid@")):
    try:
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
        effect("could set a limit of an ancestor")
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
