"""Sums and means along axes. Lengths of axes are 2, 3 and 5, or an array is a square, where a wrong axis fits, too."""

from typing import Any

from grader.checks import EngineUnderCheck, check
from grader.program import program

A = [[1.0, -2.0, 0.5], [-1.5, 4.1, 3.0]]
B = [[2.0, 3.0, -1.0], [0.25, -0.5, 1.75]]
ROW, PAIR, COLUMN = [1.5, -2.0, 0.75], [2.0, -3.0], [[2.0], [-3.0]]
SQUARE, OTHER_SQUARE = [[1.0, 2.0], [-3.0, 4.0]], [[0.5, -0.75], [2.5, 3.25]]
CUBE = [[[1.0, 2.0], [-1.0, 0.5]], [[3.0, -2.0], [0.25, -3.0]]]
BLOCK = [[[1.0, 2.0], [-1.0, 0.5], [3.0, -2.0]], [[0.25, -3.0], [2.0, 1.0], [-0.5, 4.1]]]
PLANE = [[2.0, -3.0], [1.0, 4.0], [0.5, -1.0]]
LONG = [2.0, -1.0, 3.0, 0.5, -4.0]
# below 1, also with other seeds, so that exp is small and tanh is not 1
SMALL, SMALL_ROW = [[0.7, -0.41, 0.25], [-0.6, 0.9, 0.35]], [0.85, -0.55, 0.75]

