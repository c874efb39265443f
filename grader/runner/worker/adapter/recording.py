"""Record what learner code does in a backward pass, in order.

The recording of a run says which line made each node, which local rule ran when, and which line wrote which gradient.
If the rule of a node is a function, each call of it is a visit. Otherwise (for stored local derivatives, and for
rules inside the pass), a visit is a series of writes after the pass has read the gradient of the same node (see
`observer`).

If a function of the learner's file makes nodes, the recording is of the graph that this function builds (see `trace`).
"""

import contextlib
import sys
from functools import partial
from types import FrameType, ModuleType
from typing import Any, Protocol, TypeAlias

from . import values
from .observer import GradientObserver, Write, is_stand_in
from .rules import CalledRules, EngineReading, Rules
from .set_order import EngineObjects
from .trace import Trace

MOST_VISITS = 400
MOST_CHANGES = 2_000
MOST_PARTS = 20_000  # the most numbers and lengths of axes in all visits, if the program has arrays
_UNREADABLE = "unreadable"
Token: TypeAlias = Any
"""A gradient or a value: a number as text, or if the program has arrays, `[shape, type, numbers]`."""


class RecordedGraph(Protocol):
    """A program that is built and run.

    Attributes:
        module: the learner's file.
        most: the most numbers of one node in an answer, if the program has arrays; otherwise 0.
        shape: the reading of the engine.
        nodes: the objects of the run.
        program: the nodes of the program, as they are sent.
        objects: the program's nodes built so far.
        leaves: the indices of the leaves, by address.
        rules: the engine's local rules.
    """

    module: ModuleType
    most: int
    shape: EngineReading
    nodes: EngineObjects
    program: list[Any]
    objects: list[Any]
    leaves: dict[int, int]
    rules: Rules

    def engine_nodes(self) -> list[object]:
        """Return every node of the engine."""

    def is_leaf(self, node: object) -> bool:
        """Return whether a node is a leaf of the program."""


class _Visit:
    """One run of a local rule."""

    def __init__(self, node: object, index: int, inner: bool, upstream: Token, line: int) -> None:
        self.node, self.index, self.inner, self.upstream, self.line = node, index, inner, upstream, line
        self.targets: list[object] = []
        self.changes: list[list[object]] = []

    def wire(self) -> list[Any]:
        return [self.index, self.inner, self.upstream, self.line, self.changes]


