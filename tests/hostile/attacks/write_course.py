"""write: edits the hidden tests, the answer book and the solutions."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


def write(path):
    try:
        with open(path, "w") as file:
            file.write("overwritten")
    except OSError:
        pass
    else:
        effect("wrote a file")


for path in ("tests/hidden/test_01_distribute.py", "tests/hidden/answers.json", "solutions/02_swap.py", "course.yaml"):
    write("@course@/" + path)


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
