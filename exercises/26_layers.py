"""26 layers: a norm, and attention that looks back

Rows of an array are often tokens, such as the letters of a name. Layers of a language
model compute new rows from them. You write three layers as functions of Tensors. They
use the operations of the class Tensor below, which have their rules, so you write no
rule. Lengths of axes are in x.data.shape.

layer_norm(x, gain, bias) brings each row to the mean 0 and the variance 1. The variance
is the mean of the squared differences from the mean. The row 2, 6 has the mean 4, so
the differences are -2 and 2, and the variance is (4 + 4) / 2 = 4. Divided by its square
root, the row is -1, 1. Then each number is multiplied by its gain, and its bias is
added. Before the square root, 1e-5 is added, so that no row divides by 0:

    >>> x = Tensor([2, 6])
    >>> layer_norm(x, Tensor([1, 1]), Tensor([0, 0])).data.round(3)
    array([-1.,  1.])

    In PyTorch:  norm = torch.nn.LayerNorm(2, eps=0.0); norm(x).tolist()  # [-1.0, 1.0]

attention(q, k, v) lets each token look at itself and at the tokens before it. A token
has a query, a key and a value: its rows of q, k and v. The score of a query and a key
is the sum of the products of their numbers, divided by the square root of how many
numbers they have. Weights are the softmax of the scores, over the keys that the query
may see. The result is the sum of the values, each times its weight:

    >>> q, k, v = Tensor([[1], [0]]), Tensor([[1], [5]]), Tensor([[10], [20]])
    >>> attention(q, k, v).data
    array([[10.],
           [15.]])

The first token sees only itself, with the weight 1. The scores of the second one are
0 * 1 = 0 and 0 * 5 = 0, so both of its weights, r and s, are 0.5:

    value | gradient of each node
    r  0.5 | 10 --(10 *)--> m  5 | 1 ----.
                                        (+)--> y  15 | 1
    s  0.5 | 20 --(20 *)--> n  10 | 1 ---'

A token that comes later must not change a result. `future(n)` has -1e9 for each key
that comes after the query, and 0 elsewhere. exp(-1e9) is 0, so such a key gets no
weight, and no gradient.

heads(q, k, v, count) cuts each row into `count` parts of equal length. The first head
is the attention of the first parts, and so on. Each row of the result has the results
of all heads, one after the other. With `reshape` and `swapaxes`, the parts become a
batch of shape (heads, tokens, numbers). One call of attention is enough for it.

Fill in the three functions. The grader calls them with matrices, and the first two with
batches of matrices, too. It compares values and gradients with PyTorch's.

To go on, read the paper that called attention all you need:
https://arxiv.org/abs/1706.03762
"""

import numpy as np


def unbroadcast(array, shape):
    """Sum an array over the axes along which numpy repeated an operand of this shape."""
    array = array.sum(axis=tuple(range(array.ndim - len(shape))))
    for axis, length in enumerate(shape):
        if length == 1:
            array = array.sum(axis=axis, keepdims=True)
    return array


def as_tensor(x):
    """Return a Tensor, or a leaf for a plain number or an array."""
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

    def __pow__(self, n):
        out = Tensor(self.data**n, (self,))

        def _backward():
            self.accumulate(n * self.data ** (n - 1) * out.grad)

        out._backward = _backward
        return out

    def __matmul__(self, other):
        out = Tensor(self.data @ other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(out.grad @ other.data.swapaxes(-1, -2), self.data.shape))
            other.accumulate(unbroadcast(self.data.swapaxes(-1, -2) @ out.grad, other.data.shape))

        out._backward = _backward
        return out

    def exp(self):
        out = Tensor(np.exp(self.data), (self,))

        def _backward():
            self.accumulate(out.data * out.grad)

        out._backward = _backward
        return out

    def sum(self, axis=None, keepdims=False):
        out = Tensor(self.data.sum(axis=axis, keepdims=keepdims), (self,))

        def _backward():
            gradient = out.grad
            if axis is not None and not keepdims:
                gradient = np.expand_dims(gradient, axis)
            self.accumulate(np.broadcast_to(gradient, self.data.shape))

        out._backward = _backward
        return out

    def reshape(self, *shape):
        out = Tensor(self.data.reshape(*shape), (self,))

        def _backward():
            self.accumulate(out.grad.reshape(self.data.shape))

        out._backward = _backward
        return out

    def swapaxes(self, one, other):
        out = Tensor(self.data.swapaxes(one, other), (self,))

        def _backward():
            self.accumulate(out.grad.swapaxes(one, other))

        out._backward = _backward
        return out

    def __getitem__(self, index):
        out = Tensor(self.data[index], (self,))

        def _backward():
            contribution = np.zeros_like(self.data)
            np.add.at(contribution, index, out.grad)
            self.accumulate(contribution)

        out._backward = _backward
        return out

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis=axis, keepdims=keepdims)
        return total / (self.data.size // total.data.size)

    def __sub__(self, other):
        return self + as_tensor(other) * -1

    def __truediv__(self, other):
        return self * as_tensor(other) ** -1

    # a number on the left, as in 2 * a
    __radd__, __rmul__ = __add__, __mul__

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


def softmax(scores):
    """Return the softmax along the last axis."""
    e = (scores - scores.data.max(axis=-1, keepdims=True)).exp()
    return e / e.sum(axis=-1, keepdims=True)


def future(length):
    """Return an array with a row for each query and a column for each key.

    It has -1e9 where the key comes after the query, and 0 elsewhere.
    """
    places = np.arange(length)
    return np.where(places[None, :] > places[:, None], -1e9, 0.0)


def layer_norm(x, gain, bias):
    """Return x with each row brought to the mean 0 and the variance 1, times gain, plus bias."""
    # TODO: along which axis? what is the variance the mean of?
    raise NotImplementedError("layers: along which axis? what is the variance the mean of?")


def attention(q, k, v):
    """Return the weighted sum of the values that each query sees."""
    # TODO: which product has all scores? what is added before the softmax?
    raise NotImplementedError("layers: which product has all scores? what is added before the softmax?")


def heads(q, k, v, count):
    """Return the results of `count` heads, side by side."""
    # TODO: which axis is cut, and where does the axis of the heads have to be?
    raise NotImplementedError("layers: which axis is cut, and where does the axis of the heads have to be?")
