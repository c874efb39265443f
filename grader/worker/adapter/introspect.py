"""Read an engine's shape: which class it is, and which attributes hold value, gradient, inputs and local rules.

Usual names take precedence. Without them, another name is taken only if there is no other candidate.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from . import parts, rules, spelling
from .inline_rules import recognised
from .load import need
from .parts import Unreadable, attributes
from .rules import Call, Inputs, Probe
from .watched_pass import PASSES, Small, watch_pass

PROBE = (3.25, -1.75)
_THIRD = 1.5
_COMBINE = (operator.mul, operator.add)
_GRADIENTS = ("grad", "_grad", "gradient", "derivative", "deriv", "adjoint", "g")
_INPUTS = ("_prev", "_children", "children", "prev", "inputs", "_inputs", "parents", "_parents")
_NAMES = 4  # the most candidates that a problem names
_CONTAINERS = (tuple, list, set, frozenset)
_WANTS_GRADIENTS: Mapping[str, Any] = {"requires_grad": True}


class Reading(NamedTuple):
    """The reading of an engine: its class, and the attributes with their roles.

    Only the worker uses the last four attributes.

    Attributes:
        rule: a kind of `grader.worker.adapter.rules`, or empty.
        inputs_at: where the inputs are.
        call: how the backward pass calls the rules, if that was found by watching a pass.
        options: the arguments that make a leaf, besides its value.
        each_use: whether the backward pass uses an entry of a dict of local derivatives once for each use of the
            input, and not once for each entry.
    """

    cls: type
    data: str
    grad: str
    inputs: str
    rule: str
    rule_name: str
    grad_starts_as_none: bool
    inputs_at: Inputs = Inputs("")
    call: Call | None = None
    options: Mapping[str, Any] = {}
    each_use: bool = False

    def wire(self) -> list[Any]:
        names = [spelling.clean_name(name) if name else "" for name in self[1:6]]
        return [spelling.name_of(self.cls), *names, self.grad_starts_as_none]

    def leaf(self, value: float) -> Any:
        return self.cls(value, **self.options)

    def number(self, value: object) -> float:
        """Return a gradient as a float. None counts as zero if gradients start as None."""
        if value is None and self.grad_starts_as_none:
            return 0.0
        known = spelling.plain(value)
        return float(value) if known is None else known  # type: ignore[arg-type]

    def typed(self, node: Any, number: float) -> Any:
        """Return a number as a gradient for a node.

        The number has the type of the node's gradient. If that is a plain number or None, it has the type of the
        node's value.
        """
        return _typed(node, number, self.grad, self.data)

    def write(self, node: Any, number: float) -> None:
        """Set the gradient of a node."""
        setattr(node, self.grad, self.typed(node, number))

    @property
    def rule_of_node(self) -> str:
        """Return the name of the local rule if it is an attribute of the node itself, else an empty string."""
        return "" if self.call and (self.call.via or self.call.shared) else self.rule_name


def _typed(node: Any, number: float, grad: str, data: str) -> Any:
    there = getattr(node, grad, None)
    if there is None or type(there) is float or type(there) is int:
        there = getattr(node, data, None)
    return spelling.alike(number, there)


class _Made(NamedTuple):
    """A node, and the operation that made it."""

    combine: Callable[[Any, Any], Any]
    node: Any


class _NoEngine:
    """A class without instances."""


NO_ENGINE = Reading(_NoEngine, "data", "grad", "", "", "", False)


def _classes(module: ModuleType) -> Iterator[type]:
    for value in list(vars(module).values()):
        if issubclass(type(value), type) and value.__module__ == module.__name__:
            yield value


def _defines(cls: type, name: str) -> bool:
    """Return whether a class, or a base class in the same file, defines a method. A named tuple does not define `+`."""
    return any(name in vars(base) and base.__module__ == cls.__module__ for base in cls.__mro__)


def engine_class(module: ModuleType) -> type:
    """Return `Value`, or the only class of the file that defines `+` and `*`.

    Subclasses of a class that defines both do not count. Of several classes, the only one with a backward pass counts.
    """
    named = vars(module).get("Value")
    if isinstance(named, type):
        return named
    able = [c for c in dict.fromkeys(_classes(module)) if _defines(c, "__add__") and _defines(c, "__mul__")]
    able = [c for c in able if not any(c is not base and issubclass(c, base) for base in able)]
    with_pass = [c for c in able if any(callable(getattr(c, name, None)) for name in PASSES)]
    candidates = with_pass if len(with_pass) == 1 else able
    if len(candidates) == 1:
        return candidates[0]
    if not able:
        need(module, "Value")
        raise Unreadable("no_class")
    raise Unreadable("several_classes", *map(spelling.name_of, able[:_NAMES]))


def _only(names: list[str], what: str) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise Unreadable(f"no_{what}")
    raise Unreadable(f"several_{what}s", *map(str, names[:_NAMES]))


def _known(names: tuple[str, ...], obj: object) -> str:
    return next((name for name in names if hasattr(obj, name)), "")


def _grad_name(leaf: Any, data: str) -> str:
    known = _known(_GRADIENTS, leaf)
    if known:
        return known
    blank = [
        name
        for name, value in attributes(leaf).items()
        if name != data and (value is None or spelling.plain(value) == 0.0)
    ]
    return _only(blank, "gradient")


def _holds(container: object, wanted: list[Any]) -> bool:
    if not isinstance(container, _CONTAINERS):
        return False
    ids = {id(item) for item in container}
    return bool(ids) and ids == {id(item) for item in wanted}


def read(module: ModuleType) -> Reading:
    """Read the shape of the engine in a loaded file, by making two leaves and, if possible, their product.

    Raises `Unreadable`, or any error of the learner's constructor.
    """
    cls = engine_class(module)
    options = _options(cls)
    leaf, other = cls(PROBE[0], **options), cls(PROBE[1], **options)
    held = [name for name, value in attributes(leaf).items() if spelling.plain(value) == PROBE[0]]
    data = "data" if hasattr(leaf, "data") else _only(held, "value")
    grad = _grad_name(leaf, data)
    starts_as_none = getattr(leaf, grad) is None
    made = next(filter(None, (_made_by(combine, leaf, other) for combine in _COMBINE)), None)
    node = leaf if made is None else made.node
    inputs = _inputs(node, [leaf, other], module)
    own_pass = any(callable(getattr(node, name, None)) or callable(vars(module).get(name)) for name in PASSES)

    def find_rule(made: _Made | None) -> rules.Found:
        def watched() -> Call | None:
            """Return how the pass calls the rules, from a pass over a small graph."""
            if made is None or not own_pass:
                return None
            graph, run = small(made)
            return watch_pass(graph, run)

        def inline() -> bool:
            """Return whether the rules are inside the pass."""
            if made is None or not own_pass:
                return False
            graph, run = small(made)
            return recognised(cls, grad, graph.operations, run)

        def small(made: _Made) -> tuple[Small, Callable[[], Any]]:
            """Return a new small graph, and its backward pass."""
            x, y, z = (cls(value, **options) for value in (*PROBE, _THIRD))
            inner = made.combine(x, y)
            root = made.combine(inner, z)
            graph = Small(cls, ((inner, (x, y)), (root, (inner, z))), grad, inputs, module)
            return graph, backward_of(module, root, "")

        def rival() -> Any:
            """Return a node that another operation made of the leaves; None if no other operation works."""
            others = (_made_by(combine, leaf, other) for combine in _COMBINE if made and combine is not made.combine)
            return next((one.node for one in others if one), None)

        looked_at = leaf if made is None else made.node
        typed = lambda node, number: _typed(node, number, grad, data)  # noqa: E731
        return rules.find(Probe(looked_at, rival, (leaf, other), data, grad, inputs, typed), own_pass, watched, inline)

    rule = find_rule(made)
    if rule.kind in ("", "inline") and made is not None and made.combine is operator.mul:
        added = _made_by(operator.add, leaf, other)
        of_sum = find_rule(added) if added else rule
        kept = getattr(made.node, of_sum.name, made) if of_sum.name else made
        # `*` keeps nothing under that name that can be used as a rule
        if kept is None or (of_sum.kind in rules.STORED and (of_sum.name in rules.LOCAL_GRADS or parts.is_row(kept))):
            rule = of_sum
    each_use = own_pass and made is not None and _uses_each(made, rule, inputs, options, grad, module)
    return Reading(
        cls, data, grad, inputs.name, rule.kind, rule.name, starts_as_none, inputs, rule.call, options, each_use
    )


def _uses_each(
    made: _Made, rule: rules.Found, inputs: Inputs, options: Mapping[str, Any], grad: str, module: ModuleType
) -> bool:
    """Return whether an engine's own pass uses an entry of a dict of local derivatives once for each use of an input.

    Such a pass goes through a sequence of the inputs, in which an input that is used twice stands twice.
    """
    kept = getattr(made.node, rule.name, None) if rule.kind == "pairs" else None
    if not isinstance(kept, dict) or not parts.is_row(inputs.kept(made.node)):
        return False
    try:
        leaf = type(made.node)(PROBE[0], **options)
        root = made.combine(leaf, leaf)
        backward_of(module, root, "")()
        (local,) = getattr(root, rule.name).values()
        once = spelling.plain(local(1.0) if callable(local) else local)
        return once is not None and 0.0 != spelling.plain(getattr(leaf, grad)) == 2 * once
    except Exception:
        return False


def _options(cls: type) -> Mapping[str, Any]:
    """Return the options with which a leaf gets a gradient."""
    for name, value in _WANTS_GRADIENTS.items():
        if getattr(cls(PROBE[0]), name, None) is False:
            try:
                wants = getattr(cls(PROBE[0], **{name: value}), name) is value
            except Exception:  # the class does not take this argument
                wants = False
            if wants:
                return {name: value}
    return {}


def _inputs(node: Any, leaves: list[Any], module: ModuleType) -> Inputs:
    """Return where a node keeps its inputs.

    That is a usual name, or an attribute that holds the inputs and no other objects. The attribute may belong to an
    object that the node keeps.
    """
    if known := _known(_INPUTS, node):
        return Inputs(known)
    found = attributes(node)
    if name := next((n for n, v in found.items() if _holds(v, leaves)), ""):
        return Inputs(name)
    for via, part in found.items():
        if type(part).__module__ == module.__name__ and not isinstance(part, type(leaves[0])):
            for name, value in attributes(part).items():
                if _holds(value, leaves):
                    return Inputs(name, via)
    return Inputs("")


def _made_by(combine: Callable[[Any, Any], Any], left: Any, right: Any) -> "_Made | None":
    """Return the node that an operation makes of two others; None if it fails.

    It may fail because the file of an exercise need not have the operation.
    """
    try:
        node = combine(left, right)
    except Exception:
        return None
    return _Made(combine, node) if isinstance(node, type(left)) else None


def backward_of(module: ModuleType, root: Any, rule_name: str) -> Callable[[], Any]:
    """Return the learner's backward pass from `root`: a method, or a function of the file that takes the root.

    `backward` is preferred, whether it is a method or a function. Another name counts only if it is not that of the
    local rule.
    """
    for name in PASSES:
        method = getattr(root, name, None)
        if callable(method) and name != rule_name:
            return method  # type: ignore[no-any-return]
        function: Any = vars(module).get(name)
        if callable(function):
            return lambda: function(root)
    if rule_name in PASSES and callable(getattr(root, rule_name, None)):
        raise Unreadable("backward_is_rule", rule_name)
    raise Unreadable("no_backward")
