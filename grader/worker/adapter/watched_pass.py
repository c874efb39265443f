"""Find out how an engine's own backward pass calls its local rules, by running it once on a small graph.

A function counts as a rule only if the pass calls it once for each operation, with arguments that can be told apart.
It must change the gradients of that operation's inputs, or return an amount for each of them.
"""

import contextlib
import itertools
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from . import parts, spelling
from .rules import Call, Inputs, Shared, gives_derivatives
from .stand_in import in_place_of

PASSES = ("backward", "backprop", "backpropagate", "back")
_MOST = 60  # the most functions that are watched
_MOST_RETURNED = 64


class Small(NamedTuple):
    """A graph to run the pass on. It is discarded afterwards.

    Attributes:
        operations: its two nodes that are not leaves, each with its two inputs.
        typed: returns a number as a gradient for a node.
    """

    cls: type
    operations: tuple[tuple[Any, tuple[Any, Any]], tuple[Any, tuple[Any, Any]]]
    grad: str
    inputs: Inputs
    module: ModuleType
    typed: Callable[[Any, float], Any]

    @property
    def nodes(self) -> tuple[Any, Any]:
        return self.operations[0][0], self.operations[1][0]


class _Event(NamedTuple):
    """A call of a watched function for one operation of the graph.

    Attributes:
        arguments: the roles of the positional arguments.
        named: the keyword arguments, each with its role.
        adds: whether the call changed a gradient of the inputs.
        gives: whether it returned an amount for each input.
        local: whether these amounts are local derivatives.
    """

    arguments: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    adds: bool
    gives: bool
    local: bool


def watch_pass(small: Small, run: Callable[[], Any]) -> Call | None:
    """Run the backward pass, and return how it calls its local rules; None if that is unclear."""
    watches = [_Watch(small, call) for call in itertools.islice(_functions(small), _MOST)]
    spaces = [(shared.space, dict(shared.space)) for watch in watches if (shared := watch.call.shared)]
    for watch in watches:
        with contextlib.suppress(Exception):
            watch.install()
    try:
        run()
    finally:
        for space, before in reversed(spaces):
            space.update(before)
    found = [call for watch in watches if (call := watch.found())]
    return next((call for call in found if call.adds), found[0] if found else None)


def propagates(small: Small, run: Callable[[], Any]) -> bool:
    """Return whether a function is a backward pass: whether it gives a gradient to a leaf below the inner node."""
    run()
    below = (getattr(leaf, small.grad, None) for leaf in small.operations[0][1])
    return any(isinstance(grad, small.cls) or spelling.plain(grad) for grad in below)


def _functions(small: Small) -> Iterator[Call]:
    """Yield every function that may be the local rule of a node.

    It may belong to the node, to an object that the node keeps, to a table of the file, or to the file.
    """
    node = small.nodes[0]
    kept = parts.attributes(node)
    for name in _own_functions(node, kept):
        if name not in PASSES:
            yield Call(name)
    theirs = small.module.__name__
    objects = {name: part for name, part in kept.items() if type(part).__module__ == theirs}
    for via, part in objects.items():
        if not isinstance(part, (small.cls, type, FunctionType)):
            for name in _own_functions(part, parts.attributes(part)):
                yield Call(name, via)
    names = vars(small.module)
    keys = {name: key for name, key in kept.items() if isinstance(key, str)}
    for table in [value for value in names.values() if type(value) is dict and value]:
        for via, key in keys.items():
            if callable(table.get(key)) and all(map(callable, table.values())):
                yield Call("", via, Shared(table))
    for name, value in names.items():
        if type(value) is FunctionType and value.__module__ == theirs and name not in PASSES:
            yield Call(name, "", Shared(names))


def _own_functions(obj: Any, kept: dict[str, Any]) -> list[str]:
    """Return the names of an object's functions and of its classes' functions, without names that begin with `__`."""
    names = [name for name, value in kept.items() if type(value) in (FunctionType, MethodType)]
    for cls in type(obj).__mro__[:-1]:
        names += [n for n, made in vars(cls).items() if isinstance(made, (FunctionType, staticmethod))]
    return [name for name in dict.fromkeys(names) if not name.startswith("__")]


