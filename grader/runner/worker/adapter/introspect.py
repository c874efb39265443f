"""Read an engine's shape: which class it is, which attributes hold value, gradient and inputs, and its local rules.

Usual names take precedence. Without them, another name is taken only if there is no other candidate. If the attributes
of a node do not decide what its local rule is, the engine's own backward pass runs on small graphs that are discarded
afterwards.
"""

import contextlib
import inspect
import itertools
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, Literal, NamedTuple

from . import arrays, values
from .ask import STORED
from .calls import CallBudget, OutOfCalls
from .load import need
from .observer import GradientObserver, Write, in_place_of
from .rules import Call, EngineReading, InputsPlace, Rule, Shared, StoredRules, is_computed, rules_of
from .values import Unreadable, attributes, code_of

LOCAL_GRADS = ("_local_grads", "local_grads", "_local_gradients", "local_gradients", "_local_derivatives", "slopes")
PASSES = ("backward", "backprop", "backpropagate", "back")
OPERATIONS = (operator.mul, operator.add)
NUMBERS = (3.25, -1.75)  # the values of leaves; unusual, because the attribute with the value is recognised by it
_THIRD = 1.5
_USUAL = "_backward"
_OF_A_TRIAL = 2_000  # calls
_MOST_WATCHED = 60  # the most functions that are watched
_MOST_RETURNED = 64
_MOST_NAMES = 4  # the most candidates that a problem names


class Small(NamedTuple):
    """A small graph: its two nodes that are not leaves, each with its two inputs. The inner node comes first."""

    operations: tuple[tuple[Any, tuple[Any, Any]], tuple[Any, tuple[Any, Any]]]

    @property
    def nodes(self) -> tuple[Any, Any]:
        return self.operations[0][0], self.operations[1][0]

    @property
    def root(self) -> Any:
        return self.operations[1][0]

    def sources(self, node: Any) -> tuple[Any, Any]:
        return next(sources for operation, sources in self.operations if operation is node)


