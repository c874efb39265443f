"""network: sends to a unix socket that lies in a folder open to everybody."""

import os
import socket


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"hello", "@drop@/socket")
        effect("reached a unix socket by its path")
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
