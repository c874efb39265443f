"""forge: raises a group of exceptions nested a hundred deep."""

import builtins


def group():
    error = ValueError("inner")
    for _ in range(100):
        error = builtins.BaseExceptionGroup("outer", [error, SystemExit(0)])
    return error


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            raise group()
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
