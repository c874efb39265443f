"""Run local rules. By its rule, a node adds to the gradients of its inputs. Rules have these forms:

| kind          | what a node keeps                                        |
|---------------|----------------------------------------------------------|
| `closure`     | a function without arguments that adds to its inputs' gradients |
| `visit`       | the same, but the function takes the node                |
| `pull`        | a function of the upstream gradient that adds, or returns the contributions |
| `pairs`       | inputs, each with its local derivative: pairs, triples, objects, a dict |
| `parallel`    | inputs, and their local derivatives in another sequence  |
| `called`      | a function in any place, called as the engine's own backward pass was observed to call it, or \
                  a function of the node that returns contributions or local derivatives |
| `inline`      | nothing: the rules are in the backward pass, or on a tape (see `inline_rules`) |

A stored local derivative may be a number. It may also be a function of the upstream gradient that returns the
contribution, or a function of the node, of the input or of nothing that returns the local derivative.

Contributions come in the order of the inputs, or each with its input. A single number is the contribution to the only
input.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from . import parts, spelling
from .parts import Unreadable
from .stand_in import in_place_of

STORED = ("pairs", "parallel")
_OF_NODE = ("closure", "visit", "pull")  # kinds whose rule is an attribute of the node itself
LOCAL_GRADS = ("_local_grads", "local_grads", "_local_gradients", "local_gradients", "_local_derivatives", "slopes")


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
        adds: whether the function itself adds to the gradients.
        local: whether it returns local derivatives. Otherwise, if it does not add, it returns contributions.
    """

    name: str
    via: str = ""
    shared: Shared | None = None
    arguments: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()
    adds: bool = False
    local: bool = False

    @property
    def of_node(self) -> bool:
        """Return whether the function is an attribute of the node itself."""
        return not self.via and self.shared is None


class Inputs(NamedTuple):
    """The place of a node's inputs: an attribute or a method of the node, or of the object that it keeps as `via`."""

    name: str
    via: str = ""

    def kept(self, node: Any) -> Any:
        """Return the collection of the inputs of a node; an empty tuple if it has none."""
        found = self.found(node)
        return found if isinstance(found, Iterable) else ()

    def found(self, node: Any) -> Any:
        """Return the value in the place for the inputs of a node, whatever its type."""
        holder = getattr(node, self.via, None) if self.via else node
        found = getattr(holder, self.name, None) if self.name else None
        return found() if callable(found) and not parts.is_row(found) else found


class Found(NamedTuple):
    """A local rule: its kind, the name of its attribute, and for the kind `called` how it is called."""

    kind: str
    name: str
    call: Call | None = None


_NOTHING = Found("", "")


class Probe(NamedTuple):
    """A node that an operation made of two leaves. It may be changed, and is discarded afterwards.

    Attributes:
        rival: returns a node that another operation made of the leaves, or None.
        typed: returns a number as a gradient for a node.
    """

    node: Any
    rival: Callable[[], Any]
    leaves: tuple[Any, Any]
    data: str
    grad: str
    inputs: Inputs
    typed: Callable[[Any, float], Any]

    def amounts(self) -> list[str]:
        return [spelling.spell(getattr(leaf, self.grad)) for leaf in self.leaves]


