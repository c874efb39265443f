"""Find the reason why learner code gave no answer, and what stopped it, as data for `grader.words`."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from ..program import BINARY, METHODS, REFLECTED
from ..remarks import Died, Reason, Stopped
from . import bounds
from .bounds import cut
from .protocol import Problem


def reason_of(cause: Died | Problem) -> Reason:
    """Return the reason for a death, or for a problem in the learner's code."""
    if isinstance(cause, Died):
        return Reason(**msgspec.structs.asdict(cause))
    raised = cause.type_name if cause.kind == "raised" else None
    detail = cause.type_name if cause.kind == "shape" else cause.method
    return Reason(cause.kind, type=raised, line=cause.lines[-1] if cause.lines else None, detail=detail)


def stopped(problem: Problem, source: str) -> Stopped:
    """Return a problem with the learner's own lines.

    Args:
        source: the text of the learner's file.
    """
    every = source.split("\n")
    known = [number for number in problem.lines if 1 <= number <= len(every)][-bounds.SHOWN_LINES :]
    lines = [(number, cut(every[number - 1].strip(), bounds.SOURCE_LINE)) for number in known]
    return Stopped(
        problem.kind,
        problem.where,
        problem.type_name,
        # a message of the maximum length is probably cut
        cut(problem.message, bounds.MESSAGE - 1),
        names=tuple(problem.names),
        counts=(bounds.STALLED_S,) if problem.kind == "stalled" else tuple(problem.counts),
        lines=tuple(dict.fromkeys(lines)),
        in_file=bool(problem.lines),
        unfilled=problem.unfilled,
        begun=problem.unfilled and bool(known) and not _stands_alone(every, known[-1]),
        notebook=is_notebook(source),
        operand=_operand(every, known),
    )


_NEAR = 1_000  # lines that are searched before or after another one
_OF_TWO = re.compile(r"[\w.]+ *[-+]?= *(([A-Za-z_]\w*) *([-+*/]) *[\w.]+)")


def _operand(lines: Sequence[str], known: Sequence[int]) -> tuple[str, str, str] | None:
    """Return the operation in the line that called the innermost function, its left operand, and the function.

    The result is None unless the operation is the only one of its line, the innermost function is the method of this
    operation, and the file does not define the reflected method. Then the left operand is an object of the method's
    class.
    """
    if len(known) < 2:
        return None
    written = _OF_TWO.fullmatch(lines[known[-2] - 1].partition("#")[0].strip())
    inner = lines[known[-1] - 1]
    depth = len(inner) - len(inner.lstrip())
    heads = (re.match(r"( *)def (\w+)\(", lines[number]) for number in range(known[-1] - 2, -1, -1)[:_NEAR])
    function = next((head[2] for head in heads if head and len(head[1]) < depth), "")
    op = next((op for op, symbol in BINARY.items() if written and symbol == written[3]), None)
    if written is None or op is None or METHODS[op] != function or any(REFLECTED[op] in line for line in lines):
        return None
    return (written[1], written[2], function) if len(written[1]) <= bounds.SOURCE_LINE else None


_HEAD = re.compile(r"(async )?def |\)")  # the first or the last line of a function's head
_DOCSTRING = ('"""', "'''", '"', "'")


def _stands_alone(lines: Sequence[str], number: int) -> bool:
    """Return whether a line is the only statement of a function, from the lines around it.

    The text is not parsed, because the grader never gives learner code to Python's compiler.
    """

    def code(numbers: Iterable[int]) -> str:
        texts = (lines[other] for other in numbers)
        return next((text for text in texts if text.strip() and not text.lstrip().startswith("#")), "")

    def indent(text: str) -> int:
        return len(text) - len(text.lstrip())

    here = lines[number - 1]
    before, after = code(range(number - 2, -1, -1)[:_NEAR]), code(range(number, len(lines))[:_NEAR])
    first = _HEAD.match(before.lstrip()) or (indent(before) == indent(here) and before.rstrip().endswith(_DOCSTRING))
    return bool(first) and indent(after) < indent(here)


def is_notebook(source: str) -> bool:
    """Return whether a file's text is that of a Jupyter notebook: JSON with cells."""
    return source.lstrip().startswith("{") and '"cells"' in source and '"nbformat"' in source
