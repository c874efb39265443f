"""Operands that are broadcast. The lengths of axes are 2, 3 and 5, so that no wrong shape looks right."""

import itertools
import math
from collections import defaultdict
from typing import Any

from grader.checks import EngineUnderCheck, check
from grader.program import program

# 4.1 is not a number of single precision
NUMBERS = [2.5, -1.75, 4.1, 0.5, -3.25, 1.5, -2.0, 3.75, 0.25, -4.5, 2.25, 1.25, -0.75, 5.0, -1.5]
NUMBERS += [number + 6.0 for number in NUMBERS]

A = [[1.0, -2.0, 0.5], [-1.5, 4.1, 3.0]]
B = [[2.0, 3.0, -1.0], [0.25, -0.5, 1.75]]
C = [[-1.0, 2.5, 3.0], [4.0, 0.5, -2.0]]
ROW, COLUMN = [1.5, -2.0, 0.75], [[2.0], [-3.0]]
BLOCK = [[[1.0, 2.0], [-1.0, 0.5], [3.0, -2.0]], [[0.25, -3.0], [2.0, 1.0], [-0.5, 4.0]]]
PLANE = [[2.0, -3.0], [1.0, 4.0], [0.5, -1.0]]
LONG, LONG_COLUMN = [[2.0, -1.0, 3.0, 0.5, -4.0]], [[1.5], [-2.0]]

# A result is multiplied by another array, which is then its upstream gradient.
EQUAL = [
    program("L = (a + b) * c", a=A, b=B, c=C),
    program("L = a * b * c", a=BLOCK, b=BLOCK[::-1], c=BLOCK),
    program("L = (a + a) * b + a", a=A, b=B),
    program("L = a * a * b", a=ROW, b=[4.0, 0.5, -1.0]),
]
ROWS = [
    program("L = (a + b) * c", a=A, b=ROW, c=C),
    program("L = (b + a) * c", a=A, b=ROW, c=C),
    program("L = (a * b) * c", a=A, b=ROW, c=C),
    program("L = (b * a) * c", a=A, b=ROW, c=C),
    program("L = (a + b) * c", a=BLOCK, b=PLANE, c=BLOCK[::-1]),
    program("L = (a * b) * c", a=BLOCK, b=[2.0, -3.0], c=BLOCK[::-1]),
    program("L = (b + a) * c", a=BLOCK, b=[2.0, -3.0], c=BLOCK[::-1]),
    program("L = (a * b) * c", a=A, b=2.5, c=C),
    program("L = (b + a) * c", a=A, b=2.5, c=C),
]
COLUMNS = [
    program("L = (a + b) * c", a=A, b=COLUMN, c=C),
    program("L = (b + a) * c", a=A, b=COLUMN, c=C),
    program("L = (a * b) * c", a=A, b=COLUMN, c=C),
    program("L = (b * a) * c", a=A, b=[ROW], c=C),
    program("L = (a * b) * c", a=A, b=[[3.0]], c=C),
    program("L = (a + b) * c", a=BLOCK, b=[[[2.0], [-3.0], [0.5]]], c=BLOCK[::-1]),
    program("L = (b * a) * c", a=BLOCK, b=[[2.0], [-3.0], [0.5]], c=BLOCK[::-1]),
    program("L = (a * b) * c", a=BLOCK, b=[[[2.0, -3.0]], [[1.0, 4.0]]], c=BLOCK[::-1]),
    program("L = (a + b) * c", a=LONG, b=[[2.5]], c=LONG),
]
BOTH = [
    program("L = (a + b) * c", a=COLUMN, b=[ROW], c=C),
    program("L = (a * b) * c", a=COLUMN, b=ROW, c=C),
    program("L = (b * a) * c", a=LONG_COLUMN, b=LONG, c=[LONG[0], LONG[0][::-1]]),
    program("L = (a * b) * c", a=[[[2.0], [-3.0], [0.5]]], b=[[[1.5, -2.0]], [[0.75, 3.0]]], c=BLOCK),
    program("L = (a * b + a) * (c + b)", a=A, b=ROW, c=COLUMN),
    program("d = a + b; L = (d + b) * d", a=A, b=COLUMN),
    program("d = a * b; e = d + b; L = e * d", a=COLUMN, b=ROW),
]
SUB_DIV = [
    program("L = (a - b) * c", a=A, b=B, c=C),
    program("L = (a / b) * c", a=A, b=B, c=C),
    program("L = (a - b) * c", a=A, b=ROW, c=C),
    program("L = (b - a) * c", a=A, b=COLUMN, c=C),
    program("L = (a / b) * c", a=A, b=ROW, c=C),
    program("L = (b / a) * c", a=A, b=COLUMN, c=C),
    program("L = (b / a) * c", a=BLOCK, b=[2.0, -3.0], c=BLOCK[::-1]),
    program("L = (a / b) * c", a=BLOCK, b=[[[2.0, -3.0]], [[1.0, 4.0]]], c=BLOCK[::-1]),
    program("L = (a - b) * c", a=COLUMN, b=ROW, c=C),
    program("L = (a / b) * c", a=COLUMN, b=[ROW], c=C),
    program("L = (a - b / a) * (b - c)", a=A, b=COLUMN, c=ROW),
]
PLAIN = [program(f"L = (a {op} 2.5) * b", a=A, b=B) for op in "+-*/"]
PLAIN += [program(f"L = (-0.5 {op} a) * b", a=A, b=B) for op in "+-*/"]
MIXED = [
    program("h = tanh(a * w + b); L = sum(h * c)", a=A, w=ROW, b=0.5, c=COLUMN),
    program("e = exp(a); p = e / (e + b); L = sum(p * c + 2 * p)", a=A, b=[[2.0], [3.0]], c=ROW),
    program("d = (a - m) / s; L = sum(d * d * w)", a=A, m=ROW, s=[[2.0], [0.5]], w=COLUMN),
    program("d = 1 - a * b; L = sum(d / c - d) * sum(a + d)", a=COLUMN, b=ROW, c=C),
    # three axes, of which two are repeated
    program("h = a * b + d; L = sum(h * c)", a=BLOCK, b=[[[2.0], [-3.0], [0.5]]], c=BLOCK[::-1], d=[[2.0, -3.0]]),
]


