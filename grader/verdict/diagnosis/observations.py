"""The numbers that fault facts compare: observed gradients, with the right ones beside them."""

import math
from collections.abc import Sequence
from functools import lru_cache

from ...course.program import Form, Program, number_text, program
from ...runner.client import (
    Numbers,
)
from ..checks.outcome import close, nearly

ENOUGH = 3  # the fewest sets of numbers for a fact about an input; the fewest programs for one about `backward()`


def program_of(form: Form, x: Sequence[float]) -> Program:
    """Return the program of an operation for a set of numbers, such as `L = a * b`."""
    text = form.text.replace("n", number_text(x[-1])) if len(x) > len(form.derivatives) else form.text
    return program(f"L = {text}", **dict(zip("ab"[: len(form.derivatives)], x, strict=False)))


class Single(float):
    """A number of single precision. `is_close` compares it with a wider tolerance."""


class NoNumber(float):
    """The number nan, in place of a gradient that is no number."""

    def __new__(cls, kind: str) -> "NoNumber":
        """Return nan, with the name of the gradient's type."""
        made = super().__new__(cls, math.nan)
        made.kind = kind
        return made

    kind: str


@lru_cache(maxsize=256)
def expected_grads(p: Program) -> tuple[float, ...]:
    """Return the derivatives of the root with respect to each node."""
    return p.gradients()


def numbers_of(observed: Numbers) -> list[float]:
    """Return the observed gradients, with `NoNumber` in place of anything that is not a number."""
    return [value if isinstance(value, float) else NoNumber(value.type) for value in observed]


def is_close(one: object, other: float) -> bool:
    """Return whether an observation is a number, and equal to the expected number up to rounding."""
    if isinstance(one, Single):
        return nearly(one, other)
    return isinstance(one, float) and close(one, other, abs(other))


def apart(one: float, other: float) -> tuple[str, str]:
    """Return two different numbers as text, with at least six digits and enough to distinguish them."""
    texts = ((f"{one:.{digits}g}", f"{other:.{digits}g}") for digits in (6, 9, 12, 17))
    return next((pair for pair in texts if pair[0] != pair[1]), (repr(one), repr(other)))