class Recording:
    """The recording of one run. It is made before the program is built.

    `begin` is called after the program was built, `finish` after the run.

    Args:
        graph: the program.
        filename: the learner's file.
        traced: whether to record every node of the graph that the program's nodes were computed from, in place of the
            program's nodes. If this graph cannot be read, the recording has no nodes.
    """

    def __init__(self, graph: RecordedGraph, filename: str, *, traced: bool = False) -> None:
        self.answer: list[object] = ["record"]
        self._graph, self._shape, self._filename = graph, graph.shape, filename
        self._made_at: dict[int, tuple[int, int]] = {}  # by address: the program's node it was made for, and the line
        self._index: dict[int, int] = {}  # the indices of the program's nodes, by address
        self._tokens: dict[int, Token] = {}  # the gradients when they were last looked at, by address
        self._operands: dict[int, list[object]] = {}  # the operands that are nodes, by the operation's address
        self._visits: list[_Visit] = []
        self._running: list[_Visit] = []  # the rules that are running, innermost last
        self._observer: GradientObserver | None = None
        self._functions: CalledRules | None = None  # the rules, if they are functions
        self._left_out = 0
        self._parts = 0  # of the arrays in all visits
        self._elsewhere = False
        self._in_place = False  # whether an array was changed without a write
        self._trace = Trace(graph.shape) if traced else None
        self._objects: list[object] | None = [] if traced else None  # None for the program's nodes
        self._values: list[Token] = []  # of all nodes when `begin` was called
        graph.nodes.on_made = self._made

    # -- building -----------------------------------------------------------------------------

    def _made(self, obj: object) -> None:
        self._made_at[id(obj)] = len(self._graph.objects), self._line(outermost=True)

    def _line(self, outermost: bool = False) -> int:
        """Return the running line of the learner's file: in its innermost function, or in its outermost one."""
        frame: FrameType | None = sys._getframe(1)
        line = 0
        while frame is not None:
            if frame.f_code.co_filename == self._filename and not is_stand_in(frame.f_code):
                line = frame.f_lineno or 0
                if not outermost:
                    break
            frame = frame.f_back
        return line

    # -- running ------------------------------------------------------------------------------

    def begin(self) -> None:
        """Record local rules and gradients from now on."""
        graph = self._graph
        # the nodes: those of the graph that the file's functions built, or those of the program
        if self._trace is not None:
            self._objects = self._trace.graph(graph.objects, graph.engine_nodes())
            for index, node in enumerate(self._objects or ()):
                self._index[id(node)] = index
                self._operands[id(node)] = self._trace.operands(node)
        else:
            for index, (node, (_, *operands)) in enumerate(zip(graph.objects, graph.program, strict=False)):
                # an operation may return one of its inputs, whose index then stays
                self._index.setdefault(id(node), index)
                self._operands.setdefault(id(node), [graph.objects[o] for o in operands if type(o) is int])
        self._values = [self._spelled(node, self._shape.data) for node in self._nodes()]
        self._observer = GradientObserver(self._shape.cls, self._shape.grad, self._written)
        self._tokens = {id(node): self._token(node) for node in graph.engine_nodes()}
        if isinstance(graph.rules, CalledRules) and not any(map(graph.rules.is_class, graph.engine_nodes())):
            self._functions = graph.rules
            for node in graph.engine_nodes():
                # a leaf may have a function, too, which does nothing
                leaf = graph.is_leaf(node) if self._trace is None else not self._trace.operands(node)
                if not leaf and graph.rules.has(node):
                    graph.rules.watch(node, self._around)
        # last, so that nothing above counts as a read or a write of the pass
        self._observer.__enter__()

    def finish(self) -> None:
        """Complete the answer.

        `Recorded` in `runner.client.protocol` has the fields.
        """
        # stop observing; what the code left in place may raise errors
        self._graph.nodes.on_made = None
        if self._trace is not None:
            with contextlib.suppress(BaseException):
                self._trace.end()
        if self._observer is not None:
            with contextlib.suppress(BaseException):
                self._look()
                # without functions, no write says which rule changed an array in place, and there may be no write
                unseen = self._in_place or (isinstance(self._graph.rules, CalledRules) and not self._visits)
                self._elsewhere = self._elsewhere or (unseen and not self._functions)
            self._observer.__exit__()
        traced = self._traced()
        if self._trace is not None and traced is None:
            self._objects, self._visits, self._values = None, [], []
        objects = self._nodes()
        # a rule of an additional node that changed nothing of the program is left out
        visits = [visit.wire() for visit in self._visits if visit.index >= 0 and (visit.changes or not visit.inner)]
        self.answer += [
            [[place, self._made_at.get(id(node), (0, 0))[1]] for place, node in enumerate(objects)],
            visits,
            [self._spelled(node, self._shape.data) for node in objects],
            [self._spelled(node, self._shape.grad) for node in objects],
            self._left_out,
            self._elsewhere,
            self._values,
            traced,
        ]

    def _nodes(self) -> list[object]:
        """Return the nodes that are recorded."""
        return self._graph.objects if self._trace is None else self._objects or []

    def _traced(self) -> list[object] | None:
        if self._trace is None or self._objects is None:
            return None
        names: dict[int, list[int]] = {}
        for place, node in enumerate(self._graph.objects):
            names.setdefault(id(node), []).append(place)
        try:
            return [self._trace.wire(node, self._index, names.get(id(node), [])) for node in self._objects]
        except BaseException:
            return None

    def _around(self, node: object, run: "partial[Any]") -> object:
        assert self._functions is not None
        self._look()
        visit = self._visit(node, self._functions.lines(node, self._filename)[0])
        upstream = self._functions.upstream(node, run)
        if upstream is not None and (given := self._token_of(node, upstream, self._shape.grad)) != visit.upstream:
            visit.upstream, self._elsewhere = given, True
        self._running.append(visit)
        try:
            return run()
        finally:
            self._look()
            self._running.pop()

    def _visit(self, node: object, line: int) -> _Visit:
        inner = id(node) not in self._index
        made_for = self._made_at.get(id(node), (-1, 0))[0] if self._trace is None else -1
        index = made_for if inner else self._index[id(node)]
        visit = _Visit(node, index, inner, self._tokens[id(node)], line)
        if len(self._visits) < MOST_VISITS and self._has_room(visit.upstream):
            self._visits.append(visit)
        else:
            self._left_out += 1
        return visit

    def _written(self, write: Write) -> None:
        """Record a write to a gradient."""
        node, giver = write.to, None if self._functions else write.of
        before, after = self._tokens.get(id(node)), self._token(node)
        if before is None:  # the node was made after `begin`
            return
        self._tokens[id(node)] = after
        line = self._line()
        if self._running:
            # inside of a rule that is a function, the write is the function's
            self._note(self._running[-1], node, before, after, line, outside=False)
        # without functions, it is a write of the rule whose upstream gradient was read last
        elif giver is not None and self._may_give(giver, node):
            self._note(self._visit_of(giver, node, line), node, before, after, line, outside=False)
        # otherwise the pass itself wrote it, after the last rule
        elif self._visits and before != after:
            last = self._visits[-1].node
            if self._functions and self._functions.returns and node is not last and not self._may_give(last, node):
                self._elsewhere = True
            self._note(self._visits[-1], node, before, after, line, outside=True)

    def _may_give(self, giver: object, to: object) -> bool:
        """Return whether the rule of the node `giver` may write the gradient of the node `to`."""
        if id(giver) not in self._tokens:
            return False
        if id(giver) not in self._index or id(to) not in self._index:
            return True
        return any(to is source for source in self._operands[id(giver)])

    def _visit_of(self, giver: object, to: object, line: int) -> _Visit:
        """Return the visit to which a write belongs.

        That is the last visit, unless it is of another node or has already made all its writes to this gradient.
        """
        last = self._visits[-1] if self._visits else None
        if last is not None and last.node is giver:
            # a rule writes a gradient once for each use of the input
            uses = sum(1 for source in self._operands.get(id(giver), ()) if source is to)
            if sum(1 for target in last.targets if target is to) < max(1, uses):
                return last
        return self._visit(giver, line)

    def _look(self) -> None:
        """Record gradients that were changed in place, that is, without a write to the attribute."""
        for index, node in enumerate(self._nodes()):
            before, after = self._tokens.get(id(node)), self._token(node)
            if before != after and self._index.get(id(node)) == index:
                self._tokens[id(node)] = after
                self._in_place = self._in_place or bool(self._graph.most)
                visit = self._running[-1] if self._running else self._visits[-1] if self._visits else None
                if visit is not None and before is not None:
                    self._note(visit, node, before, after, 0, outside=not self._running)

    def _note(self, visit: _Visit, node: object, before: Token, after: Token, line: int, *, outside: bool) -> None:
        visit.targets.append(node)
        if id(node) not in self._index:  # the node is not part of the program
            return
        if sum(len(one.changes) for one in self._visits) < MOST_CHANGES and self._has_room(before, after):
            visit.changes.append([self._index[id(node)], before, after, line, outside])
        else:
            self._left_out += 1

    # -- reading ------------------------------------------------------------------------------

    def _token(self, node: object) -> Token:
        """Return the stored gradient of a node."""
        assert self._observer is not None
        try:
            return self._token_of(node, self._observer.stored(node), self._shape.grad)
        except Exception:
            return self._other(_UNREADABLE)

    def _spelled(self, node: object, name: str) -> Token:
        if not isinstance(node, self._shape.cls):
            return self._other(values.name_of(type(node)))
        try:
            return self._token_of(node, getattr(node, name), name)
        except BaseException:
            return self._other(_UNREADABLE)

    def _token_of(self, node: object, value: object, name: str) -> Token:
        """Return the value of a node's attribute as a token."""
        if self._graph.most:
            return self._shape.seen_as(node, value, name, self._graph.most)
        return self._shape.spell(value, name)

    def _other(self, kind: str) -> Token:
        """Return the token of an object that is neither a number nor an array."""
        return [None, kind, []] if self._graph.most else f"!{kind}"

    def _has_room(self, *tokens: Token) -> bool:
        """Return whether tokens can be sent as well, and count them if so."""
        parts = sum(len(token[0] or ()) + len(token[2]) for token in tokens) if self._graph.most else 0
        fits = self._parts + parts <= MOST_PARTS
        self._parts += parts if fits else 0
        return fits
