"""03 accumulate: every use adds up

A value can be used more than once, and every use changes the result. For L = a + a, when a goes up
by 0.1, L goes up by 0.2: the gradient of a is 1 from the left input plus 1 from the right input.
This holds in every graph: the gradient of a value is the sum of the contributions of all its uses.

    L = a * a at a = 3. `a` receives 3 * 1 as the left input and another 3 * 1 as the right input,
    so dL/da = 6. The power rule gives the same: 2 * a = 6.

Fill in both `_backward` functions so that contributions accumulate:
- when one operation uses a value twice, as in a * a,
- when several operations use the same value,
- when an input holds a gradient before the operation propagates.

Because gradients accumulate, they must be set back to 0 before another backward pass over the same
nodes. Otherwise the second pass adds to the results of the first. Fill in `zero_grad`, which sets
them back. PyTorch's optimizers have a method of the same name.

`grade accumulate` runs your functions on graphs with shared values, users before inputs, and
compares every gradient with PyTorch's. Then it calls your `zero_grad` and runs them again.
"""


class Value:
    """A number in the graph: its value, its gradient, and the nodes it was computed from."""

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
            # BEGIN SOLUTION what must happen when self and other are the same node?
            self.grad += out.grad
            other.grad += out.grad
            # END SOLUTION

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            # BEGIN SOLUTION what must happen when self already has a gradient from another use?
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
            # END SOLUTION

        out._backward = _backward
        return out


def zero_grad(nodes):
    """Prepare these nodes for another backward pass."""
    # BEGIN SOLUTION which gradients should the next backward pass start from?
    for node in nodes:
        node.grad = 0.0
    # END SOLUTION


if __name__ == "__main__":  # to try it yourself: python 03_accumulate.py
    a = Value(3.0)
    L = a * a
    L.grad = 1.0
    L._backward()
    print(a.grad)  # prints 6.0
