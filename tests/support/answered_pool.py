"""A pool that grades nothing."""

from collections.abc import Callable

from grader.base.processes import Done
from grader.cohort.run import Job, Outcome


class AnsweredPool:
    """A pool in which the function `answer` gives the outcome of each job. `graded` has the ids of the jobs."""

    room = 4

    def __init__(self, answer: Callable[[Job], Outcome]) -> None:
        self.answer = answer
        self.graded: list[str] = []

    def start(self) -> str:
        return "namespaces"

    def begin(self, job: Job, done: Done) -> None:
        self.graded.append(job.id)
        done(self.answer(job))

    def close(self) -> None:
        pass
