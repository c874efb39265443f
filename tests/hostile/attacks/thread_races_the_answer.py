"""thread: has a thread write into every descriptor while the answer is written."""

import os
import threading
import time


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


def race():
    while True:
        for fd in range(3, 16):
            try:
                os.write(fd, b"\0\0\0\2[]")
            except OSError:
                pass


try:
    threading.Thread(target=race, daemon=True).start()
    effect("started a thread")
    time.sleep(0.05)
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
