"""Run a learner's file: execute batches of programs with its engine, and convert the observations to plain data.

A run is a program and the steps to take on it. The answer to each step is a tagged list, which
`grader/runner/client/protocol.py` describes.
"""

import contextlib
import functools
import io
import itertools
import opcode
import operator
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from types import FrameType, FunctionType, ModuleType
from typing import Any

from . import arrays, errors, imports, introspect, load, values
from .ask import RAN_OUT, Argument, Observation, Record, RunStep, read_step
from .calls import CallBudget
from .given import OPERATORS, PYTHON, function_of
from .log import Log
from .recording import Recording
from .rules import CalledRules, EngineReading, Rules, rules_of
from .set_order import EngineObjects
from .values import Unreadable

_OPERATORS = OPERATORS | {f"i{op}": getattr(operator, f"i{name}") for op, (name, _) in PYTHON.items()}
_METHODS = {op: f"__{name}__" for op, (name, _) in PYTHON.items()}
_METHODS |= {f"i{op}": method for op, method in _METHODS.items()}  # Python's own fallback for `__iadd__`
_REFLECTED = {op: f"__r{name}__" for op, (name, _) in PYTHON.items()}
# The message of an operator's TypeError. A node on the right of a number does not count: in `self.data - other`, it is
# `.data` that is missing.
_UNARY = re.compile(r"bad operand type for unary (?P<symbol>-): '(?P<type>[^']+)'")
_BINARY_REFUSED = re.compile(
    r"unsupported operand type\(s\) for (?P<symbol>\S+?)=?(?: or \S+)?: '(?P<type>[^']+)' and '.+'"
)
_REFUSED = {_UNARY: {"-": "__neg__"}, _BINARY_REFUSED: {symbol: f"__{name}__" for name, symbol in PYTHON.values()}}
_OF_SEVERAL = ("stack", "concat")  # they get a list of nodes
_NONE = -1
_RELEASED = object()  # stands for a node that `release` has let go
_INPUTS = 3  # the most inputs of a node in an answer; one more than a right node has
_MOST_GIVEN = 64  # the most numbers of a list, or of an array that a function returns, in an answer
_NAMES = 8  # the most names of a node's attributes in a problem
EXHAUSTED = ("MemoryError", "RecursionError")  # the exceptions after which none is made


class NotOffered(Exception):
    """The engine lacks the method that an operation calls.

    Args:
        method: the method that is missing.
        user: the engine's own method that uses the missing one, or an empty string.
        lines: the lines of that use in the learner's file.
    """

    def __init__(self, method: str, user: str = "", lines: Sequence[int] = ()) -> None:
        super().__init__(method)
        self.names = [method, user] if user else [method]
        self.lines = list(lines)


class NotTaken(NotOffered):
    """The engine has a method with the right name, but the method does not take the arguments of the operation."""


class WantsArgument(Exception):
    """The engine has a method with the right name, but the method needs arguments."""

    def __init__(self, method: str) -> None:
        super().__init__(method)
        self.method = method


