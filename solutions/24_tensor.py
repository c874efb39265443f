"""24 tensor: a whole engine again, and every value is an array

Write an engine whose values are arrays of numbers. An array of shape (2, 3) has six
numbers, in two rows of three. Each number has its own gradient, as six Values would.
A single number has the shape (). You may use numpy.

    1. Tensor(data) makes a leaf from a nested list of numbers, or from a single number.
       It has .data and .grad, and both have the same shape.
    2. +, -, * and / with another Tensor, -a, a.relu(), a.exp() and a.tanh() work on
       each number. If the shapes differ, numpy repeats the numbers of one operand along
       an axis: it broadcasts this operand.
    3. a.sum(axis=None, keepdims=False) adds up all numbers, or those along one axis.
    4. a @ b is the product of two matrices, that is, of two arrays with two axes.
    5. backward() begins at a Tensor of shape (), and gives every Tensor its gradient.

A gradient has the shape of its Tensor. If an operand was broadcast, each of its numbers
was used several times, so its gradient is the sum over all these uses.

    >>> a = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> b = Tensor([10, 20, 30])
    >>> ((a + b) * a).sum().backward()
    >>> b.grad
    array([5., 7., 9.])

b has the shape (3,) and was added to both rows of a. Look at the first column alone,
with Values: a and c are the two numbers of this column, and b is used twice. So two
contributions add up in b. They are 1 and 4.

    [figure: column]

    In PyTorch:  ((a + b) * a).sum().backward(); b.grad  # tensor([5., 7., 9.])

You can also accept plain numbers on either side of +, -, * and /. You can define a.mean
and a.max (like a.sum), a.reshape, a.transpose, a.T, a[index], and Tensor.stack and
Tensor.concat (of a list, with axis=0), as PyTorch and numpy do. Whatever you define is
checked. Leaving it out costs nothing.

How you build the engine is up to you, as in exercise 12. Numbers are floats with double
precision, as numpy makes them from Python's floats. It must be possible to call
backward() again after all gradients have been set back to 0.

The grader compares the shapes and the numbers of values and gradients with PyTorch's.
It takes any other engine in place of this one, with or without numpy.

These are not graded: the derivative of relu at exactly 0, max of two equal numbers, and
`@` with an array that has one axis or more than two. A Tensor may copy its data or not.
backward() begins with gradients that are 0.

To go on, read how numpy broadcasts:
https://numpy.org/doc/stable/user/basics.broadcasting.html
"""

import numpy as np


class Tensor:
    """An array that remembers how it was made."""

    # BEGIN SOLUTION what does a Tensor have to remember? what is each operation's rule?
    def __init__(self, data, inputs=()):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros_like(self.data)
        self._prev = inputs
        self._backward = lambda: None

    def _add(self, gradient):
        # sum over the axes along which the array was repeated
        gradient = gradient.sum(axis=tuple(range(gradient.ndim - self.data.ndim)))
        for axis, length in enumerate(self.data.shape):
            if length == 1:
                gradient = gradient.sum(axis=axis, keepdims=True)
        self.grad = self.grad + gradient

    def __add__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        out = Tensor(self.data + other.data, (self, other))

        def _backward():
            self._add(out.grad)
            other._add(out.grad)

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        out = Tensor(self.data * other.data, (self, other))

        def _backward():
            self._add(other.data * out.grad)
            other._add(self.data * out.grad)

        out._backward = _backward
        return out

    def __matmul__(self, other):
        out = Tensor(self.data @ other.data, (self, other))

        def _backward():
            self._add(out.grad @ other.data.T)
            other._add(self.data.T @ out.grad)

        out._backward = _backward
        return out

    def sum(self, axis=None, keepdims=False):
        out = Tensor(self.data.sum(axis=axis, keepdims=keepdims), (self,))

        def _backward():
            gradient = out.grad
            if axis is not None and not keepdims:
                gradient = np.expand_dims(gradient, axis)
            self._add(np.broadcast_to(gradient, self.data.shape))

        out._backward = _backward
        return out

    def mean(self, axis=None, keepdims=False):
        out = Tensor(self.data.mean(axis=axis, keepdims=keepdims), (self,))

        def _backward():
            kept = self.data.mean(axis=axis, keepdims=True).shape
            count = self.data.size // out.data.size
            self._add(np.broadcast_to(out.grad.reshape(kept), self.data.shape) / count)

        out._backward = _backward
        return out

    def max(self, axis=None, keepdims=False):
        out = Tensor(self.data.max(axis=axis, keepdims=keepdims), (self,))

        def _backward():
            largest = self.data.max(axis=axis, keepdims=True)
            self._add((self.data == largest) * out.grad.reshape(largest.shape))

        out._backward = _backward
        return out

    def reshape(self, *shape):
        out = Tensor(self.data.reshape(*shape), (self,))

        def _backward():
            self._add(out.grad.reshape(self.data.shape))

        out._backward = _backward
        return out

    def transpose(self, *axes):
        out = Tensor(self.data.transpose(*axes), (self,))

        def _backward():
            back = np.argsort(axes) if axes else None
            self._add(out.grad.transpose(back))

        out._backward = _backward
        return out

    @property
    def T(self):
        return self.transpose()

    def __getitem__(self, index):
        out = Tensor(self.data[index], (self,))

        def _backward():
            gradient = np.zeros_like(self.data)
            np.add.at(gradient, index, out.grad)
            self._add(gradient)

        out._backward = _backward
        return out

    @staticmethod
    def stack(tensors, axis=0):
        out = Tensor(np.stack([tensor.data for tensor in tensors], axis=axis), tuple(tensors))

        def _backward():
            for tensor, gradient in zip(tensors, np.moveaxis(out.grad, axis, 0), strict=True):
                tensor._add(gradient)

        out._backward = _backward
        return out

    @staticmethod
    def concat(tensors, axis=0):
        out = Tensor(np.concatenate([tensor.data for tensor in tensors], axis=axis), tuple(tensors))

        def _backward():
            ends = np.cumsum([tensor.data.shape[axis] for tensor in tensors])
            for tensor, gradient in zip(tensors, np.split(out.grad, ends[:-1], axis=axis), strict=True):
                tensor._add(gradient)

        out._backward = _backward
        return out

    def relu(self):
        out = Tensor(np.maximum(0, self.data), (self,))

        def _backward():
            self._add((self.data > 0) * out.grad)

        out._backward = _backward
        return out

    def tanh(self):
        out = Tensor(np.tanh(self.data), (self,))

        def _backward():
            self._add((1 - out.data**2) * out.grad)

        out._backward = _backward
        return out

    def exp(self):
        out = Tensor(np.exp(self.data), (self,))

        def _backward():
            self._add(out.data * out.grad)

        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __truediv__(self, other):
        divisor = other if isinstance(other, Tensor) else Tensor(other)
        out = Tensor(self.data / divisor.data, (self, divisor))

        def _backward():
            self._add(out.grad / divisor.data)
            divisor._add(-self.data / divisor.data**2 * out.grad)

        out._backward = _backward
        return out

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Tensor(other) / self

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

    # END SOLUTION
