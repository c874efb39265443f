"""12 engine: all of it, from an empty class

You have written every piece; now write the engine. `Value(data)` makes a leaf with `.data` and
`.grad`; operations make new Values; `backward()` on the last one gives every node the derivative of
that last one by it.

    x = 2: y = x * x + x has y.data = 6, and after y.backward() x.grad = 2 * 2 + 1 = 5.

Asked for: + * - / between Values, ** with a number as exponent, unary minus, and .relu(). If you
also define tanh(), exp(), log() or sigmoid(), or accept plain numbers on either side of + - * /,
they are checked too; leaving them out costs nothing. How you build it is up to you: closures or
stored local derivatives, a set or a tuple for the inputs, recursion or a loop. backward() may be
called again, on the same node or on another: once all gradients have been set back to 0, nothing is
left of the pass before.

`grade engine` compares values and gradients with PyTorch on expressions of all these operations,
small and random, with values used many times; and it runs your local rules one at a time. `grade
engine FILE` grades any engine.
"""

import math


class Value:
    """A number that remembers how it was made."""

    # BEGIN SOLUTION what does a value have to remember, and how does each operation pass its gradient on?
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, exponent):
        out = Value(self.data**exponent, (self,), f"**{exponent}")

        def _backward():
            self.grad += exponent * self.data ** (exponent - 1) * out.grad

        out._backward = _backward
        return out

    def _function(self, result, slope, name):
        """A node for a function of one input, by its value and its local derivative."""
        out = Value(result, (self,), name)

        def _backward():
            self.grad += slope * out.grad

        out._backward = _backward
        return out

    def relu(self):
        return self._function(self.data if self.data > 0 else 0.0, 1.0 if self.data > 0 else 0.0, "relu")

    def tanh(self):
        t = math.tanh(self.data)
        return self._function(t, 1 - t * t, "tanh")

    def exp(self):
        e = math.exp(self.data)
        return self._function(e, e, "exp")

    def log(self):
        return self._function(math.log(self.data), 1 / self.data, "log")

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        return self._function(s, s * (1 - s), "sigmoid")

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self**-1 * other

    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                for source in node._prev:
                    visit(source)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    # END SOLUTION