class Graph:
    """A program built with the learner's class, and the steps that can be taken on it."""

    def __init__(self, module: ModuleType, shape: EngineReading, nodes: EngineObjects, most: int = 0) -> None:
        self.module = module
        self.most = most  # the most numbers of one node in an answer, if the program has arrays; otherwise 0
        self.shape = shape
        self.nodes = nodes
        self.rules: Rules = rules_of(shape, self)
        self.program: list[Any] = []
        self.objects: list[Any] = []
        self.leaves: dict[int, int] = {}
        self.trace: list[object] = []
        self.given: list[object] = []
        self.recording: Recording | None = None
        self.logged: Log | None = None

    # -- building ---------------------------------------------------------------------------

    def build(self, program: list[object]) -> None:
        """Make every node of a program.

        Args:
            program: the nodes: `["leaf", x]`, `[op, operand, ...]`, or `["repeat", count, op, operand, ...]` for
                `count` nodes with the same operation. An operand is the index of a node or `["number", x]`. `x` of a
                leaf may be a nested list. Other arguments come last, as `["named", [name, argument], ...]`, with an
                empty name for one that has a place.
        """
        self.program = program
        self._build({})

    def _build(self, leaves: dict[int, Any], released: Collection[int] = ()) -> None:
        """Make every node of the program except the existing `leaves`, which are given by index.

        Args:
            leaves: the existing leaves.
            released: nodes that functions of the file would make, and that are not made.
        """
        objects: list[Any] = []
        results: dict[str, Any] = {}  # of functions of the file that make nodes, by the name of their first node
        self.objects = objects
        make = self.shape.make or self.shape.cls
        self.leaves = {}
        for op, *operands in self.program:
            if op == "leaf":
                if len(objects) in leaves:
                    node = leaves[len(objects)]
                else:
                    node = self.shape.leaf(operands[0]) if self.most else make(operands[0])
                self.leaves[id(node)] = len(objects)
            elif op == "repeat":
                self._repeat(*operands)
                continue
            elif op == "made":
                if len(objects) in released:
                    objects.append(_RELEASED)
                    continue
                node = self._made(results, [objects[o] for o in operands[1:]], *operands[0])
            # the usual case, a shortcut past `_apply`
            elif op in _OPERATORS and type(operands[0]) is type(operands[1]) is int:
                node = self._unless_absent(_METHODS[op], _OPERATORS[op], objects[operands[0]], objects[operands[1]])
            else:
                node = self._apply(op, operands)
            self.nodes.meet(node)
            objects.append(node)

    def _made(
        self,
        results: dict[str, Any],
        nodes: list[Any],
        first: str,
        function: str,
        arguments: list[Any],
        place: int | None,
        count: int,
    ) -> Any:
        """Return a node that a function of the file makes, or the object that it returns in place of the node.

        The function is called once for all nodes that it makes.

        Args:
            results: what functions have returned so far, by the name of the first node.
            nodes: the operands.
            first: the name of the first node that the call makes.
            function: the name of the function.
            arguments: `["node", i]`, `["nodes", [i, ...]]`, `["number", x]`, `["text", "..."]` or `["list", [argument,
                ...]]`, where `i` counts the operands.
            place: the place of the node in the list of results; None if the result is not a list.
            count: the number of results.

        Raises:
            Unreadable: the function returned no list, or a list of another length, or it changed a list that it was
                given.
        """
        if first not in results:
            given = [_given(nodes, *argument) for argument in arguments]
            before = list(map(_outline, given))
            result = self._function(function)(*given)
            if place is not None:
                result = self._list(function, result, count)
            if list(map(_outline, given)) != before:
                raise Unreadable("changes_list", function)
            results[first] = result
        return results[first] if place is None else results[first][place]

    def _list(self, function: str, result: Any, count: int) -> list[Any]:
        if isinstance(result, (str, bytes, dict, self.shape.cls)) or not isinstance(result, Iterable):
            raise Unreadable("makes_no_list", function, values.name_of(type(result)))
        items = list(itertools.islice(result, 2 * count + 64))  # the iterable may be endless
        if len(items) != count:
            raise Unreadable("makes_others", function, counts=(len(items), count))
        return items

    def _repeat(self, count: int, op: str, *operands: Any) -> None:
        """Make `count` nodes by one binary operation.

        Operands are as in `build`, or `["back", k]` for the node `k` places before the new one.
        """
        apply, objects = OPERATORS[op], self.objects
        fixed = [objects[o] if isinstance(o, int) else o[1] for o in operands]
        left, right = (-o[1] if isinstance(o, list) and o[0] == "back" else None for o in operands)
        for _ in range(count):
            first = fixed[0] if left is None else objects[left]
            objects.append(apply(first, fixed[1] if right is None else objects[right]))

    def _apply(self, op: str, operands: list[Any]) -> Any:
        args: list[Any] = []
        named: dict[str, Any] = {}
        if isinstance(operands[-1], list) and operands[-1][0] == "named":
            *operands, (_, *pairs) = operands
            args, named = arrays.called_with(pairs)
        given = [self.objects[o] if isinstance(o, int) else o[1] for o in operands]
        if op in _OPERATORS:
            # with a number on the left, Python tries the number's own method first, and then the
            # reflected one
            called = _METHODS[op] if isinstance(operands[0], int) else _REFLECTED[op]
            if called is not _METHODS[op] and not hasattr(self.shape.cls, called):
                raise NotOffered(called)
            return self._unless_absent(called, _OPERATORS[op], *given)
        if op == "neg":
            return self._unless_absent("__neg__", operator.neg, *given)
        if op == "getitem":
            return self._unless_absent("__getitem__", operator.getitem, given[0], *args)
        if op == "T" and hasattr(type(given[0]), op):
            result = given[0].T
            return result() if callable(result) and not isinstance(result, self.shape.cls) else result
        if op in _OF_SEVERAL:
            return self._of_several(op, given, named)
        method = getattr(given[0], op, None)
        if callable(method) and (args or named):
            if (taken := arrays.as_taken(op, method, args, named)) is None:
                raise NotTaken(op)
            return self._unless_absent(op, operator.methodcaller(op, *taken[0], **taken[1]), *given)
        wants_argument = callable(method) and values.wants_argument(method)  # `log(message)` is not a logarithm
        if callable(method) and not wants_argument:
            return self._unless_absent(op, operator.methodcaller(op), *given)
        # without such a method, a function of the file may do the same
        function: object = vars(self.module).get(op)
        if not isinstance(function, FunctionType) or function.__module__ != self.module.__name__:
            raise WantsArgument(op) if wants_argument else NotOffered(op)
        try:
            result = function(*given, *args, **named)
        except TypeError:  # raised by functions that take only numbers
            raise NotOffered(op) from None
        if not isinstance(result, self.shape.cls):
            raise NotOffered(op)
        return result

    def _of_several(self, op: str, nodes: list[Any], named: dict[str, Any]) -> Any:
        """Call a function of the file, or of the engine's class, with a list of nodes."""
        function = vars(self.module).get(op) or getattr(self.shape.cls, op, None)
        if not callable(function):
            raise NotOffered(op)
        taken = arrays.as_taken(op, functools.partial(function, nodes), [], named)
        if taken is None:
            raise NotTaken(op)
        return function(nodes, *taken[0], **taken[1])

    def _unless_absent(self, method: str, apply: Callable[..., object], *given: object) -> Any:
        """Apply an operation that calls `method` of the engine.

        Raises:
            NotOffered: Python itself refuses, because the engine has no such method, or because this method of the
                engine uses an operator for which the engine has no method.
        """
        try:
            return apply(*given)
        except TypeError as error:
            # an error of Python itself passed through no frame but this one
            by_python = error.__traceback__ is not None and error.__traceback__.tb_next is None
            if by_python and isinstance(given[0], self.shape.cls) and not hasattr(type(given[0]), method):
                raise NotOffered(method) from None
            missing = _missing_method(error, self.module.__file__ or "", self.shape.cls)
            if missing:
                raise NotOffered(missing, method, errors.lines_in(error, self.module.__file__ or "")) from None
            raise

    def is_leaf(self, node: Any) -> bool:
        return id(node) in self.leaves

    def _leaf_nodes(self) -> dict[int, Any]:
        """Return the leaves, by index."""
        return {index: self.objects[index] for index in self.leaves.values()}

    # -- steps ------------------------------------------------------------------------------

    def anew(self) -> None:
        """Release all nodes except the leaves, set gradients to 0, and rebuild the program from the same leaves.

        A training loop does the same in each step. It sets only the gradients of the leaves to 0. If the file has a
        tape, which keeps every node from the start, the gradients of the nodes on the tape are set to 0, too.
        """
        leaves = self._leaf_nodes()
        self._release_all(leaves)
        nodes = list(leaves.values())
        if self._others_than(nodes) and self._is_on_a_tape(leaves):
            nodes = self.engine_nodes()
        for node in nodes:
            self.shape.write(node, 0.0)
        self._build(leaves)

    def _release_all(self, leaves: dict[int, object]) -> None:
        # nothing here may keep a node alive, because the file's own references decide which of them
        # stay
        self.objects, self.trace = [], []
        self.nodes.let_die(leaves.values())

    def _others_than(self, nodes: list[object]) -> int:
        """Return how many nodes of the engine there are besides the given ones."""
        return len(self.engine_nodes()) - len(nodes)

    def _is_on_a_tape(self, leaves: dict[int, object]) -> bool:
        """Return whether nodes that no pass has met stay alive. Otherwise, a pass has kept those that do."""
        kept = self._others_than(list(leaves.values()))
        self._build(leaves)
        self._release_all(leaves)
        return self._others_than(list(leaves.values())) > kept

    def build_again(self) -> None:
        """Rebuild the program from the same leaves, which keep their gradients."""
        self._build(self._leaf_nodes())

    def release(self, root: int) -> None:
        """Release all nodes except the leaves and `root`, as if no variables held them. Their gradients then read 0."""
        kept = {*self.leaves.values(), root}
        self.objects = [obj if index in kept else _RELEASED for index, obj in enumerate(self.objects)]
        self.nodes.let_die(self.objects)

    def train(self, root: int, steps: int, rate: float, losses: Sequence[int]) -> Observation:
        """Call the file's `train`, with the program as the loss and its leaves as the parameters.

        With several `losses`, one after another is the loss, and only this one is made.
        """
        leaves = self._leaf_nodes()
        turns = itertools.cycle(losses or [root])

        def loss_of() -> Any:
            if self.logged:
                self.logged.begin_loss()
            turn = next(turns)
            self._build(leaves, {*losses} - {turn})
            loss = self._node(turn)
            if self.logged:
                self.logged.end_loss(loss)
            return loss

        self.given = list(leaves.values())
        return self._result(self._function("train")(loss_of, self.given, steps, rate))

    def values(self) -> Observation:
        return ["values", *self._observed(self.shape.data)]

    def grads(self) -> Observation:
        observed = self._observed(self.shape.grad)
        return ["grads", *observed, *([self._shared()] if self.most else [])]

    def _shared(self) -> list[int]:
        """Return for each node the first one whose gradient is the same array, if any gradients are."""
        own = [node if isinstance(node, self.shape.cls) else None for node in self.objects]
        return arrays.shared([self.shape.inner(getattr(node, self.shape.grad, None)) for node in own])

    def _observed(self, name: str) -> list[Any]:
        """Return the numbers of all nodes. If the program has arrays, return no numbers, and the arrays."""
        if not self.most:
            return [self._spelled(name)]
        return [[], [self._seen(node, name) for node in self.objects]]

    def _seen(self, node: Any, name: str) -> list[Any]:
        if not isinstance(node, self.shape.cls):
            return [None, values.name_of(type(node)), []]
        return self.shape.seen(node, name, self.most)

    def _spelled(self, name: str) -> list[str]:
        cls, read, spell = self.shape.cls, operator.attrgetter(name), float.hex
        return [
            spell(value) if type(node) is cls and type(value := read(node)) is float else self._spell(node, name)
            for node in self.objects
        ]

    def _spell(self, node: Any, name: str) -> str:
        if node is _RELEASED:
            return (0.0).hex()
        if not isinstance(node, self.shape.cls):
            return "!" + values.name_of(type(node))
        return self.shape.spell(getattr(node, name), name)

    def backward(self, root: int) -> None:
        self.rules.run_pass(self.pass_from(self._node(root)))

    def pass_or_rules(self, root: int) -> None:
        """Run the file's backward pass. If the file has none, run the local rules in a correct order."""
        node = self._node(root)
        try:
            run = self.pass_from(node)
        except Unreadable:
            self.local_rules(root, 1.0)
        else:
            self.rules.run_pass(run)

    def pass_from(self, node: Any) -> Callable[[], Any]:
        return introspect.backward_of(self.module, node, self.shape.rule_of_node, self.shape.passes)

    def engine_nodes(self) -> list[Any]:
        """Return the engine's nodes made for this program, oldest first. Omit objects of other classes."""
        return [obj for obj in self.nodes.of_run() if isinstance(obj, self.shape.cls)]

    def earlier(self) -> set[int]:
        """Return the addresses of the nodes of earlier programs."""
        return self.nodes.earlier()

    def _node(self, index: int) -> Any:
        node = self.objects[index]
        if not isinstance(node, self.shape.cls):
            raise Unreadable("no_node", values.name_of(type(node)), values.name_of(self.shape.cls))
        return node

    def preload(self, grads: Sequence[tuple[int, float]]) -> None:
        """Set every gradient to 0.0, then those of the given `[node, gradient]` pairs."""
        for node in self.engine_nodes():
            self.shape.write(node, 0.0)
        for index, grad in grads:
            self.shape.write(self._node(index), grad)

    def local_rules(self, root: int, upstream: float) -> None:
        """Run the local rules of all operations in a correct order, from `upstream` at `root`.

        Inputs are made before their users, so the reverse of the order of creation is correct.
        """
        shape = self.shape
        self._need_rules()
        if self.recording is not None and not self.rules.alone:
            raise Unreadable("unclear_writes")  # a recording shows no rules that run one at a time
        start = self._node(root)
        shape.write(start, upstream)
        nodes = self.engine_nodes()
        # nodes that were made after the start do not belong to its graph
        nodes = nodes[: next((i for i, node in enumerate(nodes) if node is start), len(nodes)) + 1]
        for node in reversed(nodes):
            if id(node) in self.leaves:
                continue
            if self.rules.has(node):
                self.rules.run(node)
            elif any(node is known for known in self.objects):
                raise Unreadable("nothing_to_call", shape.rule.name)

    def _need_rules(self) -> None:
        """Raise `Unreadable` with what is known about the engine if no local rules were found."""
        if self.shape.rule.kind:
            return
        if self.shape.grads_are_nodes:
            raise Unreadable("gradient_is", self.shape.grad, values.name_of(self.shape.cls))
        result = next((node for node in reversed(self.engine_nodes()) if id(node) not in self.leaves), None)
        if result is not None and getattr(result, "_backward", self) is None:
            raise Unreadable("rule_is_none")
        # try the pass on two products, or on two sums if the file has no product yet
        for times, combine in ((1, operator.mul), (0, operator.add)):
            changed = self._changed_by_pass(combine)
            if changed == 3:
                raise Unreadable("unclear_writes")
            if changed is not None:
                raise Unreadable("pass_stops", counts=(changed, times))
        raise Unreadable("no_rule", *itertools.islice(values.attributes(result), _NAMES))

    def _changed_by_pass(self, combine: Callable[[object, object], object]) -> int | None:
        """Return how many of three leaves get a gradient from the file's backward pass on a small graph.

        The result is None if the graph cannot be made, or if the pass is missing or raises an error.
        """
        try:
            leaves = [self.shape.leaf(value) for value in (2.0, 3.0, 5.0)]
            before = [values.spell(getattr(leaf, self.shape.grad)) for leaf in leaves]
            self.pass_from(combine(combine(*leaves[:2]), leaves[2]))()
            after = [values.spell(getattr(leaf, self.shape.grad)) for leaf in leaves]
        except Exception:
            return None
        return sum(one != other for one, other in zip(before, after, strict=True))

    def triple(self, root: int) -> None:
        """Make the local rule of one node contribute three times as much as before."""
        self._need_rules()
        self.rules.triple(self._node(root))

    def rule(self, root: int) -> Observation:
        """Return the state of a node's rule and its first and last line in the learner's file.

        Returns:
            `["rule", state, alone, first, last]`. The state is `input` for a leaf. For any other node it is that of
            `Rules.state`. `alone` says that the operation made no other node with inputs. Both lines are 0 if the rule
            is not in the file.
        """
        node = self._node(root)
        if id(node) in self.leaves:
            return ["rule", "input", True, 0, 0]
        # an operation that made another node with inputs has rules in more than one place
        known = {id(obj) for obj in self.objects}
        others = any(
            getattr(obj, self.shape.inputs_at.name, None) for obj in self.engine_nodes() if id(obj) not in known
        )
        # compare with a new leaf, because the program's own leaves may have been given a rule
        state = self.rules.state(node, self.shape.cls(0.0))
        lines = self.rules.lines(node, self.module.__file__) if state == "own" else (0, 0)
        return ["rule", state, not others, *lines]

    def watch(self) -> None:
        """Record the runs of local rules from now on: which node's rule ran, and what it added to which gradient."""
        self._need_rules()
        if isinstance(self.rules, CalledRules):
            for node in self.engine_nodes():
                if id(node) not in self.leaves and self.rules.has(node):
                    self.rules.watch(node, self._note)

    def _note(self, node: Any, run: Callable[[], object]) -> Any:
        before = self._snapshot()
        result = run()
        added = [
            [i, (new - old).hex()]
            for i, (old, new) in enumerate(zip(before, self._snapshot(), strict=True))
            if new != old
        ]
        self.trace.append([self.id_of(node), added])
        return result

    def _snapshot(self) -> list[float]:
        return [self.shape.number(getattr(node, self.shape.grad)) for node in self.objects]

    def record(self, begin: int) -> Observation:
        """Record the run. This is always the first step of the run.

        Its answer is completed when the run has ended. It holds the lines that make nodes. From the step number
        `begin` on, it also holds the runs of local rules and the writes to gradients.
        """
        assert self.recording is not None
        return self.recording.answer

    def log(self) -> None:
        """Log losses, backward passes and the changes of leaves from now on."""
        self.logged = Log(self)

    def events(self) -> Observation:
        """Return the log (see `Log`)."""
        assert self.logged is not None
        return self.logged.answer

    def traced(self) -> Observation:
        return ["trace", self.trace[:1000]]

    def call(self, function: str, arguments: Sequence[Argument]) -> Observation:
        """Call a function of the file.

        Each argument is `["node", i]`, `["nodes", [i, ...]]`, `["number", x]`, `["numbers", [x, ...]]`, `["list",
        nested list]`, `["array", nested list]`, `["shape", [n, ...]]`, `["text", "..."]`, or `["function", [program,
        root, gradients]]`, a function of nodes (see `function_of`). A function that gets an array returns one.
        """
        result = self._function(function)(*[self._argument(*argument) for argument in arguments])
        return self._array(result) if any(kind == "array" for kind, _ in arguments) else self._result(result)

    def inputs(self) -> Observation:
        """Return the inputs of every node, at most `_INPUTS` of each."""
        kept = self.shape.inputs_at.kept
        return ["inputs", [self._ids(list(itertools.islice(kept(node), _INPUTS))) for node in self.objects]]

    def given_list(self) -> Observation:
        """Return the nodes in the list that was last given to a function, as the function left it."""
        return _called(nodes=self._ids(self.given[: 2 * len(self.objects)]))

    def given_numbers(self) -> Observation:
        """Return the numbers in the list that was last given to a function, as the function left it."""
        return _called(numbers=[values.spell(number) for number in self.given[:_MOST_GIVEN]])

    def _function(self, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] | None = load.need(self.module, name)
        if not callable(function):
            raise Unreadable("no_function", name)
        return function

    def _argument(self, kind: str, value: Any) -> Any:
        if kind == "node":
            return self._node(value)
        if kind == "function":
            return function_of(self.shape, *value)
        if kind == "array":
            return arrays.made(value, arrays.has_numpy())
        if kind == "shape":
            return tuple(value)
        if kind == "list":
            return _copied(value)
        if kind not in ("nodes", "numbers"):
            return value
        self.given = list(map(self._node, value)) if kind == "nodes" else value[:]
        return self.given

    def _array(self, result: Any) -> Observation:
        if result is None or isinstance(result, self.shape.cls):
            return self._result(result)
        shape, kind, numbers = arrays.seen(result, _MOST_GIVEN)
        return _called(other=kind) if shape is None else _called(array=[shape, kind, numbers])

    def _result(self, result: Any) -> Observation:
        if result is None:
            return _called()
        if isinstance(result, self.shape.cls):
            return _called(nodes=[self.id_of(result)])
        if (truth := values.truth(result)) is not None:
            return _called(truth=truth)
        number = values.spell(result)
        if not number.startswith("!"):
            return _called(numbers=[number])
        if isinstance(result, (str, bytes, dict)) or not isinstance(result, Iterable):
            return _called(other=values.name_of(type(result)))
        # longer than any right answer, because the iterable may be endless
        lazy = hasattr(type(result), "__next__")
        items = list(itertools.islice(result, 2 * (len(self.objects) + len(self.nodes.of_run())) + 64))
        if items and not any(isinstance(item, self.shape.cls) for item in items):
            return _called(numbers=[values.spell(item) for item in items])
        if lazy:  # nodes are returned to be read more than once, and backwards
            return _called(other=values.name_of(type(result)))
        return _called(nodes=self._ids(items))

    def _ids(self, items: list[object]) -> list[int]:
        nodes = self.nodes.of_run()
        # the program's own indices count first; a node that has several of them gets the lowest
        known = dict(zip(map(id, nodes), itertools.count(len(self.objects)), strict=False))
        known.update(zip(map(id, reversed(self.objects)), range(len(self.objects) - 1, -1, -1), strict=True))
        return list(map(known.get, map(id, items), itertools.repeat(_NONE)))

    def id_of(self, node: Any) -> int:
        """Return the program's index of a node.

        A node that the engine made in addition has an index beyond the program. The result is -1 for any other
        object.
        """
        return self._ids([node])[0]