@check("lacking")
def test_an_operand_that_lacks_axes(engine: EngineUnderCheck) -> None:
    for shape, result in [((3,), (2, 3)), ((), (2, 3)), ((3, 5), (2, 3, 5)), ((5,), (2, 3, 5)), ((2, 3), (2, 3))]:
        _unbroadcasts(engine, shape, result)


@check("length_one")
def test_an_operand_with_an_axis_of_length_1(engine: EngineUnderCheck) -> None:
    of_matrices = [((2, 1), (2, 3)), ((1, 3), (2, 3)), ((1, 1), (2, 3)), ((1,), (2, 3)), ((2, 1), (2, 1))]
    of_blocks = [((2, 1, 5), (2, 3, 5)), ((1, 3, 1), (2, 3, 5)), ((3, 1), (2, 3, 5)), ((1, 5), (2, 3, 5))]
    for shape, result in [*of_matrices, *of_blocks]:
        _unbroadcasts(engine, shape, result)


@check("equal")
def test_operands_of_equal_shapes(engine: EngineUnderCheck) -> None:
    engine.agrees(*EQUAL)


@check("rows")
def test_sums_and_products_with_rows(engine: EngineUnderCheck) -> None:
    engine.agrees(*ROWS)


@check("columns")
def test_sums_and_products_with_columns(engine: EngineUnderCheck) -> None:
    engine.agrees(*COLUMNS)


@check("both")
def test_operands_that_are_both_repeated(engine: EngineUnderCheck) -> None:
    engine.agrees(*BOTH)
    engine.agrees_again(BOTH[0], BOTH[4])


@check("sub_div")
def test_differences_and_quotients(engine: EngineUnderCheck) -> None:
    engine.agrees(*SUB_DIV)


@check("mixed")
def test_plain_numbers_and_graphs_of_all_operations(engine: EngineUnderCheck) -> None:
    engine.agrees(*PLAIN, *MIXED)
    engine.agrees_anew(MIXED[0])
    engine.agrees(*engine.fresh(6, ops=("add", "mul", "sub", "div"), sizes=(1, 4), with_arrays=True))


def _unbroadcasts(engine: EngineUnderCheck, shape: tuple[int, ...], result: tuple[int, ...]) -> None:
    """Check `unbroadcast` for an operand of a shape in an operation whose result has another shape."""
    numbers = engine.numbers(*NUMBERS[: math.prod(result)])
    sums: dict[tuple[int, ...], float] = defaultdict(float)
    for index, number in zip(itertools.product(*map(range, result)), numbers, strict=True):
        own = index[len(result) - len(shape) :]
        sums[tuple(at if length > 1 else 0 for at, length in zip(own, shape, strict=True))] += number
    operand = [sums[index] for index in itertools.product(*map(range, shape))]
    engine.returns_array("unbroadcast", _nested(numbers, result), shape, expected=_nested(operand, shape))


def _nested(numbers: list[float], shape: tuple[int, ...]) -> Any:
    """Return the numbers of an array as nested lists."""
    if not shape:
        return numbers[0]
    step = len(numbers) // shape[0]
    return [_nested(numbers[at : at + step], shape[1:]) for at in range(0, len(numbers), step)]
