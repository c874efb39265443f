"""13 descend: what the gradients are for

A gradient says which way is up. To make a loss smaller, step the other way: p.data -= rate *
p.grad, for every parameter p. Do so again and again, each time with fresh gradients, and the model
learns.

    One weight w = 3, loss = (w * 2 - 2) ** 2 = 16. dloss/dw = 2 * (w * 2 - 2) * 2 = 16. A step with
    rate 0.1: w = 3 - 0.1 * 16 = 1.4, and the loss is 0.64. Without zero_grad, the next pass would
    add its gradient to the 16 that is still there.

Fill the three functions:

    zero_grad(parameters)   every gradient back to 0
    step(parameters, rate)  every value a step against its gradient
    train(loss_of, parameters, steps, rate)
                            `steps` times: loss_of() builds the loss; gradients from scratch, whatever
                            the parameters held before; one step. Returns the list of the losses, each
                            as a number, taken before its step.

`grade descend` trains a neuron and a small network from the same start as PyTorch does, and
compares every loss on the way.
"""

import math


class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, exponent):
        out = Value(self.data**exponent, (self,), f"**{exponent}")

        def _backward():
            self.grad += exponent * self.data ** (exponent - 1) * out.grad

        out._backward = _backward
        return out

    def _function(self, result, slope, name):
        """A node for a function of one input, by its value and its local derivative."""
        out = Value(result, (self,), name)

        def _backward():
            self.grad += slope * out.grad

        out._backward = _backward
        return out

    def relu(self):
        return self._function(self.data if self.data > 0 else 0.0, 1.0 if self.data > 0 else 0.0, "relu")

    def tanh(self):
        t = math.tanh(self.data)
        return self._function(t, 1 - t * t, "tanh")

    def exp(self):
        e = math.exp(self.data)
        return self._function(e, e, "exp")

    def log(self):
        return self._function(math.log(self.data), 1 / self.data, "log")

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        return self._function(s, s * (1 - s), "sigmoid")

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self**-1 * other

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


def zero_grad(parameters):
    """Forget the gradients of the last pass."""
    # TODO: what should the next pass find in every .grad?
    raise NotImplementedError("descend: what should the next pass find in every .grad?")


def step(parameters, rate):
    """Move every parameter a little against its gradient."""
    # TODO: in which direction does the loss become smaller?
    raise NotImplementedError("descend: in which direction does the loss become smaller?")


def train(loss_of, parameters, steps, rate):
    """Take `steps` steps; return the losses, each as it was before its step."""
    # TODO: what happens in one round, and in which order?
    raise NotImplementedError("descend: what happens in one round, and in which order?")


# What follows is given: two models to train, and how they are trained.

POINTS = [((0.5, -1.0), 0.4), ((-1.5, 0.5), -0.8), ((1.0, 1.5), 0.9)]


def neuron_loss(w1, w2, b):
    """Squared errors of one tanh neuron on the points, added up."""
    return sum(((w1 * x1 + w2 * x2 + b).tanh() - y) ** 2 for (x1, x2), y in POINTS)


def network_loss(u1, u2, u3, v1, v2, v3, o1, o2, o3):
    """The same for two relu units and a linear output."""
    total = 0
    for (x1, x2), y in POINTS:
        u = (u1 * x1 + u2 * x2 + u3).relu()
        v = (v1 * x1 + v2 * x2 + v3).relu()
        total = total + (o1 * u + o2 * v + o3 - y) ** 2
    return total


def used_before(start):
    """Parameters in which some earlier pass has left gradients."""
    parameters = [Value(x) for x in start]
    for p in parameters:
        p.grad = 1.0
    return parameters


def train_neuron(steps, rate, *start):
    """The losses of a neuron, trained from `start` (w1, w2, b)."""
    parameters = used_before(start)
    return train(lambda: neuron_loss(*parameters), parameters, int(steps), rate)


def train_network(steps, rate, *start):
    """The losses of the network, trained from `start` (nine numbers)."""
    parameters = used_before(start)
    return train(lambda: network_loss(*parameters), parameters, int(steps), rate)


def gradients_after_zero_grad(*grads):
    """What zero_grad leaves of these gradients."""
    parameters = [Value(1.0) for _ in grads]
    for p, grad in zip(parameters, grads):
        p.grad = grad
    zero_grad(parameters)
    return [p.grad for p in parameters]


def values_after_step(rate, *numbers):
    """What step makes of parameters, given as value, gradient, value, gradient ..."""
    parameters = [Value(x) for x in numbers[::2]]
    for p, grad in zip(parameters, numbers[1::2]):
        p.grad = grad
    step(parameters, rate)
    return [p.data for p in parameters]


if __name__ == "__main__":  # for your own trials: python 13_descend.py
    print(train_neuron(20, 0.1, 0.3, -0.2, 0.0))  # the losses should fall
