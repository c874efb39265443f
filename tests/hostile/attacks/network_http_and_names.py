"""network: fetches a page and looks up a name with the standard library."""

import os
import socket
import urllib.request


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    urllib.request.urlopen("http://127.0.0.1:@tcp@/", timeout=0.2)
except Exception as error:
    if "timed out" in str(error):
        effect("sent a request by HTTP")
try:
    socket.getaddrinfo("localhost", 80)
    if socket.gethostname() not in ("box", ""):
        effect("looked up the machine's name")
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
