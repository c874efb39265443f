"""Depth-first search without recursion: a stack of (node, already expanded) pairs, so deep graphs are fine."""

import math


class Value:
    def __init__(self, data, _prev=(), _op="leaf"):
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self._backward = lambda: None

    def __add__(self, other):
        other = Value(other) if isinstance(other, int | float) else other
        out = Value(self.data + other.data, (self, other), "add")

        def step():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = step
        return out

    def __mul__(self, other):
        other = Value(other) if isinstance(other, int | float) else other
        out = Value(self.data * other.data, (self, other), "mul")

        def step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = step
        return out

    def __pow__(self, p):
        out = Value(self.data**p, (self,), "pow")

        def step():
            self.grad += p * (self.data ** (p - 1)) * out.grad

        out._backward = step
        return out

    def relu(self):
        out = Value(self.data * (self.data > 0), (self,), "relu")

        def step():
            self.grad += (self.data > 0) * out.grad

        out._backward = step
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def step():
            self.grad += out.data * out.grad

        out._backward = step
        return out

    def log(self):
        out = Value(math.log(self.data), (self,), "log")

        def step():
            self.grad += out.grad / self.data

        out._backward = step
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __truediv__(self, other):
        return self * (other**-1)

    def __rtruediv__(self, other):
        return self**-1 * other

    def backward(self):
        order = []
        seen = set()
        stack = [(self, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                order.append(node)
                continue
            if node in seen:
                continue
            seen.add(node)
            stack.append((node, True))
            for child in node._prev:
                if child not in seen:
                    stack.append((child, False))

        self.grad = 1.0
        for node in reversed(order):
            node._backward()
