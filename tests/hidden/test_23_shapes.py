"""Numbers in other places. The lengths of axes are 2, 3, 4 and 5, so that an axis can be told from its length."""

import math
import random
from typing import Any

from grader.checks import EngineUnderCheck, check
from grader.program import program


def array(*shape: int, of: int) -> Any:
    """Return a nested list of this shape with numbers from -4 to 4, which `of` chooses. None is near 0."""
    rng = random.Random(of)
    numbers = [round(0.4 + 3.6 * rng.random(), 1) * (1 if rng.random() < 0.6 else -1) for _ in range(math.prod(shape))]
    rows: list[Any] = numbers
    for length in shape[:0:-1]:
        rows = [rows[at : at + length] for at in range(0, len(rows), length)]
    return rows


A, BLOCK = array(2, 3, of=1), array(2, 3, 5, of=1)


def moved(taken: str, a: Any, *shape: int) -> Any:
    """Return the program of one operation on `a`, whose result has this shape, and an upstream gradient of its own."""
    return program(f"L = sum({taken} * b)", a=a, b=array(*shape, of=2))


RESHAPES = [
    moved("a.reshape(3, 2)", A, 3, 2),
    moved("a.reshape(6)", A, 6),
    moved("a.reshape(2, 5, 1)", array(10, of=3), 2, 5, 1),
    moved("a.reshape(5, 6)", BLOCK, 5, 6),
    moved("a.reshape(-1, 2)", A, 3, 2),
]
TRANSPOSES = [
    moved("a.transpose(1, 0)", A, 3, 2),
    moved("a.transpose(0, 2, 1)", BLOCK, 2, 5, 3),
    moved("a.transpose(2, 1, 0)", BLOCK, 5, 3, 2),
    moved("a.transpose(1, 2, 0)", BLOCK, 3, 5, 2),
    moved("a.transpose(2, 0, 1)", BLOCK, 5, 2, 3),
    moved("a.transpose(1, 3, 0, 2)", array(2, 3, 1, 4, of=3), 3, 4, 2, 1),
    # all axes have one length
    moved("a.transpose(1, 2, 0)", array(2, 2, 2, of=5), 2, 2, 2),
]
INDICES = [
    moved("a[1]", A, 3),
    moved("a[-1]", array(5, 2, of=3), 2),
    moved("a[:, 1]", A, 2),
    moved("a[1:3]", array(5, of=3), 2),
    moved("a[:, ::2]", BLOCK, 2, 2, 5),
    moved("a[1, :, 1:4]", BLOCK, 3, 3),
    moved("a[[2, 0]]", array(5, 3, of=4), 2, 3),
    moved("a[[1, 0], [0, 2]]", A, 2),
    program("L = a[0, 1] * b", a=A, b=-2.7),
]
SHARED = [
    program("L = sum(a[0] * b + a[1])", a=A, b=array(3, of=2)),
    program("L = sum(a[1:] * b) + sum(a[:4] * b)", a=array(5, of=3), b=array(4, of=2)),
    program("L = sum(a.reshape(3, 2) * b) + sum(a * a)", a=A, b=array(3, 2, of=2)),
    program("L = sum(a.reshape(6) * a.reshape(6) * b)", a=A, b=array(6, of=2)),
    program("L = sum(a.transpose(1, 0) * b) + sum(a * c)", a=A, b=array(3, 2, of=2), c=array(2, 3, of=3)),
    program("h = a * b; L = sum(h[:, 1] * c + h[:, 0])", a=A, b=array(2, 3, of=2), c=array(2, of=3)),
    program("h = a[1]; L = sum(h * h * b + h)", a=A, b=array(3, of=2)),
]
REPEATED = [
    moved("a[[0, 2, 2]]", array(3, of=1), 3),
    moved("a[[1, 0, 1, 1]]", A, 4, 3),
    moved("a[[2, -1]]", array(3, 2, of=3), 2, 2),
    moved("a[:, [1, 1]]", array(2, 3, of=4), 2, 2),
    moved("a[[0, 1, 1], [2, 0, 0]]", A, 3),
    moved("a[[1, 1, 0]]", BLOCK, 3, 3, 5),
    program("L = sum(a[[1, 1]] * b) + sum(a * a)", a=A, b=array(2, 3, of=2)),
    INDICES[6],
]
MIXED = [
    program(
        "e = a[[2, 0, 2, 2]]; h = relu(e * w + b); L = sum(h.reshape(2, 4) * t)",
        a=array(3, 2, of=1),
        w=array(2, of=3),
        b=[0.1, -0.6],
        t=array(2, 4, of=4),
    ),
    program("h = a.reshape(3, 2, 5); k = h.transpose(1, 2, 0); L = sum(k[1] * b + k[0])", a=BLOCK, b=array(5, 3, of=2)),
    program("h = a * b; L = sum(h.reshape(3, 2) * c) + sum(h * h)", a=A, b=array(2, 3, of=2), c=array(3, 2, of=3)),
    program("h = (a * b).transpose(1, 0); L = sum(h[[2, 2]] * c + h[:2])", a=A, b=array(2, 3, of=2), c=[[3.0, -2.0]]),
    program("h = a[:, [0, 0, 1]]; L = sum(h.transpose(1, 0).reshape(2, 3) * h * b)", a=A, b=array(2, 3, of=2)),
]


@check("reshape")
def test_the_rule_of_reshape(engine: EngineUnderCheck) -> None:
    engine.agrees(*RESHAPES)


@check("transpose")
def test_the_rule_of_transpose(engine: EngineUnderCheck) -> None:
    engine.agrees(*TRANSPOSES)


@check("index")
def test_the_rule_of_an_index(engine: EngineUnderCheck) -> None:
    engine.agrees(*INDICES)


@check("shared")
def test_tensors_with_several_users(engine: EngineUnderCheck) -> None:
    engine.agrees(*SHARED)
    engine.agrees_again(SHARED[5])


@check("repeated")
def test_indices_that_are_there_several_times(engine: EngineUnderCheck) -> None:
    engine.agrees(*REPEATED)


@check("mixed")
def test_graphs_that_mix_the_operations(engine: EngineUnderCheck) -> None:
    engine.agrees(*MIXED)
    engine.agrees_anew(MIXED[0])
