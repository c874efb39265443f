"""Read an engine's shape: which class it is, and which attributes hold value, gradient, inputs and local rules.

Usual names take precedence. Without them, another name is taken only if there is no other candidate.
"""

import contextlib
import inspect
import operator
import re
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from . import parts, rules, spelling
from .calls import CallBudget, OutOfCalls
from .inline_rules import recognised
from .load import need
from .parts import Unreadable, attributes
from .rules import Call, Inputs, Probe
from .watched_pass import PASSES, Small, propagates, watch_pass

PROBE = (3.25, -1.75)
_THIRD = 1.5
_COMBINE = (operator.mul, operator.add)
_GRADIENTS = ("grad", "_grad", "gradient", "derivative", "deriv", "adjoint", "g")
_INPUTS = ("_prev", "_children", "children", "prev", "inputs", "_inputs", "parents", "_parents")
_NAMES = 4  # the most candidates that a problem names
_CONTAINERS = (tuple, list, set, frozenset)
_WANTS_GRADIENT = re.compile(r"_*(requires?|needs?|wants?|with|tracks?)_?grad(ient)?s?", re.IGNORECASE)
_BEHIND = 12.625
_OF_A_TRIAL = 2_000  # calls


class Reading(NamedTuple):
    """The reading of an engine: its class, and the attributes with their roles.

    Only the worker uses the attributes after `grad_starts_as_none`.

    Attributes:
        rule: a kind of `grader.worker.adapter.rules`, or empty.
        inputs_at: where the inputs are.
        call: how the backward pass calls the rules, if that was found by watching a pass.
        make: makes a leaf of a value.
        passes: the functions that may be the backward pass by what they do, if none has a name of `PASSES`.
        grads_are_nodes: whether gradients are nodes themselves.
        each_use: whether the backward pass uses an entry of a dict of local derivatives once for each use of the
            input, and not once for each entry.
        derivatives_of: what the backward pass calls stored local derivatives with, if they are functions: `grad` (the
            upstream gradient), `node`, `input` or `nothing`.
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
    make: Callable[[float], Any] | None = None
    passes: tuple[str, ...] = ()
    grads_are_nodes: bool = False
    each_use: bool = False
    derivatives_of: str = "grad"

    def wire(self) -> list[Any]:
        names = [spelling.clean_name(name) if name else "" for name in self[1:6]]
        return [spelling.name_of(self.cls), *names, self.grad_starts_as_none]

    def leaf(self, value: float) -> Any:
        return (self.make or self.cls)(value)

    def inner(self, gradient: object) -> object:
        """Return the number of a gradient: 0 for None if gradients start as None, the value of one that is a node."""
        if gradient is None and self.grad_starts_as_none:
            return 0.0
        return getattr(gradient, self.data) if self.grads_are_nodes and isinstance(gradient, self.cls) else gradient

    def number(self, gradient: object) -> float:
        """Return a gradient as a float."""
        value = self.inner(gradient)
        known = spelling.plain(value)
        try:
            return float(value) if known is None else known  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise Unreadable("gradient_is", self.grad, spelling.name_of(type(value))) from None

    def typed(self, node: Any, number: float) -> Any:
        """Return a number as a gradient for a node.

        The number has the type of the node's gradient. If that is a plain number or None, it has the type of the
        node's value.
        """
        return _typed(node, number, self.grad, self.data, self.grads_are_nodes)

    def write(self, node: Any, number: float) -> None:
        """Set the gradient of a node. Raises `Unreadable` if it is a property without a setter."""
        gradient = self.typed(node, number)
        try:
            setattr(node, self.grad, gradient)
        except AttributeError:
            if _is_computed(node, self.grad):
                raise Unreadable("gradient_not_set", self.grad) from None
            raise

    @property
    def rule_of_node(self) -> str:
        """Return the name of the local rule if it is an attribute of the node itself, else an empty string."""
        return "" if self.call and not self.call.of_node else self.rule_name


def _typed(node: Any, number: float, grad: str, data: str, as_node: bool = False) -> Any:
    if as_node:
        return type(node)(spelling.alike(number, getattr(node, data, None)))
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


def _data_name(leaf: Any) -> str:
    if hasattr(leaf, "data"):
        if not _is_method(leaf, "data"):
            return "data"
        if behind := _behind(leaf, "data"):
            return behind
    return _only([name for name, value in attributes(leaf).items() if spelling.plain(value) == PROBE[0]], "value")


def _is_method(obj: Any, name: str) -> bool:
    return isinstance(getattr(obj, name), (MethodType, FunctionType))


def _is_computed(obj: Any, name: str) -> bool:
    """Return whether an attribute is a property without a setter."""
    static = inspect.getattr_static(type(obj), name, None)
    return isinstance(static, property) and static.fset is None


def _behind(leaf: Any, name: str) -> str:
    """Return the attribute whose number a method or a property without a setter returns, or an empty string."""
    for attribute, value in attributes(leaf).items():
        with contextlib.suppress(Exception):
            setattr(leaf, attribute, _BEHIND)
            try:
                returned = getattr(leaf, name)
                if spelling.plain(returned() if callable(returned) else returned) == _BEHIND:
                    return attribute
            finally:
                setattr(leaf, attribute, value)
    return ""


def _grad_name(leaf: Any, data: str) -> str:
    for name in filter(partial(hasattr, leaf), _GRADIENTS):
        method = _is_method(leaf, name)
        behind = _behind(leaf, name) if method or _is_computed(leaf, name) else ""
        if behind or not method:
            return behind or name
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
    make = _maker(cls)
    leaf, other = make(PROBE[0]), make(PROBE[1])
    data = _data_name(leaf)
    grad = _grad_name(leaf, data)
    starts_as_none = getattr(leaf, grad) is None
    made = next(filter(None, (_made_by(combine, leaf, other) for combine in _COMBINE)), None)
    node = leaf if made is None else made.node
    inputs = _inputs(node, [leaf, other], module)
    usual_pass = any(callable(getattr(node, name, None)) or callable(vars(module).get(name)) for name in PASSES)

    def small(made: _Made) -> Small:
        """Return a new small graph."""
        x, y, z = map(make, (*PROBE, _THIRD))
        inner = made.combine(x, y)
        root = made.combine(inner, z)
        return Small(cls, ((inner, (x, y)), (root, (inner, z))), grad, inputs, module, typed)

    as_node = False
    typed = lambda node, number: _typed(node, number, grad, data, as_node)  # noqa: E731
    passes = () if usual_pass or made is None else _other_passes(module, cls, grad, partial(small, made))
    own_pass = usual_pass or bool(passes)
    if starts_as_none and own_pass and made is not None and _makes_nodes(module, cls, passes):
        as_node = _seeds_with_a_node(small(made), passes[:1])

    def find_rule(made: _Made | None) -> rules.Found:
        def watched() -> Call | None:
            """Return how the pass calls the rules, from a pass over a small graph."""
            return watch_pass(*graph_and_pass(made)) if made is not None and own_pass else None

        def inline() -> bool:
            """Return whether the rules are inside the pass."""
            if made is None or not own_pass:
                return False
            graph, run = graph_and_pass(made)
            return recognised(cls, grad, graph.operations, run)

        def reaches_the_leaves() -> bool:
            return made is not None and propagates(*graph_and_pass(made))

        def graph_and_pass(made: _Made) -> tuple[Small, Callable[[], Any]]:
            graph = small(made)
            return graph, _tried(module, backward_of(module, graph.nodes[1], "", passes[:1]))

        def recurses(name: str) -> bool:
            """Return whether a method of the root propagates beyond the root's own inputs."""
            if made is None:
                return False
            graph = small(made)
            root = graph.nodes[1]

            def run() -> None:
                setattr(root, grad, _typed(root, 1.0, grad, data, as_node))
                method: Any = getattr(root, name)
                method(*[_typed(root, 1.0, grad, data, as_node)] * rules.wants_argument(method))

            return propagates(graph, _tried(module, run))

        def rival() -> Any:
            """Return a node that another operation made of the leaves; None if no other operation works."""
            others = (_made_by(combine, leaf, other) for combine in _COMBINE if made and combine is not made.combine)
            return next((one.node for one in others if one), None)

        looked_at = leaf if made is None else made.node
        probe = Probe(looked_at, rival, (leaf, other), data, grad, inputs, typed)
        return rules.find(probe, own_pass, watched, inline, reaches_the_leaves, recurses)

    rule = find_rule(made)
    if rule.kind in ("", "inline") and made is not None and made.combine is operator.mul:
        added = _made_by(operator.add, leaf, other)
        of_sum = find_rule(added) if added else rule
        kept = getattr(made.node, of_sum.name, made) if of_sum.name else made
        # `*` keeps nothing under that name that can be used as a rule
        if kept is None or (of_sum.kind in rules.STORED and (of_sum.name in rules.LOCAL_GRADS or parts.is_row(kept))):
            rule = of_sum
    reading = Reading(cls, data, grad, inputs.name, rule.kind, rule.name, starts_as_none, inputs, rule.call)
    if usual_pass and rule.name in PASSES and made is not None and _pass_is_rule(module, made.node, rule.name):
        passes = _other_passes(module, cls, grad, partial(small, made))
    reading = reading._replace(make=make, passes=passes, grads_are_nodes=as_node)
    if not own_pass or made is None:
        return reading
    reading = reading._replace(each_use=_uses_each(reading, made, module))
    return reading._replace(derivatives_of=_derivatives_of(reading, small(made)))


