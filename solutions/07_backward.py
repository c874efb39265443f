"""07 backward: the whole backward pass

The `_backward` of a node reads the node's own gradient and adds a contribution to the
gradient of each input. So the node's gradient has to be complete first: all users of a
node must propagate before the node does. That is what a topological order is for. The
function build_topo, which is given here, lists inputs before their users. If you read
its list backwards, users come before inputs.

    >>> a = Value(2.0)
    >>> b = a + 1
    >>> c = a * 3
    >>> d = b * c
    >>> d.backward()
    >>> b.grad, c.grad, a.grad
    (6.0, 3.0, 15.0)

The same graph:

    [figure: diamond]

    In PyTorch:  ((a + 1) * (a * 3)).backward(); a.grad  # tensor(15.)

The pass starts with d.grad = 1, because the derivative of d with respect to itself is
1. First, d propagates: b.grad becomes c.data = 6, and c.grad becomes b.data = 3. Then b
and c propagate, in either order: a.grad = 6 * 1 + 3 * 3 = 15. If b propagated before d,
b.grad would still be 0, and b's contribution of 6 would be lost. To check the result,
nudge a by 0.01: d becomes 3.01 * 6.03 = 18.1503, which is about 15 * 0.01 more than 18.

Write `backward`. It is called on the root of a graph in which all gradients are 0. If
all gradients are set back to 0, a second call must compute the same gradients again. (A
second call without such a reset is not checked.)

One backward pass computes the derivative of the root with respect to every node. This
method is called reverse-mode automatic differentiation.

The grader compares every gradient with PyTorch's, and checks the order in which
the `_backward` functions run.

To go on, read how one pass gives all derivatives:
https://en.wikipedia.org/wiki/Automatic_differentiation
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
        """Compute the gradient of every node that this node was computed from."""
        # BEGIN SOLUTION what is the root's gradient? in which order do nodes propagate?
        self.grad = 1.0
        for node in reversed(build_topo(self)):
            node._backward()
        # END SOLUTION


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
    a = Value(2.0)
    b = a + 1
    c = a * 3
    d = b * c
    d.backward()
    print(a)  # prints Value(data=2.0, grad=15.0)
