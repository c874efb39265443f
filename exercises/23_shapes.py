"""23 shapes: the same numbers in other places

reshape, transpose and an index compute nothing. Each number of the result is a number
of the input, in another place. So each number of the upstream gradient goes back to the
place that its number came from. A number can also be taken several times, or never:

    >>> a = Tensor([4, 7, 5])
    >>> c = Tensor([1, 2, 3])
    >>> L = (a[[0, 2, 2]] * c).sum()
    >>> L.backward()
    >>> a.grad
    array([1., 0., 5.])

The 5 has the index 2 and is taken twice. At its two places, c has the numbers 2 and 3.
With Values, x is this 5, and p and q are 2 and 3. Each use adds a contribution:

    value | gradient of each node
    x           5 | 5
    p           2 | 5
    q           3 | 5
    u = x * p   10 | 1
    v = x * q   15 | 1
    L = u + v   25 | 1

So its gradient is 2 + 3 = 5. The 4 is taken once and its gradient is 1. The 7 is never
taken and its gradient is 0.

    In PyTorch:  (a[[0, 2, 2]] * c).sum().backward(); a.grad  # tensor([1., 0., 5.])

A language model does this: it has a table with a row for each word, and takes one row
for each word of a text. In most texts, some words are there more than once.

Three things are new:

- a.reshape(3, 2) keeps the order of the numbers, row after row, and cuts them into rows
  of another length.
- a.transpose(1, 2, 0) puts axis 1 of a first, then axis 2, then axis 0. The shape
  (2, 3, 5) becomes (3, 5, 2). The same transpose again gives (5, 2, 3), so it does not
  lead back.
- `x[index] += y` reads numbers of x, adds y, and puts the results into x. If an index
  is there twice, the second result replaces the first one.

An index is a whole number, a slice such as 1:3, a list, or several of these: a[1],
a[:, 1:3], a[[0, 2, 2]], a[[0, 1], [2, 0]].

Fill in the three rules. All other rules are given. The grader compares values,
gradients and shapes with PyTorch's.

These are not graded: negative axes, and `transpose` without axes.

To go on, read how numpy's indices work:
https://numpy.org/doc/stable/user/basics.indexing.html
"""

import numpy as np


def unbroadcast(array, shape):
    """Sum an array over the axes along which numpy repeated an operand of this shape."""
    array = array.sum(axis=tuple(range(array.ndim - len(shape))))
    for axis, length in enumerate(shape):
        if length == 1:
            array = array.sum(axis=axis, keepdims=True)
    return array


class Tensor:
    """An array in the graph, with its gradient and the Tensors it was computed from."""

    def __init__(self, data, inputs=()):
        self.data = np.array(data, dtype=float)
        self.grad = None  # until the first contribution
        self._backward = lambda: None
        self._prev = inputs

    def __repr__(self):
        return f"Tensor(data={self.data}, grad={self.grad})"

    def accumulate(self, contribution):
        """Add a contribution, an array of the same shape, to the gradient."""
        if self.grad is None:
            self.grad = np.zeros_like(self.data)
        self.grad = self.grad + contribution

    def reshape(self, *shape):
        out = Tensor(self.data.reshape(*shape), (self,))

        def _backward():
            # TODO: which shape does the input need?
            raise NotImplementedError("shapes: which shape does the input need?")

        out._backward = _backward
        return out

    def transpose(self, *axes):
        out = Tensor(self.data.transpose(*axes), (self,))

        def _backward():
            # TODO: which transpose leads back?
            raise NotImplementedError("shapes: which transpose leads back?")

        out._backward = _backward
        return out

    def __getitem__(self, index):
        out = Tensor(self.data[index], (self,))

        def _backward():
            # TODO: where does each number go? what if it was taken twice?
            raise NotImplementedError("shapes: where does each number go? what if it was taken twice?")

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Tensor(self.data * other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(other.data * out.grad, self.data.shape))
            other.accumulate(unbroadcast(self.data * out.grad, other.data.shape))

        out._backward = _backward
        return out

    def __add__(self, other):
        out = Tensor(self.data + other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(out.grad, self.data.shape))
            other.accumulate(unbroadcast(out.grad, other.data.shape))

        out._backward = _backward
        return out

    def sum(self):
        out = Tensor(self.data.sum(), (self,))

        def _backward():
            self.accumulate(np.full(self.data.shape, out.grad))

        out._backward = _backward
        return out

    def relu(self):
        out = Tensor(np.maximum(self.data, 0), (self,))

        def _backward():
            self.accumulate((self.data > 0) * out.grad)

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
