"""09 activations: tanh, exp and powers

Three more operations with one input. Each has a local derivative, and two of them get it for
nothing from their own output:

    t = tanh(x)      slope 1 - t * t        at x = 0: t = 0, slope 1
    e = exp(x)       slope e                at x = 1: e = 2.718, slope 2.718
    p = x ** n       slope n * x**(n - 1)   at x = 2, n = 3: p = 8, slope 12

    A neuron: o = tanh(x1 * w1 + x2 * w2 + b). With x1 = 2, w1 = -3, x2 = 0, w2 = 1, b =
    6.8813735870195432 it gives o = 0.7071, the slope of tanh there is 0.5, and do/dw1 = 2 * 0.5 =
    1.

Fill the three methods: value, node, `_backward`. In `x ** n` n is a plain number, and no node: it
gets no gradient.

`grade activations` compares values and gradients with PyTorch's, for whole, fractional and negative
exponents too.
"""

import math


class Value:
    """A number that remembers how it was made."""

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

    def tanh(self):
        """The hyperbolic tangent of this value."""
        # TODO: what is the slope of tanh, told by its output?
        raise NotImplementedError("activations: what is the slope of tanh, told by its output?")

    def exp(self):
        """e to the power of this value."""
        # TODO: which function is its own slope?
        raise NotImplementedError("activations: which function is its own slope?")

    def __pow__(self, n):
        """This value to the power of a plain number n."""
        # TODO: what happens to the exponent, and what to the factor in front?
        raise NotImplementedError("activations: what happens to the exponent, and what to the factor in front?")

    def backward(self):
        """Give every node below this one its gradient."""
        self.grad = 1.0
        for node in reversed(build_topo(self)):
            node._backward()


def build_topo(root):
    """Every node below root and root itself, each once, inputs before the nodes computed from them."""
    order, visited = [], set()
    stack = [(root, False)]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            order.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order


if __name__ == "__main__":  # for your own trials: python 09_activations.py
    w = Value(-3.0)
    o = (w * 2.0 + 6.8813735870195432).tanh()
    o.backward()
    print(o, w)  # 0.7071, and a gradient of 1.0
