"""tamper: takes over the numbering of nodes: hashes, `id` and `__new__`."""


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None
        Value.__new__ = staticmethod(lambda cls, *_: object.__new__(cls))
        Value.__hash__ = lambda self: 0

    def __add__(self, other):
        global id
        id = lambda thing: 0  # noqa: E731
        out = Value(self.data + other.data, (self, other))
        out._backward = lambda: None
        return out
