"""22 matmul: many products and sums in one operation

`@` multiplies two matrices. Each number of a @ b is a row of a times a column of b:
number by number, and then added up. So it is made of your products and sums. A row of a
has to be as long as a column of b. With the shapes (2, 3) and (3, 2), it is, and the
result has the shape (2, 2).

    >>> a = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> b = Tensor([[3, 5], [2, 0], [0, 1]])
    >>> c = Tensor([[2, 1], [-1, 3]])
    >>> L = ((a @ b) * c).sum()
    >>> L.backward()
    >>> a.grad
    array([[11.,  4.,  1.],
           [12., -2.,  3.]])

The first number of a is 1. It is used in both numbers of the first row of a @ b: as
1 * 3, and as 1 * 5. With Values, x is this 1, and u and v are the two products. The
upstream gradients of the first row of a @ b are the first row of c: 2 and 1.

    value | gradient of each node
    x           1 | 11
    p           3 | 2
    q           5 | 1
    u = x * p   3 | 2
    v = x * q   5 | 1
    w = 2 * u   6 | 1
    L = w + v   11 | 1

Two contributions add up: 2 * 3 + 1 * 5 = 11. The first number of b is 3. It is used in
both numbers of the first column of a @ b, times 1 and times 4. There, the upstream
gradients are 2 and -1, so the gradient is 2 * 1 - 1 * 4 = -2.

    In PyTorch:  ((a @ b) * c).sum().backward(); a.grad[0]  # tensor([11.,  4.,  1.])

An array of shape (5, 2, 3) is a batch of five matrices: the last two axes are those of
the matrices. If a and b are batches of equal length, `@` multiplies the first matrix of
a and the first one of b, and so on. If only one of them is a batch, numpy repeats the
other one: each matrix of the batch meets the same matrix. An axis of length 1 is
repeated, too, as in an addition. There can be several batch axes.

    shape of x   x.T         x.swapaxes(-1, -2)
    (2, 3)       (3, 2)      (3, 2)
    (5, 2, 3)    (3, 2, 5)   (5, 3, 2)

Fill in the rule of `@`. The other rules are given, and so is `unbroadcast`, which they
use. The grader compares values, gradients and shapes with PyTorch's.

A bonus check has inputs with one axis. On the left, such a vector is a matrix with one
row. On the right, it is a matrix with one column. The result has no axis for it: the
shapes (3,) and (3, 2) give (2,). The upstream gradient has this shape, too. The rule
needs the axis while it multiplies. Its contribution to the vector has the shape (3,).

Not graded: the derivative of relu at exactly 0.

To go on, read what numpy says about `@`:
https://numpy.org/doc/stable/reference/generated/numpy.matmul.html
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

    def __matmul__(self, other):
        out = Tensor(self.data @ other.data, (self, other))

        def _backward():
            # TODO: which product is each contribution, and which shape has it?
            raise NotImplementedError("matmul: which product is each contribution, and which shape has it?")

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
