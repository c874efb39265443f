"""Arrays of a learner's engine are read with their shape, their type and exact numbers, and made like others."""

from typing import Any, SupportsFloat

import numpy as np
import pytest
from every import every

from grader.runner.worker.adapter import arrays
from grader.runner.worker.adapter.rules import EngineReading


@pytest.fixture(autouse=True)
def _with_numpy() -> None:
    arrays.learn_numpy()


class OwnArray(np.ndarray):
    """An array whose own method lies."""

    def tolist(self) -> Any:
        return [9.0]


class Liar(np.ndarray):
    """An array that lies about everything."""

    __class__ = float  # type: ignore[assignment]
    shape = size = ndim = dtype = property(lambda self: ())  # type: ignore[assignment]
    item = astype = tolist = lambda self, *_: 9.0  # type: ignore[assignment]

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        return 9.0


class Offered:
    """No array, but it can be made one."""

    __array_interface__ = np.array([9.0]).__array_interface__

    def __array__(self) -> Any:
        return np.array([9.0])


def hexes(*numbers: SupportsFloat) -> list[str]:
    return [float(number).hex() for number in numbers]


CASES: list[tuple[Any, list[Any]]] = [
    (np.array([[1.0, 2.5]]), [[1, 2], "float64", hexes(1, 2.5)]),
    (np.array([1, 2]), [[2], "int64", hexes(1, 2)]),
    (np.array(True), [[], "bool", hexes(1)]),
    (np.float32(0.1), [[], "float32", hexes(np.float32(0.1))]),
    (np.array([0.1], dtype=np.float32), [[1], "float32", hexes(np.float32(0.1))]),
    (np.arange(6.0).reshape(2, 3).T, [[3, 2], "float64", hexes(0, 3, 1, 4, 2, 5)]),
    (np.array([1.0, 2.0]).view(OwnArray), [[2], "float64", hexes(1, 2)]),
    (np.array([1.0, 2.0]).view(Liar), [[2], "float64", hexes(1, 2)]),
    (np.array([0x7FF4_DEAD_BEEF_0001], dtype=np.uint64).view(float), [[1], "float64", ["nan"]]),
    (np.rec.array([(1.0, 2)], dtype="f8,f8"), [None, "array_of_record128", []]),
    (np.ma.masked_array([1.0, 2.0], [0, 1]), [[2], "float64", hexes(1, 2)]),
    (Offered(), [None, "Offered", []]),
    (memoryview(np.array([9.0])), [None, "memoryview", []]),
    (np.zeros((3, 3)), [[3, 3], "float64", []]),  # too many
    (np.lib.stride_tricks.as_strided(np.zeros(1), (10**6, 10**6), (0, 0)), [[10**6, 10**6], "float64", []]),
    (np.zeros((10**9, 0)), [[10**7, 0], "float64", []]),
    ([[0.0] * 10**5] * 10**5, [[10**5, 10**5], "list", []]),
    (np.ones(1, dtype=np.longdouble), [[1], np.dtype(np.longdouble).name, ["!longdouble"]]),
    (np.zeros((1,) * 9), [None, "array_of_float64", []]),
    (np.array([1j]), [None, "array_of_complex128", []]),
    (np.array([object()]), [None, "array_of_object", []]),
    (2.5, [[], "float", hexes(2.5)]),
    ([[1.0, 2], [3, 4.5]], [[2, 2], "list", hexes(1, 2, 3, 4.5)]),
    ([[1.0], [2.0, 3.0]], [None, "list", []]),
    ([[1.0], 2.0], [None, "list", []]),
    ([None], [None, "list", []]),
    (None, [None, "NoneType", []]),
    ("1.5", [None, "str", []]),
]


@every(("value", "expected"), CASES, ids=[str(expected[:2]) for _, expected in CASES])
def test_an_array_has_a_shape_a_type_and_numbers(value: Any, expected: list[Any]) -> None:
    """Whatever is neither an array nor a number is reported by its type. An array that is too large has no numbers."""
    assert expected == arrays.seen(value, 6)


def test_a_list_that_holds_itself_has_no_shape() -> None:
    """Only a few axes are looked at."""
    endless: list[Any] = []
    endless.append(endless)
    assert [None, "list", []] == arrays.seen(endless, 6)


