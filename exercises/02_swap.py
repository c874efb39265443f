"""02 swap: the backward pass of `*`

For out = a * b the local derivative by a is b: nudge a by 0.1 and out moves by 0.1 * b. The
derivative by b is a. So each input receives the other one's value, times the gradient that arrives
at the output.

    a = 2, b = -3, out = -6, and dL/dout = 4 has arrived. Then a.grad grows by -3 * 4 = -12 and
    b.grad grows by 2 * 4 = 8. The larger the other one is, the more a nudge of this one matters.

Fill `_backward`. As with `+`, add to what the inputs hold already.

`grade swap` runs your `_backward` with gradients of its own choosing, at positive, negative and
zero values.
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

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            # TODO: whose value does each input of * receive, and times what?
            raise NotImplementedError("swap: whose value does each input of * receive, and times what?")

        out._backward = _backward
        return out


if __name__ == "__main__":  # for your own trials: python 02_swap.py
    a, b = Value(2.0), Value(-3.0)
    out = a * b
    out.grad = 4.0
    out._backward()
    print(a, b)  # gradients -12.0 and 8.0
