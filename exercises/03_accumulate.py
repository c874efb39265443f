"""03 accumulate: every use adds up

A value may be used more than once, and every use moves the result. For L = a + a, nudging a by 0.1
moves L by 0.2: the gradient is 1 from the first use plus 1 from the second. The rule for the whole
graph is the same: the gradient of a value is the sum over all its uses.

    a = 3, L = a * a. As the left factor a receives 3 * 1, as the right factor 3 * 1: dL/da = 6,
    which is also what the power rule gives, 2 * a.

Fill both closures so that no share is lost: not when one operation uses a value twice, not when two
operations share it, not when a gradient is there before they run. Since nothing is ever lost now,
`zero_grad` has to forget the old gradients before another pass over the same graph.

`grade accumulate` runs your closures, users first, on graphs in which values are shared, and
compares every gradient with PyTorch's; then it calls your zero_grad and runs them again.
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
            # TODO: what if self and other are one and the same value?
            raise NotImplementedError("accumulate: what if self and other are one and the same value?")

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            # TODO: what if another operation has given self a share before?
            raise NotImplementedError("accumulate: what if another operation has given self a share before?")

        out._backward = _backward
        return out


def zero_grad(nodes):
    """Make these nodes ready for another pass."""
    # TODO: what would the next pass add its shares to?
    raise NotImplementedError("accumulate: what would the next pass add its shares to?")


if __name__ == "__main__":  # for your own trials: python 03_accumulate.py
    a = Value(3.0)
    L = a * a
    L.grad = 1.0
    L._backward()
    print(a)  # gradient 6.0
