"""No node keeps its inputs: a module-level tape lists every node in creation order and is read from the end."""

import math

TAPE = []


class Value:
    def __init__(self, data, pull=None):
        self.data = float(data)
        self.grad = 0.0
        self._pull = pull  # takes the gradient of this node, returns what each input gets
        self._position = len(TAPE)
        TAPE.append(self)

    def __add__(self, other):
        other = const(other)
        return Value(self.data + other.data, lambda g: [(self, g), (other, g)])

    def __sub__(self, other):
        other = const(other)
        return Value(self.data - other.data, lambda g: [(self, g), (other, -g)])

    def __mul__(self, other):
        other = const(other)
        return Value(self.data * other.data, lambda g: [(self, g * other.data), (other, g * self.data)])

    def __truediv__(self, other):
        return self * const(other) ** -1

    def __pow__(self, n):
        return Value(self.data**n, lambda g: [(self, g * n * self.data ** (n - 1))])

    def __neg__(self):
        return Value(-self.data, lambda g: [(self, -g)])

    def __radd__(self, other):
        return const(other) + self

    def __rsub__(self, other):
        return const(other) - self

    def __rmul__(self, other):
        return const(other) * self

    def __rtruediv__(self, other):
        return const(other) / self

    def relu(self):
        alive = self.data > 0
        return Value(self.data if alive else 0.0, lambda g: [(self, g if alive else 0.0)])

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, lambda g: [(self, g * (1 - t * t))])

    def exp(self):
        e = math.exp(self.data)
        return Value(e, lambda g: [(self, g * e)])

    def log(self):
        return Value(math.log(self.data), lambda g: [(self, g / self.data)])

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        return Value(s, lambda g: [(self, g * s * (1 - s))])

    def backward(self):
        # Only nodes that received something in *this* pass take part; other graphs on the tape are skipped.
        incoming = {self._position: 1.0}
        for i in range(self._position, -1, -1):
            if not incoming:
                break
            if i not in incoming:
                continue
            g = incoming.pop(i)
            node = TAPE[i]
            node.grad += g
            if node._pull is not None:
                for source, part in node._pull(g):
                    at = source._position
                    incoming[at] = incoming.get(at, 0.0) + part


def const(x):
    return x if isinstance(x, Value) else Value(x)