ARGUMENTS: list[tuple[str, Any]] = [
    ("", A),
    ("axis=0", A),
    ("axis=1", A),
    ("axis=0", LONG),
    ("axis=-1", BLOCK),
    ("axis=1", BLOCK),
    ("axis=0", [ROW]),
    ("axis=0, keepdims=True", A),
    ("axis=1, keepdims=True", BLOCK),
    ("axis=-1, keepdims=True", LONG),
    ("keepdims=True", A),
]
VALUES = [program(f"L = a.{op}({given})", a=a) for op in ("sum", "mean") for given, a in ARGUMENTS]
# A result is multiplied by another array, which is then its upstream gradient.
WHOLE = [
    program("L = a.sum() * b", a=A, b=-3.0),
    program("L = a.mean() * b", a=A, b=-3.0),
    program("L = a.sum() * b", a=SQUARE, b=A),
    program("L = a.sum() * b.sum()", a=BLOCK, b=LONG),
    program("L = a.mean() * b.mean()", a=BLOCK, b=LONG),
    program("L = a.mean() * b", a=SQUARE, b=A),
]
ALONG = [
    program("L = a.sum(axis=0) * b", a=A, b=ROW),
    program("L = a.sum(axis=1) * b", a=A, b=PAIR),
    program("L = a.sum(axis=-1) * b", a=A, b=PAIR),
    program("L = a.sum(axis=0) * b", a=SQUARE, b=PAIR),
    program("L = a.sum(axis=1) * b", a=SQUARE, b=PAIR),
    program("L = a.sum(axis=-2) * b", a=SQUARE, b=PAIR),
    program("L = a.sum(axis=0) * b", a=BLOCK, b=PLANE),
    program("L = a.sum(axis=1) * b", a=BLOCK, b=OTHER_SQUARE),
    program("L = a.sum(axis=2) * b", a=BLOCK, b=B),
    program("L = a.sum(axis=-1) * b", a=BLOCK, b=B),
    # all axes have one length
    program("L = a.sum(axis=0) * b", a=CUBE, b=OTHER_SQUARE),
    program("L = a.sum(axis=1) * b", a=CUBE, b=OTHER_SQUARE),
    program("L = a.sum(axis=-1) * b", a=CUBE, b=OTHER_SQUARE),
    program("L = a.sum(axis=0) * b", a=LONG, b=-3.0),
    program("L = a.sum(axis=0) * b", a=[ROW], b=ROW[::-1]),
    program("L = a.sum(axis=1) * b", a=COLUMN, b=PAIR),
]
KEPT = [
    program("L = a.sum(axis=0, keepdims=True) * b", a=A, b=[ROW]),
    program("L = a.sum(axis=1, keepdims=True) * b", a=A, b=COLUMN),
    program("L = a.sum(axis=-1, keepdims=True) * b", a=SQUARE, b=COLUMN),
    program("L = a.sum(axis=0, keepdims=True) * b", a=SQUARE, b=[PAIR]),
    program("L = a.sum(axis=1, keepdims=True) * b", a=BLOCK, b=[[PAIR], [PAIR[::-1]]]),
    program("L = a.sum(axis=-1, keepdims=True) * b", a=BLOCK, b=[[*COLUMN, [1.5]], [[0.5], [4.0], [-1.0]]]),
    program("L = a.sum(axis=1, keepdims=True) * b", a=A, b=B),
    program("L = a.sum(axis=0, keepdims=True) * b", a=LONG, b=[-3.0]),
    program("L = a.sum(keepdims=True) * b", a=A, b=[[-3.0]]),
    ALONG[1],
]
MEANS = [
    program("L = a.mean(axis=0) * b", a=A, b=ROW),
    program("L = a.mean(axis=1) * b", a=A, b=PAIR),
    program("L = a.mean(axis=-1) * b", a=SQUARE, b=PAIR),
    program("L = a.mean(axis=0) * b", a=SQUARE, b=PAIR),
    program("L = a.mean(axis=1) * b", a=BLOCK, b=OTHER_SQUARE),
    program("L = a.mean(axis=2) * b", a=BLOCK, b=B),
    program("L = a.mean(axis=0) * b", a=LONG, b=-3.0),
    program("L = a.mean(axis=0) * b", a=[ROW], b=ROW[::-1]),
    program("L = a.mean(axis=0, keepdims=True) * b", a=A, b=[ROW]),
    program("L = a.mean(axis=1, keepdims=True) * b", a=A, b=COLUMN),
    program("L = a.mean(axis=-2, keepdims=True) * b", a=BLOCK, b=BLOCK[::-1]),
    program("L = a.mean(axis=-1, keepdims=True) * b", a=LONG, b=[-3.0]),
    program("L = a.mean(keepdims=True) * b", a=A, b=[[-3.0]]),
    WHOLE[1],
]
CENTRED = [
    program("L = (a - a.mean(axis=1, keepdims=True)) * b", a=A, b=B),
    program("L = (a - a.mean(axis=0)) * b", a=A, b=B),
    program("L = (a - a.mean()) * b", a=A, b=B),
    program("L = a / a.sum(axis=1, keepdims=True) * b", a=[[1.0, 2.0, 0.5], [1.5, 4.1, 3.0]], b=B),
]
SHARED = [
    program("s = a.sum(axis=1); L = s * s * b", a=A, b=PAIR),
    program("L = a.sum(axis=0) * a.mean(axis=0) * b", a=A, b=ROW),
    program("m = a.mean(axis=1, keepdims=True); L = (a + m) * (a * m) * b", a=A, b=B),
    program("s = a.sum(axis=0); t = s.sum(); L = s * t + b", a=A, b=ROW),
    program("L = a.sum(axis=1) * b + a.sum(axis=0) * c", a=SQUARE, b=PAIR, c=OTHER_SQUARE),
    program("L = a.sum(axis=1).sum(axis=0) * a.mean(axis=0).mean() * b", a=BLOCK, b=PAIR),
    # numbers of many digits
    program("m = a.mean(axis=1); L = m * exp(m) * b", a=SMALL, b=PAIR),
]
MIXED = [
    program("e = exp(a); p = e / e.sum(axis=1, keepdims=True); L = sum(p * b)", a=SMALL, b=B),
    # what random programs have sometimes: negative axes, means that keep an axis, and squares
    program(
        "d = a - a.mean(axis=-1, keepdims=True); v = (d * d).mean(axis=1, keepdims=True); s = a.sum(axis=-1) * c; "
        "L = sum(d * v * b) + sum(s)",
        a=BLOCK,
        b=BLOCK[::-1],
        c=B,
    ),
    program("L = sum(a.sum(axis=1) * b) + sum(a.sum(axis=0) * c)", a=SQUARE, b=PAIR, c=[0.75, 4.0]),
    program(
        "d = a - a.mean(axis=0); v = (d * d).mean(axis=0); L = mean(d / (v + 0.5) * w + b)", a=BLOCK, w=PAIR, b=PLANE
    ),
    program(
        "h = tanh(a * w); L = mean((h.sum(axis=1) - t) * (h.sum(axis=1) - t))", a=SMALL, w=SMALL_ROW, t=[0.5, -0.3]
    ),
]


@check("values")
def test_the_values_and_their_shapes(engine: EngineUnderCheck) -> None:
    engine.computes(*VALUES)


@check("whole")
def test_sums_and_means_of_all_numbers(engine: EngineUnderCheck) -> None:
    engine.agrees(*WHOLE)


@check("along")
def test_sums_along_an_axis(engine: EngineUnderCheck) -> None:
    engine.agrees(*ALONG)


@check("kept")
def test_sums_that_keep_the_axis(engine: EngineUnderCheck) -> None:
    engine.agrees(*KEPT)


@check("means")
def test_means_along_an_axis(engine: EngineUnderCheck) -> None:
    engine.agrees(*MEANS)


@check("centred")
def test_numbers_without_their_mean(engine: EngineUnderCheck) -> None:
    engine.agrees(*CENTRED)


@check("shared")
def test_tensors_with_several_users(engine: EngineUnderCheck) -> None:
    engine.agrees(*SHARED)
    engine.agrees_again(SHARED[0], SHARED[2])


@check("mixed")
def test_a_softmax_a_normalisation_and_others(engine: EngineUnderCheck) -> None:
    engine.agrees(*MIXED)
    engine.agrees_anew(MIXED[0])
    engine.agrees(*engine.fresh(8, ops=("sum", "mean", "mul", "sub"), sizes=(1, 4), with_arrays=True))
