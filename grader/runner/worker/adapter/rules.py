"""The shape of an engine: where its nodes keep values, gradients and inputs. Run the local rules of such an engine.

By its local rule, a node adds to the gradients of its inputs. There is a class for each kind of rule:

| kind          | class           | what a node keeps                                                |
|---------------|-----------------|------------------------------------------------------------------|
| `pairs`       | `PairRules`     | inputs, each with its local derivative: pairs, triples, objects, a dict |
| `parallel`    | `ParallelRules` | inputs, and their local derivatives in another sequence          |
| `closure`     | `CalledRules`   | a function without arguments that adds to its inputs' gradients  |
| `visit`       | `CalledRules`   | the same, but the function takes the node                        |
| `pull`        | `CalledRules`   | a function of the upstream gradient that adds, or returns the contributions |
| `called`      | `CalledRules`   | a function in any place (see below)                              |
| `inline`      | `InlineRules`   | nothing: the rules are in the backward pass, or on a tape        |
| (none)        | `Rules`         | no local rules were found                                        |

A function of the kind `called` is called as the engine's own backward pass was observed to call it, or it is a function
of the node that returns contributions or local derivatives.

A stored local derivative may be a number. It may also be a function of the upstream gradient that returns the
contribution, or a function of the node, of the input or of nothing that returns the local derivative.

Contributions come in the order of the inputs, or each with its input. A single number is the contribution to the only
input.
"""

import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from types import CodeType, MethodType, ModuleType
from typing import Any, NamedTuple, Protocol

from . import arrays, values
from .ask import RuleKind
from .observer import GradientObserver, in_place_of
from .values import Unreadable


class Shared:
    """Functions that all nodes share, in the file's namespace or in a table. They can be replaced for single nodes."""

    def __init__(self, space: dict[Any, Any]) -> None:
        self.space = space
        self._originals: dict[Any, Any] = {}
        # by key and address: a node, which is kept so that its address stays its own, and its
        # function
        self._instead: dict[object, dict[int, tuple[object, object]]] = {}

    def function(self, key: object, node: Any) -> Any:
        """Return the function that is called under a key for a node; None if there is no such function."""
        instead = self._instead.get(key, {}).get(id(node))
        if instead is not None:
            return instead[1]
        return self._originals.get(key, self.space.get(key))

    def replace(self, key: Any, node: Any, function: Any) -> None:
        """Make calls with this node among the arguments run another function, from now on."""
        if key not in self._originals:
            self._originals[key] = self.space[key]

            def chosen(*arguments: Any, **named: Any) -> Any:
                for one in (*arguments, *named.values()):
                    if id(one) in self._instead[key]:
                        return self.function(key, one)(*arguments, **named)
                return self._originals[key](*arguments, **named)

            self.space[key] = in_place_of(self._originals[key], chosen)
        self._instead.setdefault(key, {})[id(node)] = (node, function)


class Call(NamedTuple):
    """How the backward pass of an engine calls its local rules.

    Attributes:
        name: the name of the function. It is an attribute of the node, or of the object that the node keeps as `via`.
        via: the name of an attribute of the node, or empty.
        shared: the functions of the file that contain the rule, or None. The key is `name`, or the value of the
            node's attribute `via`.
        arguments: the roles of the positional arguments: `node`, `part` (the value of the node's attribute `via`),
            `grad` (the upstream gradient), `inputs`, or `*inputs` (one argument for each input).
        named: the keyword arguments, each with its role.
        adds: whether the function itself adds to the gradients; None if each call has to be observed.
        local: whether it returns local derivatives. Otherwise, if it does not add, it returns contributions.
    """

    name: str
    via: str = ""
    shared: Shared | None = None
    arguments: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()
    adds: bool | None = False
    local: bool = False

    @property
    def of_node(self) -> bool:
        """Return whether the function is an attribute of the node itself."""
        return not self.via and self.shared is None

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles of all arguments."""
        return (*self.arguments, *(role for _, role in self.named))

    def holder(self, node: Any) -> Any:
        """Return the object whose attribute the function is: the node, or the object that it keeps as `via`."""
        return getattr(node, self.via, None) if self.via else node

    def key(self, node: Any) -> Any:
        """Return the key of a node's function among the shared functions."""
        return getattr(node, self.via, None) if self.via else self.name


class Rule(NamedTuple):
    """The local rules of an engine.

    Attributes:
        kind: a kind of `grader.runner.worker.adapter.rules`; empty if no rules were found.
        name: the attribute of the node that holds the rule, or the name of the function.
        call: how the rule is called, if it is a function.
    """

    kind: RuleKind = ""
    name: str = ""
    call: Call | None = None


