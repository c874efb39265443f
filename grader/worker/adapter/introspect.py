"""Read an engine's shape: which class it is, and which attributes hold value, gradient, inputs and local rules.

Usual names take precedence. Without them, another name is taken only if there is no other candidate.
"""

import contextlib
import inspect
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

from . import values
from .discovery import LOCAL_GRADS, NUMBERS, OPERATIONS, PASSES, Trial, backward_of, made_by
from .load import need
from .reading import Inputs, Reading, Rule, is_computed
from .rules import STORED
from .values import Unreadable, attributes

_GRADIENTS = ("grad", "_grad", "gradient", "derivative", "deriv", "adjoint", "g")
_INPUTS = ("_prev", "_children", "children", "prev", "inputs", "_inputs", "parents", "_parents")
_NAMES = 4  # the most candidates that a problem names
_CONTAINERS = (tuple, list, set, frozenset)
_WANTS_GRADIENT = re.compile(r"_*(requires?|needs?|wants?|with|tracks?)_?grad(ient)?s?", re.IGNORECASE)
_BEHIND = 12.625


class _NoEngine:
    """A class without instances."""


NO_ENGINE = Reading(_NoEngine, "data", "grad")


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
    raise Unreadable("several_classes", *map(values.name_of, able[:_NAMES]))


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
    return _only([name for name, value in attributes(leaf).items() if values.plain(value) == NUMBERS[0]], "value")


def _is_method(obj: Any, name: str) -> bool:
    return isinstance(getattr(obj, name), (MethodType, FunctionType))


def _behind(leaf: Any, name: str) -> str:
    """Return the attribute whose number a method or a property without a setter returns, or an empty string."""
    for attribute, value in attributes(leaf).items():
        with contextlib.suppress(Exception):
            setattr(leaf, attribute, _BEHIND)
            try:
                returned = getattr(leaf, name)
                if values.plain(returned() if callable(returned) else returned) == _BEHIND:
                    return attribute
            finally:
                setattr(leaf, attribute, value)
    return ""


def _grad_name(leaf: Any, data: str) -> str:
    for name in filter(partial(hasattr, leaf), _GRADIENTS):
        method = _is_method(leaf, name)
        behind = _behind(leaf, name) if method or is_computed(leaf, name) else ""
        if behind or not method:
            return behind or name
    blank = [
        name
        for name, value in attributes(leaf).items()
        if name != data and (value is None or values.plain(value) == 0.0)
    ]
    return _only(blank, "gradient")


def _holds(container: object, wanted: Sequence[Any]) -> bool:
    if not isinstance(container, _CONTAINERS):
        return False
    ids = {id(item) for item in container}
    return bool(ids) and ids == {id(item) for item in wanted}


def read(module: ModuleType) -> Reading:
    """Read the shape of the engine in a loaded file, by making two leaves and, if possible, their product.

    Raises `Unreadable`, or any error of the learner's constructor.
    """
    # the attributes of a leaf and of a node that an operation made
    cls = engine_class(module)
    make = _maker(cls)
    leaves = make(NUMBERS[0]), make(NUMBERS[1])
    data = _data_name(leaves[0])
    grad = _grad_name(leaves[0], data)
    starts_as_none = getattr(leaves[0], grad) is None
    combine, node = next(_results(leaves), (None, leaves[0]))
    inputs = _inputs(node, leaves, module)
    trial = Trial(module, Reading(cls, data, grad, starts_as_none, inputs, make=make), leaves, combine, node)
    # the backward pass
    usual_pass = any(callable(getattr(node, name, None)) or callable(vars(module).get(name)) for name in PASSES)
    if not usual_pass and combine:
        trial.shape = trial.shape._replace(passes=_other_passes(trial))
    trial.own_pass = usual_pass or bool(trial.shape.passes)
    if starts_as_none and trial.own_pass and combine and _makes_nodes(trial):
        trial.shape = trial.shape._replace(grads_are_nodes=_seeds_with_a_node(trial))
    # the local rules
    trial.shape = trial.shape._replace(rule=_rule(trial))
    if combine is None:
        return trial.shape
    if usual_pass and _pass_is_rule(trial):
        trial.shape = trial.shape._replace(passes=_other_passes(trial))
    if trial.own_pass:
        trial.shape = trial.shape._replace(each_use=trial.uses_each())
        trial.shape = trial.shape._replace(derivatives_of=trial.derivatives_of(trial.small()))
    return trial.shape


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


def _maker(cls: type) -> Callable[[float], Any]:
    """Return a function that makes a leaf that gets a gradient.

    That is the class, unless it has an argument such as `requires_grad=False`, or a leaf has such an attribute.
    """
    leaf = cls(NUMBERS[0])
    off = [name for name, value in attributes(leaf).items() if value is False and _WANTS_GRADIENT.fullmatch(name)]
    for name in [*_switches(cls), *off]:
        with contextlib.suppress(Exception):  # it need not be an argument
            make = partial(cls, **{name: True})
            if name not in off or getattr(make(NUMBERS[0]), name) is True:
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

    Called with the root alone, they give gradients to leaves below an inner node. Public ones are preferred.
    """
    names: list[str] = []
    for space in (*trial.shape.cls.__mro__[:-1], trial.module):
        for name, member in list(vars(space).items()):
            if name.startswith("__") or name in names or not isinstance(member, FunctionType):
                continue
            if _may_be_pass(trial, name, member) and trial.propagates(member):
                names.append(name)
    return tuple([name for name in names if not name.startswith("_")] or names)


def _may_be_pass(trial: Trial, name: str, function: FunctionType) -> bool:
    """Return whether a function of the file can be called with one argument, and has to do with gradients."""
    code = function.__code__
    fewest = code.co_argcount - len(function.__defaults__ or ())
    about_gradients = trial.shape.grad in code.co_names or "back" in name
    return fewest <= 1 <= code.co_argcount and function.__module__ == trial.module.__name__ and about_gradients


def _inputs(node: Any, leaves: Sequence[Any], module: ModuleType) -> Inputs:
    """Return where a node keeps its inputs.

    That is a usual name, or an attribute that holds the inputs and no other objects. The attribute may belong to an
    object that the node keeps.
    """
    if known := _known(_INPUTS, node):
        return Inputs(known)
    kept = attributes(node)
    if name := next((n for n, v in kept.items() if _holds(v, leaves)), ""):
        return Inputs(name)
    for via, part in kept.items():
        if type(part).__module__ == module.__name__ and not isinstance(part, type(leaves[0])):
            for name, value in attributes(part).items():
                if _holds(value, leaves):
                    return Inputs(name, via)
    return Inputs("")
