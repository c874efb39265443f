"""fork: forks a child that keeps the answer's descriptor open after its parent is gone."""

import os
import time


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    if os.fork() == 0:
        os.setsid()
        time.sleep(20)
        os._exit(0)
    effect("forked")
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