class InputsPlace(NamedTuple):
    """The place of a node's inputs: an attribute or a method of the node, or of the object that it keeps as `via`."""

    name: str = ""
    via: str = ""

    def kept(self, node: Any) -> Any:
        """Return the collection of the inputs of a node; an empty tuple if it has none."""
        content = self.content(node)
        return content if isinstance(content, Iterable) else ()

    def content(self, node: Any) -> Any:
        """Return the value of the attribute that holds the inputs of a node. It may be of any type."""
        holder = getattr(node, self.via, None) if self.via else node
        content = getattr(holder, self.name, None) if self.name else None
        # a method is called; a sequence whose class can be called is the collection itself
        return content() if callable(content) and not values.is_row(content) else content


class EngineReading(NamedTuple):
    """The shape of an engine: its class, and the attributes with their roles.

    Only the worker uses the attributes after `rule`.

    Attributes:
        grad_starts_as_none: whether the gradient of a new node is None.
        inputs_at: where the inputs are.
        make: makes a leaf of a value.
        passes: the functions that may be the backward pass by what they do, if none has a usual name.
        grads_are_nodes: whether gradients are nodes themselves.
        each_use: whether the backward pass uses an entry of a dict of local derivatives once for each use of the
            input, and not once for each entry.
        derivatives_of: what the backward pass calls stored local derivatives with, if they are functions: `grad` (the
            upstream gradient), `node`, `input` or `nothing`.
        takes_numpy: whether a leaf is made of numpy's array, and not of a nested list.
    """

    cls: type
    data: str
    grad: str
    grad_starts_as_none: bool = False
    inputs_at: InputsPlace = InputsPlace()
    rule: Rule = Rule()
    make: Callable[[float], Any] | None = None
    passes: tuple[str, ...] = ()
    grads_are_nodes: bool = False
    each_use: bool = False
    derivatives_of: str = "grad"
    takes_numpy: bool = False

    def wire(self) -> list[Any]:
        """Return the part that is sent, as `grader/runner/client/protocol.py` describes it."""
        names = (self.data, self.grad, self.inputs_at.name, self.rule.kind, self.rule.name)
        spelled = [values.clean_name(name) if name else "" for name in names]
        return [values.name_of(self.cls), *spelled, self.grad_starts_as_none]

    def leaf(self, value: Any) -> Any:
        """Return a leaf with a number, or with the numbers of a nested list. The class gets a list of ints itself."""
        by_numpy = self.takes_numpy and not arrays.has_ints(value)
        given = arrays.made(value, by_numpy) if isinstance(value, list) else value
        return (self.make or self.cls)(given)

    def inputs(self, node: Any) -> list[Any]:
        return list(self.inputs_at.kept(node))

    def inner(self, gradient: object) -> object:
        """Return the number of a gradient: 0 for None if gradients start as None, the value of one that is a node."""
        return 0.0 if gradient is None and self.grad_starts_as_none else self._inside(gradient)

    def _inside(self, gradient: object) -> object:
        return getattr(gradient, self.data) if self.grads_are_nodes and isinstance(gradient, self.cls) else gradient

    def number(self, gradient: object) -> float:
        """Return a gradient as a float."""
        value = self.inner(gradient)
        known = values.plain(value)
        try:
            return float(value) if known is None else known  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise Unreadable("gradient_is", self.grad, values.name_of(type(value))) from None

    def typed(self, node: Any, number: Any) -> Any:
        """Return a number, or the numbers of a nested list, as a gradient for a node.

        For a node that holds an array, the gradient is an array of its shape. Otherwise, the number has the type of the
        node's gradient. If that is a plain number or None, it has the type of the node's value.
        """
        if self.grads_are_nodes:
            return type(node)(values.alike(number, getattr(node, self.data, None)))
        model = getattr(node, self.data, None)
        if isinstance(number, list) or arrays.is_array(model):
            return arrays.like(number, model)
        model = getattr(node, self.grad, None)
        # a plain number shows no type: engines begin with 0.0, whatever the type of their values
        if model is None or type(model) is float or type(model) is int:
            model = getattr(node, self.data, None)
        return values.alike(number, model)

    def write(self, node: Any, number: Any) -> None:
        """Set the gradient of a node. Raises `Unreadable` if it is a property without a setter."""
        gradient = self.typed(node, number)
        try:
            values.put(node, self.grad, gradient)
        except AttributeError:
            if is_computed(node, self.grad):
                raise Unreadable("gradient_not_set", self.grad) from None
            raise

    def spell(self, value: object, name: str) -> str:
        """Return the value of a node's attribute as text. A gradient is given by its number."""
        return values.spell(self.inner(value) if name == self.grad else value)

    def spelled_grads(self, nodes: Iterable[object]) -> list[str]:
        """Return the gradients of nodes as text, as they are kept. Of a gradient that is a node, return its number."""
        grads = [self._inside(getattr(node, self.grad, None)) for node in nodes]
        return [str(arrays.seen(grad, _MOST)) if arrays.is_array(grad) else values.spell(grad) for grad in grads]

    def seen(self, node: Any, name: str, most: int) -> list[Any]:
        """Return the shape, the type and the numbers of a node's attribute (see `arrays.seen`)."""
        return self.seen_as(node, getattr(node, name), name, most)

    def seen_as(self, node: Any, value: object, name: str, most: int) -> list[Any]:
        """Return the same for a value of this attribute.

        A gradient that is None at first, or the number 0, is one of zeros: nothing was added to it.
        """
        if name == self.grad:
            value = self.inner(value)
            if values.plain(value) == 0.0 and not arrays.is_numpy(value):
                value = arrays.like(0.0, getattr(node, self.data)) if arrays.is_array(getattr(node, self.data)) else 0.0
        return arrays.seen(value, most)

    @property
    def rule_of_node(self) -> str:
        """Return the name of the local rule if it is an attribute of the node itself, else an empty string."""
        return "" if self.rule.call and not self.rule.call.of_node else self.rule.name


