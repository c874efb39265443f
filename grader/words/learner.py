"""The sentences for a learner about their code: findings, exceptions, ends of processes, and fault facts."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..base import counted, of_type
from ..program import BINARY, METHODS, REFLECTED, number_text
from ..remarks import (
    BeforeInput,
    BuiltAgain,
    CellStart,
    Changed,
    Cleared,
    DataChanged,
    DependsOnOrder,
    Disordered,
    GaveNone,
    InPlace,
    IntLeaves,
    ListChanged,
    ListedTwice,
    NeverRan,
    NoGradientChanged,
    NoList,
    NoNode,
    NoRules,
    NotCalled,
    NothingStored,
    NotListed,
    NotRight,
    OnesAtFirst,
    RanEarly,
    RanTwice,
    Released,
    Remark,
    Returned,
    RulesRunAgain,
    RuleTripled,
    SecondPass,
    SeedChanged,
    Shown,
    StartingFrom,
    Stopped,
    Unrelated,
)
from .facts import orders_text, place


class Ended(Protocol):
    """The reason why a process gave no usable answer: a `Died`, or the `Reason` made from one."""

    @property
    def kind(self) -> str: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def clock(self) -> str | None: ...
    @property
    def signal(self) -> str | None: ...
    @property
    def limit_kb(self) -> int | None: ...
    @property
    def count(self) -> int | None: ...
    @property
    def detail(self) -> str | None: ...


# -- checks -------------------------------------------------------------------------------------------


class Finding(Protocol):
    """A finding of `grader.checks`, besides its numbers."""

    @property
    def remarks(self) -> Sequence[Remark]: ...
    @property
    def reason(self) -> Ended | None: ...
    @property
    def stopped(self) -> Stopped | None: ...


def finding_text(finding: Finding, cells: Sequence[CellStart] = ()) -> str | None:
    """Return the text of a failure besides its numbers, or None. `cells` are the cells of a notebook."""
    if finding.stopped is not None or finding.reason is not None:
        return _why(finding.stopped, finding.reason, cells)
    return "; ".join(map(remark_text, finding.remarks)) or None


def load_failure(name: str, stopped: Stopped | None, ended: Ended | None, cells: Sequence[CellStart] = ()) -> str:
    """Say that the file `name` could not be loaded, and why."""
    joint = ", because" if stopped is not None and stopped.kind == "syntax" else ":"
    return f"{name} could not be loaded{joint} {_why(stopped, ended, cells)}"


def _why(stopped: Stopped | None, ended: Ended | None, cells: Sequence[CellStart]) -> str:
    """Say why the learner's code gave no answer: because it was stopped, or because of the way its process ended."""
    if stopped is not None:
        return stopped_text(stopped, cells)
    assert ended is not None
    return ended_text(ended)


def remark_text(remark: Remark) -> str:
    """Return the text of a remark as a part of a sentence."""
    return _REMARKS[type(remark)](remark)


def _starting_from(said: StartingFrom) -> str:
    return "starting from " + ", ".join(f"{name} = {number_text(grad)}" for name, grad in said.grads.items())


def _second_pass(said: SecondPass) -> str:
    return (
        f"in a second backward pass, after a first one that began at {said.after}"
        if said.after
        else "in the second pass"
    )


def _rules_run_again(said: RulesRunAgain) -> str:
    text = f"in the second pass, which starts from L.grad = {number_text(said.upstream)}"
    return f"after {said.clear}, {text}" if said.clear else text


def _rule_tripled(said: RuleTripled) -> str:
    text = f"the grader changed the rule of {said.node} so that its contributions should triple"
    return f"{text}, but the gradients are those that are right without this change" if said.ignored else text


def _data_changed(said: DataChanged) -> str:
    return f"{_BY[said.by]} changed the data"


def _seed_changed(said: SeedChanged) -> str:
    return f"{said.root}.grad is {said.found} at the end; a backward pass starts with {said.root}.grad = 1"


