"""08 relu: active or not

relu(x) is x if x is positive, and 0 otherwise. Its local derivative is 1 for x > 0 and
0 for x < 0. At exactly 0, relu has a corner and no derivative, so every library has to
choose a value. PyTorch uses 0, and so does this course.

    >>> w, x = Value(-2.0), Value(3.0)
    >>> L = (w * x).relu() * 5
    >>> L.backward()
    >>> w.grad
    0.0

Here the input of relu is w * x = -6, so the local derivative is 0. The upstream
gradient is 5, but the contribution to the gradient of w * x is 0 * 5 = 0, and so w.grad
is 3 * 0 = 0.

    [figure: inactive]

    In PyTorch:  (torch.relu(w * x) * 5).backward(); w.grad  # tensor(0.)

We say that the unit, (w * x).relu(), is inactive for this input. For another input it
can be active: with x = -3, the input of relu is 6, and w.grad = -3 * 5 = -15.

    >>> w, x = Value(-2.0), Value(-3.0)
    >>> L = (w * x).relu() * 5
    >>> L.backward()
    >>> w.grad
    -15.0

A unit that is inactive for every input in the training data is called dead. Its weights
always receive a gradient of 0, so training no longer changes them.

Write `relu`: make the output node, give it a `_backward`, and return it. `__add__`
shows the pattern.

The grader tries relu with positive inputs, with negative inputs and at exactly 0. It
also tries relu inside a neuron.

To go on, read about relu and the dead unit:
https://en.wikipedia.org/wiki/Rectifier_(neural_networks)
"""


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

    def relu(self):
        """Return a node with this value if it is positive, and with 0 otherwise."""
        # BEGIN SOLUTION what does relu return? what does its `_backward` contribute?
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (self.data > 0) * out.grad

        out._backward = _backward
        return out
        # END SOLUTION

    def backward(self):
        """Compute the gradient of every node that this node was computed from."""
        self.grad = 1.0
        for node in reversed(build_topo(self)):
            node._backward()


def build_topo(root):
    """Return root and all nodes it was computed from, each once, inputs first."""
    order, visited = [], set()
    stack = [(root, False)]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            order.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order


if __name__ == "__main__":  # runs if this file is run as a program
    w, x = Value(-2.0), Value(3.0)
    L = (w * x).relu() * 5
    L.backward()
    print(w)  # prints Value(data=-2.0, grad=0.0)
