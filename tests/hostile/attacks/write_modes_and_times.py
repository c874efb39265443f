"""write: changes owners, modes and times of files."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for attempt in (
    lambda: os.chmod("@drop@/keep.txt", 0o777),
    lambda: os.utime("@drop@/keep.txt"),
    lambda: os.chown("@drop@/keep.txt", os.getuid(), os.getgid()),
    lambda: os.setxattr("@drop@/keep.txt", "user.backward", b"x"),
):
    try:
        attempt()
        effect("changed a file's mode or times")
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
