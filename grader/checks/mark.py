"""Bind a test function to a check of `course.yaml`."""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., None])


def check(check_id: str) -> Callable[[F], F]:
    """Mark a test as the one that implements the check `check_id` of its file's exercise."""

    def mark(function: F) -> F:
        function.check_id = check_id  # type: ignore[attr-defined]
        return function

    return mark
