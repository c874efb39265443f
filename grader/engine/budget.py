"""What one submission may cost altogether, on top of what each check may."""

from dataclasses import dataclass

from .reason import Died

MAX_CPU_S = 60.0
MAX_WALL_S = 90.0


@dataclass
class Budget:
    """The seconds of CPU time and of waiting that a submission has used, of those that it may use.

    Only waiting for learner code counts as waiting, so a grader that was stopped meanwhile blames nobody.
    """

    max_cpu_s: float = MAX_CPU_S
    max_wall_s: float = MAX_WALL_S
    cpu_s: float = 0.0
    wall_s: float = 0.0

    @property
    def exceeded(self) -> Died | None:
        """Why nothing more is run, or None."""
        if self.cpu_s >= self.max_cpu_s:
            return Died("budget", seconds=self.max_cpu_s, clock="cpu")
        if self.wall_s >= self.max_wall_s:
            return Died("budget", seconds=self.max_wall_s, clock="wall")
        return None
