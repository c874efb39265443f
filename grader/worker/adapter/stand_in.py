"""Replace a learner's function by another one that looks the same to the learner's code."""

import copy
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

_OF_CODE = ("co_name", "co_qualname", "co_filename", "co_firstlineno")  # Python 3.10 has no co_qualname


def in_place_of(original: Any, act: Callable[..., Any]) -> Any:
    """Return a callable that does `act`, but has the type, name and attributes of the learner's `original`.

    Learner code therefore cannot detect by the type of a function that it is watched.
    """
    if type(original) is MethodType:
        return MethodType(
            in_place_of(original.__func__, lambda _, *rest, **named: act(*rest, **named)), original.__self__
        )
    if type(original) is FunctionType:
        return _function_like(original, act)
    kind = type(original)
    try:
        copied = copy.copy(original)
        copied.__class__ = type(kind.__name__, (kind,), {"__call__": lambda _, *rest, **named: act(*rest, **named)})
    except Exception:  # it cannot be copied, or its class cannot be changed
        return act
    return copied


def is_stand_in(code: CodeType) -> bool:
    """Return whether a code object that claims to be in the learner's file is that of a replacement."""
    return code.co_freevars == ("act_instead",)


def _function_like(original: FunctionType, act_instead: Callable[..., Any]) -> FunctionType:
    def stand_in(*arguments: Any, **named: Any) -> Any:
        return act_instead(*arguments, **named)

    theirs = original.__code__
    names: dict[str, Any] = {name: getattr(theirs, name) for name in _OF_CODE if hasattr(theirs, name)}
    code = stand_in.__code__.replace(**names)
    made = FunctionType(code, original.__globals__, original.__name__, None, stand_in.__closure__)
    made.__qualname__, made.__doc__, made.__module__ = original.__qualname__, original.__doc__, original.__module__
    made.__dict__.update(original.__dict__)
    return made
