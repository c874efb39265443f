"""A process that grades submissions one after another, each in a fork.

`GradingProcess` starts this process. The process collects the checks once. It then reads settings and
jobs from standard input as lines of JSON, and writes a line to standard output for each of them.
"""

import gc
import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

import msgspec
from msgspec.structs import replace

from .. import sandbox
from ..checks.outcome import GraderFault
from ..checks.session import CheckSession
from ..course import CourseError, load_course
from ..grading import Grader, grade_submission, plan
from ..oracle import Oracle, OracleError
from ..oracle.answer_book import read_book
from ..sandbox import IsolationError, WorkerGone
from ..words.instructor import cohort as said
from .run import Faulted, Graded, Job, Ready, Reply, Settings

_EXPECTED = (CourseError, GraderFault, OracleError, WorkerGone, IsolationError)


def main() -> None:
    jobs, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)  # a stray print must not reach the replies
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

    def serve(self) -> None:
        settings = self.settings
        course = load_course(Path(os.fsdecode(settings.course)))
        if course.hash != settings.course_hash:
            raise CourseError(
                course.file, None, "the course has changed since the run was started; run `grade cohort` again"
            )
        book = read_book(course.book)
        with ExitStack() as stack:
            oracle = stack.enter_context(Oracle(book, None))
            oracle.known.update(settings.drawn.answers)
            oracle.redraw(settings.seed).leaves.update(settings.drawn.redrawn)
            warm = stack.enter_context(
                sandbox.start(settings.isolation, allow_imports=course.allow_imports, official=settings.official)
            )
            _send(self.replies, Ready(warm.tier))
            checks = stack.enter_context(CheckSession(course, course.exercises))
            grader = Grader(course, book, checks, oracle, warm, settings.seed)
            torch = stack.enter_context(Oracle(None, None))
            if settings.fork:
                plan(checks, oracle, settings.seed)  # parse and draw all programs, so that every fork inherits them
                gc.collect()
                gc.freeze()  # fewer pages are copied in a fork
            while (job := self._next()) is not None:
                suited = grader
                if job.seed not in ("", grader.seed):
                    with suppress(OracleError):  # raised again, as the fault of this job, when an answer is needed
                        torch.start()  # here, so that every fork uses the same process
                    suited = replace(grader, oracle=torch.with_answers(book), seed=job.seed)
                if settings.fork:
                    self._pass_on(job, suited)
                else:
                    _send(self.replies, _graded(job, suited))

    def _next(self) -> Job | None:
        line = self.jobs.readline()
        return self.decoder.decode(line) if line.endswith(b"\n") else None

    def _pass_on(self, job: Job, grader: Grader) -> None:
        """Grade a job in a fork, and write the fork's reply to standard output.

        If the fork ends without a reply, this process ends as well, and a new process takes over. The fork may have
        left the server process in an undefined state.
        """
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ours)
            gc.disable()
            with os.fdopen(theirs, "wb") as pipe:
                _send(pipe, _graded(job, grader))
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours, "rb") as pipe:
            reply = pipe.read()
        _, status = os.waitpid(pid, 0)
        if not reply.endswith(b"\n"):
            signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
            _send(self.replies, Faulted(job.stamp.id, said.grading_ended(signal, os.WEXITSTATUS(status))))
            os._exit(1)
        self.replies.write(reply)
        self.replies.flush()


def _graded(job: Job, grader: Grader) -> Reply:
    try:
        return Graded(job.stamp.id, grade_submission(grader, job.submission))
    except _EXPECTED as error:
        return Faulted(job.stamp.id, str(error))


if __name__ == "__main__":
    main()
