"""Decide whether an exception from a hidden test is an error of the course or a fault of the grader."""

import os
import sys
import traceback
from pathlib import Path

from ..course import CourseError
from ..oracle.answers import NoAnswer
from ..outside import did_you_mean
from ..program import ProgramError

_KIT = Path(os.path.realpath(__file__)).parents[1]
_ASKED_FOR = (ProgramError, NoAnswer)  # raised by the grader for wrong input from a test


def mistake(error: BaseException, test: Path) -> CourseError | None:
    """Return an exception from a hidden test as an error of the course, with the test's line.

    Args:
        error: The exception, raised while the file was imported or while one of its tests ran.
        test: The file of hidden tests.

    Returns:
        None if the exception is the grader's own fault. That is an exception raised by the grader for a reason other
        than wrong input.
    """
    folder = Path(os.path.realpath(test.parent))
    if isinstance(error, SyntaxError) and error.filename is not None and _real(error.filename).parent == folder:
        return CourseError(
            test.parent / Path(error.filename).name, error.lineno, f"{type(error).__name__}: {error.msg}"
        )
    line = None
    for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
        path = _real(frame.f_code.co_filename)
        if path.parent == folder:
            test, line = test.parent / path.name, number
            break
        if path.is_relative_to(_KIT) and not isinstance(error, _ASKED_FOR):
            return None
    return CourseError(test, line, _described(error))


def _real(name: str) -> Path:
    return Path(os.path.realpath(name))


def _described(error: BaseException) -> str:
    """Return the text of an exception, with a suggestion if there is one."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, AttributeError) and isinstance(error.name, str):
        return text + did_you_mean(error.name, [name for name in dir(error.obj) if not name.startswith("_")])
    if isinstance(error, ImportError) and not isinstance(error, ModuleNotFoundError):
        offered = getattr(sys.modules.get(error.name or ""), "__all__", ())
        return text + (f"; it offers {', '.join(offered)}" if offered else "")
    return text