class _Watch:
    """Record each call of one function while the pass runs."""

    def __init__(self, small: Small, call: Call) -> None:
        self.small = small
        self.call = call
        self.events: dict[int, list[_Event | None]] = {id(node): [] for node in small.nodes}
        self._inside = False
        self._nested = False

    def install(self) -> None:
        call = self.call
        if call.shared is None:
            for node in self.small.nodes:
                holder = getattr(node, call.via) if call.via else node
                original = getattr(holder, call.name)
                setattr(holder, call.name, in_place_of(original, self._noting(original, node)))
            return
        space = call.shared.space
        for key in {getattr(node, call.via) for node in self.small.nodes} if call.via else {call.name}:
            space[key] = in_place_of(space[key], self._noting(space[key], None))

    def found(self) -> Call | None:
        """Return how the function is called as a local rule; None if it is not one."""
        first, second = self.events.values()
        if self._nested or len(first) != 1 or len(second) != 1:
            return None
        event = first[0]
        if event is None or event != second[0] or not (event.adds or event.gives):
            return None
        if self.call.shared is not None and "node" not in (*event.arguments, *(role for _, role in event.named)):
            return None
        return self.call._replace(
            arguments=event.arguments, named=event.named, adds=event.adds, local=not event.adds and event.local
        )

    def _noting(self, original: Any, of: Any) -> Callable[..., Any]:
        def noting(*arguments: Any, **named: Any) -> Any:
            given = (*arguments, *named.values())
            node = of if of is not None else self._first_of(given)
            if node is None:
                return original(*arguments, **named)
            self._nested = self._nested or self._inside
            self._inside = True
            before = self._amounts(node)
            try:
                returned = original(*arguments, **named)
            finally:
                self._inside = False
            if hasattr(type(returned), "__next__"):  # read some items of an iterator, and return an equal one
                looked_at = list(itertools.islice(returned, _MOST_RETURNED))
                returned = itertools.chain(looked_at, returned)
            else:
                looked_at = returned
            adds = self._amounts(node) != before
            event = self._event(node, arguments, named, adds, looked_at)
            if event and event.gives and "grad" not in (*event.arguments, *(role for _, role in event.named)):
                again = partial(original, *arguments, **named)
                event = event._replace(local=gives_derivatives(self.small, node, again))
            self.events[id(node)].append(event)
            return returned

        return noting

    def _first_of(self, given: tuple[Any, ...]) -> Any:
        """Return the first argument that is an operation's node; None if there is none."""
        return next((one for one in given if any(one is node for node in self.small.nodes)), None)

    def _event(
        self, node: Any, arguments: tuple[Any, ...], named: dict[str, Any], adds: bool, returned: Any
    ) -> _Event | None:
        inputs = list(self.small.inputs.kept(node))
        roles = [self._role(value, node, inputs) for value in arguments]
        by_name = tuple((name, self._role(value, node, inputs)) for name, value in named.items())
        one_by_one = [f"input {number}" for number in range(len(inputs))]
        for at in range(len(roles)):
            if inputs and roles[at : at + len(inputs)] == one_by_one:
                roles[at : at + len(inputs)] = ["*inputs"]
                break
        every = [*roles, *(role for _, role in by_name)]
        if any(role == "" or role.startswith("input ") for role in every) or every.count("grad") > 1:
            return None
        return _Event(tuple(roles), by_name, adds, self._gives(returned, inputs), False)

    def _role(self, value: Any, node: Any, inputs: list[Any]) -> str:
        """Return the role of an argument; an empty string if it is unknown."""
        if value is node:
            return "node"
        if self.call.via and self.call.shared is None and value is getattr(node, self.call.via, None):
            return "part"
        for number, source in enumerate(inputs):
            if value is source:
                return f"input {number}"
        if parts.is_number(value):
            return "grad"
        if isinstance(value, (list, tuple)) and len(value) == len(inputs):
            return "inputs" if all(one is source for one, source in zip(value, inputs, strict=True)) else ""
        return ""

    def _gives(self, returned: Any, inputs: list[Any]) -> bool:
        """Return whether a returned object holds an amount for each input."""
        if isinstance(returned, dict):
            return parts.entries(returned, self.small.cls) is not None
        if not isinstance(returned, (list, tuple)) or not returned:
            return False
        entries = all(parts.entry(item, self.small.cls) for item in returned)
        return entries or (len(returned) == len(inputs) and all(map(parts.is_number, returned)))

    def _amounts(self, node: Any) -> list[str]:
        sources = next(sources for operation, sources in self.small.operations if operation is node)
        return [spelling.spell(getattr(source, self.small.grad, None)) for source in sources]
