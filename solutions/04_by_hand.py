"""04 by_hand: you are the backward pass

Each operation can pass its gradient on: out._backward() reads out.grad and adds to the inputs of
out. What it reads has to be complete by then. So a node's turn comes after that of every node that
uses it.

    e = a * b, L = e + c at a = 2, b = -3, c = 10. L.grad = 1.0 starts it. L._backward() gives
    e.grad = 1 and c.grad = 1; then e._backward() gives a.grad = -3 and b.grad = 2. The other way
    round e would pass on 0.

Fill both functions: set the root's gradient, then call `_backward` of the operations' nodes, one
line each. (Leaves have nothing to pass on.) In the second graph more than one order is right.

`grade by_hand` calls your functions with such nodes, watches the order, and compares every gradient
with PyTorch's.
"""


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
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out


def sum_of_product(a, b, c, e, L):
    """The pass for e = a * b, L = e + c."""
    # BEGIN SOLUTION which two nodes have something to pass on, and which goes first?
    L.grad = 1.0
    L._backward()
    e._backward()
    # END SOLUTION


def product_of_sums(a, b, c, e, f, g, L):
    """The pass for e = a * b, f = e + c, g = a + b, L = f * g."""
    # BEGIN SOLUTION which node has to wait for which?
    L.grad = 1.0
    L._backward()
    f._backward()
    g._backward()
    e._backward()
    # END SOLUTION


if __name__ == "__main__":  # for your own trials: python 04_by_hand.py
    a, b, c = Value(2.0), Value(-3.0), Value(10.0)
    e = a * b
    L = e + c
    sum_of_product(a, b, c, e, L)
    print(a, b, c)  # gradients -3.0, 2.0, 1.0
