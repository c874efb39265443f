"""disk: uses up inodes: three hundred empty files."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


made = 0
for number in range(300):
    try:
        open(f"@drop@/@marker@.{number}", "w").close()
        made += 1
    except OSError:
        break
if made:
    effect("made many files")


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
