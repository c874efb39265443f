"""Programs with arrays: shapes, values and gradients on flat lists, which agree with torch's."""

import math
import re
from collections.abc import Sequence
from typing import Any

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from torch_answers import answer

from grader.course.program import ProgramError, arrays
from grader.course.program.arrays import Shape
from grader.course.program.draw import text_of
from grader.program import program

A = [[1, -2, 0.5], [-1.5, 4, 3]]
ROW = [1.5, -2, 0.75]
LENGTHS = (2, 3, 5)


def nested(shape: Shape, number: Any) -> Any:
    """Return a nested list of this shape, whose numbers come from a call of `number`."""
    return [nested(shape[1:], number) for _ in range(shape[0])] if shape else number()


@st.composite
def shapes_that_broadcast(draw: st.DrawFn) -> tuple[Shape, Shape]:
    """Two shapes that fit: of each axis, one operand may have the length 1 or none at all."""
    whole = draw(st.lists(st.sampled_from(LENGTHS), min_size=1, max_size=3))

    def part() -> Shape:
        kept = whole[draw(st.integers(0, len(whole))) :]
        return tuple(length if draw(st.booleans()) else 1 for length in kept)

    return part(), part()


def agrees(text: str, **leaves: Any) -> None:
    """Assert that our values and gradients are torch's."""
    asked = program(text, **leaves)
    values, grads = answer(asked.wire, asked.root)
    assert pytest.approx(values, rel=1e-12, abs=1e-12) == list(asked.values)
    assert pytest.approx(grads, rel=1e-12, abs=1e-12) == list(asked.gradients())


def drawn(data: st.DataObject) -> float:
    """Return a number away from 0, with two digits."""
    number: int = data.draw(st.integers(30, 250))
    return number / 100 * (1 if data.draw(st.booleans()) else -1)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.data(), shapes_that_broadcast(), st.sampled_from("+-*/"))
def test_elementwise_operations_broadcast_as_in_torch(
    data: st.DataObject, shapes: tuple[Shape, Shape], op: str
) -> None:
    """The contribution to an operand is summed over the axes along which it is repeated."""
    first, second = (nested(shape, lambda: drawn(data)) for shape in shapes)
    weights = nested(arrays.broadcast(*shapes), lambda: drawn(data))
    # if no operand is an array, the weights are none either
    if any(shapes):
        agrees(f"L = sum((a {op} b) * c)", a=first, b=second, c=weights)


SHAPES = st.lists(st.sampled_from(LENGTHS), min_size=1, max_size=3).map(tuple)


def different(data: st.DataObject, shape: Shape) -> Any:
    """Return a nested list of numbers of which no two are equal."""
    count = math.prod(shape)
    numbers = iter(data.draw(st.lists(st.integers(-300, 300), unique=True, min_size=count, max_size=count)))
    return nested(shape, lambda: next(numbers) / 100)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.data(), SHAPES, st.sampled_from(("sum", "mean", "max")))
def test_reductions_agree_with_torch(data: st.DataObject, shape: Shape, op: str) -> None:
    """Each number receives its part of the upstream gradient, whichever axes are given, by name or by place."""
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1))
    axis = data.draw(st.sampled_from([None, axes[0], axes[0] - len(shape), tuple(axes)]))
    keepdims = data.draw(st.booleans())
    arguments = data.draw(st.sampled_from([f"axis={axis}, keepdims={keepdims}", f"{axis}, {keepdims}"]))
    agrees(f"h = tanh(a).{op}({arguments}); L = sum(h * h * {op}(a))", a=different(data, shape))


