"""forge: prints commands for terminals and for CI logs."""

import os

TEXT = "\x1b[2J\x1b[31m\x1b]0;title\x07\x9b31m\r\n::error::pwned\n::add-mask::x\n##[error]pwned\n\u202e"
print(TEXT)


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            os.write(1, TEXT.encode())
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
