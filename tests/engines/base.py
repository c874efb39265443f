"""A correct scalar engine in the shape of micrograd; wrong.yaml lists the edits that break it."""

import math


class Value:
    """A number that remembers which numbers it was computed from."""

    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = set(_children)
        self._op = _op
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def backward_add():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = backward_add
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def backward_mul():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = backward_mul
        return out

    def __pow__(self, exponent):
        assert isinstance(exponent, (int, float)), "an exponent is a plain number"
        out = Value(self.data**exponent, (self,), f"**{exponent}")

        def backward_pow():
            self.grad += exponent * self.data ** (exponent - 1) * out.grad

        out._backward = backward_pow
        return out

    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def backward_relu():
            self.grad += (out.data > 0) * out.grad

        out._backward = backward_relu
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def backward_tanh():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = backward_tanh
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def backward_exp():
            self.grad += out.data * out.grad

        out._backward = backward_exp
        return out

    def log(self):
        out = Value(math.log(self.data), (self,), "log")

        def backward_log():
            self.grad += 1 / self.data * out.grad

        out._backward = backward_log
        return out

    def sigmoid(self):
        out = Value(1 / (1 + math.exp(-self.data)), (self,), "sigmoid")

        def backward_sigmoid():
            self.grad += out.data * (1 - out.data) * out.grad

        out._backward = backward_sigmoid
        return out

    def backward(self):
        topo = []
        visited = set()

        def build_topo(node):
            if node not in visited:
                visited.add(node)
                for child in node._prev:
                    build_topo(child)
                topo.append(node)

        build_topo(self)
        self.grad = 1.0
        for node in reversed(topo):
            node._backward()

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rsub__(self, other):
        return other + (-self)

    def __rmul__(self, other):
        return self * other

    def __rtruediv__(self, other):
        return other * self**-1

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"
