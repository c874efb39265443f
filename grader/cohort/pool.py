"""A pool of grading processes on one machine. A process that dies is started again."""

import contextlib
import os
import subprocess
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ..base.processes import start_module
from ..words.instructor import cohort as said
from .run import Faulted, Graded, Job, Outcome, Ready, Reply, Settings
from .side_by_side import side_by_side

_TRIES = 2  # retry once in a fresh process
_AHEAD = 2  # finished reports for each process that may wait until they are written


class PoolError(RuntimeError):
    """Nothing can be graded: the course, the checks or the sandbox cannot be loaded here."""


class GradingProcess:
    """A context manager that runs one grading process. `grade` never raises because of a submission."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._decoder = msgspec.json.Decoder(Reply)

    def start(self) -> None:
        """Start the process and wait until it can grade. Raises `PoolError`."""
        message = ""
        for _ in range(_TRIES):
            self._process = start_module("grader.cohort.grading_process", errors=bool(os.environ.get("GRADE_DEBUG")))
            ready = self._exchange(self.settings)
            if isinstance(ready, Ready):
                # a process that replaces this one must not use a weaker tier
                self.settings = msgspec.structs.replace(self.settings, isolation=ready.tier)
                return
            self.close()
            message = ready.message if isinstance(ready, Faulted) else "a grading process did not start"
        raise PoolError(message)

    def grade(self, job: Job) -> Outcome:
        """Grade a submission. Raises `PoolError`."""
        message = ""
        for _ in range(_TRIES):
            if self._process is None:
                self.start()
            reply = self._exchange(job)
            if isinstance(reply, Graded) and reply.id == job.stamp.id:
                return reply
            self.close()  # the next attempt starts another process
            message = reply.message if isinstance(reply, Faulted) else said.grading_killed()
            if isinstance(reply, Faulted) and not reply.id:
                raise PoolError(message)
        return Faulted(job.stamp.id, message)

    def _exchange(self, message: Settings | Job) -> Any:
        """Send a line and return the reply, or None if the process has ended."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(msgspec.json.encode(message) + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
            return self._decoder.decode(line) if line.endswith(b"\n") else None
        except (OSError, ValueError):  # a closed pipe, or a truncated line
            return None

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            process.wait()

    def __enter__(self) -> "GradingProcess":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class LocalPool:
    """Grading processes on this machine, each driven by a thread. A free process takes the next job."""

    def __init__(self, settings: Settings, count: int) -> None:
        self._processes = [GradingProcess(settings) for _ in range(count)]

    def start(self) -> str:
        """Start the first process and return its tier, which the others will also use. Raises `PoolError`."""
        self._processes[0].start()
        for process in self._processes:
            process.settings = self._processes[0].settings
        return self._processes[0].settings.isolation

    def grade(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Yield an outcome for each job as it finishes. Raises `PoolError`, and any error of `jobs`."""
        try:
            yield from side_by_side([process.grade for process in self._processes], jobs, _AHEAD * len(self._processes))
        finally:
            self.close()

    def close(self) -> None:
        for process in self._processes:
            process.close()