def find(
    probe: Probe,
    own_pass: bool,
    watched: Callable[[], Call | None],
    inline: Callable[[], bool],
    propagates: Callable[[], bool],
    recurses: Callable[[str], bool],
) -> Found:
    """Find the local rule of a node that an operation made.

    Args:
        probe: that node.
        own_pass: whether the file has a backward pass. Without one, a function is assumed to need no arguments and to
            add the contributions itself.
        watched: runs that pass and returns how it calls the local rules. Called only if the attributes do not decide.
        inline: runs that pass and returns whether the local rules are inside it. Called only if no rule was found.
        propagates: runs that pass and returns whether it gives gradients to the leaves. Called only for a function
            that returns amounts, which the pass may ignore.
        recurses: returns whether a method of the root gives gradients to leaves that are not its inputs. Such a
            method is a part of the pass.
    """
    node, cls = probe.node, type(probe.leaves[0])
    attributes = parts.attributes(node)
    stored = _find_stored(cls, probe, attributes)
    name = "_backward"
    usual = getattr(node, name, None)
    # leaves have the same function: it does nothing, or it serves all nodes
    everybodys = _code(usual) is _code(getattr(probe.leaves[0], name, None))
    if stored and everybodys and (stored.name in LOCAL_GRADS or not callable(usual) or not _adds(probe, name)):
        return stored
    if not callable(usual) or (everybodys and recurses(name)):
        if stored:
            return stored
        functions = [
            n for n, v in attributes.items() if callable(v) and not isinstance(v, cls) and not _is_part(v, cls)
        ]
        if len(functions) != 1:
            return (
                _called(watched()) or _find_entries(cls, attributes) or (Found("inline", "") if inline() else _NOTHING)
            )
        name = functions[0]
    if not own_pass:
        return Found("closure", name)
    if _wants_more(getattr(node, name)) and (call := watched()):
        return Found("called", call.name, call)
    found = _of_function(probe, name)
    if found.kind == "called" and watched() and not propagates():  # the pass does not use what the function returns
        return Found("closure", name)
    return found


def _called(call: Call | None) -> Found | None:
    return Found("called", call.name, call) if call else None


def _code(function: object) -> object:
    return getattr(function, "__code__", function)


def _is_part(value: object, cls: type) -> bool:
    """Return whether an object of a class in the file has methods besides `__call__`. One of them may be the rule."""
    if type(value).__module__ != cls.__module__ or type(value) in (FunctionType, MethodType):
        return False
    made = {name: made for base in type(value).__mro__[:-1] for name, made in vars(base).items()}
    return any(callable(function) and not name.startswith("__") for name, function in made.items())


def _find_stored(cls: type, probe: Probe, attributes: dict[str, Any]) -> Found | None:
    """Return where local derivatives are stored, or None.

    A usual name is preferred. Numbers that equal the values of the inputs count only under a usual name, or if the
    result of another operation has other numbers in the same place.
    """
    names = sorted(attributes, key=lambda name: name not in LOCAL_GRADS)
    for name in names:
        row = attributes[name]
        pairs = parts.is_row(row) and all(isinstance(item, (list, tuple)) and len(item) == 2 for item in row)
        if pairs and parts.entries(row, cls):
            return Found("pairs", name)
    sequence = probe.inputs.kept(probe.node)
    if not parts.is_row(sequence):
        return None
    rows = {
        name: list(attributes[name])
        for name in names
        if name != probe.inputs.name and parts.is_row(attributes[name]) and len(attributes[name]) == len(sequence)
    }
    possible = [name for name, row in rows.items() if all(parts.is_amount(item, cls) for item in row)]
    values = [getattr(source, probe.data, None) for source in sequence]
    for name in possible:
        if name in LOCAL_GRADS or rows[name] != values:
            return Found("parallel", name)
    rival = probe.rival() if possible else None
    for name in possible:
        other: Any = getattr(rival, name, None)
        if parts.is_row(other) and len(other) == len(values) and list(other) != values:
            return Found("parallel", name)
    return None


def _find_entries(cls: type, attributes: dict[str, Any]) -> Found | None:
    """Return the only attribute that holds inputs with an amount each, in a form other than pairs.

    Return None if there is no such attribute, or more than one.
    """
    holding = [name for name, kept in attributes.items() if parts.entries(kept, cls)]
    return Found("pairs", holding[0]) if len(holding) == 1 else None


def _adds(probe: Probe, name: str) -> bool:
    """Return whether calling a function of the discarded node changes a gradient of its inputs."""
    before = probe.amounts()
    _of_function(probe, name)
    return probe.amounts() != before


