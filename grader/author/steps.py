"""The progress of a long command, in steps of about the same length that are counted in advance."""

from collections.abc import Callable
from typing import TypeAlias

OnStep: TypeAlias = Callable[[str, int, int], None]
"""Called as a step begins, with its name, the number of steps done, and the number of all steps."""


def unheard(text: str, done: int, total: int) -> None:
    """Ignore a step."""


class Steps:
    """Counts steps and reports each one."""

    def __init__(self, on_step: OnStep = unheard, total: int = 0) -> None:
        self.total = total
        self._on_step = on_step
        self._done = 0

    def take(self, text: str) -> None:
        """Report the beginning of a step."""
        self._on_step(text, self._done, max(self.total, self._done + 1))
        self._done += 1
