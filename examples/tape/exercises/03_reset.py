"""03 reset: a fresh tape for the next loss

A model is trained on one loss after the other. What the last one has left behind must not get into the
next: gradients are added to what is there, and a tape that is never emptied grows for ever.

    w = 3, L = w * w. backward(L) gives w.grad = 6. The same once more, L = w * w and backward(L), without
    a reset: the second pass adds 6 to the 6 that is there and runs the old notes too, and w.grad = 18.
    After reset() it is 6.

Fill `mean_of_squares(errors)`: the sum of the squares of a list of Values, divided by how many they are,
as a Value. For errors 1 and -3 it is (1 + 9) / 2 = 5, and the gradients are 2 * 1 / 2 and 2 * -3 / 2.
Fill `reset()`: afterwards the tape is empty, and the gradient of everything that was on it, or was an
input of something on it, is 0.

`grade reset` takes losses of your making through the given `backward`, calls your `reset` between them,
and compares what is left, and what comes next, with PyTorch.
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
    root.grad = 1.0
    for node in reversed(tape):
        for source, local in node.sources:
            source.grad += local * node.grad


def mean_of_squares(errors):
    """The mean of the squares of some Values."""
    # TODO: what is divided by what, when there are only + and *?
    raise NotImplementedError("reset: what is divided by what, when there are only + and *?")


def reset():
    """Forget what the last loss left behind."""
    # TODO: which gradients have to go, and what else?
    raise NotImplementedError("reset: which gradients have to go, and what else?")


# What follows is given: what `grade reset` calls with numbers.


def fresh(*numbers):
    """Leaves with these numbers, and nothing on the tape from before."""
    tape.clear()
    return [Value(number) for number in numbers]


def loss_of(*numbers):
    """The number that mean_of_squares gives."""
    return mean_of_squares(fresh(*numbers)).data


def slopes_of(*numbers):
    """The gradients of mean_of_squares, one for each number."""
    errors = fresh(*numbers)
    backward(mean_of_squares(errors))
    return [error.grad for error in errors]


def tape_after_reset(a, b):
    """How much is on the tape after a pass for L = a * b + a and a reset."""
    a, b = fresh(a, b)
    backward(a * b + a)
    reset()
    return len(tape)


def leaves_after_reset(a, b):
    """The gradients of a and b after a pass for L = a * b + a and a reset."""
    a, b = fresh(a, b)
    backward(a * b + a)
    reset()
    return [a.grad, b.grad]


def results_after_reset(a, b):
    """The gradients of c and L after a pass for c = a * b, L = c + a and a reset."""
    a, b = fresh(a, b)
    c = a * b
    L = c + a
    backward(L)
    reset()
    return [c.grad, L.grad]


def second_loss(w, x, y):
    """The gradients of w and x for L = (w * x) * y, after a pass for w * x + w * w and a reset."""
    w, x, y = fresh(w, x, y)
    backward(w * x + w * w)
    reset()
    backward((w * x) * y)
    return [w.grad, x.grad]


if __name__ == "__main__":  # for your own trials: python 03_reset.py
    print(loss_of(1.0, -3.0), slopes_of(1.0, -3.0))  # 5.0, then 1.0 and -3.0
    print(second_loss(3.0, 2.0, 5.0))  # 10.0 and 15.0
