"""forge: raises messages in which more colons and hashes stand together than a command needs."""

TEXT = "".join(
    "x" * length + " :::error title=x:::pwned ####[error]x ::::warning::::x " for length in (3, 17, 31, 44, 58)
)


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            raise ValueError(TEXT)
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
