"""Inputs in a list with repeats (a + a lists a twice); numbers only on the right-hand side."""

from math import exp, log, tanh


class Value:
    """A number that remembers where it came from."""

    def __init__(self, data, parents=None):
        self.data = data
        self.grad = 0.0
        self._prev = [] if parents is None else parents
        self._backward = None  # leaves have nothing to do

    @staticmethod
    def lift(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value.lift(other)
        res = Value(self.data + other.data, [self, other])

        def back():
            self.grad += res.grad
            other.grad += res.grad

        res._backward = back
        return res

    def __mul__(self, other):
        other = Value.lift(other)
        res = Value(self.data * other.data, [self, other])

        def back():
            self.grad += other.data * res.grad
            other.grad += self.data * res.grad

        res._backward = back
        return res

    def __pow__(self, power):
        return self._fn(self.data**power, power * self.data ** (power - 1) if power != 0 else 0.0)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + Value.lift(other) * -1.0

    def __truediv__(self, other):
        return self * Value.lift(other) ** -1

    def _fn(self, y, dydx):
        res = Value(y, [self])

        def back():
            self.grad += dydx * res.grad

        res._backward = back
        return res

    def relu(self):
        return self._fn(self.data, 1.0) if self.data > 0 else self._fn(0.0, 0.0)

    def tanh(self):
        t = tanh(self.data)
        return self._fn(t, 1 - t**2)

    def exp(self):
        e = exp(self.data)
        return self._fn(e, e)

    def log(self):
        return self._fn(log(self.data), 1 / self.data)

    def sigmoid(self):
        s = 1 / (1 + exp(-self.data))
        return self._fn(s, s * (1 - s))

    def backward(self):
        order = []
        visited = set()

        def walk(node):
            visited.add(node)
            for parent in node._prev:
                if parent not in visited:
                    walk(parent)
            order.insert(0, node)

        walk(self)
        self.grad = 1.0
        for node in order:
            if node._backward is not None:
                node._backward()