def is_computed(obj: object, name: str) -> bool:
    """Return whether an attribute is a property without a setter."""
    static = inspect.getattr_static(type(obj), name, None)
    return isinstance(static, property) and static.fset is None


# -- Run local rules

_MOST = 1_000  # the most numbers of a gradient that are compared to see whether it changes
_CONTAINERS = (list, dict, set)  # types in which a file may keep a tape


class ProgramNodes(Protocol):
    """The nodes of one program, made with the learner's class."""

    module: ModuleType

    def engine_nodes(self) -> list[Any]:
        """Return the engine's nodes, oldest first."""

    def is_leaf(self, node: Any) -> bool:
        """Return whether a node is a leaf of the program."""

    def pass_from(self, node: Any) -> Callable[[], Any]:
        """Return the engine's own backward pass from a node."""

    def earlier(self) -> set[int]:
        """Return the addresses of the nodes of earlier programs. They may still be on a tape."""


class Rules:
    """The local rules of an engine whose shape is known. This class is for an engine without local rules.

    Attributes:
        alone: whether the rule of one node can run without the backward pass.
    """

    alone = True

    def __init__(self, shape: EngineReading) -> None:
        self.shape = shape

    def has(self, node: Any) -> bool:
        """Return whether a node has a rule."""
        return False

    def state(self, node: Any, leaf: Any) -> str:
        """Return `own`, `none` or `default`.

        It is `own` if the node has a rule other than a leaf's, or if one method serves all nodes. It is `none` if the
        rule is None, and `default` otherwise.
        """
        return "default"

    def lines(self, node: Any, filename: str | None) -> tuple[int, int]:
        """Return the first and the last line of the function that is a node's rule; (0, 0) if it is not in the file."""
        return 0, 0

    def run(self, node: Any) -> None:
        """Add the contributions of a node to the gradients of its inputs."""
        raise NotImplementedError

    def triple(self, node: Any) -> None:
        """Make a node contribute three times as much as before, from now on."""
        raise NotImplementedError

    def run_pass(self, run: Callable[[], object]) -> None:
        """Run the engine's own backward pass."""
        run()

    # -- gradients ----------------------------------------------------------------------------

    def _grad(self, node: Any) -> Any:
        upstream = getattr(node, self.shape.grad)
        return self.shape.typed(node, 0.0) if upstream is None and self.shape.grad_starts_as_none else upstream

    def _add(self, source: Any, contribution: Any) -> None:
        values.put(source, self.shape.grad, self._grad(source) + contribution)

    def _three_times(self, gradient: object) -> Any:
        """Return three times a gradient, in its type."""
        number = 3 * self.shape.number(gradient)
        if self.shape.grads_are_nodes and isinstance(gradient, self.shape.cls):
            return self.shape.typed(gradient, number)
        return values.alike(number, gradient)


