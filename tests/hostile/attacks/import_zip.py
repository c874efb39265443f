"""import: imports from a zip archive that it wrote before."""

import os
import sys
import zipfile


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


try:
    with zipfile.ZipFile("@drop@/@marker@.zip", "w") as archive:
        archive.writestr("carried.py", "x = 1")
    sys.path.insert(0, "@drop@/@marker@.zip")
    import carried  # noqa: F401

    effect("imported from a zip archive")
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
