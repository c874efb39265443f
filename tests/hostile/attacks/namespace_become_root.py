"""namespace: becomes root again, or another user, and takes capabilities back."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for attempt in (
    lambda: os.setuid(0),
    lambda: os.setresuid(0, 0, 0),
    lambda: os.setgid(0),
    lambda: os.setgroups([0]),
    lambda: os.setresuid(1, 1, 1),
):
    try:
        attempt()
        effect("changed its user or groups")
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
