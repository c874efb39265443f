"""signal: claims to be loaded, and kills the process that could say otherwise."""

import os
import signal
import struct


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


def send(body):
    frame = struct.pack("!I", len(body)) + body
    for fd in range(3, 64):
        try:
            os.write(fd, frame)
        except OSError:
            pass


send(b'["loaded"]')
try:
    os.kill(os.getppid(), signal.SIGKILL)
    effect("signalled its parent")
except OSError:
    pass
os._exit(0)


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