def _ran_early(said: RanEarly) -> str:
    return (
        f"the `_backward` of {said.node} ran before that of {said.user}, "
        f"which had not yet added its contribution to {said.gradient}"
    )


def _returned(said: Returned) -> str:
    what = _given_back(said.type) if said.count is None else counted(said.count, "number")
    return f"{said.function} returned {what}; expected {counted(said.expected, 'number')}"


def _given_back(type_name: str | None) -> str:
    """Return what a function returned: the name of a type, or None with its usual cause."""
    return "None, as a function without `return` does" if type_name == "None" else str(type_name)


def _not_right(said: NotRight) -> str:
    return "not right yet: " + ", ".join(f"{name} (yours: {_digits(value)})" for name, value in said.numbers.items())


def _digits(value: Shown) -> str:
    return f"{value + 0.0:.6g}" if isinstance(value, float) else value  # + 0.0: no -0


def _and(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _call(said: NotCalled) -> str:
    return "calls" if len(said.written) == 1 else "call"


def _in_a_call(text: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return a function like `text` that adds a prefix if the remark is about a second call."""
    return lambda said: f"in a second call, {text(said)}" if said.again else text(said)


_BY = {"backward": "backward()", "rules": "the backward rules"}
_REMARKS: dict[type, Callable[[Any], str]] = {
    IntLeaves: lambda said: "the leaves are ints, as in `Value(2)`",
    InPlace: lambda said: "each operation is written in place: `x = a; x += b`",
    StartingFrom: _starting_from,
    SecondPass: _second_pass,
    BuiltAgain: lambda said: (
        "in a second pass, after all gradients were set to 0 and the graph was built again from the same leaves"
    ),
    Released: lambda said: "when no variable holds a node other than the leaves and the root",
    RulesRunAgain: _rules_run_again,
    Cleared: lambda said: f"after {said.function}",
    RuleTripled: _rule_tripled,
    DependsOnOrder: lambda said: f"wrong in {orders_text(said.wrong, said.of)}",
    DataChanged: _data_changed,
    NoGradientChanged: lambda said: "no gradient changed when the backward rules ran",
    NothingStored: lambda said: (
        "no local derivatives were recognised in the result of `*` (or of `+`, if there is no `*`)"
    ),
    NoRules: lambda said: "no backward rule was found on the nodes, and this check has to observe the rules",
    GaveNone: lambda said: f"an operation returned {_given_back('None')}",
    SeedChanged: _seed_changed,
    RanTwice: lambda said: f"the `_backward` of {said.node} ran more than once",
    NeverRan: lambda said: f"the `_backward` of {_and([said.node, *said.others])} never ran",
    NotCalled: lambda said: f"without `()`, {_and([f'`{one}`' for one in said.written])} {_call(said)} no function",
    OnesAtFirst: lambda said: (
        f"these numbers follow if every gradient is 1 at first; only {said.root}.grad should be 1 at first"
    ),
    RanEarly: _ran_early,
    Changed: lambda said: f"{said.function} changed the {said.what} of {said.node}",
    ListChanged: lambda said: (
        f"{said.function} removed nodes from the list that it was given, or added some; the caller still needs the list"
    ),
    Returned: _returned,
    NotRight: _not_right,
    NoList: _in_a_call(lambda said: f"build_topo returned {_given_back(said.type)}; it should return a list of nodes"),
    Disordered: _in_a_call(lambda said: "a node is missing, is in the list twice, or comes before one of its inputs"),
    NoNode: _in_a_call(
        lambda said: (
            "the list holds something that is not a node of this graph, perhaps a number or a node from an earlier call"
        )
    ),
    ListedTwice: _in_a_call(lambda said: f"{said.node} is in the list more than once"),
    NotListed: _in_a_call(
        lambda said: (
            f"{said.node} is missing from the list"
            + (f"; {said.equal}, which is in the list, has the same value" if said.equal else "")
        )
    ),
    Unrelated: _in_a_call(lambda said: f"{said.node} is in the list, but {said.root} is not computed from it"),
    BeforeInput: _in_a_call(lambda said: f"{said.node} comes before its input {said.input}"),
}

# -- ended processes ---------------------------------------------------------------------------------


def ended_text(ended: Ended) -> str:
    """Return a sentence about the reason why no usable answer came."""
    match ended.kind:
        case "answer_too_large":
            return f"the answer from your code's process is larger than the {ended.limit_kb} KB that this check allows"
        case "budget":
            spent = "CPU time" if ended.clock == "cpu" else "time"
            return f"the submission has used up the {_seconds(ended)} of {spent} that it may use in total"
        case "cpu_limit":
            why = "is there a very large computation in one step, or an `except` that catches everything?"
            return f"your code used more than {_seconds(ended)} of CPU time, and could not be interrupted; {why}"
        case "exited":
            return "your code's process ended before it answered (os._exit, or out of memory?)"
        case "killed":
            return f"your code's process was ended by {ended.signal}"
        case "left_out":
            return "your code's process returned no results for some of the expressions that it was given"
        case "not_reloaded":
            return "the file loaded once, but not a second time"
        case "output_too_large":
            return f"your code printed more than {(ended.limit_kb or 0) >> 10} MB"
        case "protocol_error":
            return f"your code's process gave no valid answer: {ended.detail}"
        case "unanswered":
            return f"not run: {counted(ended.count or 0, 'earlier run')} gave no answer in time"
        case "wall_limit":
            return f"no answer within {_seconds(ended)}"
        case _:
            raise ValueError(ended.kind)


def _seconds(ended: Ended) -> str:
    return counted(float(ended.seconds or 0), "second")


# -- stopped code ------------------------------------------------------------------------------------


def stopped_text(stopped: Stopped, cells: Sequence[CellStart] = ()) -> str:
    """Return a sentence about the problem, the learner's own lines with the innermost last, and the usual cause.

    `cells` are the cells of a notebook, which its lines are named by.
    """
    if stopped.notebook:
        return (
            "this file is a Jupyter notebook (JSON) with the name of a Python file; rename it so that it ends in .ipynb"
        )
    told = stopped.kind == "raised" and not stopped.unfilled and (stopped.in_file or stopped.where not in _BY_GRADER)
    usual = explain(stopped.type, stopped.said, [text for _, text in stopped.lines]) if told else None
    if usual and stopped.operand and stopped.type == "AttributeError":
        operation, operand, method = stopped.operand
        usual = f"{usual}; `{operation}` calls `{method}`, because `{operand}` is a node"
    if stopped.kind == "module":
        usual = "the file is run alone: it can import neither other packages nor your other files"
    said = " ".join(_sentence(stopped).split())
    return "\n".join([said, *(f"{place(cells, n)}: {line}" for n, line in stopped.lines), *([usual] if usual else [])])


# the grader's action, by step, when learner code raised outside of its own file
_DONE: dict[str, str] = {
    "load": "the file was run",
    "reading": "a few nodes were made to find out how the engine works",
    "build": "this was computed",
    "values": "the values were read",
    "grads": "the gradients were read",
    "backward": "the backward pass was called",
    "pass_or_rules": "the backward pass was run",
    "preload": "the gradients were set",
    "local_rules": "the backward rules were run one at a time",
    "triple": "a backward rule was replaced",
    "watch": "the backward rules were watched",
    "call": "your function was called",
    "anew": "the graph was built again from the same leaves",
    "release": "all nodes except the leaves and the root were released",
    "inputs": "the inputs were read",
    "given_list": "the list was read",
    "train": "`train` was called",
}


# the steps in which the grader itself computes with the contents of nodes
_BY_GRADER = ("local_rules", "pass_or_rules", "preload", "triple", "watch")


def _sentence(stopped: Stopped) -> str:
    match stopped.kind:
        case "shape":
            return _SHAPES[stopped.type](stopped)
        case "not_offered":
            return _absent(*stopped.names)
        case "wants_argument":
            return wants_argument(stopped.names[0])
        case "calls":
            often = "your code called its functions too often"
            return f"stopped: {often}; is there an endless loop or recursion, or work that is done again and again?"
        case "cpu":
            ran = "your code ran out of CPU time"
            return f"stopped: {ran}; is there an endless loop, or work that is done again and again?"
        case "stalled":
            seconds = stopped.counts[0]
            waited = f"your code waited for {seconds} seconds without computing anything"
            return f"stopped: {waited}; what is it waiting for?"
        case "exit":
            return "your code ends the program (sys.exit, exit or quit)"
        case "module":
            return stopped.said
        case "syntax":
            return f"Python cannot parse the file: {stopped.said}"
        case _ if stopped.unfilled and stopped.begun:
            return "this part still raises NotImplementedError; remove that line once the part is filled in"
        case _ if stopped.unfilled:
            return "this part is still to be filled in"
        case _ if stopped.type == "MemoryError":
            return "your code asked for more memory than a check may use"
        case _:
            said = re.sub(r"\b0x[0-9a-f]{8,16}\b", "0x…", stopped.said)
            text = f"{stopped.type}: {said}" if said else stopped.type
            if stopped.in_file:
                return f"your code raised {text}"
            return f"when {_DONE.get(stopped.where, 'your code was run')}, Python said: {text}"


def _absent(method: str, user: str = "") -> str:
    """Say that an engine does not define the method of an operation, and which of its methods uses the operation."""
    used = f", which your `{user}` uses" if user else ""
    for op, name in METHODS.items():
        if method == name:
            return f"your engine has no `{BINARY.get(op, '-x')}`{used}: define `{method}`"
        if method == REFLECTED.get(op):
            return f"your engine has no `{BINARY[op]}` for a number on the left{used}: define `{method}`"
    return f"your engine has no `{method}` that takes a node and returns one: define a method `{method}`"


def wants_argument(method: str) -> str:
    """Say that a method was not run because it needs an argument."""
    return f"`{method}` was not run: it takes an argument besides `self`, and checks call it without one"


# -- files that cannot be read as an engine -----------------------------------------------------------


def _several(what: str, usual: str) -> Callable[[Stopped], str]:
    return lambda about: (
        f"which attribute holds the {what}? It could be any of {', '.join(about.names)}; call it `{usual}`"
    )


def _no_rule(about: Stopped) -> str:
    kept = f"Its attributes are {', '.join(about.names)}" if about.names else "It has no attributes"
    return (
        f"no backward rule was recognised in the result of `*` (or of `+`, if there is no `*`). {kept}. A rule is a "
        "function, or a tuple or list of local derivatives (the values of the inputs do not count as such)"
    )


def _pass_stops(about: Stopped) -> str:
    changed, times = about.counts
    graph = "(a * b) * c" if times else "(a + b) + c"
    return (
        f"this check runs the rule of one operation, and none was recognised. backward() on `{graph}` changes "
        f"{changed or 'none'} of the 3 gradients of a, b and c"
    )


def _contributions(about: Stopped) -> str:
    given, inputs = about.counts
    return f"the backward rule of a node gave {counted(given, 'contribution')} for {counted(inputs, 'input')}"


def _derivatives(about: Stopped) -> str:
    kept, inputs = about.counts
    return f"a node stores {counted(kept, 'local derivative')} in `{about.names[0]}` for {counted(inputs, 'input')}"


_SHAPES: dict[str, Callable[[Stopped], str]] = {
    "no_class": lambda about: "the file has no class `Value`, and no other class that defines `+` and `*`",
    "several_classes": lambda about: (
        f"which class is the engine? It could be any of {', '.join(about.names)}; call one of them Value"
    ),
    "no_value": lambda about: "a leaf has no attribute that holds its value; store the value in `data`",
    "several_values": _several("value", "data"),
    "no_gradient": lambda about: "a leaf has no attribute that holds its gradient; store the gradient in `grad`",
    "several_gradients": _several("gradient", "grad"),
    "gradient_not_set": lambda about: (
        f"`{about.names[0]}` of a node is a property without a setter, and no attribute behind it was found; "
        "the grader has to set gradients, so store the gradient in an attribute"
    ),
    "gradient_is": lambda about: (
        f"`{about.names[0]}` of a node is {of_type(about.names[1])}; the grader needs a number there"
    ),
    "no_backward": lambda about: "a node has no method `backward()`",
    "several_passes": lambda about: (
        f"which function is the backward pass? It could be any of {', '.join(about.names)}; call it `backward`"
    ),
    "backward_is_rule": lambda about: (
        f"`{about.names[0]}` of a node is its own rule; no function `backward(root)` runs the rules of all nodes"
    ),
    "no_function": lambda about: f"there is no function `{about.names[0]}` in the file",
    "no_node": lambda about: f"an operation returned {of_type(about.names[0])} instead of {of_type(about.names[1])}",
    "nothing_to_call": lambda about: f"a node made by an operation has no `{about.names[0]}` to call",
    "rule_is_none": lambda about: (
        "`_backward` of the result is None; `out._backward = _backward`, without `()`, stores the closure"
    ),
    "no_rule": _no_rule,
    "pass_stops": _pass_stops,
    "contributions": _contributions,
    "derivatives": _derivatives,
    "no_row": lambda about: (
        f"`{about.names[0]}` of a node is {of_type(about.names[1])}; "
        "it should be a tuple or a list of the node's inputs"
    ),
    "no_derivatives": lambda about: (
        f"`{about.names[0]}` of a node is {of_type(about.names[1])}; "
        "it should be a tuple or a list with a local derivative for each input"
    ),
    "no_pairs": lambda about: f"not every entry in `{about.names[0]}` of a node holds an input and a local derivative",
    "unclear_writes": lambda about: (
        "this check runs the rule of one operation, and the grader could not tell which rule adds to which gradient in "
        "backward(). It can if the result of an operation keeps its rule: a function, or its local derivatives"
    ),
    "no_number": lambda about: "backward() sets a gradient to something that is not a number",
}

# -- usual exceptions ---------------------------------------------------------------------------------

_REFLECTED = {"+": "__radd__", "-": "__rsub__", "*": "__rmul__", "/": "__rtruediv__", "** or pow()": "__rpow__"}

# Each entry has an exception type, a pattern for its message, a pattern for one of the shown lines, and a sentence.
# Groups of the message's pattern are filled in. The sentence must be true whenever Python gives this message on such
# a line.
_SENTENCES: list[tuple[str, re.Pattern[str], re.Pattern[str], str]] = [
    (kind, re.compile(pattern), re.compile(line), sentence)
    for kind, pattern, line, sentence in (
        (
            "TypeError",
            r"'NoneType' object is not callable",
            r"^\w+\._backward\(\)$",
            "the `_backward` of this node is None",
        ),
        ("TypeError", r"'NoneType' object is not callable", "", "the object that is called here is None"),
        (
            "AttributeError",
            r"'NoneType' object has no attribute '(\w+)'",
            "",
            "the object before .{0} is None; the usual cause is an operation or a function without `return`",
        ),
        (
            "TypeError",
            r"unsupported operand type\(s\) for .*'NoneType'",
            "",
            "at least one operand is None; the usual cause is an operation or a function without `return`, or a "
            "gradient that was set to None",
        ),
        (
            "TypeError",
            r"'NoneType' object is not iterable",
            "",
            "this is None where a list is needed; the usual cause is a function without `return`, or "
            "list.reverse(), which returns None",
        ),
        (
            "AttributeError",
            r"'(int|float)' object has no attribute '(\w+)'",
            "",
            "the object before .{1} is a plain number ({0})",
        ),
        (
            "NameError",
            r"name '(math|numpy|np|random)' is not defined",
            "",
            "the import of {0} is missing at the top of the file",
        ),
        (
            "NameError",
            r"name '(Value)' is not defined",
            r"^class Value\b",
            "the name {0} does not exist before the end of the class; in an annotation, write it in quotes: '{0}'",
        ),
        ("NameError", r"name '(\w+)' is not defined", "", "no variable, function or import is called {0} here"),
        (
            "UnboundLocalError",
            r"'(\w+)'",
            "",
            "{0} is assigned inside this function, so Python looks it up only there",
        ),
        (
            "TypeError",
            r"_backward\(\) takes 0 positional arguments but",
            "",
            "this `_backward` is defined without parameters, but is called with an argument",
        ),
        ("TypeError", r"^(\w+)\(\) takes no arguments", "", "{0} has no `__init__` (two underscores on each side)"),
        (
            "TypeError",
            r"\w\.\w+\(\) takes (?:0 positional arguments but 1 was|1 positional argument but 2 were) given",
            "",
            "a method gets the object before the dot as its first argument, self",
        ),
        (
            "TypeError",
            r"unsupported operand type\(s\) for (\+|-|\*|/|\*\* or pow\(\)): '(?:int|float)' and",
            "",
            "when the left operand is a number, Python looks for {reflected} in the right operand",
        ),
        (
            "TypeError",
            r"'(?!int|float)\w+' object is not iterable",
            r"[(,]\s*\(\s*\w+\s*\)",
            "(self) is not a tuple; a tuple of one element needs a comma: (self,)",
        ),
        ("TypeError", r"'(\w+)' object is not iterable", "", "a single {0} is used where a list or a tuple is needed"),
        ("EOFError", r"", r"\binput\(", "`input()` has nothing to read while your code is graded: remove it"),
        (
            "KeyError",
            r"pdb",
            r"\bbreakpoint\(|\bset_trace\(",
            "a debugger cannot be used while grading: remove this call",
        ),
        (
            "ModuleNotFoundError",
            r"",
            r"\b(?:__import__|import_module)\b",
            "use an `import` statement: it finds every module that is available while grading",
        ),
        ("RecursionError", r"", "", "a function calls itself too deeply, directly or through other functions"),
        ("NotImplementedError", r"", "", "this part is still to be filled in"),
    )
]


def explain(type_name: str, message: str, lines: Sequence[str] = ()) -> str | None:
    """Return a sentence about the meaning of an exception, or None if there is none for it.

    Args:
        type_name: the name of the exception's type.
        message: the message of the exception.
        lines: the learner's own lines in the traceback; long ones are cut.
    """
    for kind, pattern, on, sentence in _SENTENCES:
        match = pattern.search(message) if kind == type_name else None
        if match and (not on.pattern or any(map(on.search, lines))):
            groups = match.groups()
            return sentence.format(*groups, reflected=_REFLECTED.get(groups[0], "") if groups else "")
    return None


# -- an engine's names ---------------------------------------------------------------------------------


def names_taken(cls: str, data: str, grad: str, inputs: str) -> str:
    """Return a sentence about the names that were recognised in an engine."""
    of_inputs = f"the inputs in `{inputs}`" if inputs else "no list of a node's inputs"
    return f"the engine is the class `{cls}`, with the value in `{data}`, the gradient in `{grad}` and {of_inputs}"


def refused_calls(names: Sequence[str]) -> str:
    """Return a sentence about the system calls that the sandbox refused."""
    return f"the sandbox refused system calls that the code made: {', '.join(f'`{name}`' for name in names)}"
