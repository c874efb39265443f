"""The usual exceptions in an engine, each explained in a sentence."""

import re
from collections.abc import Sequence

_REFLECTED = {"+": "__radd__", "-": "__rsub__", "*": "__rmul__", "/": "__rtruediv__", "** or pow()": "__rpow__"}

# exception type, pattern of its message, what one of the shown lines has to match, what to say (groups of the
# message's pattern are filled in). A sentence is true wherever Python says that, on such a line.
_SENTENCES: list[tuple[str, re.Pattern[str], re.Pattern[str], str]] = [
    (kind, re.compile(pattern), re.compile(line), sentence)
    for kind, pattern, line, sentence in (
        (
            "TypeError",
            r"'NoneType' object is not callable",
            r"^\w+\._backward\(\)$",
            "the `_backward` of this node is None",
        ),
        ("TypeError", r"'NoneType' object is not callable", "", "what is called here is None"),
        (
            "AttributeError",
            r"'NoneType' object has no attribute '(\w+)'",
            "",
            "what stands before .{0} is None: often an operation or a function without its `return`",
        ),
        (
            "TypeError",
            r"unsupported operand type\(s\) for .*'NoneType'",
            "",
            "one of the two is None: often an operation or a function without its `return`, or a gradient set to None",
        ),
        (
            "TypeError",
            r"'NoneType' object is not iterable",
            "",
            "None stands where a list is needed: often a function without its `return`",
        ),
        (
            "AttributeError",
            r"'(int|float)' object has no attribute '(\w+)'",
            "",
            "what stands before .{1} is a plain number ({0})",
        ),
        (
            "NameError",
            r"name '(math|numpy|np|random)' is not defined",
            "",
            "the import of {0} is missing at the top of the file",
        ),
        ("NameError", r"name '(\w+)' is not defined", "", "nothing here is called {0}"),
        (
            "UnboundLocalError",
            r"'(\w+)'",
            "",
            "{0} is assigned inside this function, so Python looks for it only there",
        ),
        (
            "TypeError",
            r"_backward\(\) takes 0 positional arguments but",
            "",
            "this `_backward` is defined without parameters, and is called with an argument",
        ),
        ("TypeError", r"^(\w+)\(\) takes no arguments", "", "{0} has no `__init__`, with two underscores on each side"),
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
            "with a number on the left Python asks the object on the right for {reflected}",
        ),
        (
            "TypeError",
            r"'(?!int|float)\w+' object is not iterable",
            r"[(,]\s*\(\s*\w+\s*\)",
            "(self) is no tuple; a tuple of one has a comma: (self,)",
        ),
        ("TypeError", r"'(\w+)' object is not iterable", "", "one {0} stands where a list or a tuple is needed"),
        ("KeyError", r"pdb", r"\bbreakpoint\(|\bset_trace\(", "a debugger cannot be used while grading: take it out"),
        ("RecursionError", r"", "", "a function calls itself more often than Python allows"),
        ("NotImplementedError", r"", "", "this part is still to be filled in"),
    )
]


def explain(type_name: str, message: str, lines: Sequence[str] = ()) -> str | None:
    """Return a sentence on what an exception of this type with this message means; None where there is none.

    Args:
        type_name, message: of the exception.
        lines: the learner's own lines on the way to it, cut.
    """
    for kind, pattern, on, sentence in _SENTENCES:
        match = pattern.search(message) if kind == type_name else None
        if match and (not on.pattern or any(map(on.search, lines))):
            groups = match.groups()
            return sentence.format(*groups, reflected=_REFLECTED.get(groups[0], "") if groups else "")
    return None
