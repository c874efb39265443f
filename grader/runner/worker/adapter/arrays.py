"""Arrays of a learner's engine: numpy's, or nested lists. Read their shape, type and numbers, and make others.

numpy's functions are kept before learner code can replace them. An object that is neither an array nor a number is
reported by its type.
"""

import contextlib
import inspect
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from . import values

_MOST_AXES = 8  # the most axes of an array in an answer
_LONGEST = 10_000_000  # the longest axis in an answer, and the most numbers of a nested list that is made
_FEW = 1_000  # the most numbers of an array that are compared with 0
_NUMBERS = "fiub"  # numpy's kinds of numbers: floats, ints, unsigned ints and bools


class _Numpy(NamedTuple):
    array: type
    scalar: type
    made: Callable[..., Any]
    full: Callable[..., Any]
    shape_of: Callable[[Any], tuple[int, ...]]
    type_of: Callable[[Any], Any]
    as_list: Callable[[Any], Any]
    as_number: Callable[[Any], Any]
    memory_of: Callable[[Any], object]


_known: list[_Numpy] = []


def learn_numpy() -> None:
    """Keep numpy's functions, if it is imported."""
    if "numpy" in sys.modules and not _known:
        import numpy

        shape_of, type_of = numpy.ndarray.shape.__get__, numpy.ndarray.dtype.__get__
        as_list, as_number = numpy.ndarray.tolist, numpy.generic.item
        makers = numpy.array, numpy.full
        # of the small numpy, `_in_memory` is the same
        memory_of = getattr(numpy.ndarray, "_in_memory", None) or _in_memory(numpy.ndarray.__array_interface__.__get__)
        _known.append(_Numpy(numpy.ndarray, numpy.generic, *makers, shape_of, type_of, as_list, as_number, memory_of))


def _in_memory(interface: Callable[[Any], dict[str, Any]]) -> Callable[[Any], object]:
    """Return a function that returns where the numbers of an array are, as numpy's array interface has it."""

    def memory_of(value: Any) -> object:
        seen = interface(value)
        return seen["data"][0], seen["shape"], seen["strides"]

    return memory_of


def _is_a(value: object, kind: type) -> bool:
    """Return whether an object is of a type. A metaclass or `__class__` cannot change the answer."""
    return any(base is kind for base in type.mro(type(value)))


def is_numpy(value: object) -> bool:
    """Return whether an object is one of numpy's arrays."""
    return bool(_known) and _is_a(value, _known[0].array)


def is_array(value: object) -> bool:
    """Return whether an object is an array with other than one number, or a list."""
    return type(value) is list or (is_numpy(value) and math.prod(_known[0].shape_of(value)) != 1)


def is_zero(value: object) -> bool:
    """Return whether an object is the number 0, or an array of few numbers that are all 0."""
    if not is_array(value):
        return not value
    numbers = seen(value, _FEW)[2]
    return bool(numbers) and not any(map(float.fromhex, numbers))


def copied(value: Any) -> Any:
    """Return a copy of one of numpy's arrays, or any other object itself."""
    return _known[0].made(value) if is_numpy(value) else value


def shared(given: Sequence[object]) -> list[int]:
    """Return for each object the index of the first one that is the same array. Return no indices if all differ.

    Two of numpy's arrays are the same if their numbers are at the same places in memory.
    """
    first: dict[object, int] = {}
    found = []
    for index, value in enumerate(given):
        key: object = id(value) if type(value) is list else (index, None)
        if is_numpy(value) and 0 not in _known[0].shape_of(value):
            key = _known[0].memory_of(value)
        found.append(first.setdefault(key, index))
    return found if len(first) < len(found) else []


def has_numpy() -> bool:
    """Return whether the file has numpy."""
    return bool(_known)


def has_ints(nested: Any) -> bool:
    """Return whether the first number of a nested list is an int."""
    while type(nested) is list and nested:
        nested = nested[0]
    return type(nested) is int


def made(nested: Any, by_numpy: bool) -> Any:
    """Return an array with these numbers: numpy's, or the nested list itself."""
    return _known[0].made(nested) if by_numpy else nested


def like(numbers: Any, model: Any) -> Any:
    """Return an array of floats like another one, with the numbers of a nested list, or with one number everywhere."""
    if is_numpy(model):
        kind = _known[0].type_of(model)
        kind = kind if kind.kind == "f" else float
        if isinstance(numbers, list):
            return _known[0].made(numbers, kind)
        return _known[0].full(_known[0].shape_of(model), numbers, kind)
    if isinstance(numbers, list):
        return numbers
    shape = _shape_of_list(model)
    if math.prod(shape) > _LONGEST:  # its rows may be one list many times
        raise MemoryError
    return _filled(numbers, shape)


