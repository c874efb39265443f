"""descriptor: watches files of others with inotify and fanotify."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


handle = libc.inotify_init1(0)
if handle >= 0:
    effect("watches files")
    os.close(handle)
handle = libc.fanotify_init(0, 0)
if handle >= 0:
    effect("watches all files")
    os.close(handle)


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
