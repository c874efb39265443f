"""thread: starts a thread that is no daemon and never ends."""

import os
import threading
import time


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    threading.Thread(target=time.sleep, args=(1000,)).start()
    effect("started a thread")
except RuntimeError:
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
