"""13 descend: what the gradients are for

Together, the gradients of all parameters point in the direction in which the loss
increases fastest. To make the loss smaller, move every parameter p a small step in the
opposite direction: p.data -= rate * p.grad. The rate, a small number, sets the size of
the step. Repeating this, with fresh gradients each time, is called gradient descent.

    >>> w = Value(3.0)
    >>> losses = train(lambda: (w * 2 - 2) ** 2, [w], steps=2, rate=0.1)
    >>> [round(loss, 4) for loss in losses]
    [16.0, 0.64]
    >>> round(w.data, 4)
    1.08

At w = 3, the loss is 16, and its derivative with respect to w is 2 * (w * 2 - 2) * 2 =
16.

    value | gradient of each node
    w  3 | 16 --(* 2)--> 6 | 8 --(- 2)--> 4 | 8 --(** 2)--> loss  16 | 1

    step   w      loss     w.grad
    0      3      16       16
    1      1.4    0.64     3.2
    2      1.08   0.0256   0.64

    In PyTorch:  ((w * 2 - 2) ** 2).backward(); w.grad  # tensor(16.)

The first step leads to w = 3 - 0.1 * 16 = 1.4. There the loss is 0.64 and the
derivative is 3.2, so the second step leads to w = 1.4 - 0.1 * 3.2 = 1.08. Without
zero_grad, the second pass would have added its 3.2 to the 16 from the first pass.

Write the three functions. The engine below them is given.

The grader trains a neuron and a small network with your functions, and compares
the losses and the parameters with those of PyTorch, which starts from the same numbers.

For a bonus, write three classes whose parameters you can train. A Neuron multiplies
each input by its weight, adds a bias, and takes the tanh of the sum. A Layer has
neurons with the same inputs. An MLP, a multilayer perceptron, has layers: the outputs
of one are the inputs of the next one.

To go on, read more about gradient descent: https://cs231n.github.io/optimization-1/
"""

import math


def zero_grad(parameters):
    """Set the gradient of every parameter back to 0."""
    # TODO: what should the next backward pass find in every .grad?
    raise NotImplementedError("descend: what should the next backward pass find in every .grad?")


def step(parameters, rate):
    """Take one step of gradient descent: move every parameter."""
    # TODO: in which direction does the loss decrease?
    raise NotImplementedError("descend: in which direction does the loss decrease?")


def train(loss_of, parameters, steps, rate):
    """Take `steps` steps of gradient descent. Return the loss before each, as a list.

    The list holds numbers. loss_of() builds the graph of the loss and returns its root.
    The parameters may hold gradients from an earlier pass. steps is at least 1.
    """
    # TODO: what happens in each step, and in which order?
    raise NotImplementedError("descend: what happens in each step, and in which order?")


class Neuron:
    """The tanh of a sum: each input times its weight, and a bias."""

    def __init__(self, n, new):
        """Call new() for each parameter: the weights of the n inputs, and then the bias."""
        # TODO: how many parameters are there?
        raise NotImplementedError("descend: how many parameters are there?")

    def __call__(self, x):
        """Return the output, a node, for a list of n nodes."""
        # TODO: what is added up?
        raise NotImplementedError("descend: what is added up?")

    def parameters(self):
        """Return the list of the parameters, in the order in which they were made."""
        # TODO: which nodes should a step move?
        raise NotImplementedError("descend: which nodes should a step move?")


class Layer:
    """Neurons with the same inputs."""

    def __init__(self, n, count, new):
        """Make `count` neurons with n inputs each, one after the other."""
        # TODO: what does a neuron need?
        raise NotImplementedError("descend: what does a neuron need?")

    def __call__(self, x):
        """Return the list of the outputs of all neurons."""
        # TODO: which inputs does each neuron get?
        raise NotImplementedError("descend: which inputs does each neuron get?")

    def parameters(self):
        """Return the list of the parameters of all neurons."""
        # TODO: a list of lists, or one list?
        raise NotImplementedError("descend: a list of lists, or one list?")


class MLP:
    """Layers, of which each one gets the outputs of the one before."""

    def __init__(self, n, counts, new):
        """Make a layer for each number of neurons in `counts`. The first one has n inputs."""
        # TODO: how many inputs does each layer have?
        raise NotImplementedError("descend: how many inputs does each layer have?")

    def __call__(self, x):
        """Return the list of the outputs of the last layer."""
        # TODO: which inputs does each layer get?
        raise NotImplementedError("descend: which inputs does each layer get?")

    def parameters(self):
        """Return the list of the parameters of all layers."""
        # TODO: whose parameters are these?
        raise NotImplementedError("descend: whose parameters are these?")


def outputs_of(x, counts, parameters):
    """Return the outputs of an MLP whose parameters are those of a list, in this order."""
    return MLP(len(x), counts, parameters[::-1].pop)(x)


def squares_of(n, counts, parameters):
    """Return the sum of the squares of the parameters of such an MLP with n inputs."""
    total = Value(0.0)
    for p in MLP(n, counts, parameters[::-1].pop).parameters():
        total = total + p * p
    return total


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

    def __sub__(self, other):
        return self + other * -1

    def relu(self):
        return self._node(max(0.0, self.data), (self, float(self.data > 0)))

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
    w1, w2, b = Value(0.3), Value(-0.2), Value(0.0)

    def loss_of():
        """Return the sum of the squared errors of a neuron on two points."""
        first = (w1 * 0.5 + w2 * -1.0 + b).tanh() - 0.4
        second = (w1 * -1.5 + w2 * 0.5 + b).tanh() - -0.8
        return first**2 + second**2

    print(train(loss_of, [w1, w2, b], steps=20, rate=0.1))  # the losses decrease
