"""Inputs in a frozenset; the operators refuse plain numbers altogether and relu is the only function."""


class Value:
    def __init__(self, data, inputs=frozenset()):
        self.data = data
        self.grad = 0.0
        self._prev = frozenset(inputs)
        self._backward = lambda: None

    def __add__(self, other):
        if not isinstance(other, Value):
            return NotImplemented
        out = Value(self.data + other.data, {self, other})

        def _backward():
            for v in (self, other):
                v.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            return NotImplemented
        out = Value(self.data * other.data, {self, other})

        def _backward():
            for v, w in ((self, other), (other, self)):
                v.grad += w.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        if isinstance(n, Value):
            return NotImplemented
        out = Value(self.data**n, {self})

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out

    def __neg__(self):
        return self * Value(-1.0)

    def __sub__(self, other):
        if not isinstance(other, Value):
            return NotImplemented
        return self + -other

    def __truediv__(self, other):
        if not isinstance(other, Value):
            return NotImplemented
        return self * other**-1

    def relu(self):
        out = Value(max(0.0, self.data), {self})

        def _backward():
            if self.data > 0:
                self.grad += out.grad

        out._backward = _backward
        return out

    def backward(self):
        topo = []
        visited = set()

        def build(v):
            if v in visited:
                return
            visited.add(v)
            for u in v._prev:
                build(u)
            topo.append(v)

        build(self)
        self.grad = 1.0
        for v in topo[::-1]:
            v._backward()
