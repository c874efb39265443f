"""The usual exceptions in an engine, each explained in a sentence."""

import re

_REFLECTED = {"+": "__radd__", "-": "__rsub__", "*": "__rmul__", "/": "__rtruediv__", "** or pow()": "__rpow__"}

# exception type, pattern of its message, what to say (groups of the pattern are filled in)
_SENTENCES: list[tuple[str, re.Pattern[str], str]] = [
    (kind, re.compile(pattern), sentence)
    for kind, pattern, sentence in (
        (
            "TypeError",
            r"'NoneType' object is not callable",
            "what is called here is None: store the closure, `out._backward = _backward`, without calling it",
        ),
        (
            "AttributeError",
            r"'NoneType' object has no attribute '(\w+)'",
            "what stands before .{0} is None: often an operation or a function without its `return`",
        ),
        (
            "TypeError",
            r"unsupported operand type\(s\) for .*'NoneType'",
            "one of the two is None: often an operation or a function without its `return`, or a gradient set to None",
        ),
        (
            "TypeError",
            r"'NoneType' object is not iterable",
            "a function gave None where a list is needed: is its `return` missing?",
        ),
        (
            "AttributeError",
            r"'(?:int|float)' object has no attribute '(\w+)'",
            "a plain number has no .{0}: should a Value stand there, or is it the number already?",
        ),
        (
            "NameError",
            r"name '(math|numpy|np|random)' is not defined",
            "the import of {0} is missing at the top of the file",
        ),
        (
            "NameError",
            r"name '(\w+)' is not defined",
            "nothing here is called {0}: is it misspelt, or should it be an argument?",
        ),
        (
            "UnboundLocalError",
            r"'(\w+)'",
            "{0} is assigned inside this function, so Python looks for it only there",
        ),
        (
            "TypeError",
            r"_backward\(\) takes 0 positional arguments but",
            "a closure takes no arguments: call it as node._backward()",
        ),
        (
            "TypeError",
            r"\w+\(\) takes no arguments",
            "is `__init__` written with two underscores on each side?",
        ),
        (
            "TypeError",
            r"takes (?:0 positional arguments but 1 was|1 positional argument but 2 were) given",
            "a method's first parameter is self: is it missing from the `def`?",
        ),
        (
            "TypeError",
            r"unsupported operand type\(s\) for (\+|-|\*|/|\*\* or pow\(\)): '(?:int|float)' and",
            "with a number on the left Python asks the Value for {reflected}",
        ),
        (
            "TypeError",
            r"'\w+' object is not iterable",
            "inputs are given as a tuple, and one of one needs its comma: (self,)",
        ),
        (
            "RecursionError",
            r"",
            "a function calls itself too deep, or without end: does it stop where there is nothing below?",
        ),
        (
            "NotImplementedError",
            r"",
            "this part is still to be filled",
        ),
    )
]


def explain(type_name: str, message: str) -> str | None:
    """A sentence on what an exception of this type with this message usually comes from, None for no idea."""
    for kind, pattern, sentence in _SENTENCES:
        match = pattern.search(message) if kind == type_name else None
        if match:
            groups = match.groups()
            return sentence.format(*groups, reflected=_REFLECTED.get(groups[0], "") if groups else "")
    return None
