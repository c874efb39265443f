"""tamper: replaces inspect.signature and the names by which rules are told apart."""

import contextlib
import inspect

inspect.signature = lambda *_: 1 / 0
contextlib.redirect_stdout.__exit__ = lambda *_: True
contextlib.suppress.__exit__ = lambda *_: True


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