def _of_function(probe: Probe, name: str) -> Found:
    """Find out how a function of the discarded node is a rule, by calling it."""
    node, function = probe.node, getattr(probe.node, name)
    arguments: tuple[str, ...] = ()
    try:
        upstream = probe.typed(node, 1.0)
        setattr(node, probe.grad, upstream)
        if wants_argument(function):
            try:
                function(upstream)
            except (AttributeError, TypeError):
                function, arguments = partial(function, node), ("node",)
            else:
                return Found("pull", name)
        before = probe.amounts()
        returned = parts.returned_amounts(parts.listed(function()), type(probe.leaves[0]))
        if returned and probe.amounts() == before:
            local = gives_derivatives(probe, node, function)
            return Found("called", name, Call(name, arguments=arguments, local=local))
    except Exception:  # the learner's code may not work
        pass
    return Found("visit" if arguments else "closure", name)


def gives_derivatives(small: Any, node: Any, function: Callable[[], Any]) -> bool:
    """Return whether a function returns the same numbers for every gradient of a discarded node.

    Then these are local derivatives. Otherwise they are contributions.

    Args:
        small: a `Probe`, or a `Small` of `watched_pass`.
    """
    before, seen = getattr(node, small.grad), []
    for upstream in (1.0, 2.0):
        setattr(node, small.grad, small.typed(node, upstream))
        seen.append(parts.returned_amounts(parts.listed(function()), type(node)))
    setattr(node, small.grad, before)
    return seen[0] == seen[1]


def wants_argument(function: Any) -> bool:
    """Return whether a function has a positional parameter without a default."""
    plain = function.__func__ if type(function) is MethodType else function
    if type(plain) is FunctionType and not vars(plain):  # a shortcut: `inspect` takes a hundred times as long
        bound = 1 if plain is not function else 0
        return bool(plain.__code__.co_argcount > bound + len(plain.__defaults__ or ()))
    return any(p.kind is not inspect.Parameter.KEYWORD_ONLY for p in _required(function))


def _wants_more(function: Any) -> bool:
    """Return whether a function has two parameters without a default, or one that is keyword-only."""
    required = _required(function)
    return len(required) > 1 or any(p.kind is inspect.Parameter.KEYWORD_ONLY for p in required)


def _required(function: Any) -> list[inspect.Parameter]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    any_number = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p for p in parameters if p.kind not in any_number and p.default is inspect.Parameter.empty]


