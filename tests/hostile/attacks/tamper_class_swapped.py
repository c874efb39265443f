"""tamper: swaps its class for another one after the worker has read it."""


class Value:
    calls = 0

    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, tuple(_prev)
        self._backward = lambda: None
        Value.calls += 1
        if Value.calls > 3:
            self.__class__ = Other

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))


class Other(Value):
    grad = property(lambda self: 4.0, lambda self, value: None)

    def __init__(self):
        pass
