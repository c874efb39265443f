"""Module-level functions do the work (add, mul, relu, tanh, ...); the dunders and methods are one-line aliases."""

import math


def const(x):
    return x if isinstance(x, Value) else Value(x)


def add(a, b):
    a, b = const(a), const(b)
    return Value(a.data + b.data, [a, b], lambda g: [g, g])


def mul(a, b):
    a, b = const(a), const(b)
    return Value(a.data * b.data, [a, b], lambda g: [g * b.data, g * a.data])


def power(a, n):
    return Value(a.data**n, [a], lambda g: [g * n * a.data ** (n - 1)])


def neg(a):
    return mul(a, -1.0)


def sub(a, b):
    return add(a, neg(b))


def div(a, b):
    return mul(a, power(const(b), -1))


def relu(a):
    return Value(max(a.data, 0.0), [a], lambda g: [g if a.data > 0 else 0.0])


def tanh(a):
    y = math.tanh(a.data)
    return Value(y, [a], lambda g: [g * (1 - y**2)])


def exp(a):
    y = math.exp(a.data)
    return Value(y, [a], lambda g: [g * y])


def log(a):
    return Value(math.log(a.data), [a], lambda g: [g / a.data])


def sigmoid(a):
    y = 1 / (1 + math.exp(-a.data))
    return Value(y, [a], lambda g: [g * y * (1 - y)])


def toposort(node, seen, order):
    if node not in seen:
        seen.add(node)
        for arg in node.args:
            toposort(arg, seen, order)
        order.append(node)
    return order


def backward(root):
    order = toposort(root, set(), [])
    root.grad = 1.0
    for node in reversed(order):
        for arg, g in zip(node.args, node.vjp(node.grad), strict=True):
            arg.grad += g


class Value:
    def __init__(self, data, args=(), vjp=lambda g: []):
        self.data, self.grad, self.args, self.vjp = data, 0.0, args, vjp

    __add__, __sub__, __mul__, __truediv__ = add, sub, mul, div
    __neg__, __pow__ = neg, power
    relu, tanh, exp, log, sigmoid = relu, tanh, exp, log, sigmoid
    backward = backward

    def __radd__(self, other):
        return add(other, self)

    def __rsub__(self, other):
        return sub(other, self)

    def __rmul__(self, other):
        return mul(other, self)

    def __rtruediv__(self, other):
        return div(other, self)
