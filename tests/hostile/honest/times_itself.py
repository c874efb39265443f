"""honest: measures how long it takes, in three clocks, and gives a breath to the machine."""

import datetime
import time

STARTED = time.perf_counter()
NOW = datetime.datetime.now()
time.sleep(0.001)


class Value:
    spent = 0.0

    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None
        self.made = time.monotonic() - STARTED

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            began = time.process_time()
            self.grad += out.grad
            other.grad += out.grad
            Value.spent += time.process_time() - began

        out._backward = _backward
        return out
