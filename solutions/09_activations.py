"""09 activations: tanh, exp and powers

This exercise adds three operations that have one input each. For each of them you need
the local derivative. For tanh and exp, you can compute it from the output:

    operation      local derivative        example
    t = tanh(x)    1 - t * t               x = 0: t = 0, local derivative 1
    e = exp(x)     e                       x = 1: e = 2.718, local derivative 2.718
    p = x ** n     n * x ** (n - 1)        x = 2, n = 3: p = 8, local derivative 12

The neuron below multiplies each input by its weight, adds up the products and a bias,
and applies tanh:

    >>> x1, x2 = Value(2.0), Value(0.0)
    >>> w1, w2, b = Value(-3.0), Value(1.0), Value(6.8813735870195432)
    >>> o = (x1 * w1 + x2 * w2 + b).tanh()
    >>> o.backward()
    >>> round(o.data, 4), round(w1.grad, 4), round(w2.grad, 4)
    (0.7071, 1.0, 0.0)

    [figure: neuron]

    In PyTorch:  (x1 * w1 + x2 * w2 + b).tanh().backward(); b.grad  # tensor(0.5000)

Here the local derivative of tanh is 1 - 0.7071 * 0.7071 = 0.5, so w1.grad = 2 * 0.5 =
1. The gradient of w2 is 0, because w2 is multiplied by x2, which is 0.

Write the three methods. Each one computes the value, makes the node, gives it a
`_backward`, and returns it. In `x ** n`, the exponent n is a plain number, not a node,
so it gets no gradient.

The grader compares values and gradients with PyTorch's. Exponents may be
fractional or negative.

To go on, compare activation functions and their derivatives:
https://en.wikipedia.org/wiki/Activation_function
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
        """Return a node with the hyperbolic tangent of this value."""
        # BEGIN SOLUTION can you write the derivative of tanh in terms of its output?
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t * t) * out.grad

        out._backward = _backward
        return out
        # END SOLUTION

    def exp(self):
        """Return a node with e raised to the power of this value."""
        # BEGIN SOLUTION which function is its own derivative?
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out
        # END SOLUTION

    def __pow__(self, n):
        """Return a node with this value raised to the power n, a plain number."""
        # BEGIN SOLUTION what is the derivative of x**n with respect to x?
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
        # END SOLUTION

    def backward(self):
        """Compute the gradient of every node that this node was computed from."""
        self.grad = 1.0
        for node in reversed(build_topo(self)):
            node._backward()


def build_topo(root):
    """Return root and all nodes it was computed from, each once, inputs first."""
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


if __name__ == "__main__":  # runs if this file is run as a program
    x = Value(2.0)
    y = x**3
    y.backward()
    print(y.data, x.grad)  # prints 8.0 12.0
