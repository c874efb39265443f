"""ptrace: takes descriptors out of its parent and the grader with pidfd_getfd."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for pid in (os.getppid(), int("@grader_pid@")):
    handle = libc.syscall(434, pid, 0)
    for fd in range(64) if handle >= 0 else ():
        taken = libc.syscall(438, handle, fd, 0)
        if taken >= 0:
            os.close(taken)
            effect("took a descriptor out of an ancestor")


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
