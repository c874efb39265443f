"""21 reduce: sums and means along an axis

In exercise 20, sum() added up all numbers of an array, and each of them received the
upstream gradient of the result. With an axis, sum() adds up along this axis alone. Then
there are several sums, and each of them has an upstream gradient of its own.

    >>> a = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> b = Tensor([10, 100])
    >>> s = a.sum(axis=1)
    >>> s.data
    array([ 6., 15.])
    >>> L = (s * b).sum()
    >>> L.backward()
    >>> a.grad
    array([[ 10.,  10.,  10.],
           [100., 100., 100.]])

The first sum is 1 + 2 + 3 = 6. It is multiplied by 10, so its upstream gradient is 10.
With Values, x, y and z are these three numbers, t is their sum, and b is the 10:

    [figure: row]

Each number receives the upstream gradient of its own sum. The 4 is in the second sum
and receives 100.

    In PyTorch:  (a.sum(axis=1) * b).sum().backward(); a.grad[1, 0]  # tensor(100.)

The upstream gradient of s has the shape (2,), and the contribution to a needs the shape
(2, 3). numpy cannot broadcast (2,) to (2, 3), and raises a ValueError. If a has the
shape (2, 2), numpy can, and there is no error. But it compares shapes from their last
axis on, so it repeats (2,) as a row. Then numbers receive the gradients of other sums.

With keepdims=True, the axis stays, and has the length 1:

    >>> a.mean(axis=1, keepdims=True).data
    array([[2.],
           [5.]])

So a - a.mean(axis=1, keepdims=True) subtracts from each number the mean of its row.
Here a has two users: `-`, and the mean. Without an axis, keepdims=True keeps all axes,
with the shape (1, 1).

A mean is a sum, divided by how many numbers were added up. Each mean along axis 1 of a
is one of 3 numbers: (1 + 2 + 3) / 3 = 2. If its upstream gradient is 10, each of the
three numbers receives 10 / 3.

Fill in `sum` and `mean`. `axis` is None, for all numbers, or the number of one axis. -1
is the last axis. All else is given. The grader compares values, gradients and their
shapes with PyTorch's. Several axes at once are not graded.

To go on, read what numpy's sum takes:
https://numpy.org/doc/stable/reference/generated/numpy.sum.html
"""

import numpy as np


def unbroadcast(gradient, shape):
    """Add up the contributions to each number of an operand of this shape."""
    missing = gradient.ndim - len(shape)
    gradient = gradient.sum(axis=tuple(range(missing)))
    for axis, length in enumerate(shape):
        if length == 1:
            gradient = gradient.sum(axis=axis, keepdims=True)
    return gradient


def as_tensor(x):
    """Return a Tensor, or a leaf of shape () for a plain number."""
    return x if isinstance(x, Tensor) else Tensor(x)


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

    def __add__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data + other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(out.grad, self.data.shape))
            other.accumulate(unbroadcast(out.grad, other.data.shape))

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data * other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(other.data * out.grad, self.data.shape))
            other.accumulate(unbroadcast(self.data * out.grad, other.data.shape))

        out._backward = _backward
        return out

    def __sub__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data - other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(out.grad, self.data.shape))
            other.accumulate(unbroadcast(-out.grad, other.data.shape))

        out._backward = _backward
        return out

    def __truediv__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data / other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(out.grad / other.data, self.data.shape))
            other.accumulate(unbroadcast(-self.data / other.data**2 * out.grad, other.data.shape))

        out._backward = _backward
        return out

    # a number on the left, as in 2 * a
    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return as_tensor(other) - self

    def __rtruediv__(self, other):
        return as_tensor(other) / self

    def sum(self, axis=None, keepdims=False):
        # BEGIN SOLUTION which numbers does each upstream gradient belong to?
        out = Tensor(self.data.sum(axis=axis, keepdims=keepdims), (self,))

        def _backward():
            gradient = out.grad
            if axis is not None and not keepdims:
                gradient = np.expand_dims(gradient, axis)
            self.accumulate(np.broadcast_to(gradient, self.data.shape))

        out._backward = _backward
        return out
        # END SOLUTION

    def mean(self, axis=None, keepdims=False):
        # BEGIN SOLUTION by how many numbers is each sum divided? who contributes to it?
        total = self.sum(axis=axis, keepdims=keepdims)
        return total / (self.data.size // total.data.size)
        # END SOLUTION

    def exp(self):
        out = Tensor(np.exp(self.data), (self,))

        def _backward():
            self.accumulate(out.data * out.grad)

        out._backward = _backward
        return out

    def tanh(self):
        out = Tensor(np.tanh(self.data), (self,))

        def _backward():
            self.accumulate((1 - out.data**2) * out.grad)

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