def test_an_array_is_made_like_another_one() -> None:
    """It has the shape of the model, and floats even if the model has integers."""
    made = arrays.like(0.0, np.array([[1, 2]]))
    assert ((1, 2), np.dtype(float)) == (made.shape, made.dtype)
    assert np.float32 == arrays.like([1.5, 2.0], np.zeros(2, dtype=np.float32)).dtype
    assert [[0.0, 0.0]] == arrays.like(0.0, [[1, 2]])
    assert [3.0] == arrays.like([3.0], [1.0])


def test_no_list_is_made_that_is_too_large() -> None:
    """The rows of the model may be one list many times. The one that is made would have a list for each of them."""
    with pytest.raises(MemoryError):
        arrays.like(0.0, [[0.0] * 10**5] * 10**5)


ALONG: Any = ([], {"axis": 1, "keepdims": True})
BY_PLACE: Any = ([1], {})


@every(
    ("op", "head", "given", "taken"),
    [
        ("sum", "axis=None, keepdims=False", ALONG, ALONG),
        ("sum", "dim=None, keepdim=False", ALONG, ([1, True], {})),
        ("sum", "axis=None, keepdims=False", BY_PLACE, BY_PLACE),
        ("sum", "*, axis=None", BY_PLACE, ([], {"axis": 1})),
        ("sum", "dim=None, keepdim=False", ([], {"keepdims": True}), ([None, True], {})),
        ("sum", "", ALONG, None),
        ("sum", "axis", ALONG, None),
        ("reshape", "*shape", ([3, 2], {}), ([3, 2], {})),
        ("reshape", "*shape", ([(3, 2)], {}), ([3, 2], {})),
        ("reshape", "shape", ([3, 2], {}), ([(3, 2)], {})),
        ("reshape", "shape", ([6], {}), ([(6,)], {})),
        ("reshape", "rows, columns", ([(3, 2)], {}), ([3, 2], {})),
        ("transpose", "axes=None", ([1, 0], {}), ([(1, 0)], {})),
        ("transpose", "axes=None", ([], {}), ([], {})),
        ("transpose", "", ([1, 0], {}), None),
    ],
)
def test_arguments_are_given_as_the_file_takes_them(op: str, head: str, given: Any, taken: Any) -> None:
    """An axis by name or by place, lengths one by one or as a tuple; None if the file takes neither."""
    assert taken == arrays.as_taken(op, eval(f"lambda {head}: 0"), *given)


def test_arguments_are_made_of_what_was_sent() -> None:
    """A tuple, a slice and a list each have a form of their own."""
    sent: list[list[Any]] = [["", [["slice", 1, None, None], ["list", 0, 2]]], ["axis", [0, 1]], ["keepdims", True]]
    assert ([(slice(1, None), [0, 2])], {"axis": (0, 1), "keepdims": True}) == arrays.called_with(sent)


ROW = np.array([1.0, 2.0])
LIST = [1.0, 2.0]


@every(
    ("given", "first"),
    [
        ([ROW, ROW.copy(), ROW], [0, 1, 0]),
        ([ROW, ROW.reshape(2), ROW.view(OwnArray)], [0, 0, 0]),
        ([ROW.copy(), ROW], []),
        ([ROW, ROW[::-1], ROW[:1]], []),
        ([LIST, [1.0, 2.0], LIST], [0, 1, 0]),
        ([1.0, 1.0, None, None], []),
        ([], []),
    ],
)
def test_the_same_array_is_known(given: list[Any], first: list[int]) -> None:
    """Numpy's arrays are the same if their numbers are; lists are if they are one object."""
    assert first == arrays.shared(given)


def test_a_class_that_takes_only_numpys_arrays_gets_a_list_of_ints_itself() -> None:
    """So the file decides of which type the numbers are, and whether it takes a list at all."""
    reading = EngineReading(list, "data", "grad", make=lambda given: given, takes_numpy=True)
    assert [[1, 2]] == reading.leaf([[1, 2]])
    assert isinstance(reading.leaf([[1.0, 2.0]]), np.ndarray)
