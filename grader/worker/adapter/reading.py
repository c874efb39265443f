"""The shape of an engine: where its nodes keep values, gradients and inputs, and what their local rules are."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from . import values
from .observer import in_place_of
from .values import Unreadable


class Shared:
    """Functions that all nodes share, in the file's namespace or in a table. They can be replaced for single nodes."""

    def __init__(self, space: dict[Any, Any]) -> None:
        self.space = space
        self._originals: dict[Any, Any] = {}
        self._instead: dict[Any, dict[int, tuple[Any, Any]]] = {}

    def function(self, key: Any, node: Any) -> Any:
        """Return the function that is called under a key for a node; None if there is no such function."""
        instead = self._instead.get(key, {}).get(id(node))
        if instead is not None and instead[0] is node:
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
        kind: a kind of `grader.worker.adapter.rules`; empty if no rules were found.
        name: the attribute of the node that holds the rule, or the name of the function.
        call: how the rule is called, if it is a function.
    """

    kind: str = ""
    name: str = ""
    call: Call | None = None


class Inputs(NamedTuple):
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
        return content() if callable(content) and not values.is_row(content) else content


class Reading(NamedTuple):
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
    """

    cls: type
    data: str
    grad: str
    grad_starts_as_none: bool = False
    inputs_at: Inputs = Inputs()
    rule: Rule = Rule()
    make: Callable[[float], Any] | None = None
    passes: tuple[str, ...] = ()
    grads_are_nodes: bool = False
    each_use: bool = False
    derivatives_of: str = "grad"

    def wire(self) -> list[Any]:
        """Return the part that is sent, as `grader/client/protocol.py` describes it."""
        names = (self.data, self.grad, self.inputs_at.name, self.rule.kind, self.rule.name)
        spelled = [values.clean_name(name) if name else "" for name in names]
        return [values.name_of(self.cls), *spelled, self.grad_starts_as_none]

    def leaf(self, value: float) -> Any:
        return (self.make or self.cls)(value)

    def inputs(self, node: Any) -> list[Any]:
        return list(self.inputs_at.kept(node))

    def inner(self, gradient: object) -> object:
        """Return the number of a gradient: 0 for None if gradients start as None, the value of one that is a node."""
        if gradient is None and self.grad_starts_as_none:
            return 0.0
        return getattr(gradient, self.data) if self.grads_are_nodes and isinstance(gradient, self.cls) else gradient

    def number(self, gradient: object) -> float:
        """Return a gradient as a float."""
        value = self.inner(gradient)
        known = values.plain(value)
        try:
            return float(value) if known is None else known  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise Unreadable("gradient_is", self.grad, values.name_of(type(value))) from None

    def typed(self, node: Any, number: float) -> Any:
        """Return a number as a gradient for a node.

        The number has the type of the node's gradient. If that is a plain number or None, it has the type of the
        node's value.
        """
        if self.grads_are_nodes:
            return type(node)(values.alike(number, getattr(node, self.data, None)))
        model = getattr(node, self.grad, None)
        if model is None or type(model) is float or type(model) is int:
            model = getattr(node, self.data, None)
        return values.alike(number, model)

    def write(self, node: Any, number: float) -> None:
        """Set the gradient of a node. Raises `Unreadable` if it is a property without a setter."""
        gradient = self.typed(node, number)
        try:
            setattr(node, self.grad, gradient)
        except AttributeError:
            if is_computed(node, self.grad):
                raise Unreadable("gradient_not_set", self.grad) from None
            raise

    def spelled_grads(self, nodes: Iterable[Any]) -> list[str]:
        """Return the gradients of nodes as text, as they are kept."""
        return [values.spell(getattr(node, self.grad, None)) for node in nodes]

    @property
    def rule_of_node(self) -> str:
        """Return the name of the local rule if it is an attribute of the node itself, else an empty string."""
        return "" if self.rule.call and not self.rule.call.of_node else self.rule.name


def is_computed(obj: Any, name: str) -> bool:
    """Return whether an attribute is a property without a setter."""
    static = inspect.getattr_static(type(obj), name, None)
    return isinstance(static, property) and static.fset is None
