"""network: opens a server of its own on every kind of socket."""

import os
import socket


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for family, address in (
    (socket.AF_INET, ("127.0.0.1", 0)),
    (socket.AF_INET6, ("::1", 0)),
    (socket.AF_UNIX, "\0@marker@-mine"),
):
    try:
        with socket.socket(family, socket.SOCK_STREAM) as server:
            server.bind(address)
            server.listen()
            effect("opened a server")
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
