"""Spell what a learner's engine holds as text: numbers exactly, other objects by their type's name."""

import re
import sys
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_MAX_TEXT = 300
_type_name = type.__dict__["__name__"].__get__
_plain_ways: dict[type, Any] = {}  # from other kinds of number to Python's own
_ways_back: dict[type, Any] = {}  # from a float, and what it is to be like, to those kinds


def learn_numbers() -> None:
    """Take the ways to a plain number that imported modules have, before learner code runs: numpy's own `item`, and
    `float` for fractions and decimals."""
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
    """Return a type's name, cut down to what the trusted side accepts as a name."""
    return clean_name(_type_name(kind))


def clean_name(name: str) -> str:
    """Return a learner's name for something as the trusted side accepts it: ASCII, at most 40 characters."""
    match = _NAME.match(re.sub(r"[^A-Za-z0-9_]", "_", name))
    return match.group() if match else "object"


def plain(number: object) -> float | None:
    """Return a number of any known kind as a float; None for what is none, or too large for one."""
    inner = _unwrapped(number)
    if not _is_plain(inner):
        return None
    try:
        return float(inner)  # type: ignore[arg-type]
    except OverflowError:
        return None


def _is_plain(number: object) -> bool:
    """Whether something is Python's own float or int: by identity, for a metaclass may equal anything."""
    return type(number) is float or type(number) is int


def _unwrapped(number: object) -> object:
    """Return Python's own number that a number of another kind holds, else the object itself."""
    item = _of_kind(type(number), _plain_ways)
    if item is None:
        return number
    try:
        inner = item(number)
    except (ValueError, OverflowError):
        return number
    return inner if _is_plain(inner) else number


def alike(number: float, there: object) -> Any:
    """Return a number in the type of what stands there: numpy's numbers and arrays (of the same shape), fractions and
    decimals. A float for any other."""
    make = _of_kind(type(there), _ways_back)
    return number if make is None else make(number, there)


def _of_kind(kind: type, ways: dict[type, Any]) -> Any:
    if not ways or kind is float or kind is int:
        return None
    ancestors = type.mro(kind)
    return next((way for base, way in ways.items() if any(base is ancestor for ancestor in ancestors)), None)


def spell(number: object) -> str:
    """Return a number as `float.hex()`; for anything that is no plain number `!` and its type's name."""
    known = plain(number)
    return "!" + name_of(type(_unwrapped(number))) if known is None else known.hex()


def text_of(value: object) -> str:
    """Return what `str` says of a learner's object, at most 300 characters, whatever its `__str__` does."""
    try:
        text = str(value)
    except BaseException:
        text = "(its message cannot be shown)"
    return text[:_MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
