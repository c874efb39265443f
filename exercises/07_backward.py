"""07 backward: the whole pass

Every operation knows how to pass its gradient on, and build_topo gives an order. What is left is
the pass itself: the root's gradient is 1, because dL/dL = 1; then each node's `_backward` runs
once, users before inputs.

    a = 2, b = a + 1 = 3, c = a * 3 = 6, d = b * c = 18. The pass starts with d.grad = 1, gives
    b.grad = 6 and c.grad = 3, and only then runs b and c: a.grad = 6 * 1 + 3 * 3 = 15. Nudge a by
    0.01: b * c = 3.01 * 6.03 = 18.1503, about 15 times 0.01 more.

Fill `backward`. It is called on the root of a graph in which all gradients are 0, and it may be
called again: once they have been set back to 0, a second call gives the same gradients once more.
(Without setting them back it would add to what the first one left. That is no part of this.)

`grade backward` compares every gradient with PyTorch's, and watches which `_backward` runs when.
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

    def backward(self):
        """Give every node below this one its gradient."""
        # TODO: where does the pass start, and in which order does it go on?
        raise NotImplementedError("backward: where does the pass start, and in which order does it go on?")


def build_topo(root):
    """Every node below root and root itself, each once, inputs before the nodes computed from them."""
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


if __name__ == "__main__":  # for your own trials: python 07_backward.py
    a = Value(2.0)
    b = a + 1
    c = a * 3
    d = b * c
    d.backward()
    print(a)  # gradient 15.0
