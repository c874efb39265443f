"""import: has modules imported beforehand that open browsers, windows and files."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    import antigravity  # noqa: F401
    import idlelib.idle  # noqa: F401
    import this  # noqa: F401
    import turtle  # noqa: F401

    effect("imported a module that does something")
except Exception:
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
