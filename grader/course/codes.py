"""The codes of failures for which `hint_for` in `course.yaml` may choose a hint."""

import builtins
from typing import get_args

from ..program import FORMS
from ..remarks import (
    BuiltAgain,
    ListChanged,
    Released,
    Remark,
    RulesRunAgain,
    RuleTripled,
    SecondPass,
    StartingFrom,
)
from ..words.facts import FactKind

# Kinds of remarks. `grader.remarks` says what each one means. The others only say how a program was run.
_NO_CODES = (StartingFrom, SecondPass, BuiltAgain, Released, RulesRunAgain, RuleTripled, ListChanged)
REMARKS = tuple(str(one.__struct_config__.tag) for one in get_args(Remark) if one not in _NO_CODES)
# Operations: the failing program has only this one, or a fault fact is about it. In those that begin with r, a plain
# number is on the left; `relu_below_zero` is only the operation of a fact.
OPERATIONS = tuple(FORMS)
# Reasons why there is nothing to compare.
_SHAPES = ("shape", "no_gradient", "no_backward")
STOPS = ("not_offered", "wants_argument", *_SHAPES, "calls", "cpu", "stalled", "cpu_limit", "wall_limit")
STATUSES = ("not_started", "timeout", "crashed", "error")

CODES = tuple(dict.fromkeys((*get_args(FactKind), *REMARKS, *OPERATIONS, *STOPS, *STATUSES)))


def is_code(name: str) -> bool:
    """Return whether a name is one of `CODES`, or that of an exception of Python's own, such as `RecursionError`."""
    found = getattr(builtins, name, None)
    return name in CODES or (isinstance(found, type) and issubclass(found, Exception))
