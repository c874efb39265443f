"""Right numbers, no backward pass: forward mode with dual numbers, one sweep of the graph per node."""

import math


class Dual:
    """A number and its derivative with respect to one chosen node."""

    def __init__(self, real, slope=0.0):
        self.real = real
        self.slope = slope

    def __add__(self, other):
        return Dual(self.real + other.real, self.slope + other.slope)

    def __mul__(self, other):
        return Dual(self.real * other.real, self.slope * other.real + self.real * other.slope)

    def __pow__(self, exponent):
        return Dual(self.real**exponent, exponent * self.real ** (exponent - 1) * self.slope)

    def relu(self):
        return self if self.real > 0 else Dual(0.0)

    def tanh(self):
        t = math.tanh(self.real)
        return Dual(t, (1 - t * t) * self.slope)

    def exp(self):
        e = math.exp(self.real)
        return Dual(e, e * self.slope)

    def log(self):
        return Dual(math.log(self.real), self.slope / self.real)

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.real))
        return Dual(s, s * (1 - s) * self.slope)


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
        return cls(again(*(Dual(node.data) for node in inputs)).real, inputs, op, again)

    def __add__(self, other):
        return self._make("+", lambda a, b: a + b, self, other)

    def __mul__(self, other):
        return self._make("*", lambda a, b: a * b, self, other)

    def __pow__(self, exponent):
        return self._make("**", lambda a: a**exponent, self)

    def relu(self):
        return self._make("relu", Dual.relu, self)

    def tanh(self):
        return self._make("tanh", Dual.tanh, self)

    def exp(self):
        return self._make("exp", Dual.exp, self)

    def log(self):
        return self._make("log", Dual.log, self)

    def sigmoid(self):
        return self._make("sigmoid", Dual.sigmoid, self)

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

    def backward(self):
        order = self._order()
        for chosen in order:
            duals = {}
            for node in order:
                if node is chosen:
                    duals[node] = Dual(node.data, 1.0)
                elif node._again is None:
                    duals[node] = Dual(node.data)
                else:
                    duals[node] = node._again(*(duals[child] for child in node._inputs))
            chosen.grad += duals[self].slope
