"""tamper: replaces the standard streams by objects that answer when they are flushed."""

import os
import struct
import sys


def send(body):
    frame = struct.pack("!I", len(body)) + body
    for fd in range(3, 64):
        try:
            os.write(fd, frame)
        except OSError:
            pass


class Stream:
    def write(self, text):
        return len(text)

    def flush(self):
        send(b'["loaded"]')
        os._exit(0)


sys.stdout = sys.stderr = sys.__stdout__ = Stream()


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
