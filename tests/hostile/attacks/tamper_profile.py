"""tamper: kills the budget of calls and rewrites results from a profile function."""

import sys


def profiler(frame, event, argument):
    if event == "return" and isinstance(argument, list) and argument[:1] == ["grads"]:
        argument[1][:] = ["0x1.0000000000000p+2"] * len(argument[1])


sys.settrace(None)
sys.setprofile(profiler)


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
