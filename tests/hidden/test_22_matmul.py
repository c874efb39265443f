"""Products of matrices. The lengths of axes are 2, 3, 4 and 5, so that an axis can be told from its length."""

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


# Each result is multiplied by another array before it is summed, so that the upstream gradient is not all ones.
def product(a: Any, b: Any, c: Any) -> Any:
    """Return the program of one product, with its upstream gradient."""
    return program("L = sum((a @ b) * c)", a=a, b=b, c=c)


MATRICES = [
    product(array(1, 3, of=1), array(3, 1, of=2), [[-2.0]]),
    product(array(2, 3, of=1), array(3, 1, of=2), array(2, 1, of=3)),
    product(array(2, 3, of=1), array(3, 5, of=2), array(2, 5, of=3)),
    product(array(5, 2, of=2), array(2, 3, of=3), array(5, 3, of=1)),
    product(array(3, 1, of=3), array(1, 2, of=1), array(3, 2, of=2)),
    # a failure names shapes that are not square, if only these fail
    product([[1.0, 2.0], [-3.0, 4.0]], [[5.0, -6.0], [0.5, 2.0]], [[1.0, -2.0], [3.0, 0.25]]),
]
SHARED = [
    program("L = sum((a @ a) * b)", a=[[1.0, 2.0], [-3.0, 4.0]], b=[[5.0, -6.0], [0.5, 2.0]]),
    program("L = sum((a @ b) * c + a)", a=array(2, 3, of=1), b=array(3, 3, of=2), c=array(2, 3, of=3)),
    program("L = sum((a @ b) * c) + sum(b * b)", a=array(5, 2, of=1), b=array(2, 1, of=2), c=array(5, 1, of=3)),
    program("h = a @ b; L = sum(h * h * c)", a=array(2, 3, of=1), b=array(3, 5, of=2), c=array(2, 5, of=3)),
    program("h = a @ b; L = sum((h @ a) * c)", a=array(2, 3, of=1), b=array(3, 2, of=2), c=array(2, 3, of=3)),
    program(
        "L = sum((a @ b) * c) + sum((d @ b) * e)",
        a=array(2, 3, of=1),
        b=array(3, 5, of=2),
        c=array(2, 5, of=3),
        d=array(1, 3, of=4),
        e=array(1, 5, of=5),
    ),
]
BATCHES = [
    product(array(2, 1, 3, of=1), array(2, 3, 1, of=2), array(2, 1, 1, of=3)),
    product(array(4, 2, 3, of=2), array(4, 3, 5, of=3), array(4, 2, 5, of=1)),
    product(array(5, 3, 1, of=3), array(5, 1, 2, of=1), array(5, 3, 2, of=2)),
    product(array(2, 4, 1, 3, of=1), array(2, 4, 3, 2, of=2), array(2, 4, 1, 2, of=3)),
    MATRICES[2],
]
REPEATED = [
    product(array(4, 2, 3, of=1), array(3, 1, of=2), array(4, 2, 1, of=3)),
    product(array(1, 3, of=1), array(4, 3, 2, of=2), array(4, 1, 2, of=3)),
    product(array(5, 2, 3, of=2), array(1, 3, 2, of=3), array(5, 2, 2, of=1)),
    product(array(1, 2, 3, of=3), array(5, 3, 1, of=1), array(5, 2, 1, of=2)),
    product(array(2, 4, 1, 3, of=1), array(3, 2, of=2), array(2, 4, 1, 2, of=3)),
    product(array(4, 1, 2, 3, of=2), array(5, 3, 1, of=3), array(4, 5, 2, 1, of=1)),
    BATCHES[1],
    MATRICES[2],
]
NETWORKS = [
    program(
        "h = relu(x @ w + b); L = sum((h @ v + d) * t)",
        x=array(3, 2, of=1),
        w=array(2, 5, of=2),
        b=[0.1, -0.6, 1.4, -0.1, 0.6],
        v=array(5, 1, of=3),
        d=[0.5],
        t=array(3, 1, of=4),
    ),
    program(
        "h = relu(x @ w + b); y = h @ v; L = sum(y * y)",
        x=array(4, 3, 2, of=2),
        w=array(2, 5, of=3),
        b=[0.1, -0.6, 1.4, -0.1, 0.6],
        v=array(5, 1, of=1),
    ),
    program(
        "h = relu(x @ w + b); k = relu(h @ w + b); L = sum((k + x) * t)",
        x=array(2, 3, of=1),
        w=array(3, 3, of=5),
        b=[0.1, -0.6, 1.4],
        t=array(2, 3, of=3),
    ),
]
VECTORS = [
    product(array(2, 3, of=1), array(3, of=2), array(2, of=3)),
    product(array(3, of=1), array(3, 2, of=2), array(2, of=3)),
    product(array(5, of=1), array(5, of=2), -3.0),
    product(array(4, 2, 3, of=1), array(3, of=2), array(4, 2, of=3)),
    product(array(3, of=1), array(4, 3, 2, of=2), array(4, 2, of=3)),
    program("h = a @ b; L = sum((h @ a) * c + b)", a=array(2, 3, of=1), b=array(3, of=2), c=array(3, of=3)),
    MATRICES[2],
]


@check("matrices")
def test_the_product_of_two_matrices(engine: EngineUnderCheck) -> None:
    engine.agrees(*MATRICES)


@check("shared")
def test_tensors_with_several_users(engine: EngineUnderCheck) -> None:
    engine.agrees(*SHARED)
    engine.agrees_again(SHARED[3])


@check("batches")
def test_batches_of_matrices_in_pairs(engine: EngineUnderCheck) -> None:
    engine.agrees(*BATCHES)


@check("repeated")
def test_an_operand_that_is_repeated_for_each_matrix(engine: EngineUnderCheck) -> None:
    engine.agrees(*REPEATED)


@check("network")
def test_layers_with_relu(engine: EngineUnderCheck) -> None:
    engine.agrees(*NETWORKS)
    engine.agrees_anew(NETWORKS[0])
    engine.agrees(*engine.fresh(4, ops=("add", "mul", "relu", "matmul"), sizes=(1, 4), with_arrays=True))


@check("vectors")
def test_operands_with_one_axis(engine: EngineUnderCheck) -> None:
    engine.agrees(*VECTORS)
