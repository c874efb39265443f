"""Describe errors of learner code as plain data: their kind, and the lines of the file through which they passed."""

from collections.abc import Iterator
from types import CodeType, TracebackType
from typing import Any

from ..confine import limits
from .calls import OutOfCalls
from .imports import STARRED, NotAvailable, Placeholder, refused
from .observer import is_stand_in
from .values import name_of, text_of

_MOST_LINES = 4  # the most lines of an error
_KINDS = (
    (OutOfCalls, "calls"),
    (limits.OutOfTime, "cpu"),
    (limits.Stalled, "stalled"),
    (SystemExit, "exit"),
    (NotAvailable, "module"),
)
# by file, the first and the last line of each loop; `load` fills it, because the compiled code does not have them
LOOPS: dict[str, list[tuple[int, int]]] = {}


def describe(error: BaseException, filename: str) -> list[Any]:
    """Return an exception as plain data: `[kind, type, message, line numbers in the learner's file]`."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return ["syntax", "SyntaxError", text_of(error.msg), [error.lineno or 1]]
    kind = next((kind for cls, kind in _KINDS if isinstance(error, cls)), "raised")
    lines = lines_to_loop(error, filename) if kind in ("cpu", "stalled") else lines_in(error, filename)
    if isinstance(error, NotAvailable) and error.line and not lines:
        lines = [error.line]
    if (starred := _starred(error, filename)) is not None:
        missing = refused(starred)
        return ["module", name_of(NotAvailable), text_of(missing), [missing.line, *lines][:_MOST_LINES]]
    return [kind, name_of(type(error)), text_of(error), lines]


def _starred(error: BaseException, filename: str) -> Placeholder | None:
    """Return the missing module that the name in a `NameError` may come from, by `import *`; else None."""
    if type(error) is not NameError:
        return None
    starred, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            starred = traceback.tb_frame.f_globals.get(STARRED)
        traceback = traceback.tb_next
    return starred


def lines_in(error: BaseException, filename: str) -> list[int]:
    """Return the lines of the learner's file through which an error passed, the innermost last."""
    return [line for _, line in _places(error, filename)][-_MOST_LINES:]


def lines_to_loop(error: BaseException, filename: str) -> list[int]:
    """Return the lines of the learner's file through which an error passed, up to the first loop or recursive call.

    A loop is given by its first line. The lines inside of it depend on the moment at which time ran out.
    """
    lines: list[int] = []
    codes: list[CodeType] = []
    for code, line in _places(error, filename):
        # the loops of the running function that contain the line
        around = [first for first, last in LOOPS.get(filename, ()) if code.co_firstlineno <= first <= line <= last]
        if around or code not in codes:
            lines.append(min(around, default=line))
        # a code that occurs twice is recursive; how deep it is when time runs out depends on the
        # machine
        if around or code in codes or len(lines) == _MOST_LINES:
            break
        codes.append(code)
    return lines


def _places(error: BaseException, filename: str) -> Iterator[tuple[CodeType, int]]:
    """Yield the code and the line of each frame of the learner's file in a traceback, the innermost last."""
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == filename and not is_stand_in(code):
            yield code, _line(traceback)
        traceback = traceback.tb_next


def _line(traceback: TracebackType) -> int:
    """Return the line at which a frame is. If it is at an instruction without a line, return that of the one before.

    In Python 3.11, the jump back to an outer loop has no line.
    """
    line: int | None = traceback.tb_lineno
    if line is not None:
        return line
    code = traceback.tb_frame.f_code
    before = [line for start, _, line in code.co_lines() if line is not None and start <= traceback.tb_lasti]
    return before[-1] if before else code.co_firstlineno
