"""Local rules: how one node hands its gradient on, whatever form the engine gives that.

| kind       | a node keeps                                            |
|------------|---------------------------------------------------------|
| `closure`  | a function of nothing that adds to its inputs' gradients |
| `visit`    | the same, called with the node                          |
| `pull`     | a function of the upstream gradient that adds, or returns the shares |
| `slopes`   | a function of nothing that returns the local gradients   |
| `pairs`    | (input, local gradient) pairs                           |
| `parallel` | inputs, and beside them their local gradients           |

A local gradient is a number or a function of the upstream gradient; shares come in the order of the inputs or paired
with them.
"""

import copy
import inspect
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, MethodType
from typing import Any

from . import spelling

STORED = ("pairs", "parallel")
_SLOPES = ("_local_grads", "local_grads", "_local_gradients", "local_gradients", "_local_derivatives", "slopes")


def is_number(value: object) -> bool:
    return not spelling.spell(value).startswith("!")


def find(
    node: Any,
    leaves: tuple[Any, Any],
    names: tuple[str, str, str],
    attributes: dict[str, Any],
    own_pass: bool,
) -> tuple[str, str]:
    """Kind and attribute of the local rule of `node`, an operation's result; two empty strings for none.

    `names` are the attributes of value, gradient and inputs, `attributes` all that the node has.
    Where the file has no backward pass of its own (`own_pass`), nobody would give a function its argument or add
    what it returns: there a function is taken to do everything by itself.
    """
    cls = type(leaves[0])
    data, grad, inputs = names
    stored = _find_stored(cls, data, inputs, attributes)
    name = "_backward"
    usual = getattr(node, name, None)
    everybodys = _code(usual) is _code(getattr(leaves[0], name, None))  # a default that does nothing, or does it all
    if (
        stored
        and everybodys
        and (stored[1] in _SLOPES or not callable(usual) or not _hands_on(node, leaves, name, grad))
    ):
        return stored
    if not callable(usual):
        if stored:
            return stored
        functions = [n for n, v in attributes.items() if callable(v) and not isinstance(v, cls)]
        if len(functions) != 1:
            return "", ""
        name = functions[0]
    return (_kind(node, leaves, name, grad) if own_pass else "closure"), name


def _code(function: object) -> object:
    return getattr(function, "__code__", function)


def _find_stored(cls: type, data: str, inputs: str, attributes: dict[str, Any]) -> tuple[str, str] | None:
    """Where local gradients are kept. Of several places one with a usual name wins; numbers that are just the values
    of the inputs are none, but for under such a name."""
    names = sorted(attributes, key=lambda name: name not in _SLOPES)
    for name in names:
        if _is_row(attributes[name]) and all(_is_pair(item, cls) for item in attributes[name]):
            return "pairs", name
    sequence: Any = attributes.get(inputs)
    if not _is_row(sequence):
        return None
    values = [getattr(source, data, None) for source in sequence]
    for name in names:
        row = attributes[name]
        if name == inputs or not _is_row(row) or len(row) != len(values):
            continue
        if all(_is_local(item) and not isinstance(item, cls) for item in row):
            usual = name in _SLOPES
            if usual or list(row) != values:
                return "parallel", name
    return None


def _is_row(value: Any) -> bool:
    """Whether something is a sequence with something in it: a list, a tuple, a deque, an array."""
    if isinstance(value, (str, bytes)) or not hasattr(type(value), "__getitem__") or hasattr(value, "keys"):
        return False
    try:
        return len(value) > 0
    except TypeError:  # an array of numpy's without dimensions
        return False


def _hands_on(node: Any, leaves: tuple[Any, Any], name: str, grad: str) -> bool:
    """Whether calling a function of a node that nobody needs any more changes a gradient of its inputs."""
    before = [getattr(leaf, grad) for leaf in leaves]
    _kind(node, leaves, name, grad)
    return any(getattr(leaf, grad) != old for leaf, old in zip(leaves, before, strict=True))


def _is_local(value: object) -> bool:
    return callable(value) or is_number(value)


def _is_pair(item: object, cls: type) -> bool:
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        return False
    first, second = item
    return (isinstance(first, cls) and _is_local(second)) or (isinstance(second, cls) and _is_local(first))


def _kind(node: Any, leaves: tuple[Any, Any], name: str, grad: str) -> str:
    """Tell the kinds of function apart by calling the one of a node that nobody needs any more."""
    function = getattr(node, name)
    try:
        setattr(node, grad, 1.0)
        before = [getattr(leaf, grad) for leaf in leaves]
        if wants_argument(function):
            try:
                function(1.0)
            except (AttributeError, TypeError):
                return "visit"
            return "pull"
        returned = function()
        added = any(getattr(leaf, grad) != old for leaf, old in zip(leaves, before, strict=True))
        slopes = isinstance(returned, (list, tuple)) and returned and all(map(is_number, returned))
        return "slopes" if slopes and not added else "closure"
    except Exception:
        return "closure"


def wants_argument(function: Any) -> bool:
    """Whether a function has a positional parameter without a default."""
    plain = function.__func__ if type(function) is MethodType else function
    if type(plain) is FunctionType and not vars(plain):  # `inspect` takes a hundred times as long to say the same
        bound = 1 if plain is not function else 0
        return bool(plain.__code__.co_argcount > bound + len(plain.__defaults__ or ()))
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(p.kind in positional and p.default is inspect.Parameter.empty for p in parameters)


