"""fork: forks with clone3."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)
pid = libc.syscall(435, arguments, 88)
if pid == 0:
    os._exit(0)
if pid > 0:
    os.waitpid(pid, 0)
    effect("forked by clone3")


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