@st.composite
def in_other_places(draw: st.DrawFn, shape: Shape) -> str:
    """An operation on `a` whose result has numbers of `a` in other places, or several times."""
    axes = draw(st.permutations(range(len(shape))))
    axis = draw(st.integers(0, len(shape) - 1))
    rows = st.lists(st.integers(-shape[0], shape[0] - 1), min_size=1, max_size=4)
    start = draw(st.integers(0, shape[axis] - 1))
    before = ":, " * axis
    pairs = draw(st.lists(st.tuples(*[st.integers(0, length - 1) for length in shape]), min_size=1, max_size=4))
    texts = [
        f"a.transpose({', '.join(map(str, axes))})",
        "a.transpose()",
        "a.T",
        f"a.reshape({draw(st.sampled_from([math.prod(shape), -1]))})",
        f"a.reshape({tuple(axes[i] * 0 + shape[axes[i]] for i in range(len(axes)))})",
        f"a.reshape(-1, {shape[axis]})",
        f"a[{draw(st.integers(-shape[0], shape[0] - 1))}]",
        f"a[{draw(rows)}]",
        f"a[{before}{start}]",
        f"a[{before}{start}:]",
        f"a[{before}::{draw(st.integers(1, 2))}]",
        f"a[{before}::-1]",
        f"a[{before}{[start, start, 0]}]",
        f"a[{', '.join(str(list(each)) for each in zip(*pairs, strict=True))}]",
        f"stack([a, -a, a], axis={axis - len(shape)})",
        f"concat([a, a * 2], axis={axis})",
        f"concat([a, stack([a, a])[0]], {axis})",
    ]
    return draw(st.sampled_from(texts))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.data(), SHAPES)
def test_numbers_in_other_places_take_their_gradients_along(data: st.DataObject, shape: Shape) -> None:
    """A number that the result has several times receives the sum; one that it does not have receives nothing."""
    text = data.draw(in_other_places(shape))
    # torch has no slices with a negative step
    if "::-1" not in text:
        agrees(f"h = tanh({text}); L = sum(h * h + exp({text})) + sum(a)", a=different(data, shape))


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.data(), st.tuples(*[st.sampled_from((1, *LENGTHS))] * 3), shapes_that_broadcast(), st.booleans())
def test_products_of_matrices_agree_with_torch(
    data: st.DataObject, lengths: tuple[int, int, int], batches: tuple[Shape, Shape], batched: bool
) -> None:
    """Each operand receives the product of the upstream gradient and the other operand, transposed.

    It is summed over the batches along which the operand is repeated.
    """
    n, k, m = lengths
    first, second = (shape[-2:] if batched else () for shape in batches)
    result = (*arrays.broadcast(first, second), n, m)
    a, b, c = (nested(shape, lambda: drawn(data)) for shape in ((*first, n, k), (*second, k, m), result))
    agrees("L = sum((a @ b) * c + relu(a @ b))", a=a, b=b, c=c)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.data(),
    st.tuples(*[st.sampled_from((1, *LENGTHS))] * 2),
    st.lists(st.sampled_from(LENGTHS), max_size=2).map(tuple),
    st.sampled_from(("left", "right", "both")),
)
def test_products_with_a_vector_agree_with_torch(
    data: st.DataObject, lengths: tuple[int, int], batches: Shape, vectors: str
) -> None:
    """A vector is a row on the left and a column on the right, and receives the sum over all matrices of a batch."""
    n, k = lengths
    shapes: dict[str, tuple[Shape, Shape, Shape]] = {
        "left": ((k,), (*batches, k, n), (*batches, n)),
        "right": ((*batches, n, k), (k,), (*batches, n)),
        "both": ((k,), (k,), ()),
    }
    a, b, c = (nested(shape, lambda: drawn(data)) for shape in shapes[vectors])
    agrees("h = a @ b; L = sum(h * c * h)", a=a, b=b, c=c)


@settings(max_examples=200, deadline=None)
@given(st.data(), SHAPES)
def test_the_text_of_operations_is_parsed_to_the_same_operations(data: st.DataObject, shape: Shape) -> None:
    """A program that is written out and parsed again has the same nodes."""
    text = data.draw(in_other_places(shape))
    a = nested(shape, lambda: 2)
    asked = program(f"h = {text} + sum(a); k = a.mean(axis=0, keepdims=True); L = sum(a.max(0) * k) + -sum(h)", a=a)
    names = {node.name: f"n{i}" for i, node in enumerate(asked.nodes)}
    nodes = [structs.replace(node, name=names[node.name]) for node in asked.nodes]
    again = program(text_of(nodes), **{names["a"]: a})
    assert nodes == list(again.nodes)


