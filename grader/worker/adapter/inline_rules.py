"""Local rules inside the engine's own backward pass, or in functions that no node keeps.

No function can be called to run one of them alone. Therefore the whole pass runs, and each read and write of a
gradient is recorded. An amount added to `a.grad` after a read of `L.grad` is a contribution of L's rule to a.
"""

import contextlib
import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from . import spelling
from .parts import Unreadable

_CONTAINERS = (list, dict, set)  # types in which a file may keep a tape
_NOTHING = object()
_Access = TypeVar("_Access", bound="GradientAccess")


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
    before: Any
    after: Any


@dataclass
class _Read:
    """A read of a gradient.

    Attributes:
        used: whether another gradient was written since, and was taken for a contribution of this node's rule.
    """

    node: Any
    number: float | None
    used: bool = False


class GradientAccess:
    """Intercept the learner's code's access to the gradients of a class. A context manager."""

    def __init__(self, cls: type, name: str) -> None:
        self._cls, self._name = cls, name
        self._kept: Any = inspect.getattr_static(cls, name, _NOTHING)
        self._own = name in vars(cls)
        self._by_class = hasattr(type(self._kept), "__set__")

    def __enter__(self: _Access) -> _Access:
        setattr(self._cls, self._name, property(self._get, self._set))
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            setattr(self._cls, self._name, self._kept)
        else:
            delattr(self._cls, self._name)

    def there(self, node: Any) -> Any:
        """Return the gradient stored in a node, as a read without this object would return it."""
        if self._by_class:
            return self._kept.__get__(node, type(node))
        value = vars(node).get(self._name, self._kept)  # the class may hold a default
        if value is _NOTHING:
            raise AttributeError(self._name)
        return value

    def _get(self, node: Any) -> Any:
        return self.there(node)

    def _set(self, node: Any, value: Any) -> None:
        if self._by_class:
            self._kept.__set__(node, value)
        else:
            vars(node)[self._name] = value


class GradientLog(GradientAccess):
    """Record the reads and writes of the gradients of a class.

    Args:
        instead: returns the value to be read in place of the stored one, from the node and that value.
        left_out: the addresses of nodes that are not recorded.
    """

    def __init__(
        self,
        cls: type,
        name: str,
        instead: Callable[[Any, Any], Any] = lambda node, value: value,
        left_out: Collection[int] = (),
    ) -> None:
        super().__init__(cls, name)
        self._left_out = left_out
        self.writes: list[Write] = []
        self._instead = instead
        self._read: list[_Read] = []  # reads without a later write to the same gradient, oldest first

    def _get(self, node: Any) -> Any:
        if id(node) in self._left_out:
            return self.there(node)
        value = self._instead(node, self.there(node))
        self._read.append(_Read(node, spelling.plain(value)))
        return value

    def _set(self, node: Any, value: Any) -> None:
        if id(node) not in self._left_out:
            self._record(node, value)
        super()._set(node, value)

    def _record(self, node: Any, value: Any) -> None:
        at = next((at for at in reversed(range(len(self._read))) if self._read[at].node is node), None)
        own = None if at is None else self._read.pop(at)
        was = None if own is None else (own.number or 0.0)
        giver = next((read for read in reversed(self._read) if read.node is not node), None)
        if own is not None and own.used and not value:
            giver = None  # its rule has run, and now its gradient is reset to 0
        if giver is not None:
            giver.used = True
        of = None if giver is None else giver.node
        self.writes.append(Write(of, node, was, spelling.plain(value)))


def recognised(cls: type, grad: str, operations: Sequence[tuple[Any, tuple[Any, Any]]], run: Callable[[], Any]) -> bool:
    """Return whether the local rules are in the backward pass, judged by one pass over a small graph.

    After the pass has read the gradient of an operation, it must write the gradients of that operation's inputs, and
    no others.
    """
    with GradientLog(cls, grad) as log:
        run()
    known = [node for operation, sources in operations for node in (operation, *sources)]
    written = [w for w in log.writes if w.of is not None and any(w.to is node for node in known)]  # not those on a tape
    for operation, sources in operations:
        targets = [write.to for write in written if write.of is operation and write.after is not None]
        if len(targets) != len(sources) or not all(any(t is source for t in targets) for source in sources):
            return False
    others = [w for w in written if not any(w.of is operation for operation, _ in operations)]
    return not others and any(write.after != write.before for write in written)


class InlineRules:
    """Rules inside the backward pass, with the methods of `Rules`.

    To run the rule of one node, the whole pass runs from this node.

    Args:
        made: returns the nodes of the program.
        run: runs the backward pass from a node.
        earlier: the addresses of the nodes of earlier programs. They may still be on a tape.
    """

    def __init__(
        self,
        shape: Any,
        module: ModuleType,
        made: Callable[[], list[Any]],
        is_leaf: Callable[[Any], bool],
        run: Callable[[Any], Any],
        earlier: Collection[int] = (),
    ) -> None:
        self.shape, self.module, self._earlier = shape, module, earlier
        self._made, self._is_leaf, self._run = made, is_leaf, run
        self._tripled: list[Any] = []

    def run(self, node: Any) -> None:
        """Add the contributions of a node to its inputs, and change nothing else."""
        upstream, name = getattr(node, self.shape.grad), self.shape.grad
        nodes = self._made()
        before = [getattr(one, name) for one in nodes]
        instead = lambda one, value: upstream if one is node else value  # noqa: E731
        with (
            _as_before(self.module, self.shape.cls),
            GradientLog(self.shape.cls, name, instead, self._earlier) as log,
        ):
            self._run(node)
        for one, grad in zip(nodes, before, strict=True):
            setattr(one, name, grad)
        for write in log.writes:
            if write.of is not node:
                if write.after and write.to is not node and self._is_leaf(write.of):
                    raise Unreadable("unclear_writes")
                continue
            if not any(write.to is one for one in nodes):  # made by the pass itself
                continue
            if write.after is None:
                raise Unreadable("no_number")
            start = 0.0 if write.before is None else self.shape.number(getattr(write.to, name))
            self.shape.write(write.to, start + write.after - (write.before or 0.0))

    def triple(self, node: Any) -> None:
        """Make the backward pass read three times the gradient of a node, from now on."""
        self._tripled.append(node)

    def run_pass(self, run: Callable[[], Any]) -> None:
        """Run the engine's own backward pass, with the changes that `triple` made."""
        if not self._tripled:
            run()
            return

        def instead(node: Any, value: Any) -> Any:
            if not any(node is one for one in self._tripled):
                return value
            return spelling.alike(3 * self.shape.number(value), value)

        with GradientLog(self.shape.cls, self.shape.grad, instead):
            run()

    def has(self, node: Any) -> bool:
        """Return True, because which nodes have a rule is known only when the pass runs."""
        return True

    def state(self, node: Any, leaf: Any) -> str:
        """Return `own`, because the pass has a rule for every operation."""
        return "own"

    def lines(self, node: Any, filename: str | None) -> tuple[int, int]:
        """Return (0, 0), because the lines of a rule inside the pass are not known."""
        return 0, 0


@contextlib.contextmanager
def _as_before(module: ModuleType, cls: type) -> Iterator[None]:
    """Restore the contents of the lists, dicts and sets of a file and its class at the end.

    A pass may consume its tape, which the next pass needs again.
    """
    kept = [value for space in (module, cls) for value in vars(space).values() if type(value) in _CONTAINERS]
    before = [value.copy() for value in kept]
    try:
        yield
    finally:
        for value, content in zip(kept, before, strict=True):
            value.clear()
            getattr(value, "extend" if type(value) is list else "update")(content)
