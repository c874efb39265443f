"""Every operation is a subclass of Value with its own _backward method; plain numbers are not accepted."""

import math


class Value:
    def __init__(self, data, *inputs):
        self.data = data
        self.grad = 0.0
        self.inputs = inputs

    def _backward(self):
        """Leaves pass nothing on."""

    def __add__(self, other):
        return Add(self.data + other.data, self, other)

    def __mul__(self, other):
        return Mul(self.data * other.data, self, other)

    def __pow__(self, n):
        out = Pow(self.data**n, self)
        out.n = n
        return out

    def __neg__(self):
        return Neg(-self.data, self)

    def __sub__(self, other):
        return self + Neg(-other.data, other)

    def __truediv__(self, other):
        return self * other**-1

    def relu(self):
        return ReLU(self.data if self.data > 0 else 0.0, self)

    def tanh(self):
        return Tanh(math.tanh(self.data), self)

    def exp(self):
        return Exp(math.exp(self.data), self)

    def backward(self):
        order = []
        self._sort_into(order, set())
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def _sort_into(self, order, seen):
        if self not in seen:
            seen.add(self)
            for v in self.inputs:
                v._sort_into(order, seen)
            order.append(self)


class Add(Value):
    def _backward(self):
        for v in self.inputs:
            v.grad += self.grad


class Mul(Value):
    def _backward(self):
        a, b = self.inputs
        a.grad += b.data * self.grad
        b.grad += a.data * self.grad


class Unary(Value):
    def slope(self, x):
        raise NotImplementedError

    def _backward(self):
        (v,) = self.inputs
        v.grad += self.slope(v.data) * self.grad


class Neg(Unary):
    def slope(self, x):
        return -1.0


class Pow(Unary):
    def slope(self, x):
        return self.n * x ** (self.n - 1)


class ReLU(Unary):
    def slope(self, x):
        return 1.0 if x > 0 else 0.0


class Tanh(Unary):
    def slope(self, x):
        return 1.0 - self.data**2


class Exp(Unary):
    def slope(self, x):
        return self.data
