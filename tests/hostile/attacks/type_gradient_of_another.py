"""type: returns the gradient of the node that was asked before."""


class Value:
    shared = {"grad": 0.0}

    def __init__(self, data, _prev=()):
        self.data, self._prev = data, tuple(_prev)
        self._backward = lambda: None

    grad = property(lambda self: Value.shared["grad"], lambda self, value: Value.shared.update(grad=value))

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))
