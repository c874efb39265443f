"""02 replay: the tape, read from its end

Every operation stands on the tape after those that made its inputs. Read from the end, the tape gives
an order in which each node's gradient is complete before it is handed on, and nothing has to be sorted.

    a = 2, b = -3; c = a * b; L = c + a. The tape holds c with sources ((a, -3), (b, 2)), then L with
    sources ((c, 1), (a, 1)). L.grad = 1 starts the pass. L hands 1 to c and 1 to a; then c hands
    -3 * 1 to a and 2 * 1 to b. So a.grad = 1 - 3 = -2, and b.grad = 2.

Fill `backward(root)`: the root's gradient is 1; then, from the end of the tape to its beginning, every
node hands each of its sources the local gradient times its own gradient.

`grade replay` compares every gradient with PyTorch's, on graphs in which values are shared, and sees
whether your pass follows when what stands on the tape is changed.
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
        return record(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        return record(self.data * other.data, (self, other.data), (other, self.data))


def record(data, *sources):
    """A node with this number and these (input, local gradient) pairs, noted on the tape."""
    node = Value(data, sources)
    tape.append(node)
    return node


def backward(root):
    """Read the tape from its end, and give every value its gradient."""
    # TODO: where does the pass start, and what does each node hand on?
    raise NotImplementedError("replay: where does the pass start, and what does each node hand on?")


if __name__ == "__main__":  # for your own trials: python 02_replay.py
    a, b = Value(2.0), Value(-3.0)
    L = a * b + a
    backward(L)
    print(a, b)  # gradients -2.0 and 2.0
