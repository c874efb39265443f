"""Analyse the data that an engine keeps besides its numbers: attributes, sequences, inputs with an amount for each."""

import copy
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import spelling

_MOST_PARTS = 8  # the most attributes of an object that holds an input and an amount
_MOST_COUNTED = 10_000_000
_MOST_LISTED = 64


class Unreadable(Exception):
    """The file holds nothing that can be read as an engine.

    Args:
        code: Says what is missing. `grader.client.protocol.SHAPES` lists the codes.
        names: The names for the message.
        counts: The numbers for the message.
    """

    def __init__(self, code: str, *names: str, counts: Sequence[int] = ()) -> None:
        super().__init__(code, *names, *counts)
        self.code = code
        self.names = [spelling.clean_name(name) for name in names]
        self.counts = [min(count, _MOST_COUNTED) for count in counts]


def attributes(obj: object) -> dict[str, Any]:
    """Return the instance attributes of an object, including those in `__slots__`."""
    found = dict(getattr(obj, "__dict__", {}))
    for cls in type(obj).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            if not name.startswith("__") and hasattr(obj, name):
                found.setdefault(name, getattr(obj, name))
    return found


def is_number(value: object) -> bool:
    return spelling.plain(value) is not None


def is_amount(value: object, cls: type) -> bool:
    """Return whether an object can be a local derivative: a number, or a function of the upstream gradient."""
    return not isinstance(value, cls) and (callable(value) or is_number(value))


def is_row(value: Any) -> bool:
    """Return whether an object is a sequence that is not empty: a list, a tuple, a deque, an array."""
    if isinstance(value, (str, bytes)) or not hasattr(type(value), "__getitem__") or hasattr(value, "keys"):
        return False
    try:
        return len(value) > 0
    except TypeError:  # a numpy array without dimensions
        return False


def entry(item: object, cls: type) -> tuple[Any, Any] | None:
    """Return the input and the amount in a pair, a triple or an object; None unless it holds exactly one of each."""
    if isinstance(item, cls):
        return None
    parts = list(item) if isinstance(item, (list, tuple)) else list(attributes(item).values())
    if not 2 <= len(parts) <= _MOST_PARTS:
        return None
    sources = [part for part in parts if isinstance(part, cls)]
    amounts = [part for part in parts if is_amount(part, cls)]
    return (sources[0], amounts[0]) if len(sources) == len(amounts) == 1 else None


def entries(kept: Any, cls: type) -> list[tuple[Any, Any]] | None:
    """Return the inputs and amounts of a sequence of entries, or of a dict; None for anything else."""
    if isinstance(kept, dict):
        fits = bool(kept) and all(isinstance(k, cls) and is_amount(v, cls) for k, v in kept.items())
        return list(kept.items()) if fits else None
    if not is_row(kept):
        return None
    found = [entry(item, cls) for item in kept]
    return None if None in found else found  # type: ignore[return-value]


def listed(returned: Any) -> Any:
    """Return the items of an iterator as a list, and any other object as it is."""
    return list(itertools.islice(returned, _MOST_LISTED)) if hasattr(type(returned), "__next__") else returned


def returned_amounts(returned: Any, cls: type) -> list[float] | None:
    """Return the numbers of what a rule returned: a number for each input, or each with its input; else None."""
    if isinstance(returned, dict) or (is_row(returned) and not all(map(is_number, returned))):
        found = entries(returned, cls)
        numbers: Any = None if found is None else [spelling.plain(amount) for _, amount in found]
    else:
        numbers = list(map(spelling.plain, returned)) if is_row(returned) else None
    return None if numbers is None or None in numbers else numbers


def with_amounts(kept: Any, cls: type, change: Callable[[Any], Any]) -> Any:
    """Return a copy of a collection that `entries` reads, with every amount changed."""
    if isinstance(kept, dict):
        changed = copy.copy(kept)
        for source, amount in kept.items():  # not `update`, with which a Counter adds
            changed[source] = change(amount)
        return changed
    return like_row(kept, [_with_amount(item, cls, change) for item in kept])


def like_row(row: Any, items: Iterable[Any]) -> Any:
    """Return a sequence of the same type with other items."""
    if isinstance(row, tuple):
        return getattr(row, "_make", type(row))(items)
    changed = copy.copy(row)
    for at, item in enumerate(items):
        changed[at] = item
    return changed


def _with_amount(item: Any, cls: type, change: Callable[[Any], Any]) -> Any:
    if isinstance(item, (list, tuple)):
        kind = type(item)
        make = getattr(kind, "_make", kind)  # a named tuple is made from its parts
        return make([change(part) if is_amount(part, cls) else part for part in item])
    changed = copy.copy(item)
    for name, part in attributes(item).items():
        if is_amount(part, cls):
            object.__setattr__(changed, name, change(part))
    return changed
