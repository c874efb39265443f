"""The small numpy of a browser tab computes, prints and refuses what numpy does."""

import importlib
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st
from read_yaml import read_yaml

small = importlib.import_module("grader.runner.worker.small.numpy")
EXPRESSIONS: list[str] = read_yaml(Path(__file__).with_name("expressions.yaml"))
MODULES = (numpy, small)


@pytest.fixture(autouse=True)
def _without_warnings() -> Iterator[None]:
    """numpy warns of a division by zero, which the small one does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def result_of(call: Callable[[], Any]) -> Any:
    """Return what a call returns, or the type and the text of its exception."""
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@every("code", EXPRESSIONS)
def test_an_expression_has_the_value_and_the_text_of_numpy(code: str) -> None:
    """Also exceptions, because a learner reads them."""
    before, _, expression = code.rpartition(";")

    def shown(np: Any) -> Any:
        names = {"np": np}
        exec(before, names)
        return repr(eval(expression, names))

    expected, actual = (result_of(partial(shown, np)) for np in MODULES)
    assert expected == actual


# -- random arrays ------------------------------------------------------------------------------------

SHAPES = st.lists(st.integers(1, 3), max_size=3).map(tuple)
NUMBERS = {
    float: st.one_of(st.integers(-8, 8).map(lambda n: n / 4), st.sampled_from([float("nan"), float("inf")])),
    int: st.integers(-4, 4),
    bool: st.booleans(),
}
tried = settings(max_examples=60, deadline=None, derandomize=True, database=None)


class Drawn(list[Any]):
    """The numbers of an array, its shape, and its type."""

    def array(self, np: Any) -> Any:
        numbers, shape, kind = self
        return np.array(numbers, dtype=kind).reshape(shape)


@st.composite
def arrays(draw: st.DrawFn, shapes: Any = SHAPES, kinds: tuple[type, ...] = (float, int, bool)) -> Drawn:
    shape, kind = draw(shapes), draw(st.sampled_from(kinds))
    size = int(numpy.prod(shape))
    return Drawn([draw(st.lists(NUMBERS[kind], min_size=size, max_size=size)), shape, kind])


def described(value: Any) -> Any:
    """Return what has to be the same: the kind of object, shape, type and numbers; the text of any other object."""
    for np in MODULES:
        if isinstance(value, (np.ndarray, np.generic)):
            numbers = [round(float(one), 9) for one in np.asarray(value).reshape(-1).tolist()]
            return isinstance(value, np.ndarray), value.shape, value.dtype.name, str(numbers)
    return str(value)


def agree(call: Callable[[Any], Any]) -> None:
    """Assert that a call with numpy and with the small one returns the same, or raises the same type of exception."""
    found = []
    for np in MODULES:
        try:
            result = call(np)
            found.append([described(one) for one in (result if isinstance(result, list) else [result])])
        except Exception as error:
            found.append([type(error).__name__])
    assert found[0] == found[1]


COMPUTING = ("exp", "log", "tanh", "sqrt", "abs", "negative", "square")
OTHERS = ("sum", "mean", "max", "min", "any", "all", "copy", "zeros_like", "ones_like", "transpose", "ravel", "squeeze")


@pytest.mark.exhaustive
@every("name", COMPUTING)
@tried
@given(arrays(kinds=(float, int)))
def test_a_function_of_each_number(name: str, drawn: Drawn) -> None:
    """Of arrays with any number of axes. numpy's own results for truth values have 8 or 16 bits."""
    agree(lambda np: getattr(np, name)(drawn.array(np)))


@pytest.mark.exhaustive
@every("name", OTHERS)
@tried
@given(arrays())
def test_a_function_of_one_array(name: str, drawn: Drawn) -> None:
    """Of arrays with any number of axes."""
    agree(lambda np: getattr(np, name)(drawn.array(np)))


BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "equal", "less", "greater_equal", "matmul")


@pytest.mark.exhaustive
@every("name", BINARY)
@tried
@given(arrays(), arrays())
def test_a_function_of_two_arrays(name: str, one: Drawn, other: Drawn) -> None:
    """They are broadcast, or their shapes do not fit."""
    agree(lambda np: getattr(np, name)(one.array(np), other.array(np)))
    agree(lambda np: getattr(np, name)(one.array(np)[..., :1], other.array(np)))
    agree(lambda np: getattr(np, name)(one.array(np), 2.5 if name != "matmul" else [2.5]))


@pytest.mark.exhaustive
@tried
@given(arrays(SHAPES, (float,)), st.integers(0, 3))
def test_a_power(drawn: Drawn, exponent: int) -> None:
    """Whole powers, and the reciprocal."""
    agree(lambda np: [drawn.array(np) ** exponent, drawn.array(np) ** -1.0, float(exponent) ** drawn.array(np)])


@pytest.mark.exhaustive
@every("operator", ("+=", "-=", "*=", "/="))
@tried
@given(arrays(), arrays())
def test_an_operator_in_place(operator: str, one: Drawn, other: Drawn) -> None:
    """It changes the array and all its views, or refuses the shape or the type of the result."""

    def changed(np: Any) -> list[Any]:
        names = {"a": one.array(np), "b": other.array(np)}
        exec(f"before = a; view = a.T; a {operator} b", names)
        return [names["a"], names["before"], names["view"]]

    agree(changed)


AXES = st.one_of(st.none(), st.integers(-3, 3), st.lists(st.integers(-3, 2), max_size=2).map(tuple))


@pytest.mark.exhaustive
@every("name", ("sum", "mean", "max", "min"))
@tried
@given(arrays(SHAPES.filter(len)), AXES, st.booleans())
def test_a_function_along_axes(name: str, drawn: Drawn, axis: Any, keepdims: bool) -> None:
    """One axis, several, none or all, which stay with length 1 or go."""
    agree(lambda np: getattr(np, name)(drawn.array(np), axis=axis, keepdims=keepdims))
    agree(lambda np: getattr(drawn.array(np), name)(axis=axis, keepdims=keepdims))