@pytest.mark.slow
@every(
    ("text", "leaves"),
    [
        ("e = exp(a); p = e / e.sum(axis=1, keepdims=True); L = sum(p * b)", {"a": A, "b": ROW}),
        (
            "h = tanh(a @ w + b); y = h @ v; L = sum(y * y)",
            {"a": A, "w": [[1, 2], [0.5, -1], [2, 1]], "b": [1, 2], "v": [[3], [-2]]},
        ),
        ("L = a + b", {"a": A, "b": ROW}),  # the derivatives of the sum of its numbers
        ("L = sum(2 / a - a ** 2 + 3 * a)", {"a": A}),
        ("h = a * a; L = sum(h * h + a) * c", {"a": A, "c": -2.5}),
    ],
)
def test_graphs_of_several_operations_agree_with_torch(text: str, leaves: dict[str, Any]) -> None:
    """Users, scalars and plain numbers may be mixed."""
    agrees(text, **leaves)


def test_the_numbers_of_all_nodes_are_one_sequence() -> None:
    """A node owns a slice with a shape; each number has a name."""
    asked = program("L = sum(a * b)", a=[[1, 2], [3, 4]], b=[5, 6])
    assert [(2, 2), (2,), (2, 2), ()] == asked.shapes
    assert ["a[0, 0]", "a[0, 1]", "a[1, 0]", "a[1, 1]", "b[0]", "b[1]"] == asked.names[:6]
    assert ["(a * b)[0, 0]", "L"] == [asked.names[6], asked.names[-1]]
    assert (5, 12, 15, 24) == asked.values[asked.slices[2]]
    assert (1, 4, 4, 6) == (*asked.gradients()[6:7], *asked.gradients()[4:5], asked.values[3], asked.gradients()[5])
    assert (11, 11) == asked.sizes == (len(asked.owners), len(asked.names))


def test_a_scalar_has_the_shape_of_nothing() -> None:
    """A program without arrays has one number for each node, under the node's own name."""
    asked = program("L = a * b", a=2, b=3)
    assert (False, [(), (), ()], ["a", "b", "L"]) == (asked.has_arrays, asked.shapes, asked.names)
    assert asked.nodes is asked.owners


def test_other_numbers_keep_the_shapes() -> None:
    """The numbers of all leaves are given in their order."""
    asked = program("L = sum(a * b)", a=[[1, 2], [3, 4]], b=5).with_leaves([6, 7, 8, 9, -1])
    assert [["leaf", [[6, 7], [8, 9]]], ["leaf", -1]] == asked.wire[:2]
    assert "L = sum(a * b)    with a = [[6, 7], [8, 9]], b = -1" == asked.shown


@every(
    ("values", "expected"),
    [
        ([float(k) for k in range(30)], f"[{', '.join(map(str, range(30)))}]"),
        ([float(k) for k in range(31)], "[0, 1, 2, 3, …]"),
        ([[0.5, -2.0]] * 16, "[[0.5, -2], …]"),
        ([[[1.0] * 31]], "[[[1, 1, 1, 1, …]]]"),
    ],
)
def test_a_large_array_is_cut(values: list[Any], expected: str) -> None:
    """Of more than 30 numbers, a learner reads the first row, and at most four numbers of a long one."""
    assert f"L = sum(a)    with a = {expected}" == program("L = sum(a)", a=values).shown


def test_a_name_with_an_index_is_a_leaf_of_its_own() -> None:
    """A list is one array, unless the text has single numbers of it."""
    single = program("L = row[0] * row[1]", row=[2, 3])
    assert (["row[0]", "row[1]", "L"], False) == (single.names, single.has_arrays)
    assert program("L = sum(row)", row=[2, 3]).has_arrays
    assert ["t[0][0]", "t[1][0]", "L"] == program("L = t[1][0] * t[0][0]", t=[[1], [3]]).names


@every(
    "text", ["L = sum(t[1])", "L = t[0][1] * sum(t)", "L = t[0, 1] * t[0, 0]", "L = sum(t[[0, 0]])", "L = sum(t[:, 0])"]
)
def test_any_other_index_takes_a_part_of_an_array(text: str) -> None:
    """The list is one leaf then."""
    parsed = program(text, t=[[1, 2], [3, 4]])
    assert (["t"], True) == ([leaf.name for leaf in parsed.leaves], "getitem" in parsed.operations)