class Trial:
    """One operation of an engine, tried on leaves.

    Args:
        module: the learner's file.
        shape: what is known about the engine so far.
        leaves: two leaves.
        combine: the operation; None if the engine has no operation that works.
        node: the node that the operation made of the leaves. It may be changed. Without an operation, the first leaf.
        own_pass: whether the file has a backward pass. Without one, a function is assumed to need no arguments and to
            add the contributions itself.
    """

    def __init__(
        self,
        module: ModuleType,
        shape: EngineReading,
        leaves: tuple[Any, Any],
        combine: Callable[[Any, Any], Any] | None,
        node: Any,
        own_pass: bool = False,
    ) -> None:
        self.module, self.shape, self.leaves, self.node, self.own_pass = module, shape, leaves, node, own_pass
        self.combine = combine

    # -- small graphs and the pass over them ----------------------------------------------------

    def small(self) -> Small:
        """Return a new small graph."""
        assert self.combine is not None
        x, y, z = map(self.shape.leaf, (*NUMBERS, _THIRD))
        inner = self.combine(x, y)
        root = self.combine(inner, z)
        return Small(((inner, (x, y)), (root, (inner, z))))

    def run_pass(self, root: Any) -> None:
        """Run the engine's own backward pass with few calls, and ignore its errors."""
        self.run(backward_of(self.module, root, "", self.shape.passes[:1]))

    def run(self, function: Callable[[], Any]) -> None:
        """Run the learner's code with few calls, and ignore its errors."""
        with contextlib.suppress(Exception, OutOfCalls), CallBudget(vars(self.module)["__builtins__"], _OF_A_TRIAL):
            function()

    def reaches_leaves(self, small: Small) -> bool:
        """Return whether the leaves below the inner node of a graph have a gradient."""
        below = (getattr(leaf, self.shape.grad, None) for leaf in small.operations[0][1])
        return any(isinstance(grad, self.shape.cls) or values.plain(grad) for grad in below)

    def propagates(self, function: Callable[[Any], Any], seeded: bool = False) -> bool:
        """Return whether a function of the root is a backward pass: whether it reaches the leaves.

        Args:
            seeded: whether the gradient of the root is 1 before the call.
        """
        small = self.small()
        if seeded:
            values.put(small.root, self.shape.grad, self.shape.typed(small.root, 1.0))
        self.run(partial(function, small.root))
        return self.reaches_leaves(small)

    # -- what the attributes of a node show -----------------------------------------------------

    def rule(self) -> Rule:
        """Find the local rule of the node."""
        node, cls = self.node, self.shape.cls
        # local derivatives that the node stores, unless a function of the usual name adds gradients
        attributes = values.attributes(node)
        stored = self._stored(attributes)
        usual = getattr(node, _USUAL, None)
        # leaves have the same function: it does nothing, or it serves all nodes
        shared = code_of(usual) is code_of(getattr(self.leaves[0], _USUAL, None))
        if stored and shared and (stored.name in LOCAL_GRADS or not callable(usual) or not self._adds(_USUAL)):
            return stored
        # a function of the usual name, unless it is a part of the pass
        if callable(usual) and not (shared and self._recurses(_USUAL)):
            return self._function(_USUAL)
        if stored:
            return stored
        # the only function that the node keeps; else what the pass calls, contains or finds in the
        # node
        functions = [
            n for n, v in attributes.items() if callable(v) and not isinstance(v, cls) and not _is_part(v, cls)
        ]
        if len(functions) == 1 and not (functions[0] in PASSES and self._recurses(functions[0])):
            return self._function(functions[0])
        call = self._watched()
        if call:
            return Rule("called", call.name, call)
        return self._entries(attributes) or (Rule("inline") if self._is_inline() else Rule())

    def _stored(self, attributes: dict[str, Any]) -> Rule | None:
        """Return where local derivatives are stored, or None. A usual name is preferred."""
        names = sorted(attributes, key=lambda name: name not in LOCAL_GRADS)
        for name in names:
            row = attributes[name]
            pairs = values.is_row(row) and all(isinstance(item, (list, tuple)) and len(item) == 2 for item in row)
            if pairs and values.entries(row, self.shape.cls):
                return Rule("pairs", name)
        return self._parallel({name: attributes[name] for name in names if name != self.shape.inputs_at.name})

    def _parallel(self, attributes: dict[str, Any]) -> Rule | None:
        """Return which sequence beside the inputs holds local derivatives, or None.

        Numbers that equal the values of the inputs count only under a usual name, or if the result of another
        operation has other numbers in the same place.
        """
        sequence = self.shape.inputs_at.kept(self.node)
        if not values.is_row(sequence):
            return None
        rows = {name: list(row) for name, row in attributes.items() if values.is_row(row) and len(row) == len(sequence)}
        possible = [name for name, row in rows.items() if all(values.is_amount(item, self.shape.cls) for item in row)]
        numbers = [getattr(source, self.shape.data, None) for source in sequence]
        for name in possible:
            if name in LOCAL_GRADS or rows[name] != numbers:
                return Rule("parallel", name)
        rival = self._rival() if possible else None
        for name in possible:
            other: Any = getattr(rival, name, None)
            if values.is_row(other) and len(other) == len(numbers) and list(other) != numbers:
                return Rule("parallel", name)
        return None

    def _rival(self) -> Any:
        """Return a node that another operation made of the leaves; None if no other operation works."""
        others = [combine for combine in OPERATIONS if self.combine and combine is not self.combine]
        return next((node for combine in others if (node := made_by(combine, *self.leaves)) is not None), None)

    def _entries(self, attributes: dict[str, Any]) -> Rule | None:
        """Return the only attribute that holds inputs with an amount each, in a form other than pairs.

        Return None if there is no such attribute, or more than one.
        """
        holding = [name for name, kept in attributes.items() if values.entries(kept, self.shape.cls)]
        return Rule("pairs", holding[0]) if len(holding) == 1 else None

    # -- what a function of the node does -------------------------------------------------------

    def _function(self, name: str) -> Rule:
        """Find out how a function of the node is a rule."""
        adding = Rule("closure", name, Call(name, adds=True))
        if not self.own_pass:
            return adding
        if _wants_more(getattr(self.node, name)) and (call := self._watched()):
            return Rule("called", call.name, call)
        rule = self._called(name)
        if rule.kind == "called" and self._watched() and not self._pass_reaches_leaves():
            return adding  # the pass does not use what the function returns
        return rule

    def _called(self, name: str) -> Rule:
        """Find out how a function of the node is a rule, by calling it."""
        node, function = self.node, getattr(self.node, name)
        arguments: tuple[str, ...] = ()
        try:
            # not 0, so that a rule that adds to gradients changes some
            upstream = self.shape.typed(node, 1.0)
            values.put(node, self.shape.grad, upstream)
            # the pass may set gradients that are None to 0 before it calls the function
            for source in self.shape.inputs(node):
                if getattr(source, self.shape.grad) is None:
                    self.shape.write(source, 0.0)
            if values.wants_argument(function):
                try:
                    function(upstream)
                except (AttributeError, TypeError):
                    # a number has no inputs, so the argument is the node
                    function, arguments = partial(function, node), ("node",)
                else:
                    return Rule("pull", name, Call(name, arguments=("grad",), adds=None))
            before = self.shape.spelled_grads(self.leaves)
            returned = values.returned_amounts(values.listed(function()), self.shape.cls)
            if returned and self.shape.spelled_grads(self.leaves) == before:
                local = gives_derivatives(self.shape, node, function)
                return Rule("called", name, Call(name, arguments=arguments, local=local))
        except Exception:  # the learner's code may not work
            pass
        return Rule("visit" if arguments else "closure", name, Call(name, arguments=arguments, adds=True))

    def _adds(self, name: str) -> bool:
        """Return whether calling a function of the node changes a gradient of the leaves."""
        before = self.shape.spelled_grads(self.leaves)
        self._called(name)
        return self.shape.spelled_grads(self.leaves) != before

    # -- what the backward pass does ------------------------------------------------------------

    def _recurses(self, name: str) -> bool:
        """Return whether a method of the root gives gradients to leaves that are not its inputs.

        Such a method is a part of the pass.
        """

        def run(root: Any) -> None:
            method: Any = getattr(root, name)
            method(*[self.shape.typed(root, 1.0)] * values.wants_argument(method))

        return self.combine is not None and self.propagates(run, seeded=True)

    def _pass_reaches_leaves(self) -> bool:
        small = self.small()
        self.run_pass(small.root)
        return self.reaches_leaves(small)

    def _watched(self) -> Call | None:
        """Run the pass, and return how it calls its local rules; None if that is unclear."""
        if self.combine is None or not self.own_pass:
            return None
        small = self.small()
        # the graph is new, so the functions of its nodes need not be restored
        watches = [_Watch(self.shape, small, call) for call in itertools.islice(self._functions(small), _MOST_WATCHED)]
        spaces = [(shared.space, dict(shared.space)) for watch in watches if (shared := watch.call.shared)]
        for watch in watches:
            with contextlib.suppress(Exception):
                watch.install()
        try:
            self.run_pass(small.root)
        finally:
            for space, before in reversed(spaces):
                space.update(before)
        calls = [call for watch in watches if (call := watch.observed())]
        return next((call for call in calls if call.adds), calls[0] if calls else None)

    def _functions(self, small: Small) -> Iterator[Call]:
        """Yield every function that may be the local rule of a node.

        It may belong to the node, to an object that the node keeps, to a table of the file, or to the file.
        """
        node, names = small.nodes[0], vars(self.module)
        kept = values.attributes(node)
        yield from (Call(name) for name in _own_functions(node, kept) if name not in PASSES)
        for via, part in kept.items():
            if type(part).__module__ == self.module.__name__ and not isinstance(
                part, (self.shape.cls, type, FunctionType)
            ):
                yield from (Call(name, via) for name in _own_functions(part, values.attributes(part)))
        yield from self._table_functions(kept)
        for name, value in names.items():
            if type(value) is FunctionType and value.__module__ == self.module.__name__ and name not in PASSES:
                yield Call(name, "", Shared(names))

    def _table_functions(self, kept: dict[str, Any]) -> Iterator[Call]:
        """Yield the functions in a dict of the file, if the node keeps the key of its function."""
        keys = {name: key for name, key in kept.items() if isinstance(key, str)}
        for table in [value for value in vars(self.module).values() if type(value) is dict and value]:
            for via, key in keys.items():
                if callable(table.get(key)) and all(map(callable, table.values())):
                    yield Call("", via, Shared(table))

    def _is_inline(self) -> bool:
        """Return whether the local rules are in the backward pass, judged by one pass over a small graph.

        After the pass has read the gradient of an operation, it must write the gradients of that operation's inputs,
        and no others.
        """
        if self.combine is None or not self.own_pass:
            return False
        small = self.small()
        with GradientObserver(self.shape.cls, self.shape.grad) as observer:
            self.run_pass(small.root)
        known = [node for operation, sources in small.operations for node in (operation, *sources)]
        # a tape may hold the nodes of other graphs
        written = [w for w in observer.writes if w.of is not None and any(w.to is node for node in known)]
        others = [w for w in written if not any(w.of is operation for operation in small.nodes)]
        changed = any(write.after != write.before for write in written)
        return changed and not others and all(map(partial(_writes_all, written), small.operations))

    # -- how the pass uses stored local derivatives ---------------------------------------------

    def derivatives_of(self) -> str:
        """Return what the pass over a new graph calls stored derivatives with: see `EngineReading.derivatives_of`."""
        root, sources = self.small().operations[1]
        rules = rules_of(self.shape)
        if not isinstance(rules, StoredRules):
            return "grad"
        calls: list[tuple[Any, ...]] = []

        def recorded(local: Any) -> Any:
            def called(*given: Any) -> Any:
                calls.append(given)
                return local(*given)

            return called if callable(local) else local

        with contextlib.suppress(Exception):
            rules.change(root, recorded)
            self.run_pass(root)
        if not calls or len(calls[0]) > 1:
            return "grad"
        (given,) = calls[0] or (None,)
        if not calls[0] or given is root:
            return "node" if calls[0] else "nothing"
        return "input" if any(given is source for source in sources) else "grad"

    def uses_each(self) -> bool:
        """Return whether the pass uses an entry of a dict of local derivatives once for each use of an input.

        Such a pass goes through a sequence of the inputs, in which an input that is used twice stands twice.
        """
        name, grad = self.shape.rule.name, self.shape.grad
        kept = getattr(self.node, name, None) if self.shape.rule.kind == "pairs" else None
        if not self.combine or not isinstance(kept, dict) or not values.is_row(self.shape.inputs_at.kept(self.node)):
            return False
        try:
            leaf = self.shape.leaf(NUMBERS[0])
            root = self.combine(leaf, leaf)
            self.run_pass(root)
            (local,) = getattr(root, name).values()  # both uses of the leaf share one entry
            once = values.plain(local(1.0) if callable(local) else local)
            return once is not None and 0.0 != values.plain(getattr(leaf, grad)) == 2 * once
        except Exception:
            return False


