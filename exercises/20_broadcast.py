"""20 broadcast: a gradient has the shape of its Tensor

In exercise 19, both operands had the same shape. numpy also multiplies a matrix by a
row: it uses the row once for each row of the matrix. This is called broadcasting. Each
number of the row then has several uses, like a Value that is used several times.

    >>> a = Tensor([[1, 2, 3], [4, 0, -1]])
    >>> b = Tensor([10, 20, 30])
    >>> L = (a * b).sum()
    >>> L.backward()
    >>> b.grad
    array([5., 2., 2.])

The first number of b is 10. It is multiplied by 1 and by 4, the first numbers of the
two rows of a. With Values a, b and c for these three numbers, this is:

    value | gradient of each node, [local derivative] of each edge
    a   1 | 10 --[10]----.
                .--[1]--(*)--> p  10 | 1 --[1]---.
    b  10 | 5 --[4]-----.                       (+)--> L  50 | 1
                       (*)--> q  40 | 1 --[1]----'
    c   4 | 10 --[10]---'

Two contributions add up in b: 1 + 4 = 5. In the same way, the other two numbers of b
get 2 + 0 = 2 and 3 - 1 = 2.

    In PyTorch:  (a * b).sum().backward(); b.grad  # tensor([5., 2., 2.])

With arrays, the contributions to b are a * out.grad. This array has the shape (2, 3),
and b has the shape (3,). `unbroadcast` gets such an array and the shape of an operand.
It adds up the contributions to each number of the operand, and returns an array of the
operand's shape. If a result has the shape (2, 3), an operand can have these shapes:

    (2, 3)    It is not repeated.
    (3,)      It is repeated along axis 0, which it lacks.
    (1, 3)    It is repeated along axis 0, where it has the length 1.
    (2, 1)    It is repeated along axis 1, where it has the length 1.
    ()        It is a single number, repeated along both axes, which it lacks.

numpy compares shapes from their last axis on, so the axes that an operand lacks are the
first ones. Both operands can be repeated: (2, 1) and (1, 3) give the shape (2, 3).

accumulate() sets self.grad to self.grad + contribution. It needs a contribution of the
right shape: with one of shape (2, 3), a gradient of shape (3,) would get the shape
(2, 3), without an error. With `+=`, numpy would raise a ValueError.

Fill in `unbroadcast`, and then the rules of +, *, - and /. All else is given. In 2 * a
and 1 / a, the number becomes a Tensor of shape ().

The grader calls `unbroadcast` with arrays and shapes. It also compares values,
gradients and their shapes with PyTorch's.

To go on, read how PyTorch broadcasts:
https://docs.pytorch.org/docs/stable/notes/broadcasting.html
"""

import numpy as np


def unbroadcast(gradient, shape):
    """Add up the contributions to each number of an operand of this shape."""
    # TODO: along which axes was the operand repeated? which of them stay?
    raise NotImplementedError("broadcast: along which axes was the operand repeated? which of them stay?")


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
            # TODO: what does each input receive, and in which shape?
            raise NotImplementedError("broadcast: what does each input receive, and in which shape?")

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data * other.data, (self, other))

        def _backward():
            # TODO: what does each input receive, and in which shape?
            raise NotImplementedError("broadcast: what does each input receive, and in which shape?")

        out._backward = _backward
        return out

    def __sub__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data - other.data, (self, other))

        def _backward():
            # TODO: what does each input receive, and in which shape?
            raise NotImplementedError("broadcast: what does each input receive, and in which shape?")

        out._backward = _backward
        return out

    def __truediv__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data / other.data, (self, other))

        def _backward():
            # TODO: what does each input receive, and in which shape?
            raise NotImplementedError("broadcast: what does each input receive, and in which shape?")

        out._backward = _backward
        return out

    # a number on the left, as in 2 * a
    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return as_tensor(other) - self

    def __rtruediv__(self, other):
        return as_tensor(other) / self

    def sum(self):
        out = Tensor(self.data.sum(), (self,))

        def _backward():
            self.accumulate(np.full(self.data.shape, out.grad))

        out._backward = _backward
        return out

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
