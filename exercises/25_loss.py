"""25 loss: a whole batch in one number

In exercise 15, each logit was a Value. A batch of examples has one array of logits. It
has a row for each example and a column for each class, so it has the shape (batch,
classes). Each row has probabilities of its own, which add up to 1.

The loss of a row is minus the log of its target's probability. The loss of a batch is
the mean of the losses of its rows, a single number:

    >>> z = Tensor([[0, 0, 0, 0], [0, 0, 0, 0]])
    >>> loss = cross_entropy(z, [2, 0])  # for each row, the index of its target
    >>> loss.backward()
    >>> z.grad
    array([[ 0.125,  0.125, -0.375,  0.125],
           [-0.375,  0.125,  0.125,  0.125]])

All probabilities are 0.25. In exercise 15, the gradient of a logit was its probability,
minus 1 for the target: 0.25 or -0.75. Here, each loss is one of two in a mean, so the
gradients are half as large.

softmax now makes a whole array in one operation, which has its own rule. Take a row of
two logits. Their exponentials u and v are 3 and 1, so the probabilities p and q are
0.75 and 0.25. The upstream gradients of p and q are 4 and 8:

    value | gradient of each node
    u           3 | -0.25
    v           1 | 0.75
    s = u + v   4 | -1.25
    p = u / s   0.75 | 4
    q = v / s   0.25 | 8
    x = 4 * p   3 | 1
    y = 8 * q   2 | 1
    L = x + y   5 | 1

u receives 4 * 0.25 = 1 through p, and -1.25 through the sum s, which p and q both use.
The logit receives 3 * -0.25 = -0.75, because its exponential is 3. The other logit
receives 1 * 0.75 = 0.75.

There is a shorter way to these numbers. The mean of the upstream gradients of the row,
weighted by the probabilities, is 0.75 * 4 + 0.25 * 8 = 5. The first logit receives
0.75 * (4 - 5), and the second one receives 0.25 * (8 - 5).

    >>> a = Tensor([[1.0986, 0]])
    >>> c = Tensor([[4, 8]])
    >>> (softmax(a) * c).sum().backward()

    In PyTorch:  (a.softmax(1) * c).sum().backward(); a.grad[0, 1]  # tensor(0.7500)

As in exercise 15, subtract the largest logit before `exp`, and take the log of a sum of
exponentials, not of a probability. The largest logits are a plain array: the results do
not change with them, so they need no gradient.

Fill in `on_paper`, `probabilities`, the rule of softmax, and `cross_entropy`, which can
be made of the operations below. The index z[[0, 1], [2, 0]] takes number 2 of row 0 and
number 0 of row 1. The loss can also have a rule of its own. The grader compares values,
gradients and shapes with PyTorch's, also for large logits.

To go on, read what PyTorch's cross-entropy can do:
https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
"""

import numpy as np


def on_paper():
    """Return the gradients of the three logits in the first row of z, as numbers.

    L = 8 * cross_entropy(z, [1, 0]). The rows of z are [log(2), 0, 0] and [0, 0, 0].
    The target of the first row has the index 1, and that of the second row the index 0.
    """
    # TODO: how much does a loss count in the mean, and what does the 8 do?
    raise NotImplementedError("loss: how much does a loss count in the mean, and what does the 8 do?")


def probabilities(logits):
    """Return the probabilities of each row, an array. `logits` is an array, too."""
    # TODO: by which sum is each number divided? what is subtracted first?
    raise NotImplementedError("loss: by which sum is each number divided? what is subtracted first?")


def softmax(logits):
    """Return the probabilities of each row, a Tensor of the shape of the logits."""
    p = probabilities(logits.data)
    out = Tensor(p, (logits,))

    def _backward():
        # TODO: what does each logit receive, and which sum has each row?
        raise NotImplementedError("loss: what does each logit receive, and which sum has each row?")

    out._backward = _backward
    return out


def cross_entropy(logits, targets):
    """Return the mean of the losses of all rows, a Tensor of shape ().

    `targets` is a list with an int for each row: the index of the right class.
    """
    # TODO: what is the loss of each row, without the log of a probability?
    raise NotImplementedError("loss: what is the loss of each row, without the log of a probability?")


def unbroadcast(array, shape):
    """Sum an array over the axes along which numpy repeated an operand of this shape."""
    array = array.sum(axis=tuple(range(array.ndim - len(shape))))
    for axis, length in enumerate(shape):
        if length == 1:
            array = array.sum(axis=axis, keepdims=True)
    return array


def as_tensor(x):
    """Return a Tensor, or a leaf for a plain array or number."""
    return x if isinstance(x, Tensor) else Tensor(x)


class Tensor:
    """An array in the graph, with its gradient and the Tensors it was computed from."""

    __array_ufunc__ = None  # so that numpy leaves `array + tensor` to the Tensor

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

    def __truediv__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data / other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(out.grad / other.data, self.data.shape))
            to_divisor = -self.data / other.data**2 * out.grad
            other.accumulate(unbroadcast(to_divisor, other.data.shape))

        out._backward = _backward
        return out

    def __matmul__(self, other):  # of two matrices
        out = Tensor(self.data @ other.data, (self, other))

        def _backward():
            self.accumulate(out.grad @ other.data.T)
            other.accumulate(self.data.T @ out.grad)

        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -as_tensor(other)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return as_tensor(other) / self

    def exp(self):
        out = Tensor(np.exp(self.data), (self,))

        def _backward():
            self.accumulate(out.data * out.grad)

        out._backward = _backward
        return out

    def log(self):
        out = Tensor(np.log(self.data), (self,))

        def _backward():
            self.accumulate(out.grad / self.data)

        out._backward = _backward
        return out

    def sum(self, axis=None, keepdims=False):
        out = Tensor(self.data.sum(axis=axis, keepdims=keepdims), (self,))
        kept = self.data.sum(axis=axis, keepdims=True).shape

        def _backward():
            self.accumulate(np.broadcast_to(out.grad.reshape(kept), self.data.shape))

        out._backward = _backward
        return out

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims)
        return total * (total.data.size / self.data.size)

    def __getitem__(self, index):
        out = Tensor(self.data[index], (self,))

        def _backward():
            contribution = np.zeros_like(self.data)
            np.add.at(contribution, index, out.grad)
            self.accumulate(contribution)

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


if __name__ == "__main__":  # runs if this file is run as a program
    z = Tensor([[np.log(2), 0, 0], [0, 0, 0]])
    (cross_entropy(z, [1, 0]) * 8).backward()
    print("on paper:   ", *on_paper())
    print("your engine:", *z.grad[0])
    print("softmax:    ", *softmax(z).data[0])  # what is the difference?
