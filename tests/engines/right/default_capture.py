"""Backward rules are one-line lambdas that capture everything through default arguments."""

import math


class Value:
    def __init__(self, data, kids=()):
        self.data = data
        self.grad = 0.0
        self._kids = kids
        self._backward = lambda: ()

    def _inc(self, amount):
        self.grad += amount

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))
        out._backward = lambda a=self, b=other, o=out: (a._inc(o.grad), b._inc(o.grad))
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        out._backward = lambda a=self, b=other, o=out: (a._inc(b.data * o.grad), b._inc(a.data * o.grad))
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def __pow__(self, n):
        out = Value(self.data**n, (self,))
        out._backward = lambda a=self, o=out, n=n: (a._inc(n * a.data ** (n - 1) * o.grad),)
        return out

    def __neg__(self):
        out = Value(-self.data, (self,))
        out._backward = lambda a=self, o=out: (a._inc(-o.grad),)
        return out

    # minus and division are between Values only
    def __sub__(self, other):
        out = Value(self.data - other.data, (self, other))
        out._backward = lambda a=self, b=other, o=out: (a._inc(o.grad), b._inc(-o.grad))
        return out

    def __truediv__(self, other):
        out = Value(self.data / other.data, (self, other))
        out._backward = lambda a=self, b=other, o=out: (
            a._inc(o.grad / b.data),
            b._inc(-o.grad * o.data / b.data),
        )
        return out

    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,))
        out._backward = lambda a=self, o=out: (a._inc(o.grad * (a.data > 0)),)
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))
        out._backward = lambda a=self, o=out: (a._inc(o.grad * (1 - o.data**2)),)
        return out

    def log(self):
        out = Value(math.log(self.data), (self,))
        out._backward = lambda a=self, o=out: (a._inc(o.grad / a.data),)
        return out

    def backward(self):
        order, seen = [], set()

        def dfs(v):
            if v not in seen:
                seen.add(v)
                for k in v._kids:
                    dfs(k)
                order.append(v)

        dfs(self)
        self.grad = 1.0
        for v in reversed(order):
            v._backward()
