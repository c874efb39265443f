"""24 tensor: a whole engine again, and every value is an array

Write an engine whose values are arrays of numbers. An array of shape (2, 3) has six
numbers, in two rows of three. Each number has its own gradient, as six Values would.
The axes of this array have the lengths 2 and 3. A single number has the shape (). You
may use numpy: `np.array` makes an array from a nested list.

    1. Tensor(data) makes a leaf from a nested list of numbers, or from a single number.
       It has .data and .grad, and both have the same shape.
    2. +, -, * and / with another Tensor, -a, a.relu(), a.exp() and a.tanh() work on
       each number. If the shapes differ, numpy repeats the numbers of one operand along
       an axis: it broadcasts this operand.
    3. a.sum(axis=None, keepdims=False) adds up all numbers, or the numbers along one
       axis.
    4. a @ b is the product of two matrices, that is, of two arrays with two axes.
    5. backward() begins at a Tensor of shape (), and gives every Tensor its gradient.

A gradient has the shape of its Tensor. If an operand was broadcast, each of its numbers
was used several times, so its gradient is the sum over all these uses.

    >>> a = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> b = Tensor([10, 20, 30])
    >>> ((a + b) * a).sum().backward()
    >>> b.grad
    array([5., 7., 9.])

b has the shape (3,) and was added to both rows of a. The upstream gradient of a + b is
a, and the sum of its rows is 5, 7, 9. With s = a + b and L = (s * a).sum(), these are
the values and gradients, written as `value | gradient`:

    a  [[1, 2, 3], [4, 5, 6]] | [[12, 24, 36], [18, 30, 42]]
    b  [10, 20, 30] | [5, 7, 9]
    s  [[11, 22, 33], [14, 25, 36]] | [[1, 2, 3], [4, 5, 6]]
    L  551 | 1

The first column alone, as in exercise 12: here a and c are the two numbers of a, and b
is the first number of b. b has two uses, so two contributions add up.

    value | gradient of each node, [local derivative] of each edge
    a                       1 | 12
    c                       4 | 18
    b                       10 | 5
    s = a + b               11 | 1
    t = c + b               14 | 4
    s * a                   11 | 1
    t * c                   56 | 1
    L = (s * a) + (t * c)   67 | 1

    In PyTorch:  ((a + b) * a).sum().backward(); b.grad  # tensor([5., 7., 9.])

You can also accept plain numbers on either side of +, -, * and /, and define a.mean and
a.max (like a.sum), a.reshape, a.transpose, a.T, a[index], and Tensor.stack and
Tensor.concat (of a list, with axis=0). They take what PyTorch and numpy take. Whatever
you define is checked. Leaving it out costs nothing.

How you build the engine is up to you, as in exercise 12. Numbers are floats with double
precision, as numpy makes them from Python's floats. It must be possible to call
backward() again after all gradients have been set back to 0.

The grader compares the shapes and the numbers of values and gradients with PyTorch's.
It takes any other engine in place of this one, with or without numpy.

These are not graded: the derivative of relu at exactly 0; max of two equal numbers; `@`
with an array that has one axis, or more than two; whether a Tensor has a copy of the
array that it was made from; whether backward() adds to gradients that have not been set
back to 0.

To go on, read how numpy broadcasts:
https://numpy.org/doc/stable/user/basics.broadcasting.html
"""

import numpy as np


class Tensor:
    """An array that remembers how it was made."""

    # TODO: what does a Tensor have to remember? what is each operation's rule?
    raise NotImplementedError("tensor: what does a Tensor have to remember? what is each operation's rule?")
