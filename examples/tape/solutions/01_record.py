"""01 record: operations write themselves down

A tape is a list. Whenever an operation computes something it notes on the tape what it has made, from
which inputs, and how strongly each input moves the result: the local gradient. Later the notes alone
will do for the backward pass; nobody has to remember what was a sum and what was a product.

    a = 2, b = -3, L = a * b = -6. Nudging a by 0.1 moves L by -0.3, which is -3 times as much; nudging
    b by 0.1 moves L by 2 times as much. So the tape gets a node with data = -6 and
    sources = ((a, -3), (b, 2)).

Fill `__add__` and `__mul__`: each calls `record` with its result and an (input, local gradient) pair
for each input. Fill `record`: it makes the node, puts it at the end of the tape, and returns it.

`grade record` looks at the pairs of each node (it sends gradients through them and compares with
PyTorch) and at what stands on the tape after a few operations.
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
        # BEGIN SOLUTION how strongly does each input of + move the sum?
        return record(self.data + other.data, (self, 1.0), (other, 1.0))
        # END SOLUTION

    def __mul__(self, other):
        # BEGIN SOLUTION how strongly does each factor move the product?
        return record(self.data * other.data, (self, other.data), (other, self.data))
        # END SOLUTION


def record(data, *sources):
    """A node with this number and these (input, local gradient) pairs, noted on the tape."""
    # BEGIN SOLUTION what has to happen to a node after it is made?
    node = Value(data, sources)
    tape.append(node)
    return node
    # END SOLUTION


# What follows is given: what `grade record` calls with numbers.


def fresh(*numbers):
    """Leaves with these numbers, and an empty tape."""
    tape.clear()
    return [Value(number) for number in numbers]


def taped(a, b):
    """What is on the tape after c = a * b, d = c + a, L = d * c, as numbers."""
    a, b = fresh(a, b)
    c = a * b
    d = c + a
    d * c  # this, too, is noted
    return [node.data for node in tape]


def tape_length(a, b):
    """How much is on the tape after c = a * b, d = c + a, L = d * c."""
    return len(taped(a, b))


if __name__ == "__main__":  # for your own trials: python 01_record.py
    a, b = Value(2.0), Value(-3.0)
    L = a * b
    print(tape)  # one node, with data -6.0
    print(L.sources)  # a with -3.0, b with 2.0
