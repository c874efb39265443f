"""A process that grades one submission after another: the checks are collected once, each submission is a fork of that.

Started by `Lane` as `python -m grader.cohort.lane`. Settings, then jobs, come on standard input as lines of JSON; a
reply goes to standard output for each.
"""

import gc
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, NoReturn

import msgspec

from .. import sandbox
from ..checks.session import GraderFault
from ..course import CourseError, load_course
from ..grading import Submission, grade_submission, plan
from ..oracle import Oracle, OracleError, read_book
from ..report import Report
from ..sandbox import IsolationError, WorkerGone
from .job import Faulted, Graded, Job, Ready, Reply, Settings

_EXPECTED = (CourseError, GraderFault, OracleError, WorkerGone, IsolationError)


def main() -> None:
    jobs, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)  # what anything prints by mistake is no reply
    try:
        _Serving(jobs, replies).serve()
    except _EXPECTED as error:
        _send(replies, Faulted("", str(error)))
        sys.exit(1)


def _send(replies: IO[bytes], reply: Reply) -> None:
    replies.write(msgspec.json.encode(reply) + b"\n")
    replies.flush()


class _Serving:
    def __init__(self, jobs: IO[bytes], replies: IO[bytes]) -> None:
        self.jobs, self.replies = jobs, replies
        self.decoder = msgspec.json.Decoder(Job)
        self.settings = msgspec.json.decode(jobs.readline(), type=Settings)
        self.mine = -1

    def serve(self) -> None:
        settings = self.settings
        course = load_course(Path(settings.course))
        if course.hash != settings.course_hash:
            raise CourseError(course.file, None, "this course is not the one that the run was started with")
        self.course, self.book = course, read_book(course.book)
        with ExitStack() as stack:
            self.oracle = stack.enter_context(Oracle(self.book, None))
            self.oracle.known.update(settings.answers)
            self.warm = stack.enter_context(
                sandbox.start(settings.isolation, allow_imports=course.allow_imports, official=settings.official)
            )
            _send(self.replies, Ready(self.warm.tier))
            if settings.fork:
                plan(course, self.oracle, settings.seed)  # every fork inherits the programs that it parses and draws
                self._fork_each()
            while (job := self._next()) is not None:
                _send(self.replies, self._grade(job))

    def _next(self) -> Job | None:
        line = self.jobs.readline()
        return self.decoder.decode(line) if line.endswith(b"\n") else None

    def _report(self, obtain: Callable[[], Submission]) -> Report:
        return grade_submission(
            self.course,
            self.book,
            self.course.exercises,
            obtain,
            warm=self.warm,
            oracle=self.oracle,
            seed=self.settings.seed,
        )

    def _grade(self, job: Job) -> Reply:
        """The slower path, where there is no fork: pytest collects anew for each submission."""
        try:
            return Graded(job.stamp.id, self._report(lambda: job.submission))
        except (GraderFault, OracleError) as error:
            return Faulted(job.stamp.id, str(error))

    def _fork_each(self) -> NoReturn:
        """Collect the checks; then every job's fork comes out of `obtain`, grades, and ends."""
        current = ""

        def obtain() -> Submission:
            nonlocal current
            gc.collect()
            gc.freeze()  # a fork then copies fewer pages
            job = self._fork()
            current = job.stamp.id
            return job.submission

        reply: Reply
        try:
            report = self._report(obtain)
            reply = Graded(report.submission.id, report)
        except _EXPECTED as error:
            reply = Faulted(current, str(error))
            if self.mine < 0:  # nothing was forked: it holds for every submission
                raise
        with os.fdopen(self.mine, "wb") as pipe:
            _send(pipe, reply)
        os._exit(0)

    def _fork(self) -> Job:
        """Fork for each job and pass on what the fork says; returns in the forks alone."""
        while (job := self._next()) is not None:
            ours, theirs = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(ours)
                self.mine = theirs
                gc.disable()
                return job
            os.close(theirs)
            with os.fdopen(ours, "rb") as pipe:
                reply = pipe.read()
            _, status = os.waitpid(pid, 0)
            if not reply.endswith(b"\n"):
                # the worker process may have been left in the middle of anything: a new lane takes over
                how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"status {os.WEXITSTATUS(status)}"
                _send(self.replies, Faulted(job.stamp.id, f"the process that graded it ended with {how}"))
                os._exit(1)
            self.replies.write(reply)
            self.replies.flush()
        self.warm.close()
        os._exit(0)


if __name__ == "__main__":
    main()
