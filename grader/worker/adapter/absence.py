"""Recognise an operator for which the learner's engine has no method, in an error that Python itself raised."""

import opcode
import re
from collections.abc import Iterator

# A node on the right of a number does not count: in `self.data - other` it is `.data` that is missing.
_UNARY = re.compile(r"bad operand type for unary (?P<symbol>-): '(?P<type>[^']+)'")
_BINARY = re.compile(r"unsupported operand type\(s\) for (?P<symbol>\S+?)=?(?: or \S+)?: '(?P<type>[^']+)' and '.+'")
_METHODS = {
    _UNARY: {"-": "__neg__"},
    _BINARY: {"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "**": "__pow__"},
}


def missing_method(error: TypeError, filename: str, engine: type) -> str | None:
    """Return the method for an operator that a line of the learner's file applies to a node, if the engine lacks it.

    The result is None if the error has any other cause. An error that the learner's code raises with `raise` does not
    count, nor does one that was raised outside of the file.
    """
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or traceback.tb_frame.f_code.co_filename != filename:
        return None
    if opcode.opname[traceback.tb_frame.f_code.co_code[traceback.tb_lasti]] == "RAISE_VARARGS":
        return None
    for pattern, methods in _METHODS.items():
        said = pattern.fullmatch(str(error))
        method = methods.get(said["symbol"]) if said else None
        if said and method and any(c.__name__ == said["type"] and not hasattr(c, method) for c in _family(engine)):
            return method
    return None


def _family(cls: type) -> Iterator[type]:
    """Return a class and all classes derived from it."""
    yield cls
    derived: type
    for derived in type.__subclasses__(cls):
        yield from _family(derived)
