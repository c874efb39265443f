"""03 reset: an empty tape for the next loss

A model is trained on one loss after another. One loss must not change the gradients of the next.
But gradients accumulate, and a tape that is never emptied grows with each loss.

    w = 3, L = w * w. backward(L) gives w.grad = 6. Now compute L = w * w and call backward(L) again
    without a reset. The second pass adds 6 to the existing 6, and it runs the old operation again,
    which adds another 6. So w.grad is 18. After reset() it is 6.

Fill in `mean_of_squares(errors)`. It returns the mean of the squares of a list of Values, as a
Value. For the errors 1 and -3 it is (1 + 9) / 2 = 5, and the gradients are 2 * 1 / 2 and 2 * -3 / 2.

Fill in `reset()`. Afterwards the tape is empty, and the gradient is 0 for every node that was on it
and for every input of such a node.

The grader computes losses with your functions and the given `backward`, and calls your `reset`
between them. It compares the gradients with PyTorch's.
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
    root.grad = 1.0
    for node in reversed(tape):
        for source, local in node.sources:
            source.grad += local * node.grad


def mean_of_squares(errors):
    """Return the mean of the squares of some Values, as a Value."""
    # BEGIN SOLUTION how do you divide with only + and *?
    total = Value(0.0)
    for error in errors:
        total = total + error * error
    return total * Value(1 / len(errors))
    # END SOLUTION


def reset():
    """Empty the tape, and set the gradients of its nodes and of their inputs to 0."""
    # BEGIN SOLUTION which gradients have to be set to 0, and what else has to be cleared?
    for node in tape:
        node.grad = 0.0
        for source, _ in node.sources:
            source.grad = 0.0
    tape.clear()
    # END SOLUTION


# The rest is given. The grader calls these functions with numbers.


def fresh(*numbers):
    """Empty the tape, and return a leaf for each number."""
    tape.clear()
    return [Value(number) for number in numbers]


def loss_of(*numbers):
    """Return the result of mean_of_squares, as a number."""
    return mean_of_squares(fresh(*numbers)).data


def gradients_of(*numbers):
    """Return the gradients of mean_of_squares, one for each number."""
    errors = fresh(*numbers)
    backward(mean_of_squares(errors))
    return [error.grad for error in errors]


def tape_after_reset(a, b):
    """Return the length of the tape after backward(L) for L = a * b + a, and a reset."""
    a, b = fresh(a, b)
    backward(a * b + a)
    reset()
    return len(tape)


def leaves_after_reset(a, b):
    """Return the gradients of a and b after backward(L) for L = a * b + a, and a reset."""
    a, b = fresh(a, b)
    backward(a * b + a)
    reset()
    return [a.grad, b.grad]


def results_after_reset(a, b):
    """Return the gradients of c and L after backward(L) for c = a * b, L = c + a, and a reset."""
    a, b = fresh(a, b)
    c = a * b
    L = c + a
    backward(L)
    reset()
    return [c.grad, L.grad]


def second_loss(w, x, y):
    """Return the gradients of w and x for L = (w * x) * y, after backward(w * x + w * w) and a reset."""
    w, x, y = fresh(w, x, y)
    backward(w * x + w * w)
    reset()
    backward((w * x) * y)
    return [w.grad, x.grad]


if __name__ == "__main__":  # runs if this file is run as a program
    print(loss_of(1.0, -3.0), gradients_of(1.0, -3.0))  # 5.0, then 1.0 and -3.0
    print(second_loss(3.0, 2.0, 5.0))  # 10.0 and 15.0
