"""A pool that grades nothing."""

from collections.abc import Callable
from typing import Any

from grader.base.processes import OnDone
from grader.classes.cohort.jobs import Outcome, Task


class AnsweredPool:
    """A pool in which the function `answer` gives the outcome of each job. `graded` has the ids of the jobs."""

    room = 4

    def __init__(self, answer: Callable[[Any], Outcome]) -> None:
        self.answer = answer
        self.graded: list[str] = []

    def start(self) -> str:
        return "namespaces"

    def begin(self, job: Task, done: OnDone) -> None:
        self.graded.append(job.id)
        done(self.answer(job))

    def close(self) -> None:
        pass
