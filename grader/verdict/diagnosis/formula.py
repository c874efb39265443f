"""Find the simplest formula that gives the observed numbers, among small expressions over named quantities."""

import math
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

from msgspec import Struct, structs

from ...course.program import functions_called

Names = tuple[tuple[str, tuple[float, ...]], ...]  # quantities by their text, with a value for each point

# how tightly the parts of a text hold together: the precedence of its outermost operator
_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_CONSTANTS = ("1", "2", "3")
_TABLE_SIZE = 3  # the most quantities and functions in a formula of the table
_LARGEST = 5  # the most in a formula that is made of two of the table
_HUGE = 1e9  # a formula with a value as large as this is left out of the table
_NEAR = 1e-12  # numbers that differ by at most this much are equal
_FEWEST = 4  # the fewest points; with fewer, too many formulas agree with the numbers by chance


class _Operator(NamedTuple):
    """An operator of formulas.

    Attributes:
        commutes: Whether the operands can be exchanged.
        binds: How tightly the parts of its result's text hold together.
    """

    symbol: str
    function: Callable[[float, float], Any]
    commutes: bool
    binds: int


_OPERATORS = (
    _Operator("*", operator.mul, commutes=True, binds=_PRODUCT),
    _Operator("/", operator.truediv, commutes=False, binds=_PRODUCT),
    _Operator("+", operator.add, commutes=True, binds=_SUM),
    _Operator("-", operator.sub, commutes=False, binds=_SUM),
    _Operator("**", operator.pow, commutes=False, binds=_POWER),
)


class _Formula(Struct, frozen=True):
    """A formula and its values.

    Attributes:
        binds: How tightly the parts of its text hold together.
        size: How many names, constants and functions it has. Operators do not count.
        names: How many names it has.
        values: Its value at each point.
    """

    text: str
    binds: int
    size: int
    names: int
    values: tuple[float, ...]

    @property
    def rank(self) -> tuple[int, int, bool, int]:
        """Return what decides between formulas with the same values: the simpler one has the lower rank.

        Of formulas of the same size, one with fewer names is simpler. After that, a sum comes last, and the length of
        the text decides.
        """
        return self.size, self.names, self.binds == _SUM, len(self.text)


def formula(observed: Sequence[float], names: Names) -> str | None:
    """Return the simplest formula over `names` that has the observed value at each point; None if there is none.

    The result is a constant if all observed values are equal. There is no result for fewer than four points.

    Formulas that agree at all points count as one. The points should have both signs, and no simple relation between
    them, so that only equal functions agree.
    """
    if len(observed) < _FEWEST:
        return None
    # `find` takes all of these for 0, so that each part would fit very many formulas
    if all(abs(one) <= _NEAR for one in observed):
        return "0"
    # a constant needs no names
    if all(math.isclose(one, observed[0], rel_tol=1e-9) for one in observed):
        return f"{observed[0] + 0.0:.6g}"  # 0.0 makes 0 of -0
    if any(abs(one) >= _HUGE for one in observed):
        return None
    found = min(_candidates(tuple(observed), _table(names)), key=lambda one: one.rank, default=None)
    return found.text if found else None


def _candidates(observed: tuple[float, ...], table: "_Table") -> Iterator[_Formula]:
    """Yield formulas with the observed values: those of the table, their negatives, and compounds of two of them."""
    direct = table.find(observed)
    negative = table.find(tuple(-value for value in observed))
    if direct:
        yield direct
    if negative:
        text = f"-({negative.text})" if negative.binds == _SUM else f"-{negative.text}"
        yield structs.replace(negative, text=text)
    # compounds are only needed for what the table does not have
    if direct or negative:
        return
    for left in table.formulas:
        for symbol, values in _missing(left.values, observed):
            right = table.find(values)
            if right and left.size + right.size <= _LARGEST:
                binds = _SUM if symbol in "+-" else _PRODUCT
                size, names = left.size + right.size, left.names + right.names
                yield _Formula(_text(left, symbol, right, binds), binds, size, names, observed)


