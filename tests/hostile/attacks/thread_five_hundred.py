"""thread: starts five hundred threads."""

import os
import threading
import time


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


made = 0
for _ in range(500):
    try:
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        made += 1
    except RuntimeError:
        break
if made:
    effect("started threads")


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