def _called(
    numbers: list[str] | None = None,
    nodes: list[int] | None = None,
    other: str | None = None,
    truth: bool | None = None,
    array: list[Any] | None = None,
) -> Observation:
    """Return the answer to a call of a function, by what it returned. Without arguments, it returned None."""
    return ["called", numbers, nodes, other, truth, *([array] if array else [])]


def _copied(given: Any) -> Any:
    """Return a copy of a nested list, which the function may change."""
    return [_copied(item) for item in given] if isinstance(given, (list, tuple)) else given


def _given(nodes: list[Any], kind: str, value: Any) -> Any:
    """Return an argument of a function that makes nodes."""
    if kind == "list":
        return [_given(nodes, *item) for item in value]
    return nodes[value] if kind == "node" else [nodes[i] for i in value] if kind == "nodes" else value


def _outline(given: object) -> Any:
    """Return the identities of the items of an argument and of the lists in it. Objects of the file may be equal."""
    return list(map(_outline, given)) if isinstance(given, list) else id(given)


def _missing_method(error: TypeError, filename: str, engine: type) -> str | None:
    """Return the method for an operator that a line of the learner's file applies to a node, if the engine lacks it.

    The result is None if the error has any other cause. An error that the learner's code raises with `raise` does not
    count, nor does one that was raised outside of the file.
    """
    traceback = error.__traceback__
    # the innermost frame, which has to be in the file
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or traceback.tb_frame.f_code.co_filename != filename:
        return None
    # the instruction that raised the error: one of the code's own `raise` says nothing about
    # operators
    if opcode.opname[traceback.tb_frame.f_code.co_code[traceback.tb_lasti]] == "RAISE_VARARGS":
        return None
    for pattern, methods in _REFUSED.items():
        match = pattern.fullmatch(str(error))
        method = methods.get(match["symbol"]) if match else None
        if match and method and any(c.__name__ == match["type"] and not hasattr(c, method) for c in _family(engine)):
            return method
    return None


