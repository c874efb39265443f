"""06 build_topo: an order in which nothing comes too early

A node can pass its gradient on only when it has all of it, that is, after every node that uses it.
So before the backward pass the nodes are put in a row: inputs before the nodes computed from them.
That row is a topological order; walking it from the end meets every user before its inputs.

    b = a + a, c = a * b, L = b + c. One such row is a, b, c, L. In the row a, c, b, L the node c
    stands before its input b: walking it backwards, b would pass on its gradient before c has added
    to it.

Fill `build_topo(root)`: return a list with every node that root was computed from, root itself
included, each exactly once and after all nodes in its `_prev`. Often several orders are right; any
of them will do.

`grade build_topo` looks at the list for graphs with shared nodes. For a bonus it tries a chain of
20,000 nodes, too deep for recursion, and forty diamonds on top of each other, in which there are a
million million paths.
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
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out


def build_topo(root):
    """Every node below root and root itself, each once, inputs before the nodes computed from them."""
    # TODO: when may a node be put into the list?
    raise NotImplementedError("build_topo: when may a node be put into the list?")


if __name__ == "__main__":  # for your own trials: python 06_build_topo.py
    a = Value(2.0)
    b = a + a
    c = a * b
    L = b + c
    print([node.data for node in build_topo(L)])  # 2.0, 4.0, 8.0, 12.0
