"""17 names: a language model on your engine

A language model computes how probable each letter is as the next one. This one learns
from short names. A letter is given by its index in LETTERS. The dot, with the index 0,
stands before and after each name, so the model also learns how names begin and end. A
bigram model predicts each letter from the one before it, so "ela" has four predictions:

    . -> e      e -> l      l -> a      a -> .

The table of the model has a row of logits for each letter. The loss on some names is
the mean of the cross-entropies of all their predictions:

    >>> table = [[Value(0.0) for _ in LETTERS] for _ in LETTERS]
    >>> loss = bigram_loss(["a"], table)  # . -> a and a -> .
    >>> loss.backward()
    >>> round(loss.data, 4), round(table[0][1].grad, 4)
    (1.6094, -0.4)

Here, every letter has the probability 0.2. Let c and d be the losses of the two
predictions, and L the mean.

    value | gradient of each node
    c  1.609 | 0.5 ---.
                     (+)--> 3.219 | 0.5 --(/ 2)--> L  1.609 | 1
    d  1.609 | 0.5 ---'

    In PyTorch:  ((c + d) / 2).backward(); c.grad  # tensor(0.5000)

The gradient of the first target's logit is 0.5 * (0.2 - 1) = -0.4, as in exercise 15.

A network can use more than one letter. This one uses two, its context. At the beginning
of a name, both are dots:

    .. -> e     .e -> l     el -> a     la -> .

- `embedding` has a row of two nodes for each letter, which training adjusts. The inputs
  x are the two nodes of the first letter, and then those of the second.
- A row of `hidden` has the weights of one neuron, one for each input, and then its
  bias b. The neuron computes tanh(w[0] * x[0] + ... + w[3] * x[3] + b).
- A row of `output` has a weight for each neuron, and then a bias. The weighted sum with
  the bias, without tanh, is the logit of one letter.

Write the five functions. The cross-entropy of exercise 15, the training of exercise 13
and an engine are given.

The grader compares values and gradients with PyTorch's, and also the loss in each of
20 steps of training. The replay shows how the model learns, and the names that
it makes. If your engine from exercise 12 passes, it trains the model there too.

To go on, read a larger model of names: https://github.com/karpathy/makemore
"""

import math
import random

LETTERS = ".aeln"


def guessing(n):
    """Return the loss, a number, if each of n letters has the same probability."""
    # TODO: what is the cross-entropy of a probability of 1 / n?
    raise NotImplementedError("names: what is the cross-entropy of a probability of 1 / n?")


def targets(name):
    """Return the indices of what is predicted: the letters of the name, and the dot."""
    # TODO: which index does each letter have, and what comes last?
    raise NotImplementedError("names: which index does each letter have, and what comes last?")


def bigram_loss(names, table):
    """Return the mean of the cross-entropies of all predictions in a list of names."""
    # TODO: which row of the table predicts each target?
    raise NotImplementedError("names: which row of the table predicts each target?")


def logits_of(context, embedding, hidden, output):
    """Return the logits of the next letter, a list. The context has two indices."""
    # TODO: what are the inputs of a neuron, and what are those of a logit?
    raise NotImplementedError("names: what are the inputs of a neuron, and what are those of a logit?")


def loss_of(names, embedding, hidden, output):
    """Return the mean of the network's cross-entropies in a list of names."""
    # TODO: how does the context change after each prediction?
    raise NotImplementedError("names: how does the context change after each prediction?")


def cross_entropy(logits, target):
    """Return minus the log of the probability of logits[target], as in exercise 15."""
    m = max(logit.data for logit in logits)
    total = sum((logit - m).exp() for logit in logits)
    return total.log() - (logits[target] - m)


def train(make_loss, parameters, steps, rate):
    """Take steps of gradient descent, as in exercise 13. Return the losses."""
    losses = []
    for _ in range(steps):
        loss = make_loss()
        for p in parameters:
            p.grad = 0.0
        loss.backward()
        for p in parameters:
            p.data -= rate * p.grad
        losses.append(loss.data)
    return losses


def generate(embedding, hidden, output):
    """Return a name that is drawn letter by letter, with the model's probabilities."""
    name, context = "", [0, 0]
    while len(name) < 12:
        weights = [math.exp(logit.data) for logit in logits_of(context, embedding, hidden, output)]
        (letter,) = random.choices(range(len(LETTERS)), weights)
        if letter == 0:
            break
        name, context = name + LETTERS[letter], [context[1], letter]
    return name


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
        return self * other**-1.0

    def __radd__(self, other):  # for sum(), which begins with 0
        return self + other

    def __rmul__(self, other):
        return self * other

    def exp(self):
        e = math.exp(self.data)
        return self._node(e, (self, e))

    def log(self):
        return self._node(math.log(self.data), (self, 1 / self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return self._node(t, (self, 1 - t * t))

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

    def rows(count, length):
        """Return a list of rows of parameters, with small random values."""
        return [[Value(random.uniform(-1, 1)) for _ in range(length)] for _ in range(count)]

    names = ["ela", "anna", "lea", "nela", "lena", "alan"]
    embedding, hidden, output = rows(len(LETTERS), 2), rows(4, 5), rows(len(LETTERS), 5)
    parameters = [p for part in (embedding, hidden, output) for row in part for p in row]
    losses = train(lambda: loss_of(names, embedding, hidden, output), parameters, steps=60, rate=0.7)
    print("guessing:", guessing(len(LETTERS)), " first loss:", losses[0], " last loss:", losses[-1])
    print(*[generate(embedding, hidden, output) for _ in range(10)])
