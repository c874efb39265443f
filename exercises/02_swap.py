"""02 swap: the backward pass of `*`

For out = a * b, the derivative with respect to a is b: when a goes up by 0.1, out moves
by 0.1 * b. The derivative with respect to b is a. So the local derivative for each
input is the value of the other input, and the contribution is that value times the
upstream gradient.

Let a = 2 and b = -3, and suppose that `out.grad` is 4. Then the contribution to a is -3
* 4 = -12, and the contribution to b is 2 * 4 = 8.

    value | gradient of each node
    a   2 | -12 ---.
                  (*)--> out  -6 | 4
    b  -3 | 8 -----'

    In PyTorch:  (a * b).backward(torch.tensor(4.0)); a.grad  # tensor(-12.)

When a changes, the product changes by b times as much. If b is negative, the product
goes down when a goes up.

Fill in `_backward`. As in exercise 01, the gradients of the inputs are 0 before it
runs.

The grader runs your `_backward` with different numbers in `out.grad`, for positive,
negative and zero inputs.

To go on, see how the chain rule looks in a network:
https://www.3blue1brown.com/lessons/backpropagation-calculus
"""


class Value:
    """A number in the graph, with its gradient and the nodes it was computed from."""

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
            # TODO: what is the contribution of `*` to each input?
            raise NotImplementedError("swap: what is the contribution of `*` to each input?")

        out._backward = _backward
        return out


if __name__ == "__main__":  # runs if this file is run as a program
    a, b = Value(2.0), Value(-3.0)
    out = a * b
    out.grad = 4.0
    out._backward()
    print(a.grad, b.grad)  # prints -12.0 8.0
