"""The budget of a whole submission, in addition to the limits of each check."""

from collections.abc import Callable

from msgspec import Struct

from ..remarks import Died

MAX_CPU_S = 60.0
MAX_WALL_S = 90.0


class Budget(Struct):
    """The CPU time and the waiting time of a submission in seconds: used, and allowed.

    Only time spent waiting for learner code counts, so a suspended grader costs the submission nothing.

    Attributes:
        withdrawn: Returns whether the submission is no longer to be graded. Then nothing more is run, as if all time
            were used.
    """

    max_cpu_s: float = MAX_CPU_S
    max_wall_s: float = MAX_WALL_S
    cpu_s: float = 0.0
    wall_s: float = 0.0
    withdrawn: Callable[[], bool] = lambda: False

    @property
    def left_cpu_s(self) -> float:
        """Return the CPU seconds that may still be used."""
        return self.max_cpu_s - self.cpu_s

    @property
    def left_wall_s(self) -> float:
        """Return the waiting seconds that may still be used."""
        return self.max_wall_s - self.wall_s

    @property
    def cpu_exceeded(self) -> Died:
        """Return the reason for not running, or stopping, a file when no CPU time is left."""
        return Died("budget", seconds=self.max_cpu_s, clock="cpu")

    @property
    def exceeded(self) -> Died | None:
        """Return the reason why nothing more is run, or None."""
        if self.left_cpu_s <= 0:
            return self.cpu_exceeded
        if self.left_wall_s <= 0 or self.withdrawn():
            return Died("budget", seconds=self.max_wall_s, clock="wall")
        return None
