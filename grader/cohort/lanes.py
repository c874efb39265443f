"""Where jobs go on one machine: lanes side by side, each a process that is started again when it dies."""

import contextlib
import os
import subprocess
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ..processes import start_module
from .job import Faulted, Graded, Job, Outcome, Ready, Reply, Settings
from .side_by_side import side_by_side

_TRIES = 2  # what a lane dies of is tried with a new one, once
_AHEAD = 2  # jobs for each lane whose reports may wait to be written


class LaneError(RuntimeError):
    """Nothing can be graded: the course, the checks or the sandbox cannot be had here."""


class Lane:
    """One grading process. A context manager; `grade` never raises for what a submission did."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._decoder = msgspec.json.Decoder(Reply)

    def start(self) -> None:
        """Start the process and wait until it can grade. Raises `LaneError`."""
        message = ""
        for _ in range(_TRIES):
            self._process = start_module("grader.cohort.lane", errors=bool(os.environ.get("GRADE_DEBUG")))
            ready = self._exchange(self.settings)
            if isinstance(ready, Ready):
                # a lane that takes this one's place must not make do with less
                self.settings = msgspec.structs.replace(self.settings, isolation=ready.tier)
                return
            self.close()
            message = ready.message if isinstance(ready, Faulted) else "a grading process did not start"
        raise LaneError(message)

    def grade(self, job: Job) -> Outcome:
        """Grade a submission. Raises `LaneError`."""
        message = ""
        for _ in range(_TRIES):
            if self._process is None:
                self.start()
            reply = self._exchange(job)
            if isinstance(reply, Graded) and reply.id == job.stamp.id:
                return reply
            self.close()  # started again for the next job
            message = reply.message if isinstance(reply, Faulted) else "the process that graded it was ended"
            if isinstance(reply, Faulted) and not reply.id:
                raise LaneError(message)
        return Faulted(job.stamp.id, message)

    def _exchange(self, message: Settings | Job) -> Any:
        """Send a line and read one; None where the process has ended."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(msgspec.json.encode(message) + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
            return self._decoder.decode(line) if line.endswith(b"\n") else None
        except (OSError, ValueError):  # a closed pipe, a line cut short
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

    def __enter__(self) -> "Lane":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class LocalLanes:
    """Lanes on this machine, each with a thread that feeds it. Jobs are taken from their iterable one by one, as lanes
    become free."""

    def __init__(self, settings: Settings, count: int) -> None:
        self._lanes = [Lane(settings) for _ in range(count)]

    def start(self) -> str:
        """Start the first lane; which tier it reached. Raises `LaneError`."""
        self._lanes[0].start()
        for lane in self._lanes:
            lane.settings = self._lanes[0].settings
        return self._lanes[0].settings.isolation

    def grade(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """An outcome for each job, in the order in which they come. Raises `LaneError`, and what `jobs` raises."""
        try:
            yield from side_by_side([lane.grade for lane in self._lanes], jobs, _AHEAD * len(self._lanes))
        finally:
            self.close()

    def close(self) -> None:
        for lane in self._lanes:
            lane.close()
