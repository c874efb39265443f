"""Inputs in a tuple, and each closure holds its own output by weak reference, so graphs form no cycles."""

import math
import weakref


def _nothing():
    return None


def _wrap(x):
    if isinstance(x, Value):
        return x
    return Value(x)


class Value:
    def __init__(self, data, prev=()):
        self.data, self.grad = float(data), 0.0
        self._prev = tuple(prev)
        self._backward = _nothing

    def __add__(self, other):
        other = _wrap(other)
        out = Value(self.data + other.data, (self, other))
        me = weakref.ref(out)

        def push():
            g = me().grad
            self.grad += g
            other.grad += g

        out._backward = push
        return out

    __radd__ = __add__

    def __mul__(self, other):
        other = _wrap(other)
        out = Value(self.data * other.data, (self, other))
        me = weakref.ref(out)

        def push():
            g = me().grad
            self.grad += g * other.data
            other.grad += g * self.data

        out._backward = push
        return out

    __rmul__ = __mul__

    def _unary(self, result, slope):
        out = Value(result, (self,))
        me = weakref.ref(out)

        def push():
            self.grad += me().grad * slope(self.data, me().data)

        out._backward = push
        return out

    def __pow__(self, n):
        return self._unary(self.data**n, lambda x, y: n * x ** (n - 1))

    def relu(self):
        return self._unary(max(self.data, 0.0), lambda x, y: 1.0 if x > 0 else 0.0)

    def tanh(self):
        return self._unary(math.tanh(self.data), lambda x, y: 1.0 - y * y)

    def __neg__(self):
        return self._unary(-self.data, lambda x, y: -1.0)

    def __sub__(self, other):
        return self + (-_wrap(other))

    def __rsub__(self, other):
        return _wrap(other) - self

    def __truediv__(self, other):
        return self * _wrap(other) ** -1

    def __rtruediv__(self, other):
        return _wrap(other) / self

    def backward(self):
        done, order = set(), []

        def visit(node):
            if node in done:
                return
            done.add(node)
            for p in node._prev:
                visit(p)
            order.append(node)

        visit(self)
        self.grad = 1.0
        while order:
            order.pop()._backward()
