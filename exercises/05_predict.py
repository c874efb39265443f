"""05 predict: numbers, worked out on paper

No engine here: you compute the gradients yourself, with a pencil. Each function asks for some;
return them as numbers, in the order of its docstring.

    For L = a * b + c at a = 2, b = 3, c = 4: dL/da = b = 3, dL/db = a = 2, dL/dc = 1, so the
    function returns (3, 2, 1). Check yourself by nudging: with a = 2.01, L is 10.03, and 0.03 /
    0.01 is 3.

tanh'(x) is 1 - tanh(x)**2; relu'(x) is 1 for x > 0, else 0.

`grade predict` compares your numbers with PyTorch's. If one is wrong it says
which; the right number is yours to find.
"""


def product_of_sum():
    """dL/da, dL/db, dL/dc for L = (a + b) * c at a = 2, b = -3, c = 10."""
    # TODO: what is multiplied by what, and what is only added?
    raise NotImplementedError("predict: what is multiplied by what, and what is only added?")


def square():
    """dL/da for L = a * a at a = 3."""
    # TODO: how often is a used?
    raise NotImplementedError("predict: how often is a used?")


def diamond():
    """dd/db, dd/dc, dd/da for b = a + 1, c = a * 3, d = b * c at a = 2."""
    # TODO: on which two paths does a reach d?
    raise NotImplementedError("predict: on which two paths does a reach d?")


def neuron():
    """do/dw1 and do/dx1 for o = tanh(x1 * w1 + x2 * w2 + b) at x1 = 2, w1 = -3, x2 = 0, w2 = 1,
    b = 6.8813735870195432. (The sum is 0.8813735870195432, and its tanh 0.7071067811865476, squared 0.5.)"""
    # TODO: what is the slope of tanh there, and what is w1 multiplied by?
    raise NotImplementedError("predict: what is the slope of tanh there, and what is w1 multiplied by?")


def alive():
    """dL/da, dL/db, dL/dd for L = relu(a * b + d) at a = 2, b = 3, d = 1."""
    # TODO: is what relu gets positive?
    raise NotImplementedError("predict: is what relu gets positive?")


def scaled_square():
    """dL/dx for L = relu(3 * x**2) at x = 2."""
    # TODO: what is the slope of 3 * x**2?
    raise NotImplementedError("predict: what is the slope of 3 * x**2?")


def dead_weight():
    """dL/dw for n = w * x, o = relu(n), L = o * 5 at w = -2, x = 3."""
    # TODO: how much of the gradient gets through relu?
    raise NotImplementedError("predict: how much of the gradient gets through relu?")


def best_nudge():
    """The nudges of a, b and c for L = (a + b) * c at a = 2, b = -3, c = 10. You may change one of
    the three by 0.1, up or down, and leave the others: which one, and which way, raises L most?
    Return the three nudges, such as (0, 0, 0.1); where two are equally good, the one that comes first."""
    # TODO: which slope is largest, and what does its sign say?
    raise NotImplementedError("predict: which slope is largest, and what does its sign say?")