def _family(cls: type) -> Iterator[type]:
    """Return a class and all classes derived from it."""
    yield cls
    derived: type
    for derived in type.__subclasses__(cls):
        yield from _family(derived)


def _problem(where: str, error: BaseException, filename: str) -> list[Any]:
    if isinstance(error, Unreadable):
        return [where, "shape", error.code, "", [], error.names, error.counts]
    if isinstance(error, WantsArgument):
        return [where, "wants_argument", "WantsArgument", "", [], [error.method]]
    if isinstance(error, NotOffered):
        return [where, "not_offered", type(error).__name__, "", error.lines, error.names]
    return [where, *errors.describe(error, filename)]


def execute(module: ModuleType, filename: str, batch: dict[str, Any]) -> list[Any]:
    """Run a batch `{"runs": [[program, steps], ...], "order_seeds": [...], "calls": n, "engine": bool}`.

    With `engine` false, no engine is read and no program is built; the file's functions are called with numbers.
    `rearranged`, if present, has the runs of each order seed after the first. An entry is null if the run is the same
    as under the first order seed.

    Returns:
        `["read", reading, [[outcome per run] per order seed]]`, or `["unread", problem]` if the file holds nothing
        that can be read as an engine. An outcome `["same"]` is equal to that of the run under the first order seed.
    """
    builtins = vars(module)["__builtins__"]
    nodes = EngineObjects(module)
    try:
        # discard output that the learner's code prints while its engine is read, because it belongs to no program
        with CallBudget(builtins, batch["calls"]), contextlib.redirect_stdout(io.StringIO()):
            shape = introspect.read(module, batch.get("most", 0) > 0) if batch["engine"] else introspect.NO_ENGINE
    except BaseException as error:
        return ["unread", _problem("reading", error, filename)]
    seeds: list[list[Any]] = []
    spent = False
    rearranged = batch.get("rearranged", [])
    for number, order_seed in enumerate(batch["order_seeds"]):
        outcomes: list[Any] = []
        others = rearranged[number - 1] if 0 < number <= len(rearranged) else []
        for program, steps in [other or run for run, other in itertools.zip_longest(batch["runs"], others)]:
            if spent:
                outcomes.append(None)
                continue
            nodes.start_run(order_seed)
            with CallBudget(builtins, batch["calls"]):
                graph = Graph(module, shape, nodes, batch.get("most", 0))
                outcome = _run(graph, program, [*map(read_step, steps)], filename)
            # after a limit, every later run would cost its time as well
            spent = outcome[0] == "broke" and (outcome[2][1] in RAN_OUT or outcome[2][2] in EXHAUSTED)
            outcomes.append(["same"] if seeds and outcome == seeds[0][len(outcomes)] else outcome)
        seeds.append(outcomes)
    return ["read", shape.wire(), seeds]


