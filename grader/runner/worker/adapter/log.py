"""Log calls of the learner's functions that train: losses, backward passes, and every change of a leaf, in order."""

from functools import partial
from typing import Any

from .introspect import PASSES
from .observer import GradientObserver, in_place_of
from .recording import RecordedGraph

MOST_EVENTS = 1_000
_ELSEWHERE = -1  # the place of a node that is not a leaf, and of a loss that no call of `loss_of` returned


class Log:
    """The events since the log was begun.

    An event is a list: its kind, a place and a number.

    | kind   | place                                              | number                                      |
    |--------|----------------------------------------------------|---------------------------------------------|
    | `loss` | how many losses were returned before               | the value of a loss that is returned        |
    | `pass` | which of these losses a backward pass begins at    | the value of the node at which it begins    |
    | `left` | a leaf                                             | its gradient at the end of a backward pass  |
    | `grad` | a leaf                                             | its gradient, after a change outside a pass |
    | `data` | a leaf                                             | its value, after a write or a change        |
    | `made` | -1                                                 | a value that is written to any other node   |

    Args:
        graph: the program that was built.
    """

    def __init__(self, graph: RecordedGraph) -> None:
        self.events: list[list[object]] = []
        self.losses: list[object] = []
        self._graph, self._shape = graph, graph.shape
        self._leaves = {index: graph.objects[index] for index in sorted(graph.leaves.values())}
        self._places = {id(leaf): index for index, leaf in self._leaves.items()}
        self._inside = 0  # the depth of passes and of calls of `loss_of`
        self._observers = {
            name: GradientObserver(self._shape.cls, name, partial(self._written, kind, name))
            for kind, name in (("grad", self._shape.grad), ("data", self._shape.data))
        }
        for observer in self._observers.values():
            observer.__enter__()
        self._known = {(name, index): self._token(index, name) for name in self._observers for index in self._leaves}
        self._restore = self._watch_pass()

    @property
    def answer(self) -> list[Any]:
        """Return the events so far, at most `MOST_EVENTS`, and whether these are all."""
        self._look()
        return ["log", self.events[:MOST_EVENTS], len(self.events) <= MOST_EVENTS]

    def end(self) -> None:
        """Observe nothing from now on."""
        self._restore()
        for observer in self._observers.values():
            observer.__exit__()

    def begin_loss(self) -> None:
        """Note that `loss_of` is called."""
        self._look()
        self._inside += 1

    def end_loss(self, root: object) -> None:
        """Note that `loss_of` returns a node."""
        self._inside -= 1
        self._note("loss", len(self.losses), self._spelled(root))
        self.losses.append(root)

    def _watch_pass(self) -> "partial[None]":
        """Watch the file's backward pass. Return a function that undoes this."""
        cls, names = self._shape.cls, vars(self._graph.module)
        for name in self._shape.passes or PASSES:
            if callable(method := getattr(cls, name, None)):
                own = vars(cls).get(name)
                setattr(cls, name, in_place_of(method, partial(self._around, method)))
                return partial(delattr, cls, name) if own is None else partial(setattr, cls, name, own)
            if callable(function := names.get(name)):
                names[name] = in_place_of(function, partial(self._around, function))
                return partial(names.__setitem__, name, function)
        return partial(setattr, self, "_inside", 0)

    def _around(self, run: Any, *arguments: Any, **named: Any) -> Any:
        # a pass inside of a pass, or of a loss, is a part of it
        if self._inside or not arguments:
            return run(*arguments, **named)
        self._look()
        root = arguments[0]
        # the same node may be returned twice; then this is the later loss
        place = next((i for i in reversed(range(len(self.losses))) if self.losses[i] is root), _ELSEWHERE)
        self._note("pass", place, self._spelled(root))
        self._inside += 1
        try:
            return run(*arguments, **named)
        finally:
            self._inside -= 1
            for index in self._leaves:
                self._known[self._shape.grad, index] = token = self._token(index, self._shape.grad)
                self._note("left", index, token)

    def _written(self, kind: str, name: str, write: Any) -> None:
        index = self._places.get(id(write.to))
        if self._inside:
            return
        if index is not None:
            self._look(but=(name, index))
            self._known[name, index] = token = self._token(index, name)
            self._note(kind, index, token)
        elif kind == "data":
            self._note("made", _ELSEWHERE, self._spelled(write.to))

    def _look(self, but: tuple[str, int] | None = None) -> None:
        """Note the changes that were made without a write to an attribute."""
        for name, index in self._known:
            if (name, index) != but and self._known[name, index] != (token := self._token(index, name)):
                self._known[name, index] = token
                self._note("grad" if name == self._shape.grad else "data", index, token)

    def _note(self, kind: str, place: int, number: str) -> None:
        if len(self.events) <= MOST_EVENTS:
            self.events.append([kind, place, number])

    def _token(self, index: int, name: str) -> str:
        return self._shape.spell(self._observers[name].stored(self._leaves[index]), name)

    def _spelled(self, node: object) -> str:
        name = self._shape.data
        return (
            self._shape.spell(self._observers[name].stored(node), name) if isinstance(node, self._shape.cls) else "nan"
        )
