"""The gradient of a node is the product along its longest path to the root instead of the sum over all paths."""

import math


class Value:
    """A number with the local gradient of each of its inputs."""

    def __init__(self, data, inputs=(), local=()):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(inputs)
        self._local_grads = tuple(local)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, exponent):
        return Value(self.data**exponent, (self,), (exponent * self.data ** (exponent - 1),))

    def relu(self):
        return Value(max(0.0, self.data), (self,), (1.0 if self.data > 0 else 0.0,))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - t * t,))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (e,))

    def log(self):
        return Value(math.log(self.data), (self,), (1 / self.data,))

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        return Value(s, (self,), (s * (1 - s),))

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

    def backward(self):
        longest = {}

        def walk(node, product, length):
            if length < longest.get(node, 0):
                return
            longest[node] = length
            node.grad = product
            for child, slope in zip(node._prev, node._local_grads, strict=True):
                walk(child, product * slope, length + 1)

        walk(self, 1.0, 0)
