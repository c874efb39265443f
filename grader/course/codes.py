"""The codes of failures for which `hint_for` in `course.yaml` may choose a hint."""

import builtins
from typing import Literal, TypeAlias, get_args

# Kinds of fault facts. `grader.diagnosis.facts` says what each one means.
FactKind: TypeAlias = Literal[
    "single_precision",
    "value",
    "gives_other",
    "overwrites",
    "gives_input",
    "rule_is_none",
    "no_rule",
    "nothing_added",
    "no_upstream",
    "upstream_added",
    "sign",
    "factor",
    "local_derivative",
    "swapped",
    "gradient_for_value",
    "parentheses",
    "contribution",
    "depends_on_gradients",
    "upstream_cleared",
    "not_seeded",
    "all_cleared",
    "seed",
    "no_rule_ran",
    "nothing_propagated",
    "all_ones",
    "stops_at",
    "ran_twice",
    "never_ran",
    "ran_early",
    "second_pass",
    "wrong_gradient",
]
# Kinds of remarks. `grader.remarks` says what each one means. The others only say how a program was run.
REMARKS = (
    "before_input",
    "changed",
    "cleared",
    "data_changed",
    "depends_on_order",
    "disordered",
    "gave_none",
    "in_place",
    "int_leaves",
    "listed_twice",
    "never_ran",
    "no_gradient_changed",
    "no_list",
    "no_node",
    "no_rules",
    "not_called",
    "not_listed",
    "not_right",
    "nothing_stored",
    "ones_at_first",
    "ran_early",
    "ran_twice",
    "returned",
    "seed_changed",
    "unrelated",
)
# Operations: the failing program has only this one, or a fault fact is about it. In those that begin with r, a plain
# number is on the left; `relu_below_zero` is only the operation of a fact.
_ARITHMETIC = ("add", "sub", "mul", "div", "pow", "neg", "radd", "rsub", "rmul", "rdiv")
OPERATIONS = (*_ARITHMETIC, "relu", "relu_below_zero", "tanh", "exp", "log", "sigmoid")
# Reasons why there is nothing to compare.
_SHAPES = ("shape", "no_gradient", "no_backward")
STOPS = ("not_offered", "wants_argument", *_SHAPES, "calls", "cpu", "stalled", "cpu_limit", "wall_limit")
STATUSES = ("not_started", "timeout", "crashed", "error")

CODES = tuple(dict.fromkeys((*get_args(FactKind), *REMARKS, *OPERATIONS, *STOPS, *STATUSES)))


def is_code(name: str) -> bool:
    """Return whether a name is one of `CODES`, or that of an exception of Python's own, such as `RecursionError`."""
    found = getattr(builtins, name, None)
    return name in CODES or (isinstance(found, type) and issubclass(found, Exception))
