"""Arrays as flat lists of floats in row-major order, each with a shape. A scalar has the shape `()`.

Everything here is a gather or a scatter: `places` says which number of an operand stands behind each number of a
result. A value reads its operands through these places, and a vector-Jacobian product adds to them through the same
places. numpy is not used, so that the trusted side never depends on it.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
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


Arguments: TypeAlias = tuple[tuple[str, Any], ...]
"""The arguments of an operation besides its operands: each with its name, or with an empty one if it has a place.

An argument is None, a bool, an int or a tuple of arguments. An index may also be `("slice", start, stop, step)` or
`("list", i, ...)`. A program is sent with these, as JSON.
"""


def decoded(argument: Any) -> Any:
    """Return an argument as Python has it."""
    match argument:
        case ["slice", *parts]:
            return slice(*parts)
        case ["list", *items]:
            return items
        case [*items]:
            return tuple(map(decoded, items))
    return argument


def called_with(given: Iterable[Sequence[Any]]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of an operation as they are passed: by place, and by name."""
    pairs = [(name, decoded(argument)) for name, argument in given]
    return [argument for name, argument in pairs if not name], {name: argument for name, argument in pairs if name}


class Whole(Struct, frozen=True):
    """The value, the shape and the vector-Jacobian product of an operation that is not elementwise, on flat arrays.

    Attributes:
        shape: returns the shape of the result, from the shapes of the operands and the arguments. Raises `ShapeError`.
        value: returns the numbers of the result, from the numbers and the shapes of the operands, and the arguments.
        vjp: returns what each operand receives, from the upstream gradient and the same. It is not given for `@`,
            which broadcasts like an elementwise operation (see `Applied.terms`).
        arguments: the names of its arguments; empty if they have none.
    """

    shape: Callable[..., Shape]
    value: Callable[..., Flat]
    vjp: Callable[..., Sequence[Flat]] = lambda *given: ()
    arguments: tuple[str, ...] = ()


# -- along an axis: each number of the result comes from some numbers of the operand


def _axes(shape: Shape, axis: Any) -> tuple[int, ...]:
    """Return the axes that an argument names, each from 0."""
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    if any(not -len(shape) <= one < len(shape) for one in axes):
        raise ShapeError(f"an array of shape {shape} has no axis {axis}")
    found = tuple(one % len(shape) for one in axes)
    if len(set(found)) < len(found):
        raise ShapeError(f"{axis} names an axis twice")
    return found


def _reduced_shape(shapes: Sequence[Shape], axis: Any = None, keepdims: bool = False) -> Shape:
    (shape,) = shapes
    axes = _axes(shape, axis)
    ones = tuple(1 if at in axes else length for at, length in enumerate(shape))
    return ones if keepdims else tuple(length for at, length in enumerate(shape) if at not in axes)


def reduced_places(shape: Shape, axis: Any) -> tuple[int, ...]:
    """Return the place in the result of each number of an operand that is summed over an axis."""
    return places(_reduced_shape([shape], axis, True), shape)


def _reduction(reduce: Callable[[Flat], float], local: Callable[[Flat], Flat]) -> Whole:
    """Return an operation that makes one number of those along an axis.

    Args:
        reduce: returns the number.
        local: returns its derivative with respect to each of them.
    """

    def groups(given: Sequence[Flat], shapes: Sequence[Shape], axis: Any) -> list[list[int]]:
        """Return for each number of the result the places of those that it is made of."""
        found: list[list[int]] = [[] for _ in range(math.prod(_reduced_shape(shapes, axis)))]
        for at, place in enumerate(reduced_places(shapes[0], axis)):
            found[place].append(at)
        return found

    def value(given: Sequence[Flat], shapes: Sequence[Shape], axis: Any = None, keepdims: bool = False) -> Flat:
        return [reduce([given[0][at] for at in group]) for group in groups(given, shapes, axis)]

    def vjp(
        upstream: Flat, given: Sequence[Flat], shapes: Sequence[Shape], axis: Any = None, keepdims: bool = False
    ) -> Sequence[Flat]:
        back = [0.0] * len(given[0])
        for number, group in zip(upstream, groups(given, shapes, axis), strict=True):
            for at, derivative in zip(group, local([given[0][at] for at in group]), strict=True):
                back[at] = number * derivative
        return [back]

    return Whole(_reduced_shape, value, vjp, ("axis", "keepdims"))


