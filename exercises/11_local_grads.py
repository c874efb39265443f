"""11 local_grads: the same engine without closures

A closure per node is one way to remember how to go back. Another: since every local derivative is a
number that is known as soon as the node is made, keep those numbers. Each node has `_children`, the
nodes it was computed from, and `_local_grads`, its derivative by each of them in the same order.
One loop then does the backward pass for every operation there is.

    a = 2, b = -3, e = a * b: e._children = (a, b), e._local_grads = (-3, 2). Later, with e.grad =
    4, the loop adds -3 * 4 to a.grad and 2 * 4 to b.grad. It never needs to know that e was a
    product.

Fill `__add__`, `__mul__` and `relu` (make the node, with its children and local derivatives), and
`backward`: the root's gradient is 1; then, users before inputs, every node hands its children their
local derivative times its own gradient. It may be called again, on the same node or on another: once
all gradients have been set back to 0, nothing is left of the pass before.

`grade local_grads` asks for the same answers as from the closures, on the same programs.
"""


class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _children=(), _local_grads=()):
        self.data = data
        self.grad = 0.0
        self._children = _children
        self._local_grads = _local_grads

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        # TODO: what is the derivative of a sum by each input?
        raise NotImplementedError("local_grads: what is the derivative of a sum by each input?")

    def __mul__(self, other):
        # TODO: what is the derivative of a product by each input?
        raise NotImplementedError("local_grads: what is the derivative of a product by each input?")

    def relu(self):
        # TODO: what is the derivative of relu where it is alive, and where not?
        raise NotImplementedError("local_grads: what is the derivative of relu where it is alive, and where not?")

    def backward(self):
        """Give every node below this one its gradient."""
        # TODO: what does a node hand to each of its children?
        raise NotImplementedError("local_grads: what does a node hand to each of its children?")


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
            stack.extend((source, False) for source in node._children)
    return order


if __name__ == "__main__":  # for your own trials: python 11_local_grads.py
    a, b = Value(2.0), Value(-3.0)
    L = a * b + a
    L.backward()
    print(a, b)  # gradients -2.0 and 2.0
