"""01 distribute: the backward pass of `+`

The chain rule says: the gradient of an input is the local derivative times the gradient of the
output. For L = a + b both local derivatives are 1: nudge a by 0.1 and L moves by 0.1. So `+` hands
the gradient that arrives at its output on to both inputs, unchanged.

    a = 2, b = -3, out = a + b = -1. Say out feeds something else, and dL/dout = 4 has arrived in
    out.grad. Then a.grad grows by 1 * 4 and b.grad grows by 1 * 4.

Fill `_backward`: read out.grad, add each input's share to its .grad. An input may hold a share from
elsewhere already; that one has to stay.

`grade distribute` runs your `_backward` with gradients of its own choosing in out.grad and in both
inputs.
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
            # BEGIN SOLUTION what does each input of + receive?
            self.grad += out.grad
            other.grad += out.grad
            # END SOLUTION

        out._backward = _backward
        return out


if __name__ == "__main__":  # for your own trials: python 01_distribute.py
    a, b = Value(2.0), Value(-3.0)
    out = a + b
    out.grad = 4.0
    out._backward()
    print(a, b)  # both gradients should be 4.0
