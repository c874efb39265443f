"""The sentences about code that gave no answer: it was stopped, its process ended, or it is not read as an engine."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs

from ..base.text import counted, of_type
from ..course.program import BINARY, METHODS, OPERATIONS, REFLECTED
from ..course.remarks import CellStart, Died, Reason, Stopped
from .facts import place
from .sentence import Sentence, filled


def ended_text(ended: Died | Reason) -> str:
    """Return a sentence about the reason why no usable answer came."""
    seconds, count = counted(float(ended.seconds or 0), "second"), ended.count or 0
    fields = {"seconds": seconds, "count": count, "mb": (ended.limit_kb or 0) >> 10, "cpu": ended.clock == "cpu"}
    return filled(_ENDED[ended.kind], {**structs.asdict(ended), **fields})


_ENDED: dict[str, str] = {
    "answer_too_large": "the answer from your code's process is larger than the {limit_kb} KB that this check allows",
    "budget": "the submission has used up the {seconds} of {cpu:?CPU }time that it may use in total",
    "cpu_limit": (
        "your code used more than {seconds} of CPU time, and could not be interrupted; is there a very large "
        "computation in one step, or an `except` that catches everything?"
    ),
    "exited": "your code's process ended before it answered (os._exit, or out of memory?)",
    "killed": "your code's process was ended by {signal}",
    "left_out": "your code's process returned no results for some of the expressions that it was given",
    "not_reloaded": "the file loaded once, but not a second time",
    "output_too_large": "your code printed more than {mb} MB",
    "protocol_error": "your code's process gave no valid answer: {detail}",
    "unanswered": "not run: {count:earlier run} gave no answer in time",
    "wall_limit": "no answer within {seconds}",
}


# -- stopped code ------------------------------------------------------------------------------------

calls_itself = Sentence(
    "`{written}` calls the function that it is written in. Perhaps you meant `{meant}`",
    "written meant",
)


def stopped_text(stopped: Stopped, cells: Sequence[CellStart] = ()) -> str:
    """Return a sentence about the problem, the learner's own lines, and the usual cause. The innermost line is last.

    Args:
        cells: the cells of a notebook. They name its lines, as in `cell 3, line 5`.
    """
    if stopped.notebook:
        return (
            "this file is a Jupyter notebook (JSON) with the name of a Python file; rename it so that it ends in .ipynb"
        )
    # An exception has the usual cause only if the learner's own code raised it. In the steps of
    # `_BY_GRADER`, the grader computes with what is in the nodes, and may raise the same exception.
    certain = stopped.kind == "raised" and not stopped.unfilled and (stopped.in_file or stopped.where not in _BY_GRADER)
    usual = explain(stopped.type, stopped.message, [text for _, text in stopped.lines]) if certain else None
    # the line has an operator, but the error is in the method that Python calls for it
    if usual and stopped.operand and stopped.type == "AttributeError":
        operation, operand, method = stopped.operand
        usual = f"{usual}; `{operation}` calls `{method}`, because `{operand}` is a node"
    if stopped.meant:
        usual = calls_itself(*stopped.meant)
    if stopped.kind == "module":
        usual = "the file is run alone: it can import neither other packages nor your other files"
    sentence = " ".join(_sentence(stopped).split())
    return "\n".join(
        [sentence, *(f"{place(cells, n)}: {line}" for n, line in stopped.lines), *([usual] if usual else [])]
    )


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
    "build_again": "the graph was built again from the same leaves",
    "release": "all nodes except the leaves and the root were released",
    "inputs": "the inputs were read",
    "given_list": "the list was read",
    "given_numbers": "the list was read",
    "log": "your code was watched",
    "events": "what was watched was read",
    "train": "`train` was called",
}


# the steps in which the grader itself computes with the contents of nodes
_BY_GRADER = ("local_rules", "pass_or_rules", "preload", "triple", "watch")


_UNFILLED = "this part is still to be filled in"
_STOPPED: dict[str, str] = {
    "calls": (
        "stopped: your code called its functions too often; is there an endless loop or recursion, or work that is "
        "done again and again?"
    ),
    "cpu": ("stopped: your code ran out of CPU time; is there an endless loop, or work that is done again and again?"),
    "stalled": ("stopped: your code waited for {seconds} seconds without computing anything; what is it waiting for?"),
    "exit": "your code ends the program (sys.exit, exit or quit)",
    "module": "{message}",
    "syntax": "Python cannot parse the file: {message}",
}


def _sentence(stopped: Stopped) -> str:
    # kinds that have a sentence of their own
    if stopped.kind == "shape":
        return _shape_text(stopped)
    if stopped.kind == "not_offered":
        return _not_taken(*stopped.names) if stopped.type == "NotTaken" else _absent(*stopped.names)
    if stopped.kind == "wants_argument":
        return wants_argument(*stopped.names)
    if stopped.kind in _STOPPED:
        seconds = stopped.counts[0] if stopped.counts else 0
        return filled(_STOPPED[stopped.kind], {"message": stopped.message, "seconds": seconds})
    # exceptions: the one that a stub raises, and then all others
    if stopped.unfilled and stopped.begun:
        return "this part still raises NotImplementedError; remove that line once the part is filled in"
    if stopped.unfilled:
        return _UNFILLED
    if stopped.type == "MemoryError":
        return "your code asked for more memory than a check may use"
    # addresses differ between runs, and the same file must have the same report
    message = re.sub(r"\b0x[0-9a-f]{8,16}\b", "0x…", stopped.message)
    text = f"{stopped.type}: {message}" if message else stopped.type
    if stopped.in_file:
        return f"your code raised {text}"
    return f"when {_DONE.get(stopped.where, 'your code was run')}, Python said: {text}"


def _absent(method: str, user: str = "") -> str:
    """Say that an engine does not define the method of an operation, and which of its methods uses the operation."""
    used = f", which your `{user}` uses" if user else ""
    for op, name in METHODS.items():
        if method == name:
            text = BINARY.get(op, re.sub(r"\ba\b", "x", OPERATIONS[op].text))
            return f"your engine has no `{text}`{used}: define `{method}`"
        if method == REFLECTED.get(op):
            return f"your engine has no `{BINARY[op]}` for a number on the left{used}: define `{method}`"
    return f"your engine has no `{method}` that takes a node and returns one: define a method `{method}`"


_not_taken = Sentence("your `{method}` does not take the arguments with which the program calls it")
wants_argument = Sentence("`{method}` was not run: it takes an argument besides `self`, and checks call it without one")

# -- files that cannot be read as an engine -----------------------------------------------------------


def _shape_text(about: Stopped) -> str:
    """Say why a file cannot be read as an engine."""
    first, second = [*about.names, "", ""][:2]
    one, other = [*about.counts, 0, 0][:2]
    types = {f"{place}_type": name and of_type(name) for place, name in (("first", first), ("second", second))}
    return filled(_SHAPES[about.type], {"names": about.names, "first": first, "one": one, "other": other, **types})


# `first` is the first of the names, `one` and `other` are the counts
_SHAPES: dict[str, str] = {
    "no_class": "the file has no class `Value`, and no other class that defines `+` and `*`",
    "several_classes": "which class is the engine? It could be any of {names}; call one of them Value",
    "no_value": "a leaf has no attribute that holds its value; store the value in `data`",
    "several_values": "which attribute holds the value? It could be any of {names}; call it `data`",
    "no_gradient": "a leaf has no attribute that holds its gradient; store the gradient in `grad`",
    "several_gradients": "which attribute holds the gradient? It could be any of {names}; call it `grad`",
    "gradient_not_set": (
        "`{first}` of a node is a property without a setter, and no attribute behind it was found; "
        "the grader has to set gradients, so store the gradient in an attribute"
    ),
    "gradient_is": "`{first}` of a node is {second_type}; the grader needs a number there",
    "no_backward": "a node has no method `backward()`",
    "several_passes": "which function is the backward pass? It could be any of {names}; call it `backward`",
    "backward_is_rule": (
        "`{first}` of a node is its own rule; no function `backward(root)` runs the rules of all nodes"
    ),
    "no_function": "there is no function `{first}` in the file",
    "no_node": "an operation returned {first_type} instead of {second_type}",
    "makes_no_list": "`{first}` returned {second_type}; it should return a list of nodes",
    "makes_others": "`{first}` returned {one:item}; it should return {other}",
    "changes_list": "`{first}` changed a list that it was given; the caller still needs the list",
    "nothing_to_call": "a node made by an operation has no `{first}` to call",
    "rule_is_none": "`_backward` of the result is None; `out._backward = _backward`, without `()`, stores the closure",
    "no_rule": (
        "no backward rule was recognised in the result of `*` (or of `+`, if there is no `*`). "
        "{names:?Its attributes are {names}|It has no attributes}. A rule is a "
        "function, or a tuple or list of local derivatives (the values of the inputs do not count as such)"
    ),
    "pass_stops": (
        "this check runs the rule of one operation, and none was recognised. backward() on "
        "`{other:?(a * b) * c|(a + b) + c}` changes {one:?{one}|none} of the 3 gradients of a, b and c"
    ),
    "contributions": "the backward rule of a node gave {one:contribution} for {other:input}",
    "derivatives": "a node stores {one:local derivative} in `{first}` for {other:input}",
    "no_row": "`{first}` of a node is {second_type}; it should be a tuple or a list of the node's inputs",
    "no_derivatives": (
        "`{first}` of a node is {second_type}; it should be a tuple or a list with a local derivative for each input"
    ),
    "no_pairs": "not every entry in `{first}` of a node holds an input and a local derivative",
    "unclear_writes": (
        "this check runs the rule of one operation, and the grader could not tell which rule adds to which gradient in "
        "backward(). It can if the result of an operation keeps its rule: a function, or its local derivatives"
    ),
    "no_number": "backward() sets a gradient to something that is not a number",
}

# -- usual exceptions ---------------------------------------------------------------------------------

# as Python names the operators in its messages
_REFLECTED = {f"{BINARY[op]} or pow()" if op == "pow" else BINARY[op]: method for op, method in REFLECTED.items()}


class _Usual(NamedTuple):
    """An exception and what it usually means. The sentence must be true whenever Python gives such a message.

    Attributes:
        kind: the type of the exception.
        message: a pattern for its message. Its groups are filled in.
        text: the sentence.
        line: a pattern for one of the shown lines, or an empty text.
    """

    kind: str
    message: str
    text: str
    line: str = ""


# The first entry that fits is used, so the special cases of an exception come before the others.
_USUAL = (
    _Usual(
        "TypeError",
        r"'NoneType' object is not callable",
        "the `_backward` of this node is None",
        r"^\w+\._backward\(\)$",
    ),
    _Usual("TypeError", r"'NoneType' object is not callable", "the object that is called here is None"),
    _Usual(
        "AttributeError",
        r"'NoneType' object has no attribute '(\w+)'",
        "the object before .{0} is None; the usual cause is an operation or a function without `return`",
    ),
    _Usual(
        "TypeError",
        r"unsupported operand type\(s\) for .*'NoneType'",
        "at least one operand is None; the usual cause is an operation or a function without `return`, or a "
        "gradient that was set to None",
    ),
    _Usual(
        "TypeError",
        r"'NoneType' object is not iterable",
        "this is None where a list is needed; the usual cause is a function without `return`, or a method such as "
        "list.append() or list.reverse(), which returns None",
    ),
    _Usual(
        "AttributeError",
        r"'(int|float)' object has no attribute '(\w+)'",
        "the object before .{1} is a plain number ({0})",
    ),
    _Usual(
        "NameError",
        r"name '(math|numpy|np|random)' is not defined",
        "the import of {0} is missing at the top of the file",
    ),
    _Usual(
        "NameError",
        r"name '(Value)' is not defined",
        "the name {0} does not exist before the end of the class; in an annotation, write it in quotes: '{0}'",
        r"^class Value\b",
    ),
    _Usual("NameError", r"name '(\w+)' is not defined", "no variable, function or import is called {0} here"),
    _Usual("UnboundLocalError", r"'(\w+)'", "{0} is assigned inside this function, so Python looks it up only there"),
    _Usual(
        "TypeError",
        r"_backward\(\) takes 0 positional arguments but",
        "this `_backward` is defined without parameters, but is called with an argument",
    ),
    _Usual("TypeError", r"^(\w+)\(\) takes no arguments", "{0} has no `__init__` (two underscores on each side)"),
    _Usual(
        "TypeError",
        r"\w\.\w+\(\) takes (?:0 positional arguments but 1 was|1 positional argument but 2 were) given",
        "a method gets the object before the dot as its first argument, self",
    ),
    _Usual(
        "TypeError",
        r"unsupported operand type\(s\) for (\+|-|\*|/|\*\* or pow\(\)): '(?:int|float)' and",
        "when the left operand is a number, Python looks for {reflected} in the right operand",
    ),
    _Usual(
        "TypeError",
        r"unsupported operand type\(s\) for (\+|-|\*\*|\*|/)(?: or pow\(\))?: '([A-Z]\w*)' and '(\w+)'",
        "`{0}` is not defined for {1} and {2}; is the number inside meant?",
    ),
    _Usual(
        "TypeError",
        r"'(?!int|float)\w+' object is not iterable",
        "(self) is not a tuple; a tuple of one element needs a comma: (self,)",
        r"[(,]\s*\(\s*\w+\s*\)",
    ),
    _Usual("TypeError", r"'(\w+)' object is not iterable", "a single {0} is used where a list or a tuple is needed"),
    _Usual("EOFError", r"", "`input()` has nothing to read while your code is graded: remove it", r"\binput\("),
    _Usual(
        "KeyError", r"pdb", "a debugger cannot be used while grading: remove this call", r"\bbreakpoint\(|\bset_trace\("
    ),
    _Usual(
        "ModuleNotFoundError",
        r"",
        "use an `import` statement: it finds every module that is available while grading",
        r"\b(?:__import__|import_module)\b",
    ),
    _Usual("OverflowError", r"^math range error$", "exp of a number above 709 is too large for a float", r"\bexp\("),
    _Usual("RecursionError", r"", "a function calls itself too deeply, directly or through other functions"),
    _Usual("NotImplementedError", r"", _UNFILLED),
)


def explain(type_name: str, message: str, lines: Sequence[str] = ()) -> str | None:
    """Return a sentence about the meaning of an exception, or None if there is none for it.

    Args:
        type_name: the name of the exception's type.
        message: the message of the exception.
        lines: the learner's own lines in the traceback; long ones are cut.
    """
    for usual in _USUAL:
        match = re.search(usual.message, message) if usual.kind == type_name else None
        if match and (not usual.line or any(re.search(usual.line, line) for line in lines)):
            groups = match.groups()
            return usual.text.format(*groups, reflected=_REFLECTED.get(groups[0], "") if groups else "")
    return None