def _filled(number: float, shape: tuple[int, ...]) -> Any:
    return [_filled(number, shape[1:]) for _ in range(shape[0])] if shape else number


def _shape_of_list(value: Any) -> tuple[int, ...]:
    return (len(value), *_shape_of_list(value[0] if value else 0.0)) if isinstance(value, list) else ()


def seen(value: object, most: int) -> list[Any]:
    """Return `[shape, type, numbers]` of an array or a number; `[None, type, []]` for any other object.

    Args:
        most: the most numbers. If there are more, none is returned.
    """
    if is_numpy(value):
        shape, kind = _known[0].shape_of(value), _known[0].type_of(value)
        if len(shape) > _MOST_AXES or kind.kind not in _NUMBERS:
            return [None, values.clean_name(f"array_of_{kind.name}"), []]
        # without a number, another axis may still be very long, and `tolist` makes a list for each of its places
        small = 0 < math.prod(shape) <= most
        shape = tuple(min(length, _LONGEST) for length in shape)
        return [list(shape), values.clean_name(kind.name), list(_spelled(_known[0].as_list(value))) if small else []]
    if type(value) is list:
        return _of_list(value, most)
    spelled = values.spell(_known[0].as_number(value) if _known and _is_a(value, _known[0].scalar) else value)
    return _other(value) if spelled.startswith("!") else [[], values.name_of(type(value)), [spelled]]


def _other(value: object) -> list[Any]:
    return [None, values.name_of(type(value)), []]


def _of_list(value: Any, most: int) -> list[Any]:
    """Return what `seen` returns of a nested list."""
    shape: list[int] = []
    inner = value
    while type(inner) is list and len(shape) <= _MOST_AXES:
        shape.append(len(inner))
        inner = inner[0] if inner else 0.0
    # rows may be one list many times, so the numbers are counted before any row is looked at
    if len(shape) <= _MOST_AXES and math.prod(shape) > most:
        return [[min(length, _LONGEST) for length in shape], "list", []]
    if len(shape) > _MOST_AXES or not _is_regular(value, shape):
        return _other(value)
    spelled = list(_spelled(value))
    return _other(value) if any(one.startswith("!") for one in spelled) else [shape, "list", spelled]


def _is_regular(value: Any, shape: list[int]) -> bool:
    """Return whether the rows of a nested list have the lengths of its first rows."""
    if not shape:
        return type(value) is not list
    return type(value) is list and len(value) == shape[0] and all(_is_regular(row, shape[1:]) for row in value)


def _spelled(value: Any) -> Iterator[str]:
    if type(value) is list:
        for row in value:
            yield from _spelled(row)
    else:
        yield float(value).hex() if type(value) is bool else values.spell(value)


# -- the arguments of operations on arrays


def called_with(pairs: Sequence[Sequence[Any]]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of an operation, by place and by name. They were sent as pairs: a name, and the argument."""
    given = [(name, _decoded(argument)) for name, argument in pairs]
    return [argument for name, argument in given if not name], {name: argument for name, argument in given if name}


def _decoded(argument: Any) -> Any:
    match argument:
        case ["slice", *parts]:
            return slice(*parts)
        case ["list", *items]:
            return items
        case list():
            return tuple(map(_decoded, argument))
    return argument


_LENGTHS = ("reshape", "transpose")  # their arguments are given one by one, or as one tuple
_ALONG = ("axis", "keepdims")


def as_taken(op: str, function: Callable[..., Any], args: list[Any], named: dict[str, Any]) -> tuple[Any, Any] | None:
    """Return arguments as a function of the file takes them, by place and by name; None if it takes none of the forms.

    An axis may be given by name or by place, and lengths one by one or as one tuple.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return args, named
    several = list(args[0]) if args and isinstance(args[0], tuple) else args
    by_name = {**dict(zip(_ALONG, args, strict=False)), **named}
    by_place = [by_name.get("axis"), *([by_name["keepdims"]] if "keepdims" in by_name else [])]
    if op not in _LENGTHS:
        ways = [(args, named), (by_place, {}), ([], by_name)]
    elif not several or any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
        ways = [(several, {})]
    else:
        ways = [([tuple(several)], {}), (several, {})]
    for way in ways:
        with contextlib.suppress(TypeError):
            signature.bind(*way[0], **way[1])
            return way
    return None
