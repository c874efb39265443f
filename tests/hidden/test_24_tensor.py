"""Whole tensor engines. The lengths of axes are 2, 3 and 5, so that an axis can be told from its length."""

from grader.checks import EngineUnderCheck, check
from grader.program import program

# An engine that lacks one of these loses only that operation's check. The other checks leave the operation out.
CHARGED_ONCE = ("sub", "div", "neg", "relu", "exp", "tanh", "matmul")

A = [[1.0, -2.0, 0.5], [-1.5, 4.1, 3.0]]  # 4.1 is not a number of single precision
B = [[2.0, 3.0, -1.0], [0.25, -0.5, 1.75]]
C = [[-1.0, 2.5, 3.0], [4.0, 0.5, -2.0]]
ROW = [1.5, -2.0, 0.75]
COLUMN = [[2.0], [-3.0]]
BLOCK = [[[1.0, 2.0], [-1.0, 0.5], [3.0, -2.0]], [[0.25, -3.0], [2.0, 1.0], [-0.5, 4.0]]]

# Each result is multiplied by another array before it is summed, so that the upstream gradient is not all ones.
ALONE = [
    program("L = sum((a + b) * c)", a=A, b=B, c=C),
    program("L = sum(a * b)", a=A, b=B),
    program("L = sum(a * b * c)", a=A, b=B, c=C),
    program("L = sum((a + b) * c)", a=ROW, b=[4.0, 0.5, -1.0], c=[2.0, -3.0, 1.25]),
    program("L = sum(a)", a=A),
]
TWICE = [program("L = sum((a + a) * b)", a=A, b=B), program("L = sum(a * a * b)", a=A, b=B)]
OTHERS = [
    program("L = sum((a - b) * c)", a=A, b=B, c=C),
    program("L = sum((a / b) * c)", a=A, b=B, c=C),
    program("L = sum(-a * b)", a=A, b=B),
    program("L = sum((a - b) * (b / a) * c)", a=A, b=B, c=C),
]
FUNCTIONS = [
    program("L = sum(relu(a) * b)", a=A, b=B),
    program("L = sum(relu(a) * relu(a) * b + a)", a=A, b=B),
    program("L = sum(exp(a) * b)", a=A, b=B),
    program("L = sum(tanh(a) * b)", a=A, b=B),
    program("L = sum(tanh(exp(a)) * tanh(a))", a=A),
    program("L = sum(exp(tanh(a)) * b)", a=A, b=B),
]
BROADCAST = [
    program("L = sum((a + b) * c)", a=A, b=ROW, c=C),
    program("L = sum((b + a) * c)", a=A, b=ROW, c=C),
    program("L = sum((a * b) * c)", a=A, b=ROW, c=C),
    program("L = sum((a + b) * c)", a=A, b=COLUMN, c=C),
    program("L = sum((a * b) * c)", a=A, b=COLUMN, c=C),
    program("L = sum((b * a) * c)", a=A, b=[ROW], c=C),
    program("L = sum((a + b) * c)", a=COLUMN, b=ROW, c=C),
    program("L = sum((a * b) * c)", a=COLUMN, b=[ROW], c=C),
    program("L = sum((a * b) * c)", a=A, b=[[3.0]], c=C),
    program("L = sum((a + b) * c)", a=BLOCK, b=[2.0, -3.0], c=BLOCK),
    program("L = sum((a * b) * c)", a=BLOCK, b=[[2.0, -3.0], [1.0, 4.0], [0.5, -1.0]], c=BLOCK),
    program("L = sum((a * b) * c)", a=BLOCK, b=[[[2.0], [-3.0], [0.5]]], c=BLOCK),
    program("L = sum((a + b) * (a * b))", a=A, b=ROW),
]
BROADCAST_OTHERS = [
    program("L = sum((a - b) * c)", a=A, b=ROW, c=C),
    program("L = sum((b - a) * c)", a=A, b=COLUMN, c=C),
    program("L = sum((a / b) * c)", a=A, b=ROW, c=C),
    program("L = sum((b / a) * c)", a=A, b=COLUMN, c=C),
]
SUMS = [
    program("L = sum(a.sum(axis=0) * b)", a=A, b=ROW),
    program("L = sum(a.sum(axis=1) * b)", a=A, b=[2.0, -3.0]),
    program("L = sum(a.sum(axis=-1) * b)", a=A, b=[2.0, -3.0]),
    program("L = sum(a.sum(axis=0, keepdims=True) * b)", a=A, b=[ROW]),
    program("L = sum(a.sum(axis=1, keepdims=True) * b)", a=A, b=COLUMN),
    program("L = sum(a * a.sum(axis=1, keepdims=True))", a=A),
    program("L = sum(a.sum(axis=0) * b)", a=[[1.0, 2.0], [-3.0, 4.0]], b=[5.0, -6.0]),
    program("L = sum(a.sum(axis=1) * b)", a=[[1.0, 2.0], [-3.0, 4.0]], b=[5.0, -6.0]),
    program("L = sum(a.sum(axis=1) * b)", a=BLOCK, b=[[2.0, -3.0], [1.0, 4.0]]),
    program("L = a.sum() * b.sum()", a=A, b=ROW),
]
PRODUCTS = [
    program("L = sum((a @ b) * c)", a=A, b=[[2.0, -1.0], [0.5, 3.0], [-2.0, 1.0]], c=[[1.0, -2.0], [3.0, 0.5]]),
    program(
        "L = sum((a @ b) * c)", a=[[1.0, 2.0], [-3.0, 4.0]], b=[[5.0, -6.0], [0.5, 2.0]], c=[[1.0, -2.0], [3.0, 0.25]]
    ),
    program(
        "L = sum((a @ b) * c)", a=[[2.0, -1.0, 3.0, 0.5, -4.0]], b=[[1.0], [2.0], [-3.0], [0.25], [5.0]], c=[[-2.0]]
    ),
    program("L = sum((a @ b) * c)", a=COLUMN, b=[ROW], c=C),
    program("h = b * b; L = sum((a @ h) * c)", a=C, b=[[0.5], [-1.0], [1.5]], c=COLUMN),
    program("L = sum((a @ a) * b)", a=[[1.0, 2.0], [-3.0, 4.0]], b=[[5.0, -6.0], [0.5, 2.0]]),
    program(
        "L = sum((a @ b @ c) * c)",
        a=[[1.0, 2.0], [-3.0, 4.0]],
        b=[[5.0, -6.0], [0.5, 2.0]],
        c=[[1.0, -2.0], [3.0, 0.25]],
    ),
]
REDUCTIONS = [
    program("L = sum(a.mean(axis=0) * b)", a=A, b=ROW),
    program("L = sum(a.mean(axis=1, keepdims=True) * a)", a=A),
    program("L = sum((a - a.mean(axis=-1, keepdims=True)) * b)", a=A, b=B),
    program("L = mean(a * b)", a=A, b=B),
    program("L = sum(a.max(axis=1) * b)", a=A, b=[2.0, -3.0]),
    program("L = sum(a.max(0, keepdims=True) * a)", a=A),
    program("L = sum(a * max(a * b))", a=A, b=B),
]
PLACES = [
    program("L = sum(a.reshape(3, 2) * b)", a=A, b=[[1.0, -2.0], [3.0, 0.5], [-1.5, 4.0]]),
    program("L = sum(a.reshape(6) * a.reshape((6,)))", a=A),
    program("L = sum(a.transpose(1, 0) * b)", a=A, b=[[1.0, -2.0], [3.0, 0.5], [-1.5, 4.0]]),
    program("L = sum(a.transpose(1, 2, 0) * b)", a=BLOCK, b=[[1.0, -2.0], [3.0, 0.5]]),
    program("L = sum(a.T * b)", a=A, b=[[1.0, -2.0], [3.0, 0.5], [-1.5, 4.0]]),
    program("L = sum(a.T * a.transpose(1, 0) * b)", a=A, b=[[1.0, -2.0], [3.0, 0.5], [-1.5, 4.0]]),
    program("L = sum(a[0] * b + a[1])", a=A, b=ROW),
    program("L = sum(a[:, 1:] * b)", a=A, b=[2.0, -3.0]),
    program("L = sum(a[[0, 1, 1]] * b)", a=A, b=[[1.0, -2.0, 3.0], [0.5, -1.5, 4.0], [2.5, 0.25, -3.0]]),
    program("L = sum(a[[0, 1, 1], [2, 0, 0]] * b)", a=A, b=ROW),
    program("L = a[0, 1] * a[1, 2] + a[0, 1]", a=A),
    program("L = sum(stack([a, b, a], axis=1) * stack([b, b, a]).mean(axis=0, keepdims=True).mean())", a=A, b=B),
    program("L = sum(concat([a, b], axis=1) * concat([b, a], axis=1))", a=A, b=COLUMN),
    program("L = sum(concat([b, a, b]) * c)", a=A, b=[ROW], c=[*A, *B]),
]
SHARED = [
    program("h = a * b; L = sum(h * h + a)", a=A, b=ROW),
    program("d = a * a; c = a + d; L = sum(c * b)", a=A, b=B),  # the gradients of a and d are one array at first
    program("c = a + b; d = a * b; L = sum(c * d + c)", a=A, b=ROW),
    program("b = a + a; c = b + b; L = sum(c * c)", a=A),
    program("y = a * b + a; z = y * b + y; L = sum(z * b + z)", a=A, b=COLUMN),
]
SOFTMAX = "e = exp(a); p = e / e.sum(axis=1, keepdims=True); L = sum(p * b)"
MIXED = [
    program(
        "h = tanh(x @ w + b); L = sum((h @ v + d) * t)",
        x=A,
        w=[[0.5, -1.0], [0.25, 0.75], [-0.5, 1.0]],
        b=[0.1, -0.2],
        v=[[1.5], [-0.5]],
        d=[0.3],
        t=COLUMN,
    ),
    program(
        "h = relu(x @ w + b); y = h @ v - t; L = sum(y * y)",
        x=A,
        w=[[0.5, -1.0], [0.25, 0.75], [-0.5, 1.0]],
        b=[0.1, -0.2],
        v=[[1.5], [-0.5]],
        t=COLUMN,
    ),
    program(SOFTMAX, a=A, b=B),
    program(
        "m = a - a.sum(axis=1, keepdims=True) / n; v = (m * m).sum(axis=1, keepdims=True); L = sum(m / v * b)",
        a=A,
        b=B,
        n=[[3.0]],
    ),
]
CORE = program("L = sum(a * b + a)", a=A, b=B)