@every(
    ("text", "leaves", "says"),
    [
        ("L = a + b", {"a": [1, 2], "b": [1, 2, 3]}, "L = a + b: L: the shapes (2,) and (3,) do not fit"),
        ("h = a @ b; L = sum(h)", {"a": A, "b": A}, "h: `@` needs the shapes (n, k) and (k, m), not (2, 3) and (2, 3)"),
        ("L = a @ b", {"a": ROW, "b": A}, "`@` needs the shapes (n, k) and (k, m), not (3,) and (2, 3)"),
        ("L = a @ b", {"a": A, "b": 2.0}, "`@` needs the shapes (n, k) and (k, m), not (2, 3) and ()"),
        ("L = a.sum(axis=2)", {"a": A}, "an array of shape (2, 3) has no axis 2"),
        ("L = a.sum(axes=0)", {"a": A}, "`sum` has no argument `axes`; did you mean `axis`?"),
        ("L = a.sum(axis=b)", {"a": A}, "an argument of `sum` is not a number"),
        ("L = sum(a)", {"a": 2}, "`sum(a)` needs a leaf that is an array"),
        ("L = a @ b", {"a": 2, "b": 3}, "`a @ b` needs a leaf that is an array"),
        ("L = sum(a)", {"a": [[1, 2], [3]]}, "the rows of a list have different shapes"),
        ("L = sum(a)", {"a": [[], []]}, "a list is empty"),
        ("L = sum(a)", {"a": [1, "2x"]}, "the value of a leaf is not a number"),
        ("L = sum(a)", {"a": [1, float("inf")]}, "a = inf is not finite"),
        ("L = a.sum(0, axis=1)", {"a": A}, "`sum` has an argument twice, or too many of them"),
        ("L = a.sum(axis=(0, 0))", {"a": A}, "(0, 0) names an axis twice"),
        ("L = a.mean(axis=[0, 1])", {"a": A}, "an argument of `mean` is not a number, a bool or a tuple of numbers"),
        ("L = a.max(axis=1.5)", {"a": A}, "an argument of `max` is not a number"),
        ("L = a.reshape(4)", {"a": A}, "an array of shape (2, 3) has no shape (4,)"),
        ("L = a.reshape(-1, 4)", {"a": A}, "an array of shape (2, 3) has no shape (-1, 4)"),
        ("L = a.reshape((1, 2), 3)", {"a": A}, "`reshape` does not take these arguments"),
        ("L = a.transpose(0, 0)", {"a": A}, "(0, 0) names an axis twice"),
        ("L = a.transpose(0)", {"a": A}, "an array of shape (2, 3) has other axes than (0,)"),
        ("L = a[5]", {"a": A}, "an array of shape (2, 3) has no index 5 along axis 0"),
        ("L = a[0, 0, 0]", {"a": A}, "an array of shape (2, 3) has no 3 axes"),
        ("L = a[2:]", {"a": A}, "the index of an array of shape (2, 3) takes nothing"),
        ("L = a[[0, 1], [0]]", {"a": A}, "the lists of an index have different lengths"),
        ("L = a['x']", {"a": A}, "an index is not a number, a bool or a tuple of numbers: `'x'`"),
        ("L = b[0]", {"a": A}, "b[0] has no value"),
        ("L = row[2] * row[0]", {"row": [1, 2]}, "row[2] has no value"),
        ("L = stack([a, b])", {"a": A, "b": ROW}, "the shapes (2, 3) and (3,) differ"),
        ("L = concat([a, b])", {"a": A, "b": [ROW[:2]]}, "the shapes (2, 3) and (1, 2) do not fit"),
        ("L = concat([a, a], axis=2)", {"a": A}, "an array of shape (2, 3) has no axis 2"),
        ("L = a @ b", {"a": [A, A], "b": [[ROW[:1]] * 3] * 3}, "the shapes (2,) and (3,) do not fit"),
        ("L = mean(a)", {"a": 2}, "`mean(a)` needs a leaf that is an array"),
    ],
)
def test_what_does_not_fit_is_a_program_error(text: str, leaves: dict[str, Any], says: str) -> None:
    """The error says which shapes do not fit."""
    with pytest.raises(ProgramError, match=re.escape(says)):
        program(text, **leaves)


@every(
    ("shape", "result", "axes"),
    [((3,), (2, 3), (0,)), ((2, 1), (2, 3), (1,)), ((), (2, 3), (0, 1)), ((1, 3), (5, 2, 3), (0, 1)), ((2,), (2,), ())],
)
def test_the_axes_of_a_broadcast_are_those_of_the_result(shape: Shape, result: Shape, axes: Sequence[int]) -> None:
    """An operand is repeated along axes that it lacks, and along those of length 1."""
    assert axes == arrays.broadcast_axes(shape, result)