def _writes_all(writes: list[Write], of: tuple[Any, tuple[Any, Any]]) -> bool:
    """Return whether an operation's rule wrote a number to the gradient of each of its inputs, and to no others."""
    operation, sources = of
    targets = [write.to for write in writes if write.of is operation and write.after is not None]
    return len(targets) == len(sources) and all(any(t is source for t in targets) for source in sources)


class _Watch:
    """Record each call of one function while the pass runs.

    A function counts as a rule only if the pass calls it once for each operation, with arguments that can be told
    apart. It must change the gradients of that operation's inputs, or return an amount for each of them. A function
    that returns each input with its amount may also be called more often, because a sort may use it for the inputs.
    """

    def __init__(self, shape: EngineReading, small: Small, call: Call) -> None:
        self.shape, self.small, self.call = shape, small, call
        # by node: how the function was called, if that is clear, and what it returned for each input: an amount, which
        # may come with the input, or nothing
        self._calls: dict[int, list[tuple[Call | None, Literal["", "amounts", "pairs"]]]] = {
            id(node): [] for node in small.nodes
        }
        self._inside = False
        self._nested = False

    def install(self) -> None:
        """Replace the function until the graph is discarded, or until the shared functions are restored."""
        call = self.call
        if call.shared is None:
            for node in self.small.nodes:
                holder = call.holder(node)
                original = getattr(holder, call.name)
                values.put(holder, call.name, in_place_of(original, partial(self._note, original, node)))
            return
        space = call.shared.space
        for key in {call.key(node) for node in self.small.nodes}:
            space[key] = in_place_of(space[key], partial(self._note, space[key], None))

    def observed(self) -> Call | None:
        """Return how the function is called as a local rule; None if it is not one."""
        first, second = self._calls.values()
        if self._nested or not first or not second or any(one != first[0] for one in (*first, *second)):
            return None
        call, gives = first[0]
        if call is None or not (call.adds or gives) or (call.shared is not None and "node" not in call.roles):
            return None
        if len(first) + len(second) > 2 and (call.adds or gives != "pairs"):
            return None
        return call._replace(local=call.local and not call.adds)

    def _note(self, original: Any, of: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call the function and record the call, for the node `of`; if it is None, for the node among the arguments."""
        given = (*arguments, *named.values())
        node = of if of is not None else next((v for v in given if any(v is n for n in self.small.nodes)), None)
        if node is None:
            return original(*arguments, **named)
        # a function that runs inside of itself is a recursive pass, or a part of one
        self._nested = self._nested or self._inside
        self._inside = True
        before = self._amounts(node)
        try:
            returned = original(*arguments, **named)
        finally:
            self._inside = False
        looked_at = returned
        if hasattr(type(returned), "__next__"):  # read some items of an iterator, and return an equal one
            looked_at = list(itertools.islice(returned, _MOST_RETURNED))
            returned = itertools.chain(looked_at, returned)
        adds, gives = self._amounts(node) != before, self._gives(looked_at, self.shape.inputs(node))
        call = self._described(node, arguments, named)
        if call:
            again = partial(original, *arguments, **named)
            local = bool(gives) and "grad" not in call.roles and gives_derivatives(self.shape, node, again)
            call = call._replace(adds=adds, local=local)
        self._calls[id(node)].append((call, gives))
        return returned

    def _described(self, node: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Call | None:
        """Return the function with the roles of a call's arguments; None if an argument has no role."""
        inputs = self.shape.inputs(node)
        roles = [self._role(value, node, inputs) for value in arguments]
        by_name = tuple((name, self._role(value, node, inputs)) for name, value in named.items())
        # the inputs one after another become one role, for nodes with any number of inputs
        one_by_one = [f"input {number}" for number in range(len(inputs))]
        for at in range(len(roles)):
            if inputs and roles[at : at + len(inputs)] == one_by_one:
                roles[at : at + len(inputs)] = ["*inputs"]
                break
        call = self.call._replace(arguments=tuple(roles), named=by_name)
        unclear = any(role == "" or role.startswith("input ") for role in call.roles) or call.roles.count("grad") > 1
        return None if unclear else call

    def _role(self, value: Any, node: Any, inputs: list[Any]) -> str:
        """Return the role of an argument; an empty string if it is unknown."""
        if value is node:
            return "node"
        if self.call.via and self.call.shared is None and value is self.call.holder(node):
            return "part"
        for number, source in enumerate(inputs):
            if value is source:
                return f"input {number}"
        if values.is_number(value):
            return "grad"
        if isinstance(value, (list, tuple)) and len(value) == len(inputs):
            return "inputs" if all(one is source for one, source in zip(value, inputs, strict=True)) else ""
        return ""

    def _gives(self, returned: Any, inputs: list[Any]) -> Literal["", "amounts", "pairs"]:
        """Return what a returned object holds for each input: an amount, an amount with the input, or nothing."""
        if isinstance(returned, dict):
            return "" if values.entries(returned, self.shape.cls) is None else "pairs"
        if not isinstance(returned, (list, tuple)) or not returned:
            return ""
        if all(values.entry(item, self.shape.cls) for item in returned):
            return "pairs"
        return "amounts" if len(returned) == len(inputs) and all(map(values.is_number, returned)) else ""

    def _amounts(self, node: Any) -> list[str]:
        return self.shape.spelled_grads(self.small.sources(node))


def backward_of(module: ModuleType, root: Any, rule_name: str, passes: tuple[str, ...] = ()) -> Callable[[], Any]:
    """Return the learner's backward pass from `root`: a method, or a function of the file that takes the root.

    `backward` is preferred, whether it is a method or a function. Another name counts only if it is not that of the
    local rule.

    Args:
        passes: the functions that may be the backward pass, if none has a name of `PASSES`.
    """
    if len(passes) > 1:
        raise Unreadable("several_passes", *passes[:_MOST_NAMES])
    for name in passes or PASSES:
        method = getattr(root, name, None)
        if callable(method) and name != rule_name:
            return method  # type: ignore[no-any-return]
        function: Any = vars(module).get(name)
        if callable(function):
            return lambda: function(root)
    if rule_name in PASSES and callable(getattr(root, rule_name, None)):
        raise Unreadable("backward_is_rule", rule_name)
    raise Unreadable("no_backward")


def made_by(combine: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return the node that an operation makes of two others; None if it fails.

    It may fail because the file of an exercise need not have the operation.
    """
    try:
        node = combine(left, right)
    except Exception:
        return None
    return node if isinstance(node, type(left)) else None


def gives_derivatives(shape: EngineReading, node: Any, function: Callable[[], Any]) -> bool:
    """Return whether a function returns the same numbers for every gradient of a node.

    Then these are local derivatives. Otherwise they are contributions.
    """
    # contributions grow with the upstream gradient, local derivatives do not
    before, returned = getattr(node, shape.grad), []
    for upstream in (1.0, 2.0):
        values.put(node, shape.grad, shape.typed(node, upstream))
        returned.append(values.returned_amounts(values.listed(function()), shape.cls))
    values.put(node, shape.grad, before)
    return returned[0] == returned[1]


def _is_part(value: object, cls: type) -> bool:
    """Return whether an object is a node, or of a class in the file with methods besides `__call__`.

    One of these methods may be the rule.
    """
    if isinstance(value, cls):
        return True
    if type(value).__module__ != cls.__module__ or type(value) in (FunctionType, MethodType):
        return False
    members = {name: member for base in type(value).__mro__[:-1] for name, member in vars(base).items()}
    return any(callable(member) and not name.startswith("__") for name, member in members.items())


def _own_functions(obj: Any, kept: dict[str, Any]) -> list[str]:
    """Return the names of an object's functions and of its classes' functions, without names that begin with `__`."""
    names = [name for name, value in kept.items() if type(value) in (FunctionType, MethodType)]
    for cls in type(obj).__mro__[:-1]:
        names += [n for n, member in vars(cls).items() if isinstance(member, (FunctionType, staticmethod))]
    return [name for name in dict.fromkeys(names) if not name.startswith("__")]


def _wants_more(function: Any) -> bool:
    """Return whether a function has two parameters without a default, or one that is keyword-only."""
    required = values.required(function)
    return len(required) > 1 or any(p.kind is inspect.Parameter.KEYWORD_ONLY for p in required)


# -- the class and its attributes

_GRADIENTS = ("grad", "_grad", "gradient", "derivative", "deriv", "adjoint", "g")
_INPUTS = ("_prev", "_children", "children", "prev", "inputs", "_inputs", "parents", "_parents")
_CONTAINERS = (tuple, list, set, frozenset)
_WANTS_GRADIENT = re.compile(r"_*(requires?|needs?|wants?|with|tracks?)_?grad(ient)?s?", re.IGNORECASE)
_BEHIND = 12.625  # is put into an attribute for a moment, to see whether a method returns it


class _NoEngine:
    """A class without instances."""


NO_ENGINE = EngineReading(_NoEngine, "data", "grad")


def _classes(module: ModuleType) -> Iterator[type]:
    for value in list(vars(module).values()):
        if issubclass(type(value), type) and value.__module__ == module.__name__:
            yield value


def _defines(cls: type, name: str) -> bool:
    """Return whether a class, or a base class in the same file, defines a method. A named tuple does not define `+`."""
    return any(name in vars(base) and base.__module__ == cls.__module__ for base in cls.__mro__)


def engine_class(module: ModuleType, usual: str = "Value") -> type:
    """Return the class with the usual name, or the only class of the file that defines `+` and `*`.

    Subclasses of a class that defines both do not count. Of several classes, the only one with a backward pass counts.
    """
    named = vars(module).get(usual)
    if isinstance(named, type):
        return named
    able = [c for c in dict.fromkeys(_classes(module)) if _defines(c, "__add__") and _defines(c, "__mul__")]
    able = [c for c in able if not any(c is not base and issubclass(c, base) for base in able)]
    with_pass = [c for c in able if any(callable(getattr(c, name, None)) for name in PASSES)]
    candidates = with_pass if len(with_pass) == 1 else able
    if len(candidates) == 1:
        return candidates[0]
    if not able:
        need(module, usual)
        raise Unreadable("no_class")
    raise Unreadable("several_classes", *map(values.name_of, able[:_MOST_NAMES]))


def _only(names: list[str], what: str) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise Unreadable(f"no_{what}")
    raise Unreadable(f"several_{what}s", *map(str, names[:_MOST_NAMES]))


def _data_name(leaf: Any) -> str:
    if hasattr(leaf, "data"):
        if not _is_method(leaf, "data"):
            return "data"
        if behind := _behind(leaf, "data"):
            return behind
    return _only([name for name, value in attributes(leaf).items() if values.plain(value) == NUMBERS[0]], "value")


def _is_method(obj: Any, name: str) -> bool:
    return isinstance(getattr(obj, name), (MethodType, FunctionType))


def _behind(leaf: Any, name: str) -> str:
    """Return the attribute whose number a method or a property without a setter returns, or an empty string."""
    own = attributes(leaf)
    # a number in the class, which every node has until it stores one of its own
    shared = [attribute for base in type(leaf).__mro__ for attribute, value in vars(base).items() if _is_blank(value)]
    for attribute in dict.fromkeys((*own, *(one for one in shared if not one.startswith("__")))):
        with contextlib.suppress(Exception):
            values.put(leaf, attribute, _BEHIND)
            try:
                returned = getattr(leaf, name)
                if values.plain(returned() if callable(returned) else returned) == _BEHIND:
                    return attribute
            finally:
                if attribute in own:
                    values.put(leaf, attribute, own[attribute])
                else:
                    object.__delattr__(leaf, attribute)
    return ""


def _is_blank(value: object) -> bool:
    """Return whether an object can be the gradient of a new node: None or 0."""
    return value is None or values.plain(value) == 0.0


def _grad_name(leaf: Any, node: Any, data: str) -> str:
    """Return the attribute that holds the gradient of a leaf.

    Under an unusual name, it is None or 0 on a new leaf and on the node that an operation made. What only leaves lack,
    such as a creator, is not a gradient.
    """
    for name in filter(partial(hasattr, leaf), _GRADIENTS):
        method = _is_method(leaf, name)
        behind = _behind(leaf, name) if method or is_computed(leaf, name) else ""
        if behind or not method:
            return behind or name
    kept = attributes(node)
    blank = [name for name, value in attributes(leaf).items() if name != data and _is_blank(value)]
    return _only([name for name in blank if _is_blank(kept.get(name))], "gradient")


def _holds(container: object, wanted: Sequence[Any]) -> bool:
    if not isinstance(container, _CONTAINERS):
        return False
    # by identity, because learners' classes may define `==`
    ids = {id(item) for item in container}
    return bool(ids) and ids == {id(item) for item in wanted}


def _mentions(container: object, node: object) -> bool:
    """Return whether a container has a node among its items, or among the items of a tuple or list in it."""
    if not isinstance(container, (*_CONTAINERS, dict)):
        return False
    return any(one is node for item in container for one in (item if isinstance(item, (tuple, list)) else (item,)))


def read(module: ModuleType, of_arrays: bool = False) -> EngineReading:
    """Read the shape of the engine in a loaded file, by making two leaves and, if possible, their product.

    Args:
        of_arrays: whether the programs have arrays. Then the class is `Tensor`, if there is one.

    Raises `Unreadable`, or any error of the learner's constructor.
    """
    # the attributes of a leaf and of a node that an operation made
    cls = engine_class(module, "Tensor" if of_arrays else "Value")
    make = _maker(cls, of_arrays)
    leaves = make(NUMBERS[0]), make(NUMBERS[1])
    data = _data_name(leaves[0])
    combine, node = next(_results(leaves), (None, leaves[0]))
    grad = _grad_name(leaves[0], node, data)
    starts_as_none = getattr(leaves[0], grad) is None
    inputs = _inputs(node, leaves, module)
    trial = Trial(module, EngineReading(cls, data, grad, starts_as_none, inputs, make=make), leaves, combine, node)
    # the backward pass
    usual_pass = any(callable(getattr(node, name, None)) or callable(vars(module).get(name)) for name in PASSES)
    if not usual_pass and combine:
        trial.shape = trial.shape._replace(passes=_other_passes(trial))
    trial.own_pass = usual_pass or bool(trial.shape.passes)
    if isinstance(getattr(leaves[0], grad), cls):
        trial.shape = trial.shape._replace(grads_are_nodes=True)
    elif starts_as_none and trial.own_pass and combine and _makes_nodes(trial):
        trial.shape = trial.shape._replace(grads_are_nodes=_seeds_with_a_node(trial))
    # the local rules
    trial.shape = trial.shape._replace(rule=_rule(trial))
    if combine is None:
        return trial.shape
    if usual_pass and _pass_is_rule(trial):
        trial.shape = trial.shape._replace(passes=_other_passes(trial))
    if trial.own_pass:
        trial.shape = trial.shape._replace(each_use=trial.uses_each())
        trial.shape = trial.shape._replace(derivatives_of=trial.derivatives_of())
    return trial.shape._replace(takes_numpy=of_arrays and _takes_numpy(trial.shape))


def _takes_numpy(shape: EngineReading) -> bool:
    """Return whether leaves have to be made of numpy's arrays, because the class makes none of a list."""
    if not arrays.has_numpy():
        return False
    try:
        return not arrays.is_numpy(getattr(shape.leaf([list(NUMBERS)]), shape.data))
    except Exception:  # the class may refuse a list
        return True


def _results(leaves: tuple[Any, Any]) -> Iterator[tuple[Callable[[Any, Any], Any], Any]]:
    """Yield each operation that works, with the node that it makes of two leaves."""
    for combine in OPERATIONS:
        node = made_by(combine, *leaves)
        if node is not None:
            yield combine, node


def _rule(trial: Trial) -> Rule:
    """Return the local rule of a product. If `*` keeps nothing that can be used as a rule, return that of a sum."""
    rule = trial.rule()
    if rule.kind not in ("", "inline") or trial.combine is not operator.mul:
        return rule
    node = made_by(operator.add, *trial.leaves)
    if node is None:
        return rule
    of_sum = Trial(trial.module, trial.shape, trial.leaves, operator.add, node, trial.own_pass).rule()
    kept = getattr(trial.node, of_sum.name, trial) if of_sum.name else trial
    stored = of_sum.kind in STORED and (of_sum.name in LOCAL_GRADS or values.is_row(kept))
    return of_sum if kept is None or stored else rule


def _pass_is_rule(trial: Trial) -> bool:
    """Return whether the only function under a usual name of a backward pass is the local rule."""
    try:
        backward_of(trial.module, trial.node, trial.shape.rule.name)
    except Unreadable as problem:
        return problem.code == "backward_is_rule"
    return False


def _maker(cls: type, of_arrays: bool) -> Callable[[float], Any]:
    """Return a function that makes a leaf that gets a gradient.

    That is the class, unless it has an argument such as `requires_grad=False`, or a leaf has such an attribute. If the
    class of an engine of arrays makes no leaf of a number, the function makes an array of it first.
    """
    call: Callable[..., Any] = cls
    try:
        leaf = call(NUMBERS[0])
    except Exception:  # the class may refuse a number
        if not (of_arrays and arrays.has_numpy()):
            raise
        call = partial(_of_an_array, cls)
        leaf = call(NUMBERS[0])
    return _switched_on(cls, call, leaf)


def _of_an_array(cls: type, number: Any, **named: Any) -> Any:
    return cls(arrays.made(number, True), **named)


def _switched_on(cls: type, call: Callable[..., Any], leaf: object) -> Callable[[float], Any]:
    """Return a function that calls `call` so that a leaf gets a gradient."""
    off = [name for name, value in attributes(leaf).items() if value is False and _WANTS_GRADIENT.fullmatch(name)]
    for name in [*_switches(cls), *off]:
        with contextlib.suppress(Exception):  # it need not be an argument
            make = partial(call, **{name: True})
            if name not in off or getattr(make(NUMBERS[0]), name) is True:
                return make
    if not off:
        return call

    def switched_on(value: float) -> Any:
        leaf = call(value)
        for name in off:
            setattr(leaf, name, True)
        return leaf

    return switched_on


def _switches(cls: type) -> list[str]:
    """Return the arguments of a class whose names say that a leaf needs a gradient, and that are False by default."""
    init = inspect.getattr_static(cls, "__init__")
    if not isinstance(init, FunctionType) or not any(map(_WANTS_GRADIENT.fullmatch, init.__code__.co_varnames)):
        return []  # a shortcut: `inspect` takes a hundred times as long
    return [
        parameter.name
        for parameter in inspect.signature(init).parameters.values()
        if parameter.default in (False, None) and _WANTS_GRADIENT.fullmatch(parameter.name)
    ]


def _makes_nodes(trial: Trial) -> bool:
    """Return whether the backward pass mentions the class."""
    cls, names = trial.shape.cls, vars(trial.module)
    functions = [getattr(cls, name, names.get(name)) for name in trial.shape.passes or PASSES]
    mentioned = {name for member in functions if isinstance(member, FunctionType) for name in member.__code__.co_names}
    return not mentioned.isdisjoint((cls.__name__, "type", "__class__"))


def _seeds_with_a_node(trial: Trial) -> bool:
    """Return whether the backward pass makes the gradient of the root a node."""
    root = trial.small().root
    trial.run_pass(root)
    return isinstance(getattr(root, trial.shape.grad, None), trial.shape.cls)


def _other_passes(trial: Trial) -> tuple[str, ...]:
    """Return the names of the methods and functions that are a backward pass by what they do.

    Called with the root alone, they give gradients to leaves below an inner node. If no function does, those count that
    do so once the gradient of the root is set: a pass whose first step is missing. Public ones are preferred.
    """
    functions: dict[str, FunctionType] = {}
    for space in (*trial.shape.cls.__mro__[:-1], trial.module):
        for name, member in list(vars(space).items()):
            if isinstance(member, FunctionType) and _may_be_pass(trial, name, member):
                functions.setdefault(name, member)
    for seeded in (False, True):
        names = [name for name, member in functions.items() if trial.propagates(member, seeded)]
        if names:
            return tuple([name for name in names if not name.startswith("_")] or names)
    return ()


def _may_be_pass(trial: Trial, name: str, function: FunctionType) -> bool:
    """Return whether a function of the file can be called with one argument, and has to do with gradients."""
    code, rule = function.__code__, trial.shape.rule.name
    fewest = code.co_argcount - len(function.__defaults__ or ())
    about_gradients = trial.shape.grad in code.co_names or "back" in name or (rule and rule in code.co_names)
    able = fewest <= 1 <= code.co_argcount and function.__module__ == trial.module.__name__
    return not name.startswith("__") and able and bool(about_gradients)


def _inputs(node: Any, leaves: Sequence[Any], module: ModuleType) -> InputsPlace:
    """Return where a node keeps its inputs.

    That is a usual name, or an attribute that holds the inputs and no other objects. The attribute may belong to an
    object that the node keeps. Under a usual name, a leaf may keep its users. These are not its inputs.
    """
    usual = [name for name in _INPUTS if hasattr(node, name)]
    holding = [name for name in usual if any(_mentions(getattr(node, name), leaf) for leaf in leaves)]
    others = [name for name in usual if not any(_mentions(getattr(leaf, name, ()), node) for leaf in leaves)]
    if known := next(iter(holding or others), ""):
        return InputsPlace(known)
    kept = attributes(node)
    if name := next((n for n, v in kept.items() if _holds(v, leaves)), ""):
        return InputsPlace(name)
    for via, part in kept.items():
        if type(part).__module__ == module.__name__ and not isinstance(part, type(leaves[0])):
            for name, value in attributes(part).items():
                if _holds(value, leaves):
                    return InputsPlace(name, via)
    return InputsPlace("")
