"""network: opens raw, packet, netlink and vsock sockets."""

import os
import socket


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for family, kind, protocol in ((2, 3, 1), (17, 3, 0), (16, 3, 0), (40, 1, 0), (38, 5, 0)):
    try:
        socket.socket(family, kind, protocol).close()
        effect("opened a raw socket")
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