class Rules:
    """The local rules of an engine whose shape is known: run, triple or watch the rule of a node."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape
        self.kind: str = shape.rule
        self.name: str = shape.rule_name
        self.call: Call = shape.call or Call(self.name)

    def has(self, node: Any) -> bool:
        if self.kind in STORED:
            return True
        if self.kind == "called" and self.shape.inputs and not self._inputs(node):
            return False
        return callable(self._function(node))

    def state(self, node: Any, leaf: Any) -> str:
        """Return `own` if a node has a rule other than a leaf's, or a method that serves all nodes.

        Return `none` if the rule is None, else `default`.
        """
        if self.kind in STORED:
            return "own" if getattr(node, self.name, None) else "default"
        if self.kind in _OF_NODE and getattr(node, self.name, node) is None:
            return "none"
        rule, default = (self._function(one) if self.kind and self.has(one) else None for one in (node, leaf))
        own = callable(rule) and (type(rule) is MethodType or _code(rule) is not _code(default))
        return "own" if own else "default"

    def lines(self, node: Any, filename: str | None) -> tuple[int, int]:
        """Return the first and the last line of the function that is a node's rule; (0, 0) if it is not in the file."""
        code = None if self.kind in STORED else _code(self._function(node))
        if not isinstance(code, CodeType) or code.co_filename != filename:
            return 0, 0
        return code.co_firstlineno, max(line or 0 for *_, line in code.co_lines())

    def run(self, node: Any) -> None:
        """Add the contributions of a node to the gradients of its inputs."""
        if self.kind in STORED:
            upstream = self._grad(node)
            for source, local in self._stored(node):
                self._add(source, self._contribution(local, upstream, node, source))
            return
        function = self._function(node)
        if self.kind == "closure":
            function()
        elif self.kind == "visit":
            function(node)
        elif self.kind == "pull":
            before = self._amounts(node)
            returned = function(self._grad(node))
            if self._amounts(node) == before:  # otherwise it has added the contributions itself
                self._add_all(node, returned)
        else:
            positional = [value for role in self.call.arguments for value in self._argument(role, node)]
            named = {name: self._argument(role, node)[0] for name, role in self.call.named}
            returned = function(*positional, **named)
            if not self.call.adds:
                self._add_all(node, returned, self._grad(node) if self.call.local else None)

    def triple(self, node: Any) -> None:
        """Make a node contribute three times as much as before, from now on."""
        if self.kind in STORED:
            self.change_stored(node, _three_times)
            return
        original, grad = self._function(node), self.shape.grad
        roles = (*self.call.arguments, *(role for _, role in self.call.named))

        def three(upstream: Any) -> Any:
            return spelling.alike(3 * self.shape.number(upstream), upstream)

        def tripled(*arguments: Any, **named: Any) -> Any:
            if self.kind == "pull":
                return original(three(arguments[0]))
            if self.call.local:
                return self._three_times_each(original(*arguments, **named))
            if "grad" in roles:
                at = self.call.arguments
                positional = [three(v) if role == "grad" else v for role, v in zip(at, arguments, strict=False)]
                by_name = {n: three(v) if dict(self.call.named).get(n) == "grad" else v for n, v in named.items()}
                return original(*positional, *arguments[len(at) :], **by_name)
            upstream = getattr(node, grad)
            self.shape.write(node, 3 * self.shape.number(upstream))
            returned = parts.listed(original(*arguments, **named))  # an iterator runs the learner's code only now
            setattr(node, grad, upstream)
            return returned

        self._replace(node, in_place_of(original, tripled))

    def change_stored(self, node: Any, change: Callable[[Any], Any]) -> None:
        """Change every local derivative that a node stores."""
        kept = getattr(node, self.name)
        self._stored(node)  # raises an error if the derivatives cannot be used
        if self.kind == "parallel":
            changed = parts.like_row(kept, map(change, kept))
        else:
            changed = parts.with_amounts(kept, self.shape.cls, change)
        setattr(node, self.name, changed)

    def _contribution(self, local: Any, upstream: Any, node: Any, source: Any) -> Any:
        """Return the contribution to an input whose stored local derivative is a number or a function."""
        if callable(local) and self.shape.derivatives_of == "grad":
            return local(upstream)
        given = {"node": (node,), "input": (source,)}.get(self.shape.derivatives_of, ())
        return (local(*given) if callable(local) else local) * upstream

    def _three_times_each(self, returned: Any) -> Any:
        """Return local derivatives, as a function returned them, times 3."""
        kept = parts.listed(returned)
        if isinstance(kept, dict) or (parts.is_row(kept) and not all(map(parts.is_number, kept))):
            return parts.with_amounts(kept, self.shape.cls, _three_times)
        return parts.like_row(kept, map(_three_times, kept)) if parts.is_row(kept) else 3 * kept

    @property
    def returns(self) -> bool:
        """Return whether the function returns its contributions, so that the backward pass must add them."""
        return self.kind == "pull" or (self.kind == "called" and not self.call.adds)

    def watch(self, node: Any, around: Callable[[Any, "partial[Any]"], Any]) -> None:
        """Run the node's function inside `around(node, run)`, from now on."""
        original = self._function(node)

        def watched(*arguments: Any, **named: Any) -> Any:
            return around(node, partial(original, *arguments, **named))

        self._replace(node, in_place_of(original, watched))

    def upstream(self, node: Any, run: "partial[Any]") -> Any:
        """Return the upstream gradient among the arguments of a watched function; None if it is not among them."""
        arguments = run.args
        if self.kind == "pull":
            return arguments[0] if arguments else None
        for name, role in self.call.named:
            if role == "grad":
                return run.keywords.get(name)
        if "grad" not in self.call.arguments:
            return None
        before = self.call.arguments[: self.call.arguments.index("grad")]
        at = len(before) + (len(self._inputs(node)) - 1 if "*inputs" in before else 0)
        return arguments[at] if at < len(arguments) else None

    def run_pass(self, run: Callable[[], Any]) -> None:
        """Run the engine's own backward pass."""
        run()

    # -- attributes and arguments ---------------------------------------------------------------

    def _function(self, node: Any) -> Any:
        via, shared = self.call.via, self.call.shared
        if shared is not None:
            return shared.function(getattr(node, via, None) if via else self.name, node)
        return getattr(getattr(node, via, None) if via else node, self.name, None)

    def _replace(self, node: Any, function: Callable[..., Any]) -> None:
        via, shared = self.call.via, self.call.shared
        if shared is not None:
            shared.replace(getattr(node, via) if via else self.name, node, function)
            return
        holder = getattr(node, via) if via else node
        try:
            setattr(holder, self.name, function)
        except AttributeError:  # a method of a class with slots: replace it in the class, for this object alone
            cls = type(holder)
            method = getattr(cls, self.name)
            setattr(cls, self.name, lambda obj, *rest: function(*rest) if obj is holder else method(obj, *rest))

    def _argument(self, role: str, node: Any) -> list[Any]:
        if role == "node":
            return [node]
        if role == "part":
            return [getattr(node, self.call.via)]
        if role == "grad":
            return [self._grad(node)]
        kept = self.shape.inputs_at.kept(node)
        if role == "*inputs":
            return list(kept)
        return [kept if parts.is_row(kept) else list(kept)]

    def _inputs(self, node: Any) -> list[Any]:
        return list(self.shape.inputs_at.kept(node))

    def _amounts(self, node: Any) -> list[str]:
        return [spelling.spell(getattr(source, self.shape.grad, None)) for source in self._inputs(node)]

    # -- gradients ----------------------------------------------------------------------------

    def _grad(self, node: Any) -> Any:
        upstream = getattr(node, self.shape.grad)
        return self.shape.typed(node, 0.0) if upstream is None and self.shape.grad_starts_as_none else upstream

    def _add(self, source: Any, contribution: Any) -> None:
        setattr(source, self.shape.grad, self._grad(source) + contribution)

    def _add_all(self, node: Any, returned: Any, upstream: Any = None) -> None:
        """Add contributions to the gradients of a node's inputs.

        Args:
            upstream: the gradient by which they are multiplied, if local derivatives were returned.
        """
        inputs = self._inputs(node)
        if parts.is_number(returned) and inputs:
            contributions = [returned]
        elif isinstance(returned, Iterable):
            contributions = list(returned.items()) if isinstance(returned, dict) else list(returned)
        else:  # nothing to add
            return
        known = [found for item in contributions if (found := parts.entry(item, self.shape.cls))]
        if len(known) < len(contributions):
            if len(inputs) != len(contributions):
                raise Unreadable("contributions", counts=(len(contributions), len(inputs)))
            known = list(zip(inputs, contributions, strict=True))
        for source, contribution in known:
            self._add(source, contribution if upstream is None else contribution * upstream)

    def _stored(self, node: Any) -> list[tuple[Any, Any]]:
        """Return the inputs of a node, each with its local derivative.

        A node without inputs may keep nothing in the place of the local derivatives.
        """
        inputs = self._inputs(node)
        kept = getattr(node, self.name) if inputs else getattr(node, self.name, ())
        if self.kind == "parallel":
            there = self.shape.inputs_at.found(node)
            if not isinstance(there, Iterable):
                raise Unreadable("no_row", self.shape.inputs_at.name, spelling.name_of(type(there)))
            if inputs and not parts.is_row(kept) and (kept or not hasattr(type(kept), "__len__")):
                raise Unreadable("no_derivatives", self.name, spelling.name_of(type(kept)))
            count = len(kept) if parts.is_row(kept) else 0
            if len(inputs) != count:
                raise Unreadable("derivatives", self.name, counts=(count, len(inputs)))
            return list(zip(inputs, kept, strict=True)) if inputs else []
        if self.shape.each_use and isinstance(kept, dict):
            return [(source, kept[source]) for source in inputs]
        found = parts.entries(kept, self.shape.cls) if kept else []
        if found is None:
            raise Unreadable("no_pairs", self.name)
        return found


def _three_times(local: Any) -> Any:
    return (lambda *given: 3 * local(*given)) if callable(local) else 3 * local