class StoredRules(Rules):
    """Local derivatives that a node stores."""

    def has(self, node: Any) -> bool:
        return True

    def state(self, node: Any, leaf: Any) -> str:
        return "own" if getattr(node, self.shape.rule.name, None) else "default"

    def run(self, node: Any) -> None:
        upstream = self._grad(node)
        for source, local in self.derivatives(node):
            self._add(source, self._contribution(local, upstream, node, source))

    def triple(self, node: Any) -> None:
        self.change(node, _three_times)

    def change(self, node: Any, change: Callable[[object], object]) -> None:
        """Change every local derivative that a node stores."""
        name = self.shape.rule.name
        kept = getattr(node, name)
        self.derivatives(node)  # raises an error if the derivatives cannot be used
        values.put(node, name, self._changed(kept, change))

    def derivatives(self, node: Any) -> list[tuple[Any, Any]]:
        """Return the inputs of a node, each with its local derivative.

        A node without inputs may keep nothing in the place of the local derivatives.
        """
        inputs, name = self.shape.inputs(node), self.shape.rule.name
        return self._of_inputs(node, inputs, getattr(node, name) if inputs else getattr(node, name, ()))

    def _of_inputs(self, node: Any, inputs: list[object], kept: object) -> list[tuple[Any, Any]]:
        raise NotImplementedError

    def _changed(self, kept: object, change: Callable[[object], object]) -> Any:
        raise NotImplementedError

    def _contribution(self, local: Any, upstream: Any, node: Any, source: object) -> Any:
        """Return the contribution to an input whose stored local derivative is a number or a function."""
        if callable(local) and self.shape.derivatives_of == "grad":
            return local(upstream)
        given = {"node": (node,), "input": (source,)}.get(self.shape.derivatives_of, ())
        return (local(*given) if callable(local) else local) * upstream


class PairRules(StoredRules):
    """Inputs that are stored with their local derivatives."""

    def _of_inputs(self, node: Any, inputs: list[object], kept: object) -> list[tuple[Any, Any]]:
        # a dict has one entry for `a * a`, and this engine uses it for each of the two
        if self.shape.each_use and isinstance(kept, dict):
            return [(source, kept[source]) for source in inputs]
        entries = values.entries(kept, self.shape.cls) if kept else []
        if entries is None:
            raise Unreadable("no_pairs", self.shape.rule.name)
        return entries

    def _changed(self, kept: object, change: Callable[[object], object]) -> Any:
        return values.with_amounts(kept, self.shape.cls, change)


class ParallelRules(StoredRules):
    """Local derivatives in a sequence beside the inputs."""

    def _of_inputs(self, node: Any, inputs: list[Any], kept: Any) -> list[tuple[Any, Any]]:
        name, place = self.shape.rule.name, self.shape.inputs_at
        content = place.content(node)
        if not isinstance(content, Iterable):
            raise Unreadable("no_row", place.name, values.name_of(type(content)))
        if inputs and not values.is_row(kept) and (kept or not hasattr(type(kept), "__len__")):
            raise Unreadable("no_derivatives", name, values.name_of(type(kept)))
        count = len(kept) if values.is_row(kept) else 0
        if len(inputs) != count:
            raise Unreadable("derivatives", name, counts=(count, len(inputs)))
        return list(zip(inputs, kept, strict=True)) if inputs else []

    def _changed(self, kept: Any, change: Callable[[Any], Any]) -> Any:
        return values.like_row(kept, map(change, kept))


