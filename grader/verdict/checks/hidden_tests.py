"""The tests of a course: bind them to checks, and recognise their mistakes."""

import functools
import inspect
import os
import sys
import traceback
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ...base.text import did_you_mean
from ...course.load import CourseError
from ...course.oracle import NoAnswer
from ...course.program import ProgramError

_GRADER = Path(os.path.realpath(__file__)).parents[2]  # the folder of the grader's code
_WRONG_INPUT = (ProgramError, NoAnswer)  # raised by the grader for wrong input from a test
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., None])


def check(check_id: str) -> Callable[[F], F]:
    """Mark a test as the one that implements the check `check_id` of its file's exercise."""

    def mark(function: F) -> F:
        function.check_id = check_id  # type: ignore[attr-defined]
        return function

    return mark


class ArgumentError(ProgramError):
    """A hidden test called a method with an argument that it cannot take."""


def checks_arguments(cls: type[T]) -> type[T]:
    """Make each public method of a class raise `ArgumentError` for an argument that is not of the annotated type.

    Inherited methods do so, too. Otherwise, a wrong argument would count against the learner, or look like a fault of
    the grader.
    """
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("_"):
            setattr(cls, name, _checking(method))
    return cls


def _checking(method: Callable[..., object]) -> Callable[..., Any]:
    """Return a method that checks its arguments and then calls the given one."""
    signature, types_of = inspect.signature(method), functools.cache(lambda: get_type_hints(method))

    @functools.wraps(method)
    def checked(*arguments: object, **named: object) -> Any:
        try:
            bound = signature.bind(*arguments, **named).arguments
        except TypeError as error:
            raise ArgumentError(f"{method.__name__}: {error}") from None
        for name, value in list(bound.items())[1:]:  # the first one is `self`
            kind, wanted = signature.parameters[name].kind, types_of()[name]
            if kind is inspect.Parameter.VAR_KEYWORD:  # values of leaves, which `program` checks
                continue
            for one in value if kind is inspect.Parameter.VAR_POSITIONAL else [value]:
                if not fits(one, wanted):
                    text = inspect.formatannotation(wanted).replace("float", "finite number").replace(" | ", " or ")
                    raise ArgumentError(f"{method.__name__}: `{name}` is {shortened(one)}; expected {text}")
        return method(*arguments, **named)

    return checked


@functools.cache
def _parts(wanted: object) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(wanted), get_args(wanted)


def fits(value: object, wanted: Any) -> bool:
    """Return whether a value has the annotated type. A number may be an int, and is finite."""
    kind, inner = _parts(wanted)
    if kind in (types.UnionType, Union):
        return any(fits(value, one) for one in inner)
    if kind is dict:
        return isinstance(value, dict) and all(fits(k, inner[0]) and fits(v, inner[1]) for k, v in value.items())
    if kind is tuple:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(fits, value, inner))
    if kind is Callable:
        return callable(value)
    if kind is not None and issubclass(kind, Sequence):
        return isinstance(value, (list, tuple)) and all(fits(one, inner[0]) for one in value)
    # a bool is an int in Python, but a test that passes `True` for a number is wrong
    if wanted is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return isinstance(value, wanted)


def mistake(error: BaseException, test: Path) -> CourseError | None:
    """Return an exception from a hidden test as an error of the course, with the test's line.

    Args:
        error: The exception, raised while the file was imported or while one of its tests ran.
        test: The file of hidden tests.

    Returns:
        None if the exception is the grader's own fault: its code raised it, and not for wrong input from the test.
    """
    folder = Path(os.path.realpath(test.parent))
    if isinstance(error, SyntaxError) and error.filename is not None and _real(error.filename).parent == folder:
        return CourseError(
            test.parent / Path(error.filename).name, error.lineno, f"{type(error).__name__}: {error.msg}"
        )
    line = None
    # look for a frame of the test, from the innermost frame outwards; a frame of the grader that comes
    # first was called by the test
    for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
        path = _real(frame.f_code.co_filename)
        if path.parent == folder:
            test, line = test.parent / path.name, number
            break
        if path.is_relative_to(_GRADER) and not isinstance(error, _WRONG_INPUT):
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
