"""The class is called Scalar and spells out identity: __eq__ is `is`, __hash__ is id."""

import math


class Scalar:
    """A differentiable float."""

    def __init__(self, data: float, _parents: tuple = ()):
        self.data = data
        self.grad = 0.0
        self._parents = set(_parents)
        self._backward = lambda: None

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    @staticmethod
    def _ensure(x):
        return x if isinstance(x, Scalar) else Scalar(float(x))

    def __add__(self, other):
        other = self._ensure(other)
        out = Scalar(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = self._ensure(other)
        out = Scalar(self.data * other.data, (self, other))

        def _backward():
            self.grad += out.grad * other.data
            other.grad += out.grad * self.data

        out._backward = _backward
        return out

    def _apply(self, f, df):
        out = Scalar(f(self.data), (self,))

        def _backward():
            self.grad += out.grad * df(self.data)

        out._backward = _backward
        return out

    def __pow__(self, n):
        return self._apply(lambda x: x**n, lambda x: n * x ** (n - 1))

    def exp(self):
        return self._apply(math.exp, math.exp)

    def log(self):
        return self._apply(math.log, lambda x: 1 / x)

    def tanh(self):
        return self._apply(math.tanh, lambda x: 1 - math.tanh(x) ** 2)

    def relu(self):
        return self._apply(lambda x: x if x > 0 else 0.0, lambda x: 1.0 if x > 0 else 0.0)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -self._ensure(other)

    def __truediv__(self, other):
        return self * self._ensure(other) ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self._ensure(other) / self

    def backward(self):
        topo, visited = [], set()

        def build(node):
            if node in visited:
                return
            visited.add(node)
            for p in node._parents:
                build(p)
            topo.append(node)

        build(self)
        self.grad = 1.0
        for node in topo[::-1]:
            node._backward()
