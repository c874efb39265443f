"""05 predict: gradients on paper

You work out gradients on paper here, one function at a time: each returns the numbers
that its docstring asks for, in that order. If it asks for dL/da, dL/db and dL/dc of
L = a * b + c at a = 2, b = 3, c = 4, it returns 3, 2, 1.

    value | gradient of each node
    a  2 | 3 ---.
               (*)--> 6 | 1 ---.
    b  3 | 2 ---'             (+)--> L  10 | 1
                               |
    c  4 | 1 ------------------'

To find a gradient, multiply the local derivatives along each path from the value to the
result. If there are several paths, add up their products. These are the local
derivatives:

- out = a + b: 1 with respect to a, 1 with respect to b
- out = a * b: b with respect to a, a with respect to b
- out = x**2: 2 * x
- out = tanh(x): 1 - out**2, which is 1 at x = 0 and close to 0 when x is far from 0
- out = relu(x): 1 if x > 0, and 0 otherwise (relu(x) is x if x > 0, and 0 otherwise)

A gradient is a rate: how far the result moves, divided by how far one value moves, if
that value moves only a little. For f = relu(a * b + d) at a = 2, b = -3, d = 10, the
input of relu is 4. It is positive, so relu is called active:

    value | gradient of each node
    a   2 | -3 ---.
                 (*)--> -6 | 1 ---.
    b  -3 | 2 ----'              (+)--> 4 | 1 --(relu)--> f  4 | 1
                                  |
    d  10 | 1 --------------------'

    leaf   gradient   when it goes up by 0.1, f moves by
    a      -3         -0.3
    b      2          0.2
    d      1          0.1

As long as relu stays active, f is linear in each input, so these numbers are exact. But
when a goes up by 2, the input of relu becomes -2 and f becomes 0: f moves by -4, not by
2 * -3 = -6.

You can check your numbers with PyTorch. Write such lines at the end of this file:

    import torch
    a, b, c = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0, 4.0))
    L = a * b + c
    L.backward()
    print(a.grad, b.grad, c.grad)  # tensor(3.) tensor(2.) tensor(1.)

The grader says which numbers are wrong, but not what they should be.

To go on, read how gradients flow in a circuit: https://cs231n.github.io/optimization-2/
"""

import math


def product_of_sum():
    """Return dL/da, dL/db and dL/dc for L = (a + b) * c at a = 2, b = -3, c = 10."""
    # TODO: which local derivatives lie on the path from each value to L?
    raise NotImplementedError("predict: which local derivatives lie on the path from each value to L?")


def alive():
    """Return dL/da, dL/db and dL/dd for L = relu(a * b + d) at a = 2, b = 3, d = 1."""
    # TODO: is the input of relu positive?
    raise NotImplementedError("predict: is the input of relu positive?")


def dead_weight():
    """Return dL/dw for n = w * x, o = relu(n), L = o * 5 at w = -2, x = 3."""
    # TODO: what is the local derivative of relu at this n?
    raise NotImplementedError("predict: what is the local derivative of relu at this n?")


def scaled_square():
    """Return dL/dx for L = relu(3 * x**2) at x = 5."""
    # TODO: what is the derivative of 3 * x**2?
    raise NotImplementedError("predict: what is the derivative of 3 * x**2?")


def diamond():
    """Return dd/db, dd/dc and dd/da for b = a + 1, c = a * 3, d = b * c at a = 2."""
    # TODO: which two paths lead from a to d?
    raise NotImplementedError("predict: which two paths lead from a to d?")


def closed_form():
    """Return dd/da at a = 5 and at a = -2 for the same diamond, from its closed form.

    d = (a + 1) * (a * 3) = 3 * a**2 + 3 * a. Differentiate this with respect to a.
    At a = 2, the derivative must be equal to the dd/da that `diamond` returns.
    """
    # TODO: what is the derivative of 3 * a**2 + 3 * a?
    raise NotImplementedError("predict: what is the derivative of 3 * a**2 + 3 * a?")


def neuron():
    """Return do/dw1 and do/dx1 for n = x1 * w1 + x2 * w2 + b, o = tanh(n).

    Here x1 = 2, w1 = -3, x2 = 0, w2 = 1, b = 6.693147180559945. The bias b is chosen so
    that n is 0.6931471805599454. Then o is 0.6, and o**2 is 0.36.
    """
    # TODO: what is the local derivative of tanh at this n?
    raise NotImplementedError("predict: what is the local derivative of tanh at this n?")


def zero_input():
    """Return do/dw2, do/dx2 and do/db for the same neuron. Its input x2 is 0."""
    # TODO: how far does x2 * w2 move when only w2 moves, or only x2?
    raise NotImplementedError("predict: how far does x2 * w2 move when only w2 moves, or only x2?")


def rank_and_sign():
    """Return the ranks of a, b, c and d, each with a sign, for L = a * b + c * d.

    Here a = 2, b = -3, c = 10, d = 0.5. Rank 1 goes to the input that moves L most when
    it moves a little, rank 4 to the one that moves L least. The sign is + if L goes up
    when the input goes up, and - if L goes down. For example, 1, -2, 3, 4 means that a
    moves L most, that b comes second, and that L goes down when b goes up.
    """
    # TODO: what is the gradient of each input, and what is its absolute value?
    raise NotImplementedError("predict: what is the gradient of each input, and what is its absolute value?")


def concepts():
    """Answer four questions. Return the number of the right option for each.

    For example, return 1, 1, 1, 1.

    Define-by-run: when is the graph of an expression built, here and in PyTorch?
        1. Before the program runs, from its source.
        2. When backward() is called.
        3. While the expression is computed: each operation records its inputs.
    Accumulate: why does `_backward` use `+=` and not `=`?
        1. So that backward() can be called twice.
        2. Because a value can be used several times, and every use adds a contribution.
        3. Because gradients grow while a network learns.
    Reverse order: why does the backward pass go from the root to the leaves?
        1. Because a node's gradient must be complete before the node propagates.
        2. Because the values have to be computed again.
        3. Because leaves have nothing to propagate.
    zero_grad: what is it for?
        1. It sets the parameters back to the values they started with.
        2. It keeps gradients from reaching the leaves.
        3. Without it, the next backward pass adds to the gradients of the one before.
    """
    # TODO: which option answers each of the four questions?
    raise NotImplementedError("predict: which option answers each of the four questions?")


def vanishing():
    """Return dL/dx for 1, 5 and 20 nested calls, L = tanh(tanh(...tanh(x)...)).

    Here x = 2. Let Python do the arithmetic, with `math.tanh` and a loop. The gradient
    shrinks with every tanh. In a deep network this is called a vanishing gradient.
    """
    # TODO: what is the input of each tanh? what is multiplied?
    raise NotImplementedError("predict: what is the input of each tanh? what is multiplied?")


if __name__ == "__main__":  # runs if this file is run as a program
    print("yours:", product_of_sum())
    # Write lines with torch here, for L = (a + b) * c at a = 2, b = -3, c = 10.
