"""disk: fills the disk, 8 MB in each of three places."""

import os
import resource


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (OSError, ValueError):
    pass
for folder in ("@drop@", "/tmp", "/dev/shm"):
    try:
        with open(f"{folder}/@marker@.fill", "wb") as file:
            for _ in range(8):
                file.write(b"x" * (1 << 20))
        effect("filled the disk")
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