def _pass_is_rule(module: ModuleType, node: Any, rule_name: str) -> bool:
    """Return whether the only function under a usual name of a backward pass is the local rule."""
    try:
        backward_of(module, node, rule_name)
    except Unreadable as problem:
        return problem.code == "backward_is_rule"
    return False


def _derivatives_of(shape: Reading, graph: Small) -> str:
    """Return what an engine's own pass calls stored local derivatives with: see `Reading.derivatives_of`."""
    root, sources = graph.operations[1]
    calls: list[tuple[Any, ...]] = []

    def recorded(local: Any) -> Any:
        def called(*given: Any) -> Any:
            calls.append(given)
            return local(*given)

        return called if callable(local) else local

    if shape.rule not in rules.STORED:
        return "grad"
    with contextlib.suppress(Exception):
        rules.Rules(shape).change_stored(root, recorded)
        _tried(graph.module, backward_of(graph.module, root, "", shape.passes[:1]))()
    if not calls or len(calls[0]) > 1:
        return "grad"
    (given,) = calls[0] or (None,)
    if not calls[0] or given is root:
        return "node" if calls[0] else "nothing"
    return "input" if any(given is source for source in sources) else "grad"


def _uses_each(shape: Reading, made: _Made, module: ModuleType) -> bool:
    """Return whether an engine's own pass uses an entry of a dict of local derivatives once for each use of an input.

    Such a pass goes through a sequence of the inputs, in which an input that is used twice stands twice.
    """
    kept = getattr(made.node, shape.rule_name, None) if shape.rule == "pairs" else None
    if not isinstance(kept, dict) or not parts.is_row(shape.inputs_at.kept(made.node)):
        return False
    try:
        leaf = shape.leaf(PROBE[0])
        root = made.combine(leaf, leaf)
        _tried(module, backward_of(module, root, "", shape.passes))()
        (local,) = getattr(root, shape.rule_name).values()
        once = spelling.plain(local(1.0) if callable(local) else local)
        return once is not None and 0.0 != spelling.plain(getattr(leaf, shape.grad)) == 2 * once
    except Exception:
        return False


