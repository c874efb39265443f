"""Other names throughout: value, derivative, _inputs, and the pass is started with backprop()."""

import math


class Value:
    def __init__(self, value, _inputs=(), _rule=None):
        self.value = value
        self.derivative = 0.0
        self._inputs = _inputs
        self._rule = _rule

    def __repr__(self):
        return f"Value(value={self.value}, derivative={self.derivative})"

    def __add__(self, rhs):
        rhs = _coerce(rhs)

        def rule(d):
            self.derivative += d
            rhs.derivative += d

        return Value(self.value + rhs.value, (self, rhs), rule)

    def __mul__(self, rhs):
        rhs = _coerce(rhs)

        def rule(d):
            self.derivative += d * rhs.value
            rhs.derivative += d * self.value

        return Value(self.value * rhs.value, (self, rhs), rule)

    def __pow__(self, exponent):
        def rule(d):
            self.derivative += d * exponent * self.value ** (exponent - 1)

        return Value(self.value**exponent, (self,), rule)

    def relu(self):
        def rule(d):
            if self.value > 0:
                self.derivative += d

        return Value(max(self.value, 0.0), (self,), rule)

    def tanh(self):
        result = math.tanh(self.value)

        def rule(d):
            self.derivative += d * (1 - result * result)

        return Value(result, (self,), rule)

    def exp(self):
        result = math.exp(self.value)

        def rule(d):
            self.derivative += d * result

        return Value(result, (self,), rule)

    def __neg__(self):
        return self * -1

    def __sub__(self, rhs):
        return self + -_coerce(rhs)

    def __truediv__(self, rhs):
        return self * _coerce(rhs) ** -1

    def __radd__(self, lhs):
        return _coerce(lhs) + self

    def __rmul__(self, lhs):
        return _coerce(lhs) * self

    def __rsub__(self, lhs):
        return _coerce(lhs) - self

    def __rtruediv__(self, lhs):
        return _coerce(lhs) / self

    def backprop(self):
        chain = []
        visited = set()

        def descend(node):
            if node in visited:
                return
            visited.add(node)
            for source in node._inputs:
                descend(source)
            chain.append(node)

        descend(self)
        self.derivative = 1.0
        for node in reversed(chain):
            if node._rule:
                node._rule(node.derivative)


def _coerce(x):
    return x if isinstance(x, Value) else Value(x)
