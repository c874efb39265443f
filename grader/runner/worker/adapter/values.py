"""Values of a learner's engine: convert them to text, and analyse what an engine keeps besides numbers.

Numbers are converted exactly, other objects to their type's name. An engine keeps attributes, sequences, functions, and
inputs with an amount for each.
"""

import copy
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_MAX_TEXT = 300
_type_name = type.__dict__["__name__"].__get__  # a metaclass may define `__name__`
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

        def array_like(number: float, model: object) -> Any:
            kind = type_of(model)
            return numpy.full(shape_of(model), number, kind if kind.kind == "f" else float)

        def scalar_like(number: float, model: object) -> Any:
            return (type(model) if isinstance(model, numpy.floating) else numpy.float64)(number)

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


def truth(value: object) -> bool | None:
    """Return the truth value of a bool, or of numpy's bool; None for any other object."""
    item = _of_kind(type(value), _plain_ways)
    try:
        inner = value if item is None else item(value)
    except (ValueError, OverflowError):
        return None
    return inner if inner is True or inner is False else None


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


def alike(number: float, model: object) -> Any:
    """Return a number in the type of `model`: a numpy scalar, an array of the same shape, a fraction or a decimal.

    For any other type, return the float itself.
    """
    make = _of_kind(type(model), _ways_back)
    return number if make is None else make(number, model)


def _of_kind(kind: type, ways: dict[type, object]) -> Any:
    # the usual case, decided without a search
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


# -- attributes, sequences, functions, and inputs with an amount for each

_MOST_PARTS = 8  # the most attributes of an object that holds an input and an amount
_MOST_COUNTED = 10_000_000
_MOST_LISTED = 64


class Unreadable(Exception):
    """The file holds nothing that can be read as an engine.

    Args:
        code: Says what is missing. `grader.runner.client.protocol.SHAPES` lists the codes.
        names: The names for the message.
        counts: The numbers for the message.
    """

    def __init__(self, code: str, *names: str, counts: Sequence[int] = ()) -> None:
        super().__init__(code, *names, *counts)
        self.code = code
        self.names = [clean_name(name) for name in names]
        self.counts = [min(count, _MOST_COUNTED) for count in counts]


def attributes(obj: object) -> dict[str, Any]:
    """Return the instance attributes of an object, including those in `__slots__`."""
    result = dict(getattr(obj, "__dict__", {}))
    for cls in type(obj).__mro__:
        slots = vars(cls).get("__slots__", ())  # a text is the name of a single slot
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            if not name.startswith("__") and hasattr(obj, name):
                result.setdefault(name, getattr(obj, name))
    return result


def put(obj: object, name: str, value: object) -> None:
    """Set an attribute, also one of a frozen dataclass, which refuses a usual assignment."""
    try:
        setattr(obj, name, value)
    except AttributeError:
        object.__setattr__(obj, name, value)


def is_number(value: object) -> bool:
    return plain(value) is not None


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
    amounts = [part for part, counts in zip(parts, _which_are_amounts(parts, cls), strict=True) if counts]
    return (sources[0], amounts[0]) if len(sources) == len(amounts) == 1 else None


def _which_are_amounts(parts: Sequence[object], cls: type) -> list[bool]:
    """Return for each part of an entry whether it is an amount.

    Beside a number or a function, a bool is a mark. Alone, as in `(a, a.data > 0)`, it is the amount 1 or 0.
    """
    usual = [is_amount(part, cls) for part in parts]
    return usual if any(usual) else [truth(part) is not None for part in parts]


def entries(kept: Any, cls: type) -> list[tuple[Any, Any]] | None:
    """Return the inputs and amounts of a sequence of entries, or of a dict; None for anything else."""
    if isinstance(kept, dict):
        fits = bool(kept) and all(isinstance(k, cls) and any(_which_are_amounts([v], cls)) for k, v in kept.items())
        return list(kept.items()) if fits else None
    if not is_row(kept):
        return None
    pairs = [entry(item, cls) for item in kept]
    return None if None in pairs else pairs  # type: ignore[return-value]


def listed(returned: Any) -> Any:
    """Return the items of an iterator as a list, and any other object as it is."""
    return list(itertools.islice(returned, _MOST_LISTED)) if hasattr(type(returned), "__next__") else returned


def returned_amounts(returned: Any, cls: type) -> list[float] | None:
    """Return the numbers of what a rule returned: a number for each input, or each with its input; else None."""
    if isinstance(returned, dict) or (is_row(returned) and not all(map(is_number, returned))):
        pairs = entries(returned, cls)
        numbers: Any = None if pairs is None else [plain(amount) for _, amount in pairs]
    else:
        numbers = list(map(plain, returned)) if is_row(returned) else None
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
    changed = copy.copy(row)  # keeps the type, for example an array's
    for at, item in enumerate(items):
        changed[at] = item
    return changed


def _with_amount(item: Any, cls: type, change: Callable[[object], object]) -> Any:
    if isinstance(item, (list, tuple)):
        kind = type(item)
        make = getattr(kind, "_make", kind)  # a named tuple is made from its parts
        amounts = _which_are_amounts(item, cls)
        return make([change(part) if counts else part for part, counts in zip(item, amounts, strict=True)])
    changed = copy.copy(item)
    parts = attributes(item)
    for (name, part), counts in zip(parts.items(), _which_are_amounts(list(parts.values()), cls), strict=True):
        if counts:
            put(changed, name, change(part))
    return changed


def code_of(function: object) -> object:
    """Return the code of a function, or any other object itself."""
    return getattr(function, "__code__", function)


def wants_argument(function: object) -> bool:
    """Return whether a function has a positional parameter without a default."""
    plain_function = function.__func__ if type(function) is MethodType else function
    if type(plain_function) is FunctionType and not vars(plain_function):  # `inspect` takes a hundred times as long
        bound = 1 if plain_function is not function else 0
        return plain_function.__code__.co_argcount > bound + len(plain_function.__defaults__ or ())
    return any(p.kind is not inspect.Parameter.KEYWORD_ONLY for p in required(function))


def required(function: Any) -> list[inspect.Parameter]:
    """Return the parameters of a function that have no default, without `*arguments`; an empty list if unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    any_number = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p for p in parameters if p.kind not in any_number and p.default is inspect.Parameter.empty]
