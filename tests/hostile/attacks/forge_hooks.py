"""forge: answers from hooks: sys.excepthook, sys.unraisablehook, atexit, threading and faulthandler."""

import atexit
import os
import struct
import sys
import threading


def send(body):
    frame = struct.pack("!I", len(body)) + body
    for fd in range(3, 64):
        try:
            os.write(fd, frame)
        except OSError:
            pass


def hook(*_):
    send(b'["loaded"]')
    os._exit(0)


sys.excepthook = sys.unraisablehook = threading.excepthook = hook
atexit.register(hook)


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            raise ValueError
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