@check("forward")
def test_values_and_shapes(engine: EngineUnderCheck) -> None:
    engine.charged_elsewhere(*CHARGED_ONCE)
    engine.computes(*ALONE, *TWICE, *OTHERS, *FUNCTIONS)


@check("elementwise")
def test_arrays_of_equal_shapes(engine: EngineUnderCheck) -> None:
    engine.agrees(*ALONE, *TWICE, *OTHERS)


@check("functions")
def test_relu_exp_and_tanh(engine: EngineUnderCheck) -> None:
    engine.agrees(*FUNCTIONS)


@check("broadcast")
def test_operands_of_different_shapes(engine: EngineUnderCheck) -> None:
    engine.charged_elsewhere(*CHARGED_ONCE)
    engine.agrees(*BROADCAST, *BROADCAST_OTHERS)


@check("sums")
def test_sums_over_axes(engine: EngineUnderCheck) -> None:
    engine.agrees(*SUMS)


@check("matmul")
def test_matrix_products(engine: EngineUnderCheck) -> None:
    engine.agrees(*PRODUCTS)


@check("shared_nodes")
def test_arrays_with_several_users(engine: EngineUnderCheck) -> None:
    engine.agrees(*SHARED)
    engine.agrees_again(SHARED[0])
    engine.agrees_anew(SHARED[0])


@check("mixed")
def test_graphs_that_mix_the_operations(engine: EngineUnderCheck) -> None:
    engine.charged_elsewhere(*CHARGED_ONCE)
    engine.agrees(*ALONE, *SUMS, *MIXED)


@check("optional")
def test_what_is_offered_beyond(engine: EngineUnderCheck) -> None:
    engine.charged_elsewhere(*CHARGED_ONCE)
    engine.needs(CORE)
    right = [program(f"L = sum((a {op} {n}) * b)", a=A, b=B) for op in "+-*/" for n in (2, -0.5)]
    left = [program(f"L = sum(({n} {op} a) * b)", a=A, b=B) for op in "+-*/" for n in (2, -0.5)]
    engine.agrees(CORE, *right, *left, *REDUCTIONS, *PLACES, where_offered=True)