def _maker(cls: type) -> Callable[[float], Any]:
    """Return a function that makes a leaf that gets a gradient.

    That is the class, unless it has an argument such as `requires_grad=False`, or a leaf has such an attribute.
    """
    leaf = cls(PROBE[0])
    off = [name for name, value in attributes(leaf).items() if value is False and _WANTS_GRADIENT.fullmatch(name)]
    for name in [*_switches(cls), *off]:
        with contextlib.suppress(Exception):  # it need not be an argument
            make = partial(cls, **{name: True})
            if name not in off or getattr(make(PROBE[0]), name) is True:
                return make
    if not off:
        return cls

    def switched_on(value: float) -> Any:
        made = cls(value)
        for name in off:
            setattr(made, name, True)
        return made

    return switched_on


def _switches(cls: type) -> list[str]:
    """Return the arguments of a class whose names say that a leaf needs a gradient, and that are False by default."""
    made = inspect.getattr_static(cls, "__init__")
    if not isinstance(made, FunctionType) or not any(map(_WANTS_GRADIENT.fullmatch, made.__code__.co_varnames)):
        return []  # a shortcut: `inspect` takes a hundred times as long
    return [
        parameter.name
        for parameter in inspect.signature(made).parameters.values()
        if parameter.default in (False, None) and _WANTS_GRADIENT.fullmatch(parameter.name)
    ]


