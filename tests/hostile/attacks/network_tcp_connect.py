"""network: connects to a server on the loopback by TCP."""

import os
import socket


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    with socket.create_connection(("127.0.0.1", int("@tcp@")), timeout=1) as connection:
        connection.sendall(b"hello")
        effect("connected by TCP")
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
