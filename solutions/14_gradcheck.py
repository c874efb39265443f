"""14 gradcheck: trust, but verify

Is a gradient right? You can test it without knowing any backward rule: move one input
by a small step h to both sides, and see how far the result moves. This is the central
difference:

    (f(x + h) - f(x - h)) / (2 * h)

For f(a) = a * a at a = 3, with h = 0.01, it is 0.12 / 0.02 = 6, because 3.01 * 3.01 =
9.0601 and 2.99 * 2.99 = 8.9401. A step to one side alone gives 0.0601 / 0.01 = 6.01.

`numeric_grad` returns the central difference. `agrees` compares it with the gradients
from backward(), for every input:

    >>> f = lambda a: a * a
    >>> round(numeric_grad(f, [3.0], 0), 6), agrees(f, [3.0])
    (6.0, True)

If backward() lost one of the two contributions to a, its gradient would be 3, and
`agrees` would return False.

    [figure: square]

    In PyTorch:  x = a.double(); torch.autograd.gradcheck(torch.square, x)  # True

- The step: the error of a central difference grows with h * h. But with a tiny h, the
  two results share almost all of their 16 digits, so their difference has few right
  digits left. A step such as 0.00001 avoids both.
- The tolerance: even a right gradient differs a little from the numeric one. Allow a
  difference in proportion to the gradient, which may be 0.001 or 100,000,000. For each
  input, an error of 0.0003 times its gradient has to be noticed. Where the gradient is
  0, the numeric one may be about 1e-11, so also allow any difference below about 1e-8.
  (1e-6 is too much: it hides an error of 0.0003 times 0.001.)
- Kinks: relu has no derivative at 0. There, the central difference is 0.5, and
  backward() gives 0. `agrees` is meant for points away from a kink.

Write the two functions. The engine below them is given.

The grader calls `agrees` with functions whose backward pass is right, and with
functions whose backward pass is wrong. No gradient is infinite or nan.

To go on, read how PyTorch compares gradients:
https://docs.pytorch.org/docs/stable/notes/gradcheck.html
"""

import math


def numeric_grad(f, values, i):
    """Return the central difference of f for one input as a number.

    f takes a Value for each float in `values`, as in f(Value(2.0), Value(3.0)). It
    returns a Value. The input with the index i moves. The list stays as it is.
    """
    # BEGIN SOLUTION what is f when one of the numbers is h larger, and h smaller?
    h = 1e-5

    def moved(step):
        return f(*[Value(x + step if k == i else x) for k, x in enumerate(values)]).data

    return (moved(h) - moved(-h)) / (2 * h)
    # END SOLUTION


def agrees(f, values):
    """Return whether backward() gives every input of f its numeric gradient.

    The result is True or False. f and values are those of numeric_grad.
    """
    # BEGIN SOLUTION which two numbers have to be close for each input, and how close?
    inputs = [Value(x) for x in values]
    f(*inputs).backward()
    numeric = [numeric_grad(f, values, i) for i in range(len(values))]
    return all(math.isclose(node.grad, grad, rel_tol=1e-5, abs_tol=1e-8) for node, grad in zip(inputs, numeric))
    # END SOLUTION


class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def _node(self, data, *inputs):
        """Make a node. Each of `inputs` is a pair: a node and its local derivative."""
        out = Value(data, [node for node, _ in inputs])

        def _backward():
            for node, local in inputs:
                node.grad += local * out.grad

        out._backward = _backward
        return out

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._node(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._node(self.data * other.data, (self, other.data), (other, self.data))

    def relu(self):
        return self._node(max(0.0, self.data), (self, 1.0 if self.data > 0 else 0.0))

    def exp(self):
        e = math.exp(self.data)
        return self._node(e, (self, e))

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


if __name__ == "__main__":  # runs if this file is run as a program

    def right(a, b):
        return a * b + a

    def wrong(a, b):  # a * b, with a rule that has the wrong sign for b
        return a._node(a.data * b.data, (a, b.data), (b, -a.data))

    for function in (right, wrong):
        for i in (0, 1):
            print(f"{function.__name__}: numeric_grad", numeric_grad(function, [2.0, -3.0], i))
        print(f"{function.__name__}: agrees", agrees(function, [2.0, -3.0]))
    for h in (1e-1, 1e-5, 1e-12):  # exp is its own derivative, so the error is the last number
        print("h =", h, "error", (math.exp(1 + h) - math.exp(1 - h)) / (2 * h) - math.exp(1))
    print("at the kink of relu:", numeric_grad(lambda a: a.relu(), [0.0], 0))
