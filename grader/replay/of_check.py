"""Find the program on which a check failed, by running the checks of its exercise on the learner's file."""

from collections.abc import Iterator

from ..checks import EngineUnderCheck
from ..checks.questions import recorded
from ..client import Run, Source
from ..course import Check, Exercise
from ..grading import Grader, examine
from .asked import Asked


class CheckedFile:
    """The file of an exercise after its checks were run under the grader's seed."""

    def __init__(self, grader: Grader, exercise: Exercise, source: Source) -> None:
        self.exercise = exercise
        self._examined = examine(grader, exercise, source)

    @property
    def loaded(self) -> bool:
        """Return whether the file could be loaded, so that checks were run."""
        return bool(self._examined.outcomes)

    def passed(self, check: Check) -> bool:
        """Return whether the file passed a check."""
        return check.id not in self._examined.failures

    def first(self) -> Asked | None:
        """Return the program of the first failing check that can be shown, or else of the first passed one, or None."""
        checks = sorted(filter(is_open, self.exercise.checks), key=self.passed)  # failed checks come first
        return next(filter(None, map(self.of, checks)), None)

    def of(self, check: Check) -> Asked | None:
        """Return the program on which a check failed, or its first program if it passed; None if none can be shown."""
        engine = self._examined.engines.get(check.id)
        run = next(filter(None, map(recorded, _runs(engine))), None) if engine else None
        return Asked(check.title, run) if run else None


def _runs(engine: EngineUnderCheck) -> Iterator[Run]:
    if engine.failing is not None:
        yield engine.failing
    else:
        for shown in engine.shown:
            yield from shown.runs


def is_open(check: Check) -> bool:
    """Return whether a learner may see the programs of a check."""
    return check.visibility == "visible" or check.detail == "full"