class CalledRules(Rules):
    """Functions that are called for each node."""

    def __init__(self, shape: EngineReading) -> None:
        super().__init__(shape)
        self.call = shape.rule.call or Call(shape.rule.name)

    @property
    def returns(self) -> bool:
        """Return whether the function may return its contributions, so that the backward pass must add them."""
        return not self.call.adds

    def has(self, node: Any) -> bool:
        if self.shape.rule.kind == "called" and self.shape.inputs_at.name and not self.shape.inputs(node):
            return False
        return callable(self._function(node))

    def state(self, node: Any, leaf: Any) -> str:
        if self.shape.rule.kind != "called" and getattr(node, self.call.name, node) is None:
            return "none"
        rule, default = (self._function(one) if self.has(one) else None for one in (node, leaf))
        own = callable(rule) and (type(rule) is MethodType or values.code_of(rule) is not values.code_of(default))
        return "own" if own else "default"

    def lines(self, node: Any, filename: str | None) -> tuple[int, int]:
        code = values.code_of(self._function(node))
        if not isinstance(code, CodeType) or code.co_filename != filename:
            return 0, 0
        return code.co_firstlineno, max(line or 0 for *_, line in code.co_lines())

    def run(self, node: Any) -> None:
        call, function = self.call, self._function(node)
        before = self._amounts(node) if call.adds is None else None
        positional = [value for role in call.arguments for value in self._argument(role, node)]
        named = {name: self._argument(role, node)[0] for name, role in call.named}
        returned = function(*positional, **named)
        added = self._amounts(node) != before if call.adds is None else call.adds
        if not added:
            self._add_all(node, returned, self._grad(node) if call.local else None)

    def triple(self, node: Any) -> None:
        original = self._function(node)
        self._replace(node, in_place_of(original, partial(self._run_tripled, original, node)))

    def _run_tripled(self, original: Any, node: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call the function of a node, so that it contributes three times as much."""
        call, grad = self.call, self.shape.grad
        if call.local:
            return self._three_times_each(original(*arguments, **named))
        if "grad" in call.roles:
            # an argument is the upstream gradient: change only the argument
            at = self._upstream_at(node, arguments, named)
            positional = [self._three_times(v) if place == at else v for place, v in enumerate(arguments)]
            return original(*positional, **{n: self._three_times(v) if n == at else v for n, v in named.items()})
        # otherwise the function reads it from the node, so change it there for the time of the call
        upstream = getattr(node, grad)
        self.shape.write(node, 3 * self.shape.number(upstream))
        returned = values.listed(original(*arguments, **named))  # an iterator runs the learner's code only now
        values.put(node, grad, upstream)
        return returned

    def watch(self, node: Any, around: Callable[[Any, "partial[Any]"], Any]) -> None:
        """Run the node's function inside `around(node, run)`, from now on."""
        original = self._function(node)

        def watched(*arguments: Any, **named: Any) -> Any:
            return around(node, partial(original, *arguments, **named))

        self._replace(node, in_place_of(original, watched))

    def is_class(self, node: Any) -> bool:
        """Return whether the function is a class. Calls of its methods cannot be watched."""
        return isinstance(self._function(node), type)

    def upstream(self, node: Any, run: "partial[Any]") -> Any:
        """Return the upstream gradient among the arguments of a watched function; None if it is not among them."""
        at = self._upstream_at(node, run.args, run.keywords)
        return None if at is None else run.args[at] if isinstance(at, int) else run.keywords[at]

    def _upstream_at(self, node: Any, arguments: tuple[object, ...], named: dict[str, object]) -> Any:
        """Return the position or the name of the upstream gradient among a call's arguments; None if it is missing."""
        roles = self.call.arguments
        if "grad" not in roles:
            return next((name for name, role in self.call.named if role == "grad" and name in named), None)
        before = roles[: roles.index("grad")]
        at = len(before) + (len(self.shape.inputs(node)) - 1 if "*inputs" in before else 0)
        if at < len(arguments):
            return at
        # a function with one parameter, whose name the backward pass may write
        return next(iter(named), None) if self.call.adds is None else None

    # -- attributes and arguments ---------------------------------------------------------------

    def _function(self, node: Any) -> Any:
        call = self.call
        if call.shared is not None:
            return call.shared.function(call.key(node), node)
        return getattr(call.holder(node), call.name, None)

    def _replace(self, node: Any, function: Callable[..., object]) -> None:
        call, holder = self.call, self.call.holder(node)
        if call.shared is not None:
            call.shared.replace(call.key(node), node, function)
            return
        try:
            values.put(holder, call.name, function)
        except AttributeError:  # a method of a class with slots: replace it in the class, for this object alone
            cls = type(holder)
            method = getattr(cls, call.name)
            setattr(cls, call.name, lambda obj, *rest: function(*rest) if obj is holder else method(obj, *rest))

    def _argument(self, role: str, node: Any) -> list[Any]:
        """Return the arguments with a role: one, or for `*inputs` one for each input."""
        if role == "node":
            return [node]
        if role == "part":
            return [self.call.holder(node)]
        if role == "grad":
            return [self._grad(node)]
        if role == "*inputs":
            return self.shape.inputs(node)
        kept = self.shape.inputs_at.kept(node)
        return [kept if values.is_row(kept) else list(kept)]

    # -- returned amounts -----------------------------------------------------------------------

    def _amounts(self, node: Any) -> list[str]:
        return self.shape.spelled_grads(self.shape.inputs(node))

    def _three_times_each(self, returned: object) -> Any:
        """Return local derivatives, as a function returned them, times 3."""
        kept = values.listed(returned)
        if isinstance(kept, dict) or (values.is_row(kept) and not all(map(values.is_number, kept))):
            return values.with_amounts(kept, self.shape.cls, _three_times)
        return values.like_row(kept, map(_three_times, kept)) if values.is_row(kept) else 3 * kept

    def _add_all(self, node: Any, returned: object, upstream: Any) -> None:
        """Add contributions to the gradients of a node's inputs.

        Args:
            upstream: the gradient by which they are multiplied if local derivatives were returned, else None.
        """
        inputs = self.shape.inputs(node)
        if values.is_number(returned) and inputs:
            contributions = [returned]
        elif isinstance(returned, Iterable):
            contributions = list(returned.items()) if isinstance(returned, dict) else list(returned)
        else:  # nothing to add
            return
        # contributions that come without their inputs are in the order of the inputs
        entries = [entry for item in contributions if (entry := values.entry(item, self.shape.cls))]
        if len(entries) < len(contributions):
            if len(inputs) != len(contributions):
                raise Unreadable("contributions", counts=(len(contributions), len(inputs)))
            entries = list(zip(inputs, contributions, strict=True))
        for source, contribution in entries:
            self._add(source, contribution if upstream is None else contribution * upstream)


class InlineRules(Rules):
    """Rules inside the backward pass, or in functions that no node keeps.

    No function can be called to run one of them alone. Therefore the whole pass runs from the node, and its access to
    gradients is observed.
    """

    alone = False

    def __init__(self, shape: EngineReading, nodes: ProgramNodes) -> None:
        super().__init__(shape)
        self._nodes = nodes
        self._tripled: list[object] = []

    @cached_property
    def _earlier(self) -> set[int]:
        return self._nodes.earlier()

    def has(self, node: Any) -> bool:
        return True  # which nodes have a rule is known only when the pass runs

    def state(self, node: Any, leaf: Any) -> str:
        return "own"

    def run(self, node: Any) -> None:
        shape, nodes = self.shape, self._nodes.engine_nodes()
        upstream = arrays.copied(getattr(node, shape.grad))
        # copies, because the pass may change an array in place
        before = [arrays.copied(getattr(one, shape.grad)) for one in nodes]
        # observe a pass from the node, and undo everything that it changed
        observer = GradientObserver(
            shape.cls,
            shape.grad,
            instead=lambda one, value: upstream if one is node else value,
            left_out=self._earlier,
        )
        with _as_before(self._nodes.module, shape.cls), observer:
            self._nodes.pass_from(node)()
        for one, gradient in zip(nodes, before, strict=True):
            values.put(one, shape.grad, gradient)
        # repeat what the rule of the node added
        for write in observer.writes:
            if write.of is not node:
                if write.after and write.to is not node and self._nodes.is_leaf(write.of):
                    raise Unreadable("unclear_writes")
            elif any(write.to is one for one in nodes):  # not made by the pass itself
                if write.after is None:
                    raise Unreadable("no_number")
                # a write without a read before it assigns; any other adds the difference
                start = 0.0 if write.before is None else shape.number(getattr(write.to, shape.grad))
                shape.write(write.to, start + write.after - (write.before or 0.0))

    def triple(self, node: Any) -> None:
        self._tripled.append(node)

    def run_pass(self, run: Callable[[], object]) -> None:
        """Run the engine's own backward pass. It reads three times the gradient of a tripled node."""
        if not self._tripled:
            run()
            return

        def instead(node: Any, value: Any) -> Any:
            return self._three_times(value) if any(node is one for one in self._tripled) else value

        with GradientObserver(self.shape.cls, self.shape.grad, instead=instead):
            run()


_KINDS: dict[RuleKind, type[Rules]] = {"pairs": PairRules, "parallel": ParallelRules}
_KINDS |= {"closure": CalledRules, "visit": CalledRules, "pull": CalledRules, "called": CalledRules}


def rules_of(shape: EngineReading, nodes: ProgramNodes | None = None) -> Rules:
    """Return the local rules of an engine, for the nodes of one program. Only inline rules need these nodes."""
    if shape.rule.kind == "inline" and nodes is not None:
        return InlineRules(shape, nodes)
    return _KINDS.get(shape.rule.kind, Rules)(shape)


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


def _three_times(local: Any) -> Any:
    return (lambda *given: 3 * local(*given)) if callable(local) else 3 * local
