"""Read an engine's shape: which class, which attributes hold value, gradient, inputs and local rules.

The usual names win. Where they are absent, a name is taken only if one reading is possible.
"""

import operator
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

from . import rules, spelling

PROBE = (3.25, -1.75)
_GRADIENTS = ("grad", "_grad", "gradient", "derivative", "deriv", "adjoint", "g")
_INPUTS = ("_prev", "_children", "children", "prev", "inputs", "_inputs", "parents", "_parents")
_PASSES = ("backward", "backprop", "backpropagate", "back")
_CONTAINERS = (tuple, list, set, frozenset)


class Unreadable(Exception):
    """The file holds nothing that can be read as an engine; the message says what is missing."""


class Reading(NamedTuple):
    """What stands for what. `rule` is a kind of `grader.worker.rules`, or empty where there is none."""

    cls: type
    data: str
    grad: str
    inputs: str
    rule: str
    rule_name: str
    grad_starts_as_none: bool

    def wire(self) -> list[Any]:
        names = [spelling.clean_name(name) if name else "" for name in self[1:6]]
        return [spelling.name_of(self.cls), *names, self.grad_starts_as_none]

    def number(self, value: object) -> float:
        """A gradient as a float; None, where gradients start so, is zero."""
        return 0.0 if value is None and self.grad_starts_as_none else float(value)  # type: ignore[arg-type]


class _NoEngine:
    """Nothing is an instance of it."""


NO_ENGINE = Reading(_NoEngine, "data", "grad", "", "", "", False)


def attributes(obj: object) -> dict[str, Any]:
    """The instance attributes of an object, with or without `__slots__`."""
    found = dict(getattr(obj, "__dict__", {}))
    for cls in type(obj).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            if not name.startswith("__") and hasattr(obj, name):
                found.setdefault(name, getattr(obj, name))
    return found


def _classes(module: ModuleType) -> Iterator[type]:
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield value


def engine_class(module: ModuleType) -> type:
    """`Value`, or the only class of the file with `+` and `*` that is no subclass of another such."""
    named = vars(module).get("Value")
    if isinstance(named, type):
        return named
    able = [c for c in dict.fromkeys(_classes(module)) if hasattr(c, "__add__") and hasattr(c, "__mul__")]
    able = [c for c in able if not any(c is not base and issubclass(c, base) for base in able)]
    if len(able) == 1:
        return able[0]
    if not able:
        raise Unreadable("there is no class `Value` in the file")
    names = ", ".join(spelling.name_of(c) for c in able)
    raise Unreadable(f"which class is the engine? found {names}; call one of them Value")


def _only(names: list[str], what: str, usual: str) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise Unreadable(f"no attribute holds the {what}; call it `{usual}`")
    raise Unreadable(f"which attribute is the {what}? {', '.join(map(str, names[:4]))} are possible; call it `{usual}`")


def _known(names: tuple[str, ...], obj: object) -> str:
    return next((name for name in names if hasattr(obj, name)), "")


def _grad_name(leaf: Any, data: str) -> str:
    known = _known(_GRADIENTS, leaf)
    if known:
        return known
    blank = [
        name
        for name, value in attributes(leaf).items()
        if name != data and (value is None or (rules.is_number(value) and float(value) == 0.0))
    ]
    return _only(blank, "gradient", "grad")


def _holds(container: object, wanted: list[Any]) -> bool:
    if not isinstance(container, _CONTAINERS):
        return False
    ids = {id(item) for item in container}
    return bool(ids) and ids == {id(item) for item in wanted}


def read(module: ModuleType) -> Reading:
    """Read the shape of the engine in a loaded file by making two leaves and, where it can, their product.

    Raises `Unreadable`, or what the learner's constructor raises.
    """
    cls = engine_class(module)
    leaf, other = cls(PROBE[0]), cls(PROBE[1])
    held = {
        name: value for name, value in attributes(leaf).items() if rules.is_number(value) and float(value) == PROBE[0]
    }
    data = "data" if hasattr(leaf, "data") else _only(list(held), "value", "data")
    grad = _grad_name(leaf, data)
    starts_as_none = getattr(leaf, grad) is None
    node = _product(leaf, other)
    if node is None:
        node = leaf
    found = attributes(node)
    inputs = _known(_INPUTS, node) or next((n for n, v in found.items() if _holds(v, [leaf, other])), "")
    own_pass = any(callable(getattr(node, name, None)) or callable(vars(module).get(name)) for name in _PASSES)
    rule, rule_name = rules.find(node, (leaf, other), (data, grad, inputs), found, own_pass)
    return Reading(cls, data, grad, inputs, rule, rule_name, starts_as_none)


def _product(left: Any, right: Any) -> Any:
    """`left * right`, else `left + right`, else None: an exercise's file need not have both."""
    for combine in (operator.mul, operator.add):
        try:
            node = combine(left, right)
        except Exception:
            continue
        if isinstance(node, type(left)):
            return node
    return None


def backward_of(module: ModuleType, root: Any, rule_name: str) -> Callable[[], Any]:
    """The learner's backward pass from `root`: a method, or a function of the file that takes the root.

    `backward` wins wherever it stands; other names count only where they are not the local rule's.
    """
    for name in _PASSES:
        method = getattr(root, name, None)
        if callable(method) and name != rule_name:
            return method  # type: ignore[no-any-return]
        function: Any = vars(module).get(name)
        if callable(function):
            return lambda: function(root)
    raise Unreadable("there is no `backward()` on a node")
