"""memory: raises its own limits and those of its parent."""

import os
import resource


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE", "RLIMIT_NPROC"):
    which = getattr(resource, name)
    for pid in (0, os.getppid()):
        try:
            resource.prlimit(pid, which, resource.prlimit(pid, which) if pid else (resource.RLIM_INFINITY,) * 2)
            effect("set a limit")
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
