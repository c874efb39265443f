"""state: counts its runs and is wrong in every other one."""


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, tuple(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            Value.runs += 1
            wrong = Value.runs % 2
            self.grad += out.grad * (1 - wrong)
            other.grad += out.grad

        out._backward = _backward
        return out

    runs = 0
