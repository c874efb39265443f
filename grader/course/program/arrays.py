"""Arrays as flat lists of floats in row-major order, each with a shape. A scalar has the shape `()`.

Everything here is a gather or a scatter: `places` says which number of an operand stands behind each number of a
result. A value reads its operands through these places, and a vector-Jacobian product adds to them through the same
places. numpy is not used, so that the trusted side never depends on it.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from msgspec import Struct

Shape: TypeAlias = tuple[int, ...]
Flat: TypeAlias = list[float]


class ShapeError(ValueError):
    """Shapes do not fit an operation, or a nested list has no shape. The message says why."""


def flattened(nested: Any) -> tuple[Flat, Shape]:
    """Return the numbers of a nested list, and its shape.

    Raises:
        ShapeError: its rows have different lengths, or one of them is empty.
        TypeError: it holds something else than numbers and lists.
    """
    if not isinstance(nested, (list, tuple)):
        return [float(nested)], ()
    rows = [flattened(row) for row in nested]
    shapes = {shape for _, shape in rows}
    if len(shapes) != 1:
        raise ShapeError("a list is empty" if not rows else "the rows of a list have different shapes")
    return [number for flat, _ in rows for number in flat], (len(rows), *shapes.pop())


def nested(flat: Sequence[Any], shape: Shape) -> Any:
    """Return the numbers of an array as a nested list, or the only number of a scalar."""
    if not shape:
        return flat[0]
    step = len(flat) // shape[0]
    return [nested(flat[at : at + step], shape[1:]) for at in range(0, len(flat), step)]


def indices(shape: Shape) -> Iterator[Shape]:
    """Yield the index of each number of an array, in row-major order."""
    return itertools.product(*map(range, shape))


def broadcast(*shapes: Shape) -> Shape:
    """Return the shape of an elementwise operation on operands of these shapes.

    Raises:
        ShapeError: they do not fit.
    """
    axes = max(map(len, shapes))
    padded = [_padded(shape, axes) for shape in shapes]
    result = tuple(max(lengths) for lengths in zip(*padded, strict=True))
    for shape in padded:
        if any(length not in (1, whole) for length, whole in zip(shape, result, strict=True)):
            raise ShapeError(f"the shapes {' and '.join(map(str, shapes))} do not fit")
    return result


def _padded(shape: Shape, axes: int) -> Shape:
    """Return a shape with axes of length 1 before it, so that it has this many axes."""
    return (1,) * (axes - len(shape)) + shape


@lru_cache(maxsize=1024)
def places(shape: Shape, result: Shape) -> tuple[int, ...]:
    """Return the place in an operand behind each number of a result with the shape to which it is broadcast."""
    padded = _padded(shape, len(result))
    steps = [math.prod(padded[axis + 1 :]) if length > 1 else 0 for axis, length in enumerate(padded)]
    return tuple(sum(i * step for i, step in zip(index, steps, strict=True)) for index in indices(result))


def scattered(upstream: Sequence[float], to: Sequence[int], size: int) -> Flat:
    """Return `size` sums: each number of `upstream` is added at its place."""
    sums = [0.0] * size
    for number, place in zip(upstream, to, strict=True):
        sums[place] += number
    return sums


def broadcast_axes(shape: Shape, result: Shape) -> tuple[int, ...]:
    """Return the axes of a result along which an operand of this shape is repeated."""
    added = len(result) - len(shape)
    padded = _padded(shape, len(result))
    return tuple(axis for axis, length in enumerate(result) if axis < added or padded[axis] < length)


# -- operations that are not elementwise


class Whole(Struct, frozen=True):
    """The value, the shape and the vector-Jacobian product of an operation that is not elementwise, on flat arrays.

    Attributes:
        shape: returns the shape of the result, from the shapes of the operands and the named arguments. Raises
            `ShapeError`.
        value: returns the numbers of the result, from the numbers and the shapes of the operands.
        vjp: returns what each operand receives, from the upstream gradient and the same arguments.
        arguments: the names of its named arguments.
    """

    shape: Callable[..., Shape]
    value: Callable[..., Flat]
    vjp: Callable[..., tuple[Flat, ...]]
    arguments: tuple[str, ...] = ()


def _summed_axes(shape: Shape, axis: Any) -> tuple[int, ...]:
    """Return the axes that a sum is over, each from 0."""
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    if any(not -len(shape) <= one < len(shape) for one in axes):
        raise ShapeError(f"an array of shape {shape} has no axis {axis}")
    return tuple(one % len(shape) for one in axes)


def _sum_shape(shape: Shape, axis: Any = None, keepdims: bool = False) -> Shape:
    axes = _summed_axes(shape, axis)
    ones = tuple(1 if at in axes else length for at, length in enumerate(shape))
    return ones if keepdims else tuple(length for at, length in enumerate(shape) if at not in axes)


def _sum_places(shape: Shape, axis: Any) -> tuple[int, ...]:
    """Return the place in the sum of each number of the operand."""
    return places(_sum_shape(shape, axis, True), shape)


def _sum(a: Flat, shape: Shape, axis: Any = None, keepdims: bool = False) -> Flat:
    return scattered(a, _sum_places(shape, axis), math.prod(_sum_shape(shape, axis)))


def _sum_vjp(upstream: Flat, a: Flat, shape: Shape, axis: Any = None, keepdims: bool = False) -> tuple[Flat, ...]:
    return ([upstream[place] for place in _sum_places(shape, axis)],)


def _matmul_shape(a: Shape, b: Shape) -> Shape:
    if len(a) != 2 or len(b) != 2 or a[1] != b[0]:
        raise ShapeError(f"`@` needs the shapes (n, k) and (k, m), not {a} and {b}")
    return (a[0], b[1])


def _matmul(a: Flat, b: Flat, of_a: Shape, of_b: Shape) -> Flat:
    (rows, inner), columns = of_a, of_b[1]
    # fsum would round once; torch adds in some order, and the tolerance covers the difference
    return [
        sum(a[i * inner + k] * b[k * columns + j] for k in range(inner)) for i in range(rows) for j in range(columns)
    ]


def transposed(a: Flat, shape: Shape) -> Flat:
    """Return the numbers of an array with two axes, with the axes exchanged."""
    rows, columns = shape
    return [a[i * columns + j] for j in range(columns) for i in range(rows)]


def _matmul_vjp(upstream: Flat, a: Flat, b: Flat, of_a: Shape, of_b: Shape) -> tuple[Flat, ...]:
    (n, k), m = of_a, of_b[1]
    to_a = _matmul(upstream, transposed(b, of_b), (n, m), (m, k))
    return to_a, _matmul(transposed(a, of_a), upstream, (k, n), (n, m))


class Applied(Struct, frozen=True):
    """An operation with its operands, which are flat.

    Attributes:
        whole: what it does; None if it is elementwise.
        compute: the value of an elementwise operation, from one number of each operand.
        local: its local derivatives, from these numbers and the value.
        given: the numbers of the operands.
        shapes: the shapes of the operands.
        named: the named arguments.
    """

    whole: Whole | None
    compute: Callable[..., Any]
    local: Callable[..., tuple[float, ...]]
    given: Sequence[Flat]
    shapes: Sequence[Shape]
    named: dict[str, Any]

    def value(self) -> Flat:
        """Return the numbers of the result."""
        if self.whole:
            return self.whole.value(*self.given, *self.shapes, **self.named)
        return [float(self.compute(*row)) for row in self._rows()]

    def contributions(self, upstream: Flat) -> list[Flat]:
        """Return what each operand receives: for an elementwise operation, its terms, summed over broadcast axes."""
        if self.whole:
            return list(self.whole.vjp(upstream, *self.given, *self.shapes, **self.named))
        terms = zip(self.terms(upstream), self.given, self.shapes, strict=True)
        return [scattered(each, self._places(shape), len(numbers)) for each, numbers, shape in terms]

    def terms(self, upstream: Flat) -> list[Flat]:
        """Return the upstream gradient times the local derivative for each operand of an elementwise operation.

        Each has the shape of the result.
        """
        local = [self.local(row, float(self.compute(*row))) for row in self._rows()]
        return [
            [derivatives[place] * number for derivatives, number in zip(local, upstream, strict=True)]
            for place in range(len(self.given))
        ]

    def _places(self, shape: Shape) -> tuple[int, ...]:
        return places(shape, broadcast(*self.shapes))

    def _rows(self) -> list[tuple[float, ...]]:
        """Return the numbers of the operands behind each number of the result."""
        read = [
            [numbers[place] for place in self._places(shape)]
            for numbers, shape in zip(self.given, self.shapes, strict=True)
        ]
        return list(zip(*read, strict=True))


SUM = Whole(_sum_shape, _sum, _sum_vjp, ("axis", "keepdims"))
MATMUL = Whole(_matmul_shape, _matmul, _matmul_vjp)
