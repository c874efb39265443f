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

    value | gradient of each node
    a           1 | 12
    c           4 | 18
    b           10 | 5
    s = a + b   11 | 1
    t = c + b   14 | 4
    u = s * a   11 | 1
    v = t * c   56 | 1
    L = u + v   67 | 1

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

    # TODO: what does a Tensor have to remember? what is each operation's rule?
    raise NotImplementedError("tensor: what does a Tensor have to remember? what is each operation's rule?")
