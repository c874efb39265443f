"""Observe a learner's engine while its code runs: reads and writes of gradients, and calls of functions.

While gradients are observed, the gradient of the learner's class is a property, which sees each read and each write.
The rule of a node reads the node's own gradient, and then writes those of its inputs. So a write to `a.grad` after a
read of `L.grad` counts as a contribution of L's rule to a. To observe calls, a function is replaced by another one
that looks the same to the learner's code.
"""

import copy
import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from . import arrays, values

_OF_CODE = ("co_name", "co_qualname", "co_filename", "co_firstlineno")
_NOTHING = object()
_MOST_READS = 2_000  # the most reads of gradients that are remembered


class Write(NamedTuple):
    """A write to a gradient.

    Attributes:
        of: the node whose rule made the write; None if it is not known.
        to: the node whose gradient was written.
        before: the gradient when it was last read before the write; None if it was not read.
        after: the gradient after the write.
    """

    of: Any
    to: Any
    before: float | None
    after: float | None


@dataclass
class _Read:
    """A read of a gradient.

    Attributes:
        used: whether a later write to another gradient counted as a contribution of this node's rule.
    """

    node: Any
    number: float | None
    used: bool = False


class GradientObserver:
    """Observe how learner code reads and writes the gradients of a class. A context manager.

    Args:
        cls: the class.
        name: the attribute with the gradients.
        on_write: is called after each write. By default, the writes are kept in `writes`.
        instead: returns the value to be read in place of the stored one, from the node and that value.
        left_out: the addresses of nodes that are not observed.

    Attributes:
        writes: the writes, oldest first.
    """

    def __init__(
        self,
        cls: type,
        name: str,
        on_write: Callable[[Write], None] | None = None,
        instead: Callable[[object, object], object] | None = None,
        left_out: Collection[int] = (),
    ) -> None:
        self.writes: list[Write] = []
        self._cls, self._name = cls, name
        self._on_write = on_write or self.writes.append
        self._instead, self._left_out = instead, left_out
        self._reads: list[_Read] = []  # reads without a later write to the same gradient, oldest first
        self._kept: Any = inspect.getattr_static(cls, name, _NOTHING)
        self._by_class = hasattr(type(self._kept), "__set__")

    def __enter__(self) -> "GradientObserver":
        name, left_out = self._name, self._left_out
        # The nodes that are left out may be very many, if a tape holds those of earlier programs. Where their gradient
        # is an ordinary attribute, it is read and written at once, because that takes less time.
        in_dict = () if self._by_class else left_out

        def read(node: Any) -> Any:
            if id(node) in in_dict and name in (attributes := node.__dict__):
                return attributes[name]
            value = self.stored(node)
            return value if id(node) in left_out else self._read(node, value)

        def write(node: Any, value: Any) -> None:
            if id(node) in in_dict:
                node.__dict__[name] = value
            elif id(node) in left_out:
                self._store(node, value)
            else:
                attributed = self._attributed(node, value)
                self._store(node, value)
                self._on_write(attributed)

        self._own = name in vars(self._cls)
        setattr(self._cls, name, property(read, write))
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            setattr(self._cls, self._name, self._kept)
        else:
            delattr(self._cls, self._name)

    def stored(self, node: Any) -> Any:
        """Return the gradient stored in a node, as a read without this object would return it."""
        if self._by_class:
            return self._kept.__get__(node, type(node))
        value = vars(node).get(self._name, self._kept)  # the class may hold a default
        if value is _NOTHING:
            raise AttributeError(self._name)
        return value

    def _store(self, node: Any, value: Any) -> None:
        if self._by_class:
            self._kept.__set__(node, value)
        else:
            vars(node)[self._name] = value

    def _read(self, node: Any, value: Any) -> Any:
        """Remember a read, and return the value to be read."""
        if self._instead is not None:
            value = self._instead(node, value)
        if len(self._reads) >= _MOST_READS:
            del self._reads[: _MOST_READS // 2]
        self._reads.append(_Read(node, values.plain(value)))
        return value

    def _attributed(self, node: Any, value: Any) -> Write:
        """Return a write with the node whose rule made it: the last other node whose gradient was read.

        A write of 0 belongs to no rule if the node's own rule has run since its gradient was read: it is a reset.
        """
        # `a.grad += x` reads the gradient of a itself before it writes it; that read is not one by the rule of a
        at = next((at for at in reversed(range(len(self._reads))) if self._reads[at].node is node), None)
        own = None if at is None else self._reads.pop(at)
        before = None if own is None else (own.number or 0.0)
        # the last read of another node's gradient was a read of the upstream gradient
        upstream = next((read for read in reversed(self._reads) if read.node is not node), None)
        if own is not None and own.used and arrays.is_zero(value):
            upstream = None
        if upstream is not None:
            upstream.used = True
        return Write(None if upstream is None else upstream.node, node, before, values.plain(value))


def in_place_of(original: Any, act: Callable[..., Any]) -> Any:
    """Return a callable that does `act`, but has the type, name and attributes of the learner's `original`.

    Learner code therefore cannot detect by the type of a function that it is watched.
    """
    # the new function does not get the object, because `original` is bound to it
    if type(original) is MethodType:
        return MethodType(
            in_place_of(original.__func__, lambda _, *rest, **named: act(*rest, **named)), original.__self__
        )
    if type(original) is FunctionType:
        return _function_like(original, act)
    kind = type(original)
    try:
        copied = copy.copy(original)
        copied.__class__ = type(kind.__name__, (kind,), {"__call__": lambda _, *rest, **named: act(*rest, **named)})
    except Exception:  # it cannot be copied, or its class cannot be changed
        return act
    return copied


def is_stand_in(code: CodeType) -> bool:
    """Return whether a code object that claims to be in the learner's file is that of a replacement."""
    return code.co_freevars == ("act_instead",)


def _function_like(original: FunctionType, act_instead: Callable[..., object]) -> FunctionType:
    def stand_in(*arguments: object, **named: object) -> Any:
        return act_instead(*arguments, **named)

    # the name, the file and the line of the learner's function, in case code looks at them
    theirs = original.__code__
    names: dict[str, Any] = {name: getattr(theirs, name) for name in _OF_CODE}
    code = stand_in.__code__.replace(**names)
    new = FunctionType(code, original.__globals__, original.__name__, None, stand_in.__closure__)
    new.__qualname__, new.__doc__, new.__module__ = original.__qualname__, original.__doc__, original.__module__
    new.__dict__.update(original.__dict__)
    return new