def _tried(module: ModuleType, run: Callable[[], Any]) -> Callable[[], None]:
    """Return a function that runs the learner's code with few calls, and ignores its errors."""

    def trial() -> None:
        with contextlib.suppress(Exception, OutOfCalls), CallBudget(vars(module)["__builtins__"], _OF_A_TRIAL):
            run()

    return trial


def _makes_nodes(module: ModuleType, cls: type, passes: tuple[str, ...]) -> bool:
    """Return whether the backward pass mentions the class."""
    functions = [getattr(cls, name, vars(module).get(name)) for name in passes or PASSES]
    mentioned = {name for made in functions if isinstance(made, FunctionType) for name in made.__code__.co_names}
    return not mentioned.isdisjoint((cls.__name__, "type", "__class__"))


def _seeds_with_a_node(small: Small, passes: tuple[str, ...]) -> bool:
    """Return whether the backward pass makes the gradient of the root a node."""
    root = small.nodes[1]
    _tried(small.module, backward_of(small.module, root, "", passes))()
    return isinstance(getattr(root, small.grad, None), small.cls)


def _other_passes(module: ModuleType, cls: type, grad: str, small: Callable[[], Small]) -> tuple[str, ...]:
    """Return the names of the methods and functions that are a backward pass by what they do.

    Called with the root alone, they give gradients to leaves below an inner node. Public ones are preferred.
    """
    found: list[str] = []
    for name, made in [item for space in (*cls.__mro__[:-1], module) for item in vars(space).items()]:
        if name.startswith("__") or name in found or not isinstance(made, FunctionType):
            continue
        code = made.__code__
        most, least = code.co_argcount, code.co_argcount - len(made.__defaults__ or ())
        if (
            not least <= 1 <= most
            or made.__module__ != module.__name__
            or (grad not in code.co_names and "back" not in name)
        ):
            continue
        graph = small()
        if propagates(graph, _tried(module, partial(made, graph.nodes[1]))):
            found.append(name)
    return tuple([name for name in found if not name.startswith("_")] or found)


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


def backward_of(module: ModuleType, root: Any, rule_name: str, passes: tuple[str, ...] = ()) -> Callable[[], Any]:
    """Return the learner's backward pass from `root`: a method, or a function of the file that takes the root.

    `backward` is preferred, whether it is a method or a function. Another name counts only if it is not that of the
    local rule.

    Args:
        passes: the functions that may be the backward pass, if none has a name of `PASSES`.
    """
    if len(passes) > 1:
        raise Unreadable("several_passes", *passes[:_NAMES])
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
