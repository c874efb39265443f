"""The budget of a whole submission, beside the limits of each check."""

from msgspec import Struct

from .reason import Died

MAX_CPU_S = 60.0
MAX_WALL_S = 90.0


class Budget(Struct):
    """The seconds of CPU time and of waiting that a submission has used, of those that it may use.

    Only waiting for learner code counts as waiting, so a grader that was stopped meanwhile blames nobody.
    """

    max_cpu_s: float = MAX_CPU_S
    max_wall_s: float = MAX_WALL_S
    cpu_s: float = 0.0
    wall_s: float = 0.0

    @property
    def left_cpu_s(self) -> float:
        """The seconds of CPU time that may still be used."""
        return self.max_cpu_s - self.cpu_s

    @property
    def left_wall_s(self) -> float:
        """The seconds that may still be waited."""
        return self.max_wall_s - self.wall_s

    @property
    def cpu_exceeded(self) -> Died:
        """The reason why a file is not run, or is stopped, when no CPU time is left."""
        return Died("budget", seconds=self.max_cpu_s, clock="cpu")

    @property
    def exceeded(self) -> Died | None:
        """Why nothing more is run, or None."""
        if self.left_cpu_s <= 0:
            return self.cpu_exceeded
        if self.left_wall_s <= 0:
            return Died("budget", seconds=self.max_wall_s, clock="wall")
        return None
