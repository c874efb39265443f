"""16 no_grad: what the graph holds on to

A node refers to its inputs, so if you keep a node, you keep the whole graph before it,
and gradients can flow back through it. Often you want only the number:

- `total = total + loss`, a sum for a log, is a node. It keeps the graphs of all losses
  in memory. Add up the numbers instead: loss.data.
- `detach` makes a new leaf with the same value. What is computed from it treats it as a
  constant: no gradient reaches the nodes before it.

    >>> a, b = Value(3.0), Value(2.0)
    >>> h = a * b
    >>> d = detach(h)
    >>> L = h * d
    >>> L.backward()
    >>> a.grad, b.grad, d.grad
    (12.0, 18.0, 6.0)

No line leads from h to d:

    [figure: detached]

    In PyTorch:  (a * b * (a * b).detach()).backward(); a.grad  # tensor(12.)

PyTorch has a block in which it makes no graph at all: `with torch.no_grad():`. Every
result in it is a constant. Use it for what needs no gradient, such as a test of a model
or a step of training, which changes the parameters. The number of a loss is loss.item().

The graph also keeps what a backward pass leaves there:

- After backward(), operations still have gradients. In a second pass on the same graph,
  h would contribute the sum of both passes. First set the gradients of all operations
  to 0. Those of the leaves add up, as always. PyTorch keeps no gradients of operations.
  It frees the graph after a pass, so a second one raises an error there, unless the
  first one was backward(retain_graph=True).
- The rule of `*` reads the values of its inputs during the backward pass. If a value
  changes between the forward and the backward pass, the gradients are wrong. PyTorch
  raises an error then. So change p.data only after backward().

Write the four functions. The engine below them is given.

The grader compares values and gradients with PyTorch's.

To go on, read what PyTorch's graph keeps:
https://docs.pytorch.org/docs/stable/notes/autograd.html
"""


def total(losses):
    """Return the sum of a list of losses as a number."""
    # BEGIN SOLUTION what do you add up, so that no graph is kept?
    return sum(loss.data for loss in losses)
    # END SOLUTION


def detach(node):
    """Return a new leaf with the value of a node. The node itself stays as it is."""
    # BEGIN SOLUTION what does a node need so that nothing leads back from it?
    return Value(node.data)
    # END SOLUTION


def backward_again(loss):
    """Run one more backward pass on a graph on which backward() has run.

    The gradients of the leaves grow by the contributions of this pass. `nodes_of(loss)`
    returns all nodes of the graph.
    """
    # BEGIN SOLUTION which gradients does the new pass have to find at 0?
    for node in nodes_of(loss):
        if node._prev:
            node.grad = 0.0
    loss.backward()
    # END SOLUTION


def backward_and_add(loss, p, amount):
    """Run the backward pass of loss, and add a number to p.data, for a parameter p.

    The gradients are those for the value that p had when loss was computed.
    """
    # BEGIN SOLUTION in which order?
    loss.backward()
    p.data += amount
    # END SOLUTION


class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def backward(self):
        self.grad = 1.0
        for node in reversed(nodes_of(self)):
            node._backward()


def nodes_of(root):
    """Return root and all nodes that it was computed from, each once, inputs first."""
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for source in node._prev:
                visit(source)
            order.append(node)

    visit(root)
    return order


if __name__ == "__main__":  # runs if this file is run as a program
    a, b = Value(3.0), Value(2.0)
    loss = a * b * a
    loss.backward()
    print("one pass:  ", a.grad, b.grad)
    backward_again(loss)
    print("two passes:", a.grad, b.grad)  # twice as much
    print("in total:  ", total([loss, loss]))
