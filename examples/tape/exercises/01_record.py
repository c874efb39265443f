"""01 record: operations record themselves

A tape is a list. Each operation appends its result to the tape, with its inputs and one local
derivative for each: the derivative of the result with respect to that input. The backward pass then
needs only the tape. It does not have to know which result is a sum and which is a product.

    a = 2, b = -3, L = a * b = -6. When a goes up by 0.1, L moves by -0.3, so dL/da is -3. When b
    goes up by 0.1, L moves by 0.2, so dL/db is 2. So the tape gets a node with data = -6 and
    sources = ((a, -3), (b, 2)).

Fill in `__add__` and `__mul__`. Each calls `record` with its result and an (input, local derivative)
pair for each input. Fill in `record`, which makes the node, appends it to the tape, and returns it.

The grader sends gradients through the pairs of each node and compares them with PyTorch's. It
also looks at what is on the tape after a few operations.
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
        # TODO: what is the derivative of the sum with respect to each input?
        raise NotImplementedError("record: what is the derivative of the sum with respect to each input?")

    def __mul__(self, other):
        # TODO: what is the derivative of the product with respect to each factor?
        raise NotImplementedError("record: what is the derivative of the product with respect to each factor?")


def record(data, *sources):
    """Make a node with this number and these (input, local derivative) pairs, append it to the tape, and return it."""
    # TODO: what has to happen to a node after it is made?
    raise NotImplementedError("record: what has to happen to a node after it is made?")


# The rest is given. The grader calls these functions with numbers.


def fresh(*numbers):
    """Empty the tape, and return a leaf for each number."""
    tape.clear()
    return [Value(number) for number in numbers]


def taped(a, b):
    """Return the numbers on the tape after c = a * b, d = c + a, L = d * c."""
    a, b = fresh(a, b)
    c = a * b
    d = c + a
    d * c  # this is recorded, too
    return [node.data for node in tape]


def tape_length(a, b):
    """Return the length of the tape after c = a * b, d = c + a, L = d * c."""
    return len(taped(a, b))


if __name__ == "__main__":  # runs if this file is run as a program
    a, b = Value(2.0), Value(-3.0)
    L = a * b
    print(tape)  # one node, with data -6.0
    print(L.sources)  # a with -3.0, b with 2.0
