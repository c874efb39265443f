"""honest: slots, properties and a class attribute."""


class Value:
    __slots__ = ("__weakref__", "_backward", "_data", "_prev", "grad")
    made = 0

    def __init__(self, data, _prev=()):
        self._data, self.grad, self._prev = float(data), 0.0, _prev
        self._backward = lambda: None
        Value.made += 1

    @property
    def data(self):
        return self._data

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