def _missing(left: Sequence[float], observed: Sequence[float]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield each operator, with the values that its right-hand operand must have to give the observed values.

    For example, `left * right` is `observed` if `right` is `observed / left`.
    """
    pairs = tuple(zip(left, observed, strict=True))
    yield "+", tuple([o - x for x, o in pairs])
    yield "-", tuple([x - o for x, o in pairs])
    if all(x and o for x, o in pairs):
        yield "*", tuple([o / x for x, o in pairs])
        yield "/", tuple([x / o for x, o in pairs])


class _Table:
    """Small formulas, and how to find one by its values."""

    def __init__(self, formulas: Sequence[_Formula]) -> None:
        self.formulas = formulas
        points = range(len(formulas[0].values))
        # where the values differ most, the fewest formulas are compared at all points
        self._point = max(points, key=lambda i: len({round(one.values[i], 9) for one in formulas}))
        self._sorted = sorted(formulas, key=lambda one: one.values[self._point])
        self._keys = [one.values[self._point] for one in self._sorted]

    def find(self, values: tuple[float, ...]) -> _Formula | None:
        """Return the formula that has these values, if there is one."""
        key = values[self._point]
        # because of rounding, the formula may be just before the key, or just after it
        slack = 1e-9 * abs(key) + _NEAR
        for place in range(bisect_left(self._keys, key - slack), len(self._keys)):
            entry = self._sorted[place]
            if entry.values[self._point] > key + slack:
                break
            if all(math.isclose(a, b, rel_tol=1e-9, abs_tol=_NEAR) for a, b in zip(entry.values, values, strict=True)):
                return entry
        return None


@cache
def _functions() -> dict[str, Callable[[float], float]]:
    """Return the functions that a formula may call, by the text of a call."""
    return {
        "abs({})": abs,
        "max(0, {})": lambda x: max(0.0, x),
        "min(0, {})": lambda x: min(0.0, x),
        **{f"{name}({{}})": function for name, function in functions_called(operands=1).items()},
    }


@lru_cache(maxsize=64)
def _table(names: Names) -> _Table:
    """Return all formulas of up to three names, constants and functions, the smaller ones first.

    Several names and constants may have the same values. Of the other formulas with the same values, the table has the
    simplest one; it has none if a smaller formula has these values.
    """
    # formulas of size 1: the constants and the names
    points = len(names[0][1])
    atoms = [
        *(_Formula(text, _ATOM, 1, 0, (float(text),) * points) for text in _CONSTANTS),
        *(_Formula(text, _SUM if " " in text else _ATOM, 1, 1, values) for text, values in names),
    ]
    by_size = [[], atoms]
    kept = {_rounded(entry.values) for entry in atoms}
    # formulas of each further size: two smaller ones with an operator, or a function of a smaller one
    for size in range(2, _TABLE_SIZE + 1):
        pairs = ((x, y) for i in range(1, size) for x in by_size[i] for y in by_size[size - i])
        # of two operands that can be exchanged, the smaller one comes first
        compounds = (_combined(x, op, y) for x, y in pairs for op in _OPERATORS if x.size <= y.size or not op.commutes)
        calls = (_called(name, function, x) for x in by_size[size - 1] for name, function in _functions().items())
        new: dict[tuple[str, ...], _Formula] = {}
        for entry in filter(None, chain(compounds, calls)):
            key = _rounded(entry.values)
            if key not in kept and (key not in new or entry.rank < new[key].rank):
                new[key] = entry
        kept |= new.keys()
        by_size.append(list(new.values()))
    return _Table(list(chain.from_iterable(by_size)))


def _rounded(values: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"{value:.9g}" for value in values)


def _combined(x: _Formula, op: _Operator, y: _Formula) -> _Formula | None:
    """Return a formula with an operator; None if it has no name, or no moderate values."""
    return _made(_text(x, op.symbol, y, op.binds), op.binds, 0, op.function, x, y) if x.names or y.names else None


def _called(name: str, function: Callable[[float], float], x: _Formula) -> _Formula | None:
    return _made(name.format(x.text), _ATOM, 1, function, x)


def _made(text: str, binds: int, more: int, function: Callable[..., Any], *operands: _Formula) -> _Formula | None:
    """Return a formula that has its operands and `more` functions.

    Returns None if it is 0 at all points, or at some point huge, undefined or no float.
    """
    try:
        values = tuple(map(function, *(operand.values for operand in operands)))
    except (ArithmeticError, ValueError):
        return None
    if not (any(values) and all(isinstance(value, float) and abs(value) < _HUGE for value in values)):
        return None
    size, names = sum(operand.size for operand in operands), sum(operand.names for operand in operands)
    return _Formula(text, binds, size + more, names, values)


def _text(x: _Formula, symbol: str, y: _Formula, binds: int) -> str:
    """Return the text of an operation, with parentheses where Python needs them."""
    # `**` in an operand of `**` has parentheses on both sides; `-` and `/` associate to the left
    left = x.text if x.binds >= binds + (symbol == "**") else f"({x.text})"
    right = y.text if y.binds >= binds + (symbol in ("-", "/", "**")) else f"({y.text})"
    return f"{left} {symbol} {right}"
