"""A process that grades submissions one after another, each in a fork.

`GradingProcess` starts this process as a service. It gets settings, collects the checks once, and then gets jobs.
"""

import gc
import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from msgspec.structs import replace

from ...base.processes import own_streams, receive, send
from ...course.load import CourseError, load_course
from ...course.oracle import Oracle, OracleError, read_book
from ...runner import sandbox
from ...runner.sandbox import IsolationError, WorkerGone
from ...verdict.checks import CheckSession, GraderFault
from ...verdict.grading import Grader, grade_submission, is_run, plan, search_submission
from ...words import instructor as words
from .jobs import Faulted, Graded, GradingReady, GradingReply, Job, SearchAdditions, Settings, Task

# faults of the grader or of its machine, which are reported and not raised
_EXPECTED = (CourseError, GraderFault, OracleError, WorkerGone, IsolationError)


def main() -> None:
    jobs, replies = own_streams()
    try:
        _Serving(jobs, replies).serve()
    except _EXPECTED as error:
        send(replies, Faulted("", str(error)))
        sys.exit(1)


class _Serving:
    def __init__(self, jobs: IO[bytes], replies: IO[bytes]) -> None:
        self.jobs, self.replies = jobs, replies
        self.settings: Settings = receive(jobs, Settings)

    def serve(self) -> None:
        settings = self.settings
        course = load_course(Path(os.fsdecode(settings.course)))
        # all processes of a run must grade with the same checks
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
            # now, so that the run can start the other processes while this one collects the checks
            send(self.replies, GradingReady(warm.tier))
            checks = stack.enter_context(CheckSession(course, course.exercises))
            grader = Grader(course, book, checks, oracle, warm, settings.seed)
            torch = stack.enter_context(Oracle(None, None))
            gc.collect()
            gc.freeze()  # fewer pages are copied in a fork
            planned = set[str]()
            while (job := receive(self.jobs, Task)) is not None:
                suited = grader
                if job.seed in ("", grader.seed):
                    # parse and draw the programs of each exercise once, so that every further fork inherits them
                    sources = job.submission.sources.items()
                    run = {name for name, source in sources if is_run(source, book.stubs.get(name))} - planned
                    plan(checks, oracle, grader.seed, [one for one in checks.exercises if one.id in run])
                    planned |= run
                else:
                    with suppress(OracleError):  # raised again, as the fault of this job, when an answer is needed
                        torch.start()  # here, so that every fork uses the same process
                    suited = replace(grader, oracle=torch.with_answers(book), seed=job.seed)
                self._pass_on(job, suited)

    def _pass_on(self, job: Task, grader: Grader) -> None:
        """Grade or search in a fork, and write the fork's reply to standard output.

        If the fork ends without a reply, this process ends as well, and a new process takes over. The fork may have
        left the server process in an undefined state.
        """
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ours)
            # a collection would copy the pages that the fork shares with this process
            gc.disable()
            with os.fdopen(theirs, "wb") as pipe:
                send(pipe, _done(job, grader))
            # without the exit handlers, which belong to this process
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours, "rb") as pipe:
            reply = pipe.read()
        _, status = os.waitpid(pid, 0)
        if status or not reply:
            signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
            send(self.replies, job.failed(words.grading_ended(signal, os.WEXITSTATUS(status))))
            os._exit(1)
        self.replies.write(reply)
        self.replies.flush()


def _done(job: Task, grader: Grader) -> GradingReply:
    try:
        if isinstance(job, Job):
            return Graded(job.id, grade_submission(grader, job.submission))
        return SearchAdditions(job.id, tuple(search_submission(grader, job.submission, job.exercises)))
    except _EXPECTED as error:
        return job.failed(str(error))


if __name__ == "__main__":
    main()
