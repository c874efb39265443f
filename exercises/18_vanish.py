"""18 vanish: why deep chains die

A deep network is a chain of layers. Here each layer has one weight: h = tanh(w * h). On
the way back, each layer multiplies the gradient by w * (1 - h * h), where h is its
output. 1 - h * h is at most 1. So with small weights, the first layer gets only a small
gradient: it vanishes, and the first layers learn nothing. With large weights, it
explodes where h is near 0, and vanishes where h is near 1 or -1.

    >>> x, w = Value(0.0), Value(0.5)
    >>> outputs = deep(x, [w, w])
    >>> outputs[-1].backward()
    >>> x.grad, thermometer([x, *outputs])
    (0.25, [0.25, 0.5, 1.0])

At x = 0, every h is 0, so each layer multiplies the gradient by w.

    value | gradient of each node
    x                   0 | 0.25
    x * 0.5             0 | 0.5
    h = tanh(x * 0.5)   0 | 0.5
    h * 0.5             0 | 1
    L = tanh(h * 0.5)   0 | 1

    node   gradient   its size
    x      0.25       ########
    h      0.5        ################
    L      1          ################################

    In PyTorch:  ((x * 0.5).tanh() * 0.5).tanh().backward(); x.grad  # tensor(0.2500)

Two things help:

- The scale of the first weights. A layer with n inputs adds up n products of a weight
  and an input. If the inputs have a size of about 1 and random signs, the sum is about
  sqrt(n) times as large as one product. Choose the size of the weights so that the sum
  has a size of about 1. If you run the file, it prints the gradients of ten layers with
  ten inputs: for weights of 0.1, and for those of your `weight_scale`.
- A residual connection: h = h + tanh(w * h). On the way back, a layer now multiplies
  the gradient by 1 + w * (1 - t * t), where t is the tanh. The 1 lets the gradient
  through, however small w is.

Write the five functions. The engine below them is given.

The grader compares values and gradients with PyTorch's, for up to twenty layers,
and the replay draws the gradients of all layers.

To go on, read how the gradients of deep networks are kept alive:
https://en.wikipedia.org/wiki/Vanishing_gradient_problem
"""

import math
import random


def on_paper():
    """Return dL/dx at x = 0 for three chains of ten layers. L is the last output.

    The weights are 0.5 in the first chain and 2 in the second one. In the third one,
    they are 0.01, and the layers have a residual connection. Do not round, but write
    powers, such as 3**4.
    """
    # TODO: by which number does each layer multiply the gradient at x = 0?
    raise NotImplementedError("vanish: by which number does each layer multiply the gradient at x = 0?")


def deep(x, weights):
    """Return the outputs of all layers, first to last: h = tanh(w * h) for each weight.

    x is the input of the first layer.
    """
    # TODO: what is the input of each layer?
    raise NotImplementedError("vanish: what is the input of each layer?")


def thermometer(nodes):
    """Return the sizes of the nodes' gradients, without signs, as a list of numbers."""
    # TODO: where does a node keep its gradient?
    raise NotImplementedError("vanish: where does a node keep its gradient?")


def weight_scale(n):
    """Return the size of the weights of a layer with n inputs, for sums of about 1."""
    # TODO: how large is a sum of n products of random signs?
    raise NotImplementedError("vanish: how large is a sum of n products of random signs?")


def residual(x, weights):
    """Return the outputs of all layers: h = h + tanh(w * h) for each weight."""
    # TODO: what does each layer add to its input?
    raise NotImplementedError("vanish: what does each layer add to its input?")


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
    for name, layers in (("deep", deep), ("residual", residual)):
        for size in (0.5, 1.0, 2.0):
            x = Value(0.1)
            outputs = layers(x, [Value(size) for _ in range(20)])
            outputs[-1].backward()
            print(f"{name}, weights of {size}:")
            for grad in thermometer([x, *outputs])[::5]:
                bar = "#" * max(0, 30 + round(math.log10(grad + 1e-30)))
                print(f"{grad:12.3g} {bar}")

    n = 10  # a layer of ten neurons with ten inputs each: tanh(w[0] * h[0] + ... + w[9] * h[9])
    for size in (0.1, weight_scale(n)):
        layers = [[Value(random.choice((-1.0, 1.0))) for _ in range(n)]]
        for _ in range(10):
            rows = [[Value(random.choice((-size, size))) for _ in range(n)] for _ in range(n)]
            products = [[w * h for w, h in zip(row, layers[-1])] for row in rows]
            layers.append([sum(row, Value(0.0)).tanh() for row in products])
        sum(layers[-1], Value(0.0)).backward()
        print(f"layers of ten inputs, weights of {size:.3g}:")
        for layer in layers[::2]:
            print(f"{sum(thermometer(layer)) / n:12.3g}")  # the mean of a layer