# -- numbers in other places: each number of the result is one of an operand

Places: TypeAlias = Callable[..., tuple[Shape, Sequence[int]]]


def _gather(layout: Places, *arguments: str) -> Whole:
    """Return an operation whose numbers are some of its operands' numbers.

    Args:
        layout: returns the shape of the result, and for each of its numbers the place among the numbers of all
            operands, from their shapes and the arguments.
        arguments: the names of the arguments.
    """

    def value(given: Sequence[Flat], shapes: Sequence[Shape], *args: Any, **named: Any) -> Flat:
        numbers = [number for flat in given for number in flat]
        return [numbers[place] for place in layout(shapes, *args, **named)[1]]

    def vjp(upstream: Flat, given: Sequence[Flat], shapes: Sequence[Shape], *args: Any, **named: Any) -> Sequence[Flat]:
        ends = list(itertools.accumulate(map(len, given)))
        back = scattered(upstream, layout(shapes, *args, **named)[1], ends[-1])
        return [back[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    return Whole(lambda *args, **named: layout(*args, **named)[0], value, vjp, arguments)


def _one_or_several(numbers: tuple[Any, ...]) -> tuple[int, ...]:
    """Return numbers that were given one by one, or as one tuple."""
    return numbers[0] if len(numbers) == 1 and isinstance(numbers[0], tuple) else numbers


def _reshaped(shapes: Sequence[Shape], *wanted: Any) -> tuple[Shape, Sequence[int]]:
    (shape,), lengths = shapes, _one_or_several(wanted)
    size = math.prod(shape)
    known = math.prod(length for length in lengths if length != -1)
    if lengths.count(-1) == 1 and known and size % known == 0:
        lengths = tuple(size // known if length == -1 else length for length in lengths)
    if any(length < 1 for length in lengths) or math.prod(lengths) != size:
        raise ShapeError(f"an array of shape {shape} has no shape {lengths}")
    return lengths, range(size)


def permuted(shapes: Sequence[Shape], *wanted: Any) -> tuple[Shape, Sequence[int]]:
    """Return the layout of `a.transpose(*wanted)`: its shape, and the place in `a` of each of its numbers."""
    (shape,) = shapes
    axes = _one_or_several(wanted) or tuple(reversed(range(len(shape))))
    order = _axes(shape, axes)
    if sorted(order) != list(range(len(shape))):
        raise ShapeError(f"an array of shape {shape} has other axes than {axes}")
    result = tuple(shape[axis] for axis in order)
    steps = _steps(shape)
    return result, [sum(i * steps[axis] for i, axis in zip(index, order, strict=True)) for index in indices(result)]


def _steps(shape: Shape) -> list[int]:
    """Return how many numbers lie between two neighbours along each axis."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def taken(shapes: Sequence[Shape], index: Any) -> tuple[Shape, Sequence[int]]:
    """Return the layout of `a[index]`: its shape, and the place in `a` of each of its numbers.

    Lists of an index are read together, as pairs, and lie next to each other."""
    (shape,), parts = shapes, index if isinstance(index, tuple) else (index,)
    if len(parts) > len(shape):
        raise ShapeError(f"an array of shape {shape} has no {len(parts)} axes")
    parts += (slice(None),) * (len(shape) - len(parts))
    # with a list, an int is a list of equal numbers
    lists = [at for at, part in enumerate(parts) if isinstance(part, list)]
    several = [at for at, part in enumerate(parts) if not isinstance(part, slice)] if lists else []
    count = len(parts[lists[0]]) if lists else 0
    if any(len(parts[at]) != count for at in lists) or (several and several[-1] - several[0] >= len(several)):
        raise ShapeError("the lists of an index have different lengths, or an axis is between them")
    # the indices that are taken along an axis, or along the axes of the lists
    choices: list[list[Shape]] = []
    result: list[int] = []
    for axis, part in enumerate(parts):
        if isinstance(part, slice):
            choices.append([(i,) for i in range(shape[axis])[part]])
            result.append(len(choices[-1]))
        elif axis not in several:
            choices.append([(_within(part, shape, axis),)])
        elif axis == several[0]:
            rows = [[_within(i, shape, at) for i in _repeated(parts[at], count)] for at in several]
            choices.append(list(zip(*rows, strict=True)))
            result.append(count)
    if 0 in result:
        raise ShapeError(f"the index of an array of shape {shape} takes nothing")
    steps = _steps(shape)
    chosen = (itertools.chain.from_iterable(each) for each in itertools.product(*choices))
    return tuple(result), [sum(i * step for i, step in zip(one, steps, strict=True)) for one in chosen]


def _repeated(part: Any, count: int) -> list[int]:
    return part if isinstance(part, list) else [part] * count


def _within(i: int, shape: Shape, axis: int) -> int:
    if not -shape[axis] <= i < shape[axis]:
        raise ShapeError(f"an array of shape {shape} has no index {i} along axis {axis}")
    return i % shape[axis]


def _joined(shapes: Sequence[Shape], axis: int = 0) -> tuple[Shape, Sequence[int]]:
    first, *others = shapes
    (along,) = _axes(first, axis)
    if any((*s[:along], *s[along + 1 :]) != (*first[:along], *first[along + 1 :]) for s in others):
        raise ShapeError(f"the shapes {' and '.join(map(str, shapes))} do not fit")
    result = (*first[:along], sum(shape[along] for shape in shapes), *first[along + 1 :])
    # for each place along the axis: the first number of the operand, its steps, and the place in the operand
    starts = [0, *itertools.accumulate(map(math.prod, shapes))]
    behind = [(start, _steps(s), i) for start, s in zip(starts, shapes, strict=False) for i in range(s[along])]
    found = []
    for index in indices(result):
        start, steps, place = behind[index[along]]
        own = (*index[:along], place, *index[along + 1 :])
        found.append(start + sum(i * step for i, step in zip(own, steps, strict=True)))
    return result, found


def _stacked(shapes: Sequence[Shape], axis: int = 0) -> tuple[Shape, Sequence[int]]:
    if len(set(shapes)) != 1:
        raise ShapeError(f"the shapes {' and '.join(map(str, shapes))} differ")
    (along,) = _axes((1, *shapes[0]), axis)
    return _joined([(*shape[:along], 1, *shape[along:]) for shape in shapes], along)


# -- products of matrices


def _as_matrices(shapes: Sequence[Shape]) -> tuple[Shape, Shape]:
    """Return the shapes of the operands of `@` as matrices: a vector is a row on the left, a column on the right."""
    a, b = shapes
    return (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b


def _matmul_shape(shapes: Sequence[Shape]) -> Shape:
    a, b = _as_matrices(shapes)
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
        raise ShapeError(f"`@` needs the shapes (n, k) and (k, m), not {shapes[0]} and {shapes[1]}")
    # the result has no axis for the row or the column of a vector
    rows, columns = shapes[0][-2:-1], shapes[1][1:][-1:]
    return (*broadcast(a[:-2], b[:-2]), *rows, *columns)


def product(a: Flat, b: Flat, rows: int, inner: int, columns: int) -> Flat:
    """Return the product of two matrices."""
    # fsum would round once; torch adds in some order, and the tolerance covers the difference
    return [
        sum(a[i * inner + k] * b[k * columns + j] for k in range(inner)) for i in range(rows) for j in range(columns)
    ]


def transposed(a: Flat, shape: Shape) -> Flat:
    """Return the numbers of an array with two axes, with the axes exchanged."""
    rows, columns = shape
    return [a[i * columns + j] for j in range(columns) for i in range(rows)]


def _matrices(flat: Flat, shape: Shape, batches: Shape) -> list[Flat]:
    """Return the matrix of an operand for each place of the batches of a result."""
    size = shape[-2] * shape[-1]
    return [flat[place * size : (place + 1) * size] for place in places(shape[:-2], batches)]


def _batches(shapes: Sequence[Shape]) -> Shape:
    return broadcast(*(shape[:-2] for shape in shapes))


def _matmul(given: Sequence[Flat], shapes: Sequence[Shape]) -> Flat:
    shapes = _as_matrices(shapes)
    n, k, m = *shapes[0][-2:], shapes[1][-1]
    first, second = (_matrices(flat, shape, _batches(shapes)) for flat, shape in zip(given, shapes, strict=True))
    return [number for a, b in zip(first, second, strict=True) for number in product(a, b, n, k, m)]


def matmul_terms(upstream: Flat, given: Sequence[Flat], shapes: Sequence[Shape]) -> list[tuple[Flat, Shape]]:
    """Return what each operand of `@` receives before it is summed over the batches along which it is repeated."""
    matrices = _as_matrices(shapes)
    n, k, m = *matrices[0][-2:], matrices[1][-1]
    batches = _batches(matrices)
    above = _matrices(upstream, (*batches, n, m), batches)
    first, second = (_matrices(flat, shape, batches) for flat, shape in zip(given, matrices, strict=True))
    to_a = [product(g, transposed(b, (k, m)), n, m, k) for g, b in zip(above, second, strict=True)]
    to_b = [product(transposed(a, (n, k)), g, k, n, m) for g, a in zip(above, first, strict=True)]
    joined = (list(itertools.chain.from_iterable(each)) for each in (to_a, to_b))
    return [(numbers, (*batches, *shape[-2:])) for numbers, shape in zip(joined, shapes, strict=True)]


class Applied(Struct, frozen=True):
    """An operation with its operands, which are flat.

    Attributes:
        whole: what it does; None if it is elementwise.
        compute: the value of an elementwise operation, from one number of each operand.
        local: its local derivatives, from these numbers and the value.
        given: the numbers of the operands.
        shapes: the shapes of the operands.
        arguments: the arguments besides the operands.
        out: the numbers of the result, if they are known.
    """

    whole: Whole | None
    compute: Callable[..., Any]
    local: Callable[..., tuple[float, ...]]
    given: Sequence[Flat]
    shapes: Sequence[Shape]
    arguments: Arguments
    out: Flat | None = None

    def value(self) -> Flat:
        """Return the numbers of the result."""
        if self.whole:
            args, named = called_with(self.arguments)
            return self.whole.value(self.given, self.shapes, *args, **named)
        return [float(self.compute(*row)) for row in self._rows()]

    def contributions(self, upstream: Flat) -> list[Flat]:
        """Return what each operand receives: its terms, summed over the axes along which it is repeated."""
        if self.whole and self.whole is not MATMUL:
            args, named = called_with(self.arguments)
            return list(self.whole.vjp(upstream, self.given, self.shapes, *args, **named))
        terms = zip(self.terms(upstream), self.shapes, strict=True)
        return [scattered(each, places(shape, whole), math.prod(shape)) for (each, whole), shape in terms]

    def terms(self, upstream: Flat) -> list[tuple[Flat, Shape]]:
        """Return what each operand receives before it is summed over the axes along which it is repeated, with a shape.

        For an elementwise operation, it is the upstream gradient times the local derivative, and has the shape of the
        result.
        """
        if self.whole:
            return matmul_terms(upstream, self.given, self.shapes) if self.whole is MATMUL else []
        local, result = self.local_derivatives(), broadcast(*self.shapes)
        return [
            ([derivatives[place] * number for derivatives, number in zip(local, upstream, strict=True)], result)
            for place in range(len(self.given))
        ]

    def local_derivatives(self) -> list[tuple[float, ...]]:
        """Return the local derivatives of an elementwise operation for each number of the result."""
        out = self.value() if self.out is None else self.out
        return [self.local(row, number) for row, number in zip(self._rows(), out, strict=True)]

    def _places(self, shape: Shape) -> tuple[int, ...]:
        return places(shape, broadcast(*self.shapes))

    def _rows(self) -> list[tuple[float, ...]]:
        """Return the numbers of the operands behind each number of the result."""
        read = [
            [numbers[place] for place in self._places(shape)]
            for numbers, shape in zip(self.given, self.shapes, strict=True)
        ]
        return list(zip(*read, strict=True))


def _ties(numbers: Flat) -> Flat:
    """Return the derivative of the largest number by each of them. As in torch, equal ones share it."""
    largest = max(numbers)
    return [(number == largest) / numbers.count(largest) for number in numbers]


SUM = _reduction(math.fsum, lambda numbers: [1.0] * len(numbers))
MEAN = _reduction(lambda numbers: math.fsum(numbers) / len(numbers), lambda numbers: [1 / len(numbers)] * len(numbers))
MAX = _reduction(max, _ties)
RESHAPE, TRANSPOSE = _gather(_reshaped), _gather(permuted)
TAKE = _gather(taken)
STACK, CONCAT = _gather(_stacked, "axis"), _gather(_joined, "axis")
MATMUL = Whole(_matmul_shape, _matmul)
