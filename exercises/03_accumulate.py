"""03 accumulate: every use adds up

A value can be used more than once, and then it affects the result through every use.
For L = a + a, when a goes up by 0.1, L goes up by 0.2. The gradient of a is 2: 1 for
the left input plus 1 for the right input. The same is true in every graph: the gradient
of a value is the sum of the contributions from all its uses.

Take L = a * a at a = 3. As the left input, a receives 3 * 1; as the right input, it
receives another 3 * 1. So dL/da = 6. The power rule gives the same result: 2 * a = 6.

    value | gradient of each node, [local derivative] of each edge
               .--[3]---.
    a  3 | 6 --|       (*)--> L  9 | 1
               '--[3]---'

    In PyTorch:  (a * a).backward(); a.grad  # tensor(6.)

Fill in both `_backward` functions. Copy the lines that you wrote in exercises 01 and
02, and look at what they leave in a.grad for L = a * a. (The replay shows it step by
step.) The gradients must be complete in all of these cases:
- One operation uses a value twice, as in a * a.
- Several operations use the same value.
- An input already holds a gradient when `_backward` runs.

Because gradients accumulate, they must be set back to 0 before another backward pass
over the same nodes. Otherwise the second pass adds to the results of the first. Fill in
`zero_grad`, which sets the gradients back to 0. PyTorch's optimizers have a method of
the same name.

The grader runs your `_backward` functions on graphs with shared values, from
the result to the inputs, and compares every gradient with PyTorch's. Then it calls your
`zero_grad` and runs the backward pass again.

To go on, see why PyTorch accumulates, too:
https://docs.pytorch.org/tutorials/recipes/recipes/zeroing_out_gradients.html
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

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            # TODO: what is the contribution of `+` to each input? (see 01)
            raise NotImplementedError("accumulate: what is the contribution of `+` to each input? (see 01)")

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            # TODO: what is the contribution of `*` to each input? (see 02)
            raise NotImplementedError("accumulate: what is the contribution of `*` to each input? (see 02)")

        out._backward = _backward
        return out


def zero_grad(nodes):
    """Prepare these nodes for another backward pass."""
    # TODO: what should every .grad be before the next backward pass?
    raise NotImplementedError("accumulate: what should every .grad be before the next backward pass?")


if __name__ == "__main__":  # runs if this file is run as a program
    a = Value(3.0)
    L = a * a
    L.grad = 1.0
    L._backward()
    print(a.grad)  # prints 6.0
