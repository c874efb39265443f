"""15 softmax: from scores to a loss

A model gives a score, called a logit, to each possible answer. softmax makes the logits
into probabilities, which are positive and add up to 1. For the logits a and b, with s =
exp(a) + exp(b), the probabilities are exp(a) / s and exp(b) / s.

The loss is -log(p), where p is the probability of the right answer, the target. It is 0
if p is 1, and large if p is small. It is called the cross-entropy:

    >>> a, b = Value(0.0), Value(0.0)
    >>> [p.data for p in softmax([a, b])]
    [0.5, 0.5]
    >>> loss = cross_entropy([a, b], 0)  # the target is a, with the index 0
    >>> loss.backward()
    >>> round(loss.data, 4), a.grad, b.grad
    (0.6931, -0.5, 0.5)

Since log(exp(a) / s) = a - log(s), the loss is log(s) - a. It uses a twice.

    value | gradient of each node
    a                     0 | -0.5
    b                     0 | 0.5
    exp(a)                1 | 0.5
    exp(b)                1 | 0.5
    s = exp(a) + exp(b)   2 | 0.5
    log(s)                0.6931 | 1
    loss = log(s) - a     0.6931 | 1

    leaf   gradient   when it goes up by 0.1, loss moves by
    a      -0.5       -0.04875
    b      0.5        0.05125

    In PyTorch:  (torch.logaddexp(a, b) - a).backward(); a.grad  # tensor(-0.5000)

exp(1000) is too large for a float. The probabilities stay the same if you subtract one
number m from all logits. Take the largest logit as m, so that no exponent is above 0. m
is a plain number and gets no gradient: the loss does not change with m.

Even then, a probability can be so small that it is rounded to 0, and log(0) is not
defined. So compute the loss as log(s) - a, and not from the probability.

Write the three functions. The engine below them is given.

The grader compares values and gradients with PyTorch's, also for large logits.

To go on, read how a model classifies: https://cs231n.github.io/linear-classify/
"""

import math


def on_paper():
    """Return dL/da, dL/db and dL/dc as numbers.

    L = cross_entropy([a, b, c], 1), with a = log(2), b = 0 and c = 0. So exp(a) is 2.
    """
    # TODO: what does each logit contribute through exp, and b as the target?
    raise NotImplementedError("softmax: what does each logit contribute through exp, and b as the target?")


def softmax(logits):
    """Return the probabilities of a list of Values, as a list of Values.

    A tuple or an iterator of them is accepted, too.
    """
    # TODO: which number has to be subtracted, so that no exponent is above 0?
    raise NotImplementedError("softmax: which number has to be subtracted, so that no exponent is above 0?")


def cross_entropy(logits, target):
    """Return the loss, a Value: minus the log of the probability of logits[target]."""
    # TODO: how do you compute the loss without the log of a probability?
    raise NotImplementedError("softmax: how do you compute the loss without the log of a probability?")


class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def _node(self, data, *inputs):
        """Make a node. Each of `inputs` is a pair: a node and its local derivative."""
        out = Value(data, [node for node, _ in inputs])

        def _backward():
            for node, local in inputs:
                node.grad += local * out.grad

        out._backward = _backward
        return out

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._node(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._node(self.data * other.data, (self, other.data), (other, self.data))

    def __pow__(self, n):
        return self._node(self.data**n, (self, n * self.data ** (n - 1)))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):  # for sum(), which begins with 0
        return self + other

    def __rmul__(self, other):
        return self * other

    def exp(self):
        e = math.exp(self.data)
        return self._node(e, (self, e))

    def log(self):
        return self._node(math.log(self.data), (self, 1 / self.data))

    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                for source in node._prev:
                    visit(source)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()


if __name__ == "__main__":  # runs if this file is run as a program
    a, b, c = Value(math.log(2)), Value(0.0), Value(0.0)
    loss = cross_entropy([a, b, c], 1)
    loss.backward()
    print("on paper:   ", *on_paper())
    print("your engine:", a.grad, b.grad, c.grad)
    print("softmax:    ", *[p.data for p in softmax([a, b, c])])  # what is the difference?
