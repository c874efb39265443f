"""Find lines that name a backward rule without calling it."""

import re

_MOST = 4
_NAMED = re.compile(r" *(\w{1,40}\._backward) *(#.*)?")


def not_called(source: str, function: str) -> tuple[str, ...]:
    """Return the first expressions such as `L._backward` that stand alone in a line of a function, without `()`.

    Args:
        source: The text of the learner's file, which is not parsed. A line that may continue another one is left out.
        function: The name of the function.
    """
    found = []
    head = re.search(rf"^def {re.escape(function)}\(", source, re.M)
    before = ""
    for line in source[head.end() :].split("\n")[1:] if head else ():
        if line.strip() and not line.startswith(" "):
            break
        named = _NAMED.fullmatch(line)
        if named and not before.endswith(tuple("([{,\\=+-*/")):
            found.append(named[1])
        before = line.partition("#")[0].strip() or before
    return tuple(dict.fromkeys(found))[:_MOST]