def _run(graph: Graph, program: list[Any], steps: Sequence[RunStep], filename: str) -> list[Any]:
    results: list[object] = []
    where = "build"
    # observe from the first node on, because the lines that make nodes are recorded too
    first = steps[0] if steps else None
    begin = first.begin if isinstance(first, Record) else None
    try:
        if begin is not None:
            graph.recording = Recording(graph, filename, traced=any(op == "made" for op, *_ in program))
        graph.build(program)
        for number, step in enumerate(steps):
            where = step.name
            if number == begin and graph.recording is not None:
                graph.recording.begin()
            results.append(getattr(graph, where)(*step[:-1]) or ["nothing"])
        outcome = ["done", results]
    except BaseException as error:
        outcome = ["broke", results, _problem(where, error, filename)]
    # put back what was replaced, before the next run
    if graph.logged is not None:
        graph.logged.end()
    if graph.recording is not None:
        graph.recording.finish()
        outcome[1] = [graph.recording.answer, *results[1:]]  # even if the program could not be built
    return outcome


_COMPILE = (load.same_code.__code__, load.parse.__code__)


class OpenedFile:
    """The text of an order, and the module that was last made from it.

    Creating it imports the modules that the source names.

    Args:
        order: a dictionary with the keys `source`, `filename`, `allow`, `cells` and `limits`. `allow` has the folders
            of modules beyond the standard library, by name. `cells` has the lines in which a notebook's cells begin,
            and is empty for a file.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        self._source: str = order["source"]
        self._filename: str = order["filename"]
        self._cells: list[int] = order["cells"]
        self._allow: dict[str, str] = order["allow"]
        self._calls: int = order["limits"]["calls"]
        self._parsed: load.Parsed | None = None
        self._builtins: dict[str, object] = {}
        self._module: ModuleType | None = None
        imports.preimport(self._source, self._allow)

    def forget(self) -> None:
        """Drop all references to the module of the last run and to its objects."""
        self._module = None
        sys.modules.pop(load.MODULE, None)

    def is_theirs(self, frame: FrameType | None) -> bool:
        """Return whether a frame is learner code, was called by learner code, or compiles it."""
        while frame is not None:
            if frame.f_code.co_filename == self._filename or frame.f_code in _COMPILE:
                return True
            frame = frame.f_back
        return False

    def _execute(self) -> list[Any] | None:
        """Run the compiled code in a new namespace. Return None, or the problem."""
        assert self._parsed is not None
        try:
            self._module = load.execute(self._parsed, self._builtins, self._calls)
        except BaseException as error:
            return ["load", *errors.describe(error, self._filename)]
        return None


class LearnerFile(OpenedFile):
    """A learner's file. Its answers are tagged lists, which `grader/runner/client/protocol.py` describes.

    Args:
        order: as for `OpenedFile`, and `stub`, the file as it was given out, or None.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        super().__init__(order)
        self._stub: str | None = order["stub"]

    @property
    def loaded(self) -> bool:
        """Return whether the file ran to its end."""
        return self._module is not None

    def load(self) -> list[Any]:
        """Compile the file and run it. Return `["loaded"]`, `["not_started"]` or `["failed", problem]`."""
        try:
            if self._stub is not None and load.same_code(self._source, self._stub):
                return ["not_started"]
            self._parsed = load.parse(self._source, self._filename, self._cells)
            self._builtins = load.builtins_for(self._parsed, self._allow)
        except BaseException as error:
            return ["failed", ["load", *errors.describe(error, self._filename)]]
        problem = self._execute()
        return ["loaded"] if problem is None else ["failed", problem]

    def reload(self) -> list[Any] | None:
        """Run the file again in a new namespace. Return None, or `["unread", problem]`."""
        problem = self._execute()
        return None if problem is None else ["unread", problem]

    def run(self, batch: dict[str, Any]) -> list[Any]:
        """Execute a batch with the module of the last run (see `execute`)."""
        assert self._module is not None
        return execute(self._module, self._filename, batch)