class Rules:
    """The local rules of an engine of a known shape: run one, triple one, watch one."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape
        self.kind: str = shape.rule
        self.name: str = shape.rule_name

    def has(self, node: Any) -> bool:
        return self.kind in STORED or callable(getattr(node, self.name, None))

    def run(self, node: Any) -> None:
        """Let the node hand its gradient on."""
        if self.kind in STORED:
            upstream = self._grad(node)
            for source, local in self._stored(node):
                self._add(source, local(upstream) if callable(local) else local * upstream)
            return
        function = getattr(node, self.name)
        if self.kind == "closure":
            function()
        elif self.kind == "visit":
            function(node)
        elif self.kind == "pull":
            self._hand_on(node, function(self._grad(node)))
        else:
            upstream = self._grad(node)
            self._hand_on(node, [slope * upstream for slope in function()])

    def triple(self, node: Any) -> None:
        """From here on the node hands on three times what it should."""
        if self.kind in STORED:
            self._triple_stored(node)
            return
        original, grad = getattr(node, self.name), self.shape.grad

        def tripled(*arguments: Any) -> Any:
            if self.kind == "pull":
                return original(3 * self.shape.number(arguments[0]))
            if self.kind == "slopes":
                return [3 * slope for slope in original()]
            upstream = getattr(node, grad)
            setattr(node, grad, 3 * self.shape.number(upstream))
            original(*arguments)
            setattr(node, grad, upstream)
            return None

        self._replace(node, _in_place_of(original, tripled))

    def watch(self, node: Any, around: Callable[[Any, Callable[[], Any]], Any]) -> None:
        """From here on the node's function runs inside `around(node, run)`."""
        original = getattr(node, self.name)
        watched = lambda *arguments: around(node, lambda: original(*arguments))  # noqa: E731
        self._replace(node, _in_place_of(original, watched))

    def _grad(self, node: Any) -> Any:
        return self.shape.number(getattr(node, self.shape.grad))

    def _add(self, node: Any, share: Any) -> None:
        setattr(node, self.shape.grad, self._grad(node) + share)

    def _hand_on(self, node: Any, returned: Any) -> None:
        if not isinstance(returned, Iterable):  # it has added the shares itself
            return
        shares = list(returned)
        if not all(_is_pair(share, self.shape.cls) for share in shares):
            shares = list(zip(getattr(node, self.shape.inputs), shares, strict=True))
        for first, second in shares:
            source, share = (first, second) if isinstance(first, self.shape.cls) else (second, first)
            self._add(source, share)

    def _stored(self, node: Any) -> list[tuple[Any, Any]]:
        stored = getattr(node, self.name)
        if self.kind == "parallel":
            return list(zip(getattr(node, self.shape.inputs), stored, strict=True))
        return [(a, b) if isinstance(a, self.shape.cls) else (b, a) for a, b in stored]

    def _triple_stored(self, node: Any) -> None:
        stored = getattr(node, self.name)
        if self.kind == "parallel":
            setattr(node, self.name, _like(stored, map(_three_times, stored)))
            return
        tripled = ([p if isinstance(p, self.shape.cls) else _three_times(p) for p in pair] for pair in stored)
        kind = type(stored[0])
        make = getattr(kind, "_make", kind)  # a named tuple is made from its parts, not from a pair
        setattr(node, self.name, _like(stored, map(make, tripled)))

    def _replace(self, node: Any, function: Callable[..., Any]) -> None:
        try:
            setattr(node, self.name, function)
        except AttributeError:  # a method of a class with slots: replace it there, for this node alone
            cls = type(node)
            method = getattr(cls, self.name)
            setattr(cls, self.name, lambda obj, *rest: function(*rest) if obj is node else method(obj, *rest))


def _like(row: Any, items: Iterable[Any]) -> Any:
    """The same kind of sequence with other items."""
    if isinstance(row, tuple):
        return getattr(row, "_make", type(row))(items)
    changed = copy.copy(row)
    for at, item in enumerate(items):
        changed[at] = item
    return changed


def _in_place_of(original: Any, act: Callable[..., Any]) -> Any:
    """Return a callable that does `act` and otherwise looks like the learner's `original`: type, name, attributes.

    An engine that behaves otherwise while it is watched has to look harder than at a type.
    """
    if type(original) is MethodType:
        return MethodType(
            _in_place_of(original.__func__, lambda _, *rest, **named: act(*rest, **named)), original.__self__
        )
    if type(original) is FunctionType:
        return _function_like(original, act)
    kind = type(original)
    try:
        copied = copy.copy(original)
        copied.__class__ = type(kind.__name__, (kind,), {"__call__": lambda _, *rest, **named: act(*rest, **named)})
    except Exception:  # what cannot be copied, or given another class
        return act
    return copied


def _function_like(original: FunctionType, act_instead: Callable[..., Any]) -> FunctionType:
    def stand_in(*arguments: Any, **named: Any) -> Any:
        return act_instead(*arguments, **named)

    theirs = original.__code__
    names: dict[str, Any] = {name: getattr(theirs, name) for name in _OF_CODE if hasattr(theirs, name)}
    code = stand_in.__code__.replace(**names)
    made = FunctionType(code, original.__globals__, original.__name__, None, stand_in.__closure__)
    made.__qualname__, made.__doc__, made.__module__ = original.__qualname__, original.__doc__, original.__module__
    made.__dict__.update(original.__dict__)
    return made


_OF_CODE = ("co_name", "co_qualname", "co_filename", "co_firstlineno")  # Python 3.10 has no co_qualname


def is_stand_in(code: CodeType) -> bool:
    """Whether code that says that it stands in the learner's file is that of a stand-in."""
    return code.co_freevars == ("act_instead",)


def _three_times(local: Any) -> Any:
    return (lambda upstream: 3 * local(upstream)) if callable(local) else 3 * local
