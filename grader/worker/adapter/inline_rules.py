"""Local rules that stand in the engine's own backward pass, or in functions that no node keeps.

Nothing can be called to run one of them alone. So the pass runs, and each read and write of a gradient is noted: what
is added to `a.grad` after `L.grad` was read is a contribution of L's rule to a.
"""

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from . import spelling
from .parts import Unreadable

_CONTAINERS = (list, dict, set)  # in which a file may keep a tape
_NOTHING = object()
_Access = TypeVar("_Access", bound="GradientAccess")


class Write(NamedTuple):
    """A gradient was written: by whose rule, of which node, what it was when it was read for that (None: it was not
    read), and what it is now."""

    of: Any
    to: Any
    before: Any
    after: Any


@dataclass
class _Read:
    """A gradient was read; `used`: another one was written since, and no other was read in between for that."""

    node: Any
    number: float | None
    used: bool = False


class GradientAccess:
    """Stands between the learner's code and the gradients of a class; a context manager."""

    def __init__(self, cls: type, name: str) -> None:
        self._cls, self._name = cls, name
        self._kept: Any = inspect.getattr_static(cls, name, _NOTHING)
        self._own = name in vars(cls)

    def __enter__(self: _Access) -> _Access:
        setattr(self._cls, self._name, property(self._get, self._set))
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            setattr(self._cls, self._name, self._kept)
        else:
            delattr(self._cls, self._name)

    def there(self, node: Any) -> Any:
        """Return what stands in a node, as it would be read without this."""
        if hasattr(type(self._kept), "__set__"):
            return self._kept.__get__(node, type(node))
        value = vars(node).get(self._name, self._kept)  # a default may stand in the class
        if value is _NOTHING:
            raise AttributeError(self._name)
        return value

    def _get(self, node: Any) -> Any:
        return self.there(node)

    def _set(self, node: Any, value: Any) -> None:
        if hasattr(type(self._kept), "__set__"):
            self._kept.__set__(node, value)
        else:
            vars(node)[self._name] = value


class GradientLog(GradientAccess):
    """Notes the reads and writes of the gradients of a class.

    Args:
        instead: changes what a read gives, by node and value.
    """

    def __init__(self, cls: type, name: str, instead: Callable[[Any, Any], Any] = lambda node, value: value) -> None:
        super().__init__(cls, name)
        self.writes: list[Write] = []
        self._instead = instead
        self._read: list[_Read] = []  # and not written since, oldest first

    def _get(self, node: Any) -> Any:
        value = self._instead(node, self.there(node))
        self._read.append(_Read(node, spelling.plain(value)))
        return value

    def _set(self, node: Any, value: Any) -> None:
        at = next((at for at in reversed(range(len(self._read))) if self._read[at].node is node), None)
        own = None if at is None else self._read.pop(at)
        was = None if own is None else (own.number or 0.0)
        giver = next((read for read in reversed(self._read) if read.node is not node), None)
        if own is not None and own.used and not value:
            giver = None  # its contributions are made, and it is set back to 0
        if giver is not None:
            giver.used = True
        of = None if giver is None else giver.node
        self.writes.append(Write(of, node, was, spelling.plain(value)))
        super()._set(node, value)


def recognised(cls: type, grad: str, operations: Sequence[tuple[Any, tuple[Any, Any]]], run: Callable[[], Any]) -> bool:
    """Return whether the backward pass of a small graph adds to the inputs of each operation, and to nothing else,
    after it has read that operation's gradient."""
    with GradientLog(cls, grad) as log, contextlib.suppress(Exception):
        run()
    known = [node for operation, sources in operations for node in (operation, *sources)]
    written = [w for w in log.writes if w.of is not None and any(w.to is node for node in known)]  # a tape has others
    for operation, sources in operations:
        targets = [write.to for write in written if write.of is operation and write.after is not None]
        if len(targets) != len(sources) or not all(any(t is source for t in targets) for source in sources):
            return False
    others = [w for w in written if not any(w.of is operation for operation, _ in operations)]
    return not others and any(write.after != write.before for write in written)


class InlineRules:
    """Rules that stand in the pass, used as `Rules` are: that of one node is run by running the pass from it."""

    def __init__(
        self,
        shape: Any,
        module: ModuleType,
        made: Callable[[], list[Any]],
        is_leaf: Callable[[Any], bool],
        run: Callable[[Any], Any],
    ) -> None:
        self.shape, self.module = shape, module
        self._made, self._is_leaf, self._run = made, is_leaf, run
        self._tripled: list[Any] = []

    def run(self, node: Any) -> None:
        """Let a node add its contributions, and nothing else."""
        upstream, name = getattr(node, self.shape.grad), self.shape.grad
        nodes = self._made()
        before = [getattr(one, name) for one in nodes]
        instead = lambda one, value: upstream if one is node else value  # noqa: E731
        with _as_before(self.module, self.shape.cls), GradientLog(self.shape.cls, name, instead) as log:
            self._run(node)
        for one, grad in zip(nodes, before, strict=True):
            setattr(one, name, grad)
        for write in log.writes:
            if write.of is not node:
                if write.after and write.to is not node and self._is_leaf(write.of):
                    raise Unreadable("unclear_writes")
                continue
            if write.after is None:
                raise Unreadable("no_number")
            start = 0.0 if write.before is None else self.shape.number(getattr(write.to, name))
            self.shape.write(write.to, start + write.after - (write.before or 0.0))

    def triple(self, node: Any) -> None:
        """From here on the pass that begins at a node finds three times its gradient there."""
        self._tripled.append(node)

    def run_pass(self, run: Callable[[], Any]) -> None:
        """Run the engine's own backward pass, on what `triple` has changed."""
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
        """Return whether a node may have a rule. Which node has one is known only when the pass runs."""
        return True

    def state(self, node: Any, leaf: Any) -> str:
        """Every operation has a rule of its own."""
        return "own"

    def lines(self, node: Any, filename: str | None) -> tuple[int, int]:
        """Nothing says where in the pass the rule of a node stands."""
        return 0, 0


@contextlib.contextmanager
def _as_before(module: ModuleType, cls: type) -> Iterator[None]:
    """Put what the lists, dicts and sets of a file and its class hold back in the end: a tape is used up by a pass."""
    kept = [value for space in (module, cls) for value in vars(space).values() if type(value) in _CONTAINERS]
    before = [value.copy() for value in kept]
    try:
        yield
    finally:
        for value, content in zip(kept, before, strict=True):
            value.clear()
            getattr(value, "extend" if type(value) is list else "update")(content)
