"""01 record: operations write themselves down

A tape is a list. Whenever an operation computes something it notes on the tape what it has made, from
which inputs, and how strongly each input moves the result: the local gradient. Later the notes alone
will do for the backward pass; nobody has to remember what was a sum and what was a product.

    a = 2, b = -3, L = a * b = -6. Nudging a by 0.1 moves L by -0.3, which is -3 times as much; nudging
    b by 0.1 moves L by 2 times as much. So the tape gets a node with data = -6 and
    sources = ((a, -3), (b, 2)).

Fill `__add__` and `__mul__`: each calls `record` with its result and an (input, local gradient) pair
for each input. Fill `record`: it makes the node, puts it on the tape, and returns it. `backward`,
which reads the tape, is given.

`grade record` looks at the pairs of each node, and whether `backward` finds on your tape what it needs
to get PyTorch's gradients.
"""

tape = []


class Value:
    """A number; one that was computed knows its sources, (input, local gradient) pairs."""

    def __init__(self, data, sources=()):
        self.data = data
        self.grad = 0.0
        self.sources = sources

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        # TODO: how strongly does each input of + move the sum?
        raise NotImplementedError("record: how strongly does each input of + move the sum?")

    def __mul__(self, other):
        # TODO: how strongly does each factor move the product?
        raise NotImplementedError("record: how strongly does each factor move the product?")


def record(data, *sources):
    """A node with this number and these (input, local gradient) pairs, noted on the tape."""
    # TODO: what has to happen to a node after it is made?
    raise NotImplementedError("record: what has to happen to a node after it is made?")


def backward(root):
    """Read the tape from its end, and give every value its gradient."""
    root.grad = 1.0
    for node in reversed(tape):
        for source, local in node.sources:
            source.grad += local * node.grad


if __name__ == "__main__":  # for your own trials: python 01_record.py
    a, b = Value(2.0), Value(-3.0)
    L = a * b + a
    print(tape)  # -6.0, then -4.0
    backward(L)
    print(a, b)  # gradients -2.0 and 2.0
