"""Spell what a learner's engine holds as text: numbers exactly, other objects by their type's name."""

import re
import sys
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_MAX_TEXT = 300
_type_name = type.__dict__["__name__"].__get__
_plain_ways: dict[type, Any] = {}  # from other kinds of number to Python's own


def learn_numbers() -> None:
    """Take the ways to a plain number that imported modules have, before learner code runs: numpy's own `item`, and
    `float` for fractions and decimals."""
    if "numpy" in sys.modules:
        import numpy

        _plain_ways[numpy.generic] = numpy.generic.item
        _plain_ways[numpy.ndarray] = numpy.ndarray.item
    for module, name in (("fractions", "Fraction"), ("decimal", "Decimal")):
        if module in sys.modules:
            _plain_ways[getattr(sys.modules[module], name)] = float


def name_of(kind: type) -> str:
    """Return a type's name, cut down to what the trusted side accepts as a name."""
    return clean_name(_type_name(kind))


def clean_name(name: str) -> str:
    """Return a learner's name for something as the trusted side accepts it: ASCII, at most 40 characters."""
    match = _NAME.match(re.sub(r"[^A-Za-z0-9_]", "_", name))
    return match.group() if match else "object"


def spell(number: object) -> str:
    """Return a number as `float.hex()`; for anything that is no plain number `!` and its type's name."""
    kind = type(number)
    if kind is float:
        return float.hex(number)  # type: ignore[arg-type]
    if kind is int:
        try:
            return float(number).hex()  # type: ignore[arg-type]
        except OverflowError:
            return "!int"
    for base, item in _plain_ways.items():
        if any(base is ancestor for ancestor in type.mro(kind)):
            try:
                plain = item(number)
            except (ValueError, OverflowError):
                break
            if type(plain) in (float, int):
                return spell(plain)
            break
    return "!" + name_of(kind)


def text_of(value: object) -> str:
    """Return what `str` says of a learner's object, at most 300 characters, whatever its `__str__` does."""
    try:
        text = str(value)
    except BaseException:
        text = "(its message cannot be shown)"
    return text[:_MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
