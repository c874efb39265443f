"""Arrays of equal shapes. The lengths of axes are 2, 3 and 5, so that no wrong shape looks right."""

from grader.checks import EngineUnderCheck, check
from grader.program import program

A = [[1.0, -2.0, 0.5], [-1.5, 4.1, 3.0]]
B = [[2.0, 3.0, -1.0], [0.25, -0.5, 1.75]]
C = [[-1.0, 2.5, 3.0], [4.0, 0.5, -2.0]]
ROW, OTHER_ROW = [1.5, -2.0, 0.75, 3.0, -0.5], [4.0, 0.5, -1.0, 2.0, 1.25]
BLOCK = [[[1.0, 2.0], [-1.0, 0.5], [3.0, -2.0]], [[0.25, -3.0], [2.0, 1.0], [-0.5, 4.0]]]
WHOLE, OTHER_WHOLE = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[2.0, 7.0, 1.0], [1.0, 3.0, -1.0]]

# A root that is an array has an upstream gradient of ones. So a result is multiplied by another array, which is then
# its upstream gradient. A single number multiplies a sum.
PRODUCTS = [
    program("L = a * b", a=ROW, b=OTHER_ROW),
    program("L = a * b * c", a=A, b=B, c=C),
    program("L = c * (a * b)", a=BLOCK, b=BLOCK[::-1], c=BLOCK),
]
ADDITIONS = [
    program("L = (a + b) * c", a=A, b=B, c=C),
    program("L = a * (b + c)", a=ROW, b=OTHER_ROW, c=ROW[::-1]),
]
SUMS = [
    program("L = a.sum() * b", a=A, b=-3.0),
    program("L = sum(a * b)", a=A, b=B),
    program("L = a.sum() * b.sum()", a=BLOCK, b=ROW),
]
FUNCTIONS = [
    program("L = relu(a) * b", a=A, b=B),
    program("L = exp(a) * b", a=A, b=B),
    program("L = tanh(a) * b", a=A, b=B),
]
SHARED = [
    program("L = a * a * b", a=A, b=B),
    program("L = (a + a) * b", a=A, b=B),
    program("c = a + b; d = a * c; L = (c + d) * c", a=A, b=B),
    program("c = a + b; L = c * a + b", a=ROW, b=OTHER_ROW),
    program("b = a + a; c = b + b; L = c * c", a=A),
    program("c = a + b; d = c + a; L = d * d + c", a=A, b=B),
    program("s = a + b; t = s + a; u = t + s; L = u + t", a=A, b=B),
]
WHOLES = [
    program("L = a + b", a=WHOLE, b=OTHER_WHOLE),
    program("L = a * b + a", a=WHOLE, b=OTHER_WHOLE),
    program("L = tanh(a * b) + a", a=[[0.0, 1.0, -1.0], [1.0, 2.0, 1.0]], b=[[1.0, -1.0, 2.0], [0.0, 1.0, 1.0]]),
]
MIXED = [
    program("h = tanh(a * b + c); L = sum(h * h)", a=A, b=B, c=C),
    program("h = relu(a * b + c); e = exp(h * a); L = sum(e * h + b)", a=B, b=C, c=A),
    program("e = exp(a); t = tanh(e * b); L = sum(t * e + t) * a.sum()", a=ROW, b=OTHER_ROW),
    # upstream gradients of both signs
    program("h = relu(a); L = sum(h * b * c)", a=A, b=B, c=C),
]


@check("product")
def test_the_rule_of_a_product(engine: EngineUnderCheck) -> None:
    engine.agrees(*PRODUCTS)


@check("addition")
def test_the_rule_of_an_addition(engine: EngineUnderCheck) -> None:
    engine.agrees(*ADDITIONS)


@check("sum")
def test_the_rule_of_a_sum(engine: EngineUnderCheck) -> None:
    engine.agrees(*SUMS)


@check("functions")
def test_relu_exp_and_tanh(engine: EngineUnderCheck) -> None:
    engine.agrees(*FUNCTIONS)


@check("shared")
def test_tensors_with_several_users(engine: EngineUnderCheck) -> None:
    engine.agrees(*SHARED)
    engine.agrees_again(SHARED[2])


@check("whole")
def test_whole_numbers(engine: EngineUnderCheck) -> None:
    engine.agrees(*WHOLES, whole=True)


@check("mixed")
def test_graphs_that_mix_the_operations(engine: EngineUnderCheck) -> None:
    engine.agrees(*MIXED)
    engine.agrees_anew(MIXED[0])
