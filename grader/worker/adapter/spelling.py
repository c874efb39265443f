"""Convert values of a learner's engine to text: numbers exactly, other objects to their type's name."""

import re
import sys
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_MAX_TEXT = 300
_type_name = type.__dict__["__name__"].__get__
_plain_ways: dict[type, Any] = {}  # by type of number, the conversion to a plain Python number
_ways_back: dict[type, Any] = {}  # by type of number, the conversion of a float, given a number of that type


def learn_numbers() -> None:
    """Store the conversions of imported number types, before learner code can replace them.

    These are numpy's `item`, and `float` for fractions and decimals.
    """
    if "numpy" in sys.modules:
        import numpy

        _plain_ways[numpy.generic] = numpy.generic.item
        _plain_ways[numpy.ndarray] = numpy.ndarray.item
        shape_of, type_of = numpy.ndarray.shape.__get__, numpy.ndarray.dtype.__get__

        def array_like(number: float, there: Any) -> Any:
            kind = type_of(there)
            return numpy.full(shape_of(there), number, kind if kind.kind == "f" else float)

        def scalar_like(number: float, there: Any) -> Any:
            return (type(there) if isinstance(there, numpy.floating) else numpy.float64)(number)

        _ways_back[numpy.generic] = scalar_like
        _ways_back[numpy.ndarray] = array_like
    for module, name in (("fractions", "Fraction"), ("decimal", "Decimal")):
        if module in sys.modules:
            kind = getattr(sys.modules[module], name)
            _plain_ways[kind] = float
            _ways_back[kind] = lambda number, there, kind=kind: kind(number)


def name_of(kind: type) -> str:
    """Return a type's name in the form that the trusted side accepts (see `clean_name`)."""
    return clean_name(_type_name(kind))


def clean_name(name: str) -> str:
    """Return a name in the form that the trusted side accepts: an ASCII identifier of at most 40 characters."""
    match = _NAME.match(re.sub(r"[^A-Za-z0-9_]", "_", name))
    return match.group() if match else "object"


def plain(number: object) -> float | None:
    """Return a number of any known type as a float; None if it is not a number, or is too large."""
    inner = _unwrapped(number)
    if not _is_plain(inner):
        return None
    try:
        return float(inner)  # type: ignore[arg-type]
    except OverflowError:
        return None


def _is_plain(number: object) -> bool:
    """Return whether an object is exactly a float or an int. Compare by identity: a metaclass may redefine `==`."""
    return type(number) is float or type(number) is int


def _unwrapped(number: object) -> object:
    """Return the plain Python number of a number of another type, else the object itself."""
    item = _of_kind(type(number), _plain_ways)
    if item is None:
        return number
    try:
        inner = item(number)
    except (ValueError, OverflowError):
        return number
    return inner if _is_plain(inner) else number


def alike(number: float, there: object) -> Any:
    """Return a number in the type of `there`: a numpy scalar, an array of the same shape, a fraction or a decimal.

    For any other type, return the float itself.
    """
    make = _of_kind(type(there), _ways_back)
    return number if make is None else make(number, there)


def _of_kind(kind: type, ways: dict[type, Any]) -> Any:
    if not ways or kind is float or kind is int:
        return None
    ancestors = type.mro(kind)
    return next((way for base, way in ways.items() if any(base is ancestor for ancestor in ancestors)), None)


def spell(number: object) -> str:
    """Return a number as `float.hex()`, and any other object as `!` and its type's name."""
    known = plain(number)
    return "!" + name_of(type(_unwrapped(number))) if known is None else known.hex()


def text_of(value: object) -> str:
    """Return the `str` of a learner's object, cut after 300 characters. Never raises."""
    try:
        text = str(value)
    except BaseException:
        text = "(its message cannot be shown)"
    return text[:_MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