VIEWS: dict[str, Any] = {
    "reshape": st.lists(st.integers(-1, 6), max_size=3),
    "transpose": st.permutations([0, 1, 2]),
    "expand_dims": st.integers(-4, 4),
    "squeeze": AXES,
}


@pytest.mark.exhaustive
@every("name", VIEWS)
@tried
@given(arrays(), st.data())
def test_other_shapes_of_the_same_numbers(name: str, drawn: Drawn, data: st.DataObject) -> None:
    """A change of the result changes the array, or does not, as in numpy."""
    argument = data.draw(VIEWS[name])
    order = {"order": data.draw(st.sampled_from("CF"))} if name == "reshape" else {}

    def changed(np: Any) -> list[Any]:
        array = drawn.array(np)
        results = []
        for model in (array, array.T):
            result = getattr(np, name)(model, argument, **order)
            result[...] = 1
            results += [result, array.copy()]
        return results

    agree(changed)


@pytest.mark.exhaustive
@tried
@given(arrays(), SHAPES)
def test_broadcast_to(drawn: Drawn, shape: tuple[int, ...]) -> None:
    """The result cannot be changed."""
    agree(lambda np: np.broadcast_to(drawn.array(np), shape))
    agree(lambda np: np.broadcast_to(drawn.array(np)[..., :1], shape).__iadd__(1))


@pytest.mark.exhaustive
@tried
@given(arrays(kinds=(bool,)), arrays(), arrays())
def test_where(condition: Drawn, one: Drawn, other: Drawn) -> None:
    """Three arrays are broadcast."""
    agree(lambda np: np.where(condition.array(np), one.array(np), other.array(np)))
    agree(lambda np: np.where(one.array(np) > 0, one.array(np), 0))


@pytest.mark.exhaustive
@tried
@given(SHAPES, st.sampled_from([float, int, bool]))
def test_arrays_of_a_shape(shape: tuple[int, ...], kind: type) -> None:
    """`zeros`, `ones` and `full`."""
    agree(lambda np: [np.zeros(shape), np.ones(shape, dtype=kind), np.full(shape, 2), np.full(shape, 2.5, kind)])


SLICES = st.slices(3)
KEYS = st.one_of(
    *(st.integers(-3, 3), SLICES, st.none(), st.just(...), st.lists(st.integers(-3, 2), min_size=1, max_size=3)),
    st.lists(st.lists(st.integers(-2, 1), min_size=2, max_size=2), min_size=1, max_size=2),
)
INDICES = st.one_of(KEYS, st.lists(KEYS, max_size=3).map(tuple)).filter(
    lambda key: not isinstance(key, tuple) or sum(one is ... for one in key) < 2
)


@pytest.mark.exhaustive
@settings(tried, max_examples=400)
@given(arrays(), INDICES)
def test_an_index(drawn: Drawn, key: Any) -> None:
    """A view or a copy is returned, each place can be set, and `np.add.at` adds as often as a place is chosen."""

    def chosen(np: Any) -> list[Any]:
        array = drawn.array(np)
        result = array[key]
        if isinstance(result, np.ndarray):
            result[...] = 1
        results = [result, array.copy()]
        array[key] = 0
        results.append(array.copy())
        array[key] += 1 if drawn[2] is not bool else True
        results.append(array.copy())
        np.add.at(array, key, 1)
        results.append(array.copy())
        if array.ndim:
            array[array > 0] = 0
        return [*results, array, array[array == 0] if array.ndim else 0]

    agree(chosen)


@pytest.mark.exhaustive
@tried
@given(arrays(kinds=(float,)), st.integers(0, 2), arrays())
def test_a_row_that_is_set(drawn: Drawn, at: int, value: Drawn) -> None:
    """The value is broadcast to the place, or does not fit."""

    def changed(np: Any) -> Any:
        array = drawn.array(np)
        array[at] = value.array(np)
        return array

    agree(changed)


@pytest.mark.exhaustive
@tried
@given(arrays(SHAPES, (float, int, bool)))
def test_the_text_of_a_small_array(drawn: Drawn) -> None:
    """`repr`, `str`, `tolist` and `bool`."""
    agree(lambda np: repr(drawn.array(np)))
    agree(lambda np: str(drawn.array(np)))
    agree(lambda np: str(drawn.array(np).tolist()))
    agree(lambda np: str(bool(drawn.array(np))))


@pytest.mark.exhaustive
@settings(tried, max_examples=300)
@given(st.lists(st.floats(width=32), min_size=1, max_size=4))
def test_the_text_of_any_floats(numbers: list[float]) -> None:
    """Large, small and special ones."""
    agree(lambda np: repr(np.array(numbers)))


def test_what_it_does_not_have_is_a_sentence() -> None:
    """Functions, types, methods and arguments that are not there, however they are asked for."""
    np = small
    for call, missing in {
        lambda: np.einsum("ij->j", [[1]]): "einsum",
        lambda: np.random.rand(2): "random",
        lambda: np.float32(1): "float32",
        lambda: np.array([1], dtype="float32"): "the dtype float32",
        lambda: np.array([None]): "arrays of NoneType",
        lambda: np.array([1]).cumsum(): "ndarray.cumsum",
        lambda: np.exp(1, out=None): "`out` of exp",
    }.items():
        with pytest.raises((ImportError, AttributeError)) as raised:
            call()
        expected = f"this page has a small numpy without {missing}; `grade` in a terminal has all of it"
        assert expected == str(raised.value)
    assert not hasattr(np.array([1]), "keys")
