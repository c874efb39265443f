"""06 build_topo: inputs first

The users of a node are the nodes that have it as an input. A node may propagate only
after all of its users have added their contributions. So a backward pass first puts the
nodes into a list in which every node comes after its inputs. The order of such a list
is called a topological order. If you read the list backwards, every node comes after
all of its users.

For b = a + a, c = a * b, L = b + c, one topological order is a, b, c, L. The order a,
c, b, L is not topological, because the node c comes before its input b. If you read
that list backwards, b propagates before c has added its contribution to b.grad. At a =
2:

    value | gradient of each node
                .---.----------------(*)--> c  8 | 1 --(+)--> L  12 | 1
    a  2 | 10 --|  (+)--> b  4 | 3 ---'-----------------'
                '---'

    calls     a.grad
    L, c, b   10
    L, b, c   6        too early: b
    c, L, b   2        too early: c
    c, b, L   0        too early: c, b
    b, L, c   4        too early: b
    b, c, L   0        too early: b, c

    In PyTorch:  (2 * a + a * (2 * a)).backward(); a.grad  # tensor(10.)

PyTorch sorts the nodes of its graph in the same way before it goes back through them.

A depth-first search produces such a list. To visit a node:
- If the node has been visited before, do nothing.
- Otherwise mark it as visited, visit each of its inputs, and only then append the node
  to the list.

Start by visiting the root. When that visit ends, the list is complete.

Fill in `build_topo(root)`. It returns a list of the root and all nodes that the root
was computed from, directly or through other nodes. Each node must appear exactly once,
after all nodes in its `_prev`. A graph can have several topological orders; any of them
will do. `build_topo` must not change the nodes, because it may be called again on the
same graph.

The grader checks the list for graphs with shared nodes. Two checks earn bonus
points. One builds chains of 1,200 and 25,000 nodes, which are too deep for recursion
under Python's usual limit. The other builds a stack of forty diamonds, in which about a
trillion paths lead from the root to one of the leaves. (A diamond is a graph in which
two paths lead from one node to a later one.)

To go on, read about other ways to sort:
https://en.wikipedia.org/wiki/Topological_sorting
"""


class Value:
    """A number in the graph, with its gradient and the nodes it was computed from."""

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
    """Return root and all nodes it was computed from, each once, inputs first."""
    # TODO: when may a node be appended to the list?
    raise NotImplementedError("build_topo: when may a node be appended to the list?")


if __name__ == "__main__":  # runs if this file is run as a program
    a = Value(2.0)
    b = a + a
    c = a * b
    L = b + c
    print([node.data for node in build_topo(L)])  # prints [2.0, 4.0, 8.0, 12.0]
