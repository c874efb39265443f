"""02 replay: the tape, read from its end

Every operation is on the tape after the operations that made its inputs. So if you read the tape
from its end, users come before inputs: each node's gradient is complete before the node propagates.
Nothing has to be sorted.

    a = 2, b = -3, c = a * b, L = c + a. The tape holds c with sources ((a, -3), (b, 2)), and then L
    with sources ((c, 1), (a, 1)). L.grad starts at 1. L contributes 1 to c and 1 to a. Then c
    contributes -3 * 1 to a and 2 * 1 to b. So a.grad = 1 - 3 = -2, and b.grad = 2.

Fill in `backward(root)`. Set the root's gradient to 1. Then go through the tape from its end to its
beginning: each node adds its own gradient times the local derivative to each of its sources.

The grader compares every gradient with PyTorch's, on graphs with shared values. It also changes
what is on the tape, and checks that the gradients change accordingly.
"""

tape = []


class Value:
    """A number. The result of an operation also has its sources: (input, local derivative) pairs."""

    def __init__(self, data, sources=()):
        self.data = data
        self.grad = 0.0
        self.sources = sources

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        return record(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        return record(self.data * other.data, (self, other.data), (other, self.data))


def record(data, *sources):
    """Make a node with this number and these (input, local derivative) pairs, append it to the tape, and return it."""
    node = Value(data, sources)
    tape.append(node)
    return node


def backward(root):
    """Compute the gradient of every value on the tape, and of their inputs."""
    # TODO: where does the pass start, and what does each node contribute?
    raise NotImplementedError("replay: where does the pass start, and what does each node contribute?")


if __name__ == "__main__":  # runs if this file is run as a program
    a, b = Value(2.0), Value(-3.0)
    L = a * b + a
    backward(L)
    print(a, b)  # gradients -2.0 and 2.0
