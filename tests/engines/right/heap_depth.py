"""A priority queue by depth: the deepest pending node is always handled next, so its users came before it."""

import heapq
import math


class Value:
    def __init__(self, data, args=()):
        self.data = data
        self.grad = 0.0
        self.args = args
        self.depth = 1 + max((a.depth for a in args), default=-1)
        self.rule = None

    def __add__(self, other):
        other = wrap(other)
        out = Value(self.data + other.data, (self, other))
        out.rule = lambda: (1.0, 1.0)
        return out

    def __mul__(self, other):
        other = wrap(other)
        out = Value(self.data * other.data, (self, other))
        out.rule = lambda: (other.data, self.data)
        return out

    def __pow__(self, n):
        out = Value(self.data**n, (self,))
        out.rule = lambda: (n * self.data ** (n - 1),)
        return out

    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,))
        out.rule = lambda: (float(self.data > 0),)
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))
        out.rule = lambda: (1 - out.data**2,)
        return out

    def log(self):
        out = Value(math.log(self.data), (self,))
        out.rule = lambda: (1 / self.data,)
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + wrap(other) * -1

    def __truediv__(self, other):
        return self * wrap(other) ** -1

    def __radd__(self, other):
        return wrap(other) + self

    def __rmul__(self, other):
        return wrap(other) * self

    def __rsub__(self, other):
        return wrap(other) - self

    def __rtruediv__(self, other):
        return wrap(other) / self

    def backward(self):
        self.grad = 1.0
        queued = {self}
        heap = [(-self.depth, id(self), self)]  # id breaks ties, nodes themselves cannot be compared
        while heap:
            _, _, node = heapq.heappop(heap)
            if node.rule is None:
                continue
            for arg, slope in zip(node.args, node.rule(), strict=True):
                arg.grad += slope * node.grad
                if arg not in queued:
                    queued.add(arg)
                    heapq.heappush(heap, (-arg.depth, id(arg), arg))


def wrap(x):
    return x if isinstance(x, Value) else Value(x)
