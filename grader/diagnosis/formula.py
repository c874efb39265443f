"""Find the simplest formula that gives the observed numbers, among small expressions over named quantities."""

import math
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from msgspec import Struct, structs

from ..program import functions_called

Names = tuple[tuple[str, tuple[float, ...]], ...]  # quantities by their text, with a value for each point

_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly the parts of a text hold together
_CONSTANTS = ("1", "2", "3")
# the symbol, the function, whether the operands can be exchanged, and how tightly the result holds together
_OPERATORS: tuple[tuple[str, Callable[[float, float], Any], bool, int], ...] = (
    ("*", operator.mul, True, _PRODUCT),
    ("/", operator.truediv, False, _PRODUCT),
    ("+", operator.add, True, _SUM),
    ("-", operator.sub, False, _SUM),
    ("**", operator.pow, False, _POWER),
)
_TABLE_SIZE = 3  # the most quantities and functions in a formula of the table
_LARGEST = 5  # the most in a formula that is made of two of the table
_HUGE = 1e9
_FEWEST = 4  # the fewest points


class _Formula(Struct, frozen=True):
    """A formula and its values.

    Attributes:
        binds: How tightly the parts of its text hold together.
        size: How many quantities and functions it has.
        names: How many of these are names.
    """

    text: str
    binds: int
    size: int
    names: int
    values: tuple[float, ...]

    @property
    def rank(self) -> tuple[int, int, bool, int]:
        """Return what decides between formulas with the same values: the simpler one has the lower rank."""
        return self.size, self.names, self.binds == _SUM, len(self.text)


def formula(observed: Sequence[float], names: Names) -> str | None:
    """Return the simplest formula over `names` that has the observed value at each point; None if there is none.

    Formulas that agree at all points count as one. The points should have both signs, and no simple relation between
    them, so that only equal functions agree.
    """
    if len(observed) < _FEWEST:
        return None
    # a constant needs no names
    if all(math.isclose(one, observed[0], rel_tol=1e-9) for one in observed):
        return f"{observed[0]:.6g}"
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
    """Yield each operator, with the right operands that give the observed values."""
    pairs = tuple(zip(left, observed, strict=True))
    yield "+", tuple([o - x for x, o in pairs])
    yield "-", tuple([x - o for x, o in pairs])
    if all(x and o for x, o in pairs):
        yield "*", tuple([o / x for x, o in pairs])
        yield "/", tuple([x / o for x, o in pairs])


class _Table:
    """Small formulas with different values, and how to find one by its values."""

    def __init__(self, formulas: Sequence[_Formula]) -> None:
        self.formulas = formulas
        points = range(len(formulas[0].values))
        # at this point, most formulas have a value of their own
        self._point = max(points, key=lambda i: len({round(one.values[i], 9) for one in formulas}))
        self._sorted = sorted(formulas, key=lambda one: one.values[self._point])
        self._keys = [one.values[self._point] for one in self._sorted]

    def find(self, values: tuple[float, ...]) -> _Formula | None:
        """Return the formula that has these values, if there is one."""
        key = values[self._point]
        # rounding may put the formula on either side of the key
        slack = 1e-9 * abs(key) + 1e-12
        for place in range(bisect_left(self._keys, key - slack), len(self._keys)):
            entry = self._sorted[place]
            if entry.values[self._point] > key + slack:
                break
            if all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in zip(entry.values, values, strict=True)):
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
    """Return all formulas of up to three quantities and functions, the simpler ones first."""
    points = len(names[0][1])
    atoms = [
        *(_Formula(text, _ATOM, 1, 0, (float(text),) * points) for text in _CONSTANTS),
        *(_Formula(text, _SUM if " " in text else _ATOM, 1, 1, values) for text, values in names),
    ]
    by_size = [[], atoms]
    kept = {_rounded(entry.values): entry for entry in reversed(atoms)}  # the first of equal ones wins
    for size in range(2, _TABLE_SIZE + 1):
        pairs = ((x, y) for i in range(1, size) for x in by_size[i] for y in by_size[size - i])
        # of two operands that can be exchanged, the smaller one comes first
        compounds = (_combined(x, y, *op) for x, y in pairs for op in _OPERATORS if not op[2] or x.size <= y.size)
        calls = (_called(name, function, x) for x in by_size[size - 1] for name, function in _functions().items())
        new: dict[tuple[str, ...], _Formula] = {}
        for entry in filter(None, chain(compounds, calls)):
            key = _rounded(entry.values)
            if key not in kept and (key not in new or entry.rank < new[key].rank):
                new[key] = entry
        kept.update(new)
        by_size.append(list(new.values()))
    return _Table(list(chain.from_iterable(by_size)))


def _rounded(values: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"{value:.9g}" for value in values)


def _combined(
    x: _Formula, y: _Formula, symbol: str, function: Callable[[float, float], Any], _: bool, binds: int
) -> _Formula | None:
    return _made(_text(x, symbol, y, binds), binds, 0, function, x, y) if x.names or y.names else None


def _called(name: str, function: Callable[[float], float], x: _Formula) -> _Formula | None:
    return _made(name.format(x.text), _ATOM, 1, function, x)


def _made(text: str, binds: int, more: int, function: Callable[..., Any], *operands: _Formula) -> _Formula | None:
    """Return a formula with `more` functions than its operands; None if it is 0, or not a moderate number."""
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
