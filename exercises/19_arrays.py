"""19 arrays: one Tensor in place of many Values

A tensor of shape (2, 3) is six of your Values: two rows of three. It has six numbers in
.data and six gradients in .grad, and one closure runs the rule of all six at once. The
numbers are in numpy's arrays. numpy adds and multiplies arrays of equal shapes number
by number, so each rule looks like the one that you know.

    >>> a = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> b = Tensor([[2, 0, 1], [1, 3, -1]])
    >>> L = (a * b + a).sum()
    >>> L.backward()
    >>> a.grad
    array([[3., 1., 2.],
           [2., 4., 0.]])

The first number of a is 1, and that of b is 2. With Values, it would be 1 * 2 + 1: the
product contributes 2 to the gradient of the first number, and the sum contributes 1. So
this gradient is 3.

    value | gradient of each node, [local derivative] of each edge
    a  1 | 3 --[1]----------------------------(+)--> L  3 | 1
               '--[2]--(*)--> p  2 | 1 --[1]---'
    b  2 | 1 --[1]------'

These are all values and gradients, written as `value | gradient`:

    a  [[1, 2, 3], [4, 5, 6]] | [[3, 1, 2], [2, 4, 0]]
    b  [[2, 0, 1], [1, 3, -1]] | [[1, 2, 3], [4, 5, 6]]
    L  39 | 1

    In PyTorch:  (a * b + a).sum().backward(); a.grad[1]  # tensor([2., 4., 0.])

Three things are new:

- numpy makes an array of ints from whole numbers. Gradients need floats: if x is an
  array of ints, `x += 0.5` raises an error.
- A gradient is None until its first contribution, as in PyTorch. `+` gives both of its
  inputs the same upstream gradient, which is one array. `x += y` changes the array of
  x itself. If another Tensor has the same array, its gradient changes, too.
- sum() makes one number of all numbers of its input. Its upstream gradient is a single
  number, and each number of the input needs a contribution.

Fill in the type of the numbers, `accumulate`, and the six rules. backward() is given.

The grader compares values and gradients with PyTorch's, also for Tensors with several
users and for whole numbers.

These are not graded: operands of different shapes; the derivative of relu at exactly 0.

To go on, read what numpy's arrays are:
https://numpy.org/doc/stable/user/absolute_beginners.html
"""

import numpy as np


class Tensor:
    """An array in the graph, with its gradient and the Tensors it was computed from."""

    def __init__(self, data, inputs=()):
        # TODO: which type do the numbers need, even if all of them are whole?
        raise NotImplementedError("arrays: which type do the numbers need, even if all of them are whole?")
        self.grad = None  # until the first contribution
        self._backward = lambda: None
        self._prev = inputs

    def __repr__(self):
        return f"Tensor(data={self.data}, grad={self.grad})"

    def accumulate(self, contribution):
        """Add a contribution, an array of the same shape, to the gradient."""
        # TODO: what if it is the first one? who else may have this array?
        raise NotImplementedError("arrays: what if it is the first one? who else may have this array?")

    def __mul__(self, other):
        out = Tensor(self.data * other.data, (self, other))

        def _backward():
            # TODO: what does each input receive?
            raise NotImplementedError("arrays: what does each input receive?")

        out._backward = _backward
        return out

    def __add__(self, other):
        out = Tensor(self.data + other.data, (self, other))

        def _backward():
            # TODO: what does each input receive?
            raise NotImplementedError("arrays: what does each input receive?")

        out._backward = _backward
        return out

    def sum(self):
        out = Tensor(self.data.sum(), (self,))

        def _backward():
            # TODO: out.grad is one number: what does each number receive?
            raise NotImplementedError("arrays: out.grad is one number: what does each number receive?")

        out._backward = _backward
        return out

    def relu(self):
        out = Tensor(np.maximum(self.data, 0), (self,))

        def _backward():
            # TODO: which numbers does relu let through?
            raise NotImplementedError("arrays: which numbers does relu let through?")

        out._backward = _backward
        return out

    def exp(self):
        out = Tensor(np.exp(self.data), (self,))

        def _backward():
            # TODO: what is the derivative of exp?
            raise NotImplementedError("arrays: what is the derivative of exp?")

        out._backward = _backward
        return out

    def tanh(self):
        out = Tensor(np.tanh(self.data), (self,))

        def _backward():
            # TODO: what is the derivative of tanh, from its output?
            raise NotImplementedError("arrays: what is the derivative of tanh, from its output?")

        out._backward = _backward
        return out

    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                for source in node._prev:
                    visit(source)
                order.append(node)

        visit(self)
        self.grad = np.ones_like(self.data)
        for node in reversed(order):
            node._backward()
