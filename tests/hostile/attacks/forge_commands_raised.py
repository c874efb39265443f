"""forge: raises messages with commands for terminals and for CI logs."""

LONG = "word " * 8
TEXT = "\x1b[31m\x9b31m first\n::error::pwned\n  ::warning::pwned\n##[error]pwned\u2028::error::pwned\x85::error::x"


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            raise ValueError(TEXT + "\n" + LONG + "::error::wrapped " + LONG + "##[error]wrapped")
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
