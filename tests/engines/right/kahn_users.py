"""Kahn's algorithm: count the users of every node first, then release a node once all its users are done."""

import math
from collections import deque


class Value:
    def __init__(self, data, inputs=()):
        self.data = data
        self.grad = 0.0
        self.inputs = inputs
        self.chain = None
        self.users = 0

    def __add__(self, other):
        other = to_value(other)
        out = Value(self.data + other.data, (self, other))
        out.chain = lambda g: (g, g)
        return out

    def __mul__(self, other):
        other = to_value(other)
        out = Value(self.data * other.data, (self, other))
        out.chain = lambda g: (g * other.data, g * self.data)
        return out

    def __pow__(self, n):
        out = Value(self.data**n, (self,))
        out.chain = lambda g: (g * n * self.data ** (n - 1),)
        return out

    def relu(self):
        out = Value(0.0 if self.data <= 0 else self.data, (self,))
        out.chain = lambda g: (0.0 if self.data <= 0 else g,)
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))
        out.chain = lambda g: (g * (1 - out.data**2),)
        return out

    def sigmoid(self):
        out = Value(1 / (1 + math.exp(-self.data)), (self,))
        out.chain = lambda g: (g * out.data * (1 - out.data),)
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + to_value(other) * -1

    def __truediv__(self, other):
        return self * to_value(other) ** -1

    def __radd__(self, other):
        return to_value(other) + self

    def __rmul__(self, other):
        return to_value(other) * self

    def __rsub__(self, other):
        return to_value(other) - self

    def __rtruediv__(self, other):
        return to_value(other) / self

    def backward(self):
        # pass 1: everything reachable from here, and how many edges point at it
        reachable = [self]
        known = {self}
        self.users = 0
        for node in reachable:  # the list grows while we read it
            for child in node.inputs:
                if child not in known:
                    known.add(child)
                    child.users = 0
                    reachable.append(child)
                child.users += 1
        # pass 2: peel the graph from the root
        self.grad = 1.0
        queue = deque([self])
        while queue:
            node = queue.popleft()
            if not node.inputs:
                continue
            for child, g in zip(node.inputs, node.chain(node.grad), strict=True):
                child.grad += g
                child.users -= 1
                if child.users == 0:
                    queue.append(child)


def to_value(x):
    return x if isinstance(x, Value) else Value(x)
