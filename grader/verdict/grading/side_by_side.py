"""Grade exercises of one submission side by side: some in this process, and others in forks of it.

This process takes exercises from the beginning of the course, and its helpers take them from the end. Each helper has a
sandbox of its own, and runs one file at a time. What it returns is what this process would have found with a budget
that nothing else uses. If a helper fails in any way, this process grades what is missing.
"""

import fcntl
import os
import signal
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import IO, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...base.processes import receive, send
from ...course.load import Check, Exercise
from ...runner.client import Budget
from ...runner.sandbox import Started
from ..report import CheckResult, ExerciseResult
from .examination import CheckBegan, CheckEnded, Examined, Grader, GradingEvent

GradeOne: TypeAlias = Callable[
    [Grader, Exercise, Budget], Generator[GradingEvent, None, tuple[ExerciseResult, Examined]]
]
_NUMBER = 2  # bytes of an exercise's number
_PIPE = 1 << 20  # bytes that wait in a pipe


class HelperResult(Struct, frozen=True):
    """The result of an exercise that a helper has graded.

    Attributes:
        limited: As in `Examined`.
        cpu_s, wall_s, clock_s: What the exercise has used of its budget.
    """

    result: ExerciseResult
    limited: bool
    cpu_s: float
    wall_s: float
    clock_s: float

    @property
    def used(self) -> Budget:
        """Return what the exercise has used."""
        return Budget(cpu_s=self.cpu_s, wall_s=self.wall_s, clock_s=self.clock_s)


class _HelperMessage(Struct, frozen=True):
    """A check of an exercise has begun or ended, or the exercise is graded."""

    exercise: str
    began: Check | None = None
    ended: CheckResult | None = None
    graded: HelperResult | None = None


class Helpers:
    """The helpers of this process. A context manager, which ends them.

    Args:
        grader: What this process grades with.
        grade: Grades one exercise.
        exercises: The exercises that are graded side by side, in the order of the course.
        sandboxes: A server process for each helper.
    """

    def __init__(
        self, grader: Grader, grade: GradeOne, exercises: Sequence[Exercise], sandboxes: Sequence[Started]
    ) -> None:
        self._exercises = exercises
        self._by_id = {exercise.id: exercise for exercise in exercises}
        self._readers: list[IO[bytes]] = []
        self._pids: list[int] = []
        self._messages = defaultdict[str, deque[_HelperMessage]](deque)
        # a process takes an exercise after it has read a byte of the first pipe; the second has the helpers' exercises
        numbers = [number.to_bytes(_NUMBER, "big") for number in reversed(range(len(exercises)))]
        self._left, self._last = (_pipe_with(data) for data in (b"." * len(exercises), b"".join(numbers)))
        for sandbox in sandboxes:
            self._fork(grader, sandbox, grade)

    def __enter__(self) -> "Helpers":
        return self

    def __exit__(self, *_: object) -> None:
        for pid in self._pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        for reader in self._readers:
            reader.close()
        os.close(self._left)
        os.close(self._last)

    def events(self, exercise: Exercise) -> Generator[GradingEvent, None, HelperResult | None]:
        """Yield the progress of an exercise, and return its result. Return None if this process has to grade it.

        Call this for each of the exercises, in their order. It yields `CheckBegan` as soon as a helper sends it, for
        any exercise. It yields how the checks of an exercise ended only when this is called for that exercise.
        """
        if os.read(self._left, 1):
            return None
        messages = self._messages[exercise.id]
        while True:
            while messages:
                message = messages.popleft()
                if message.graded is not None:
                    return message.graded
                if message.ended is not None:
                    yield CheckEnded(exercise, message.ended)
            received = self._receive()
            if received is None:
                return None
            if received.began is not None:
                yield CheckBegan(self._by_id[received.exercise], received.began)
            self._messages[received.exercise].append(received)

    def _receive(self) -> _HelperMessage | None:
        """Return the next message of the first helper that has not ended, or None if there is no helper."""
        while self._readers:
            with suppress(OSError, ValueError):
                message: _HelperMessage | None = receive(self._readers[0], _HelperMessage)
                if message is not None:
                    return message
            self._readers.pop(0).close()
        return None

    def _fork(self, grader: Grader, sandbox: Started, grade: GradeOne) -> None:
        reading, writing = os.pipe()
        with suppress(OSError):
            # a helper does not wait until its results are read
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE)
        pid = os.fork()
        if pid:
            os.close(writing)
            self._readers.append(os.fdopen(reading, "rb"))
            self._pids.append(pid)
            return
        # in the helper, which ends here, and without the exit handlers of its parent
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the parent, which ends its helpers
            # no helper keeps a reading end, so that after the end of the parent, the next message ends the helper
            os.close(reading)
            for other in self._readers:
                other.close()
            grader.oracle.computes = False  # a process for answers takes more memory than a file may
            with os.fdopen(writing, "wb") as writer:
                self._help(replace(grader, warm=sandbox), grade, writer)
            code = 0
        finally:
            os._exit(code)

    def _help(self, grader: Grader, grade: GradeOne, writer: IO[bytes]) -> None:
        """Grade exercises until none is left. An exception ends the helper."""
        while os.read(self._left, 1):
            exercise = self._exercises[int.from_bytes(os.read(self._last, _NUMBER), "big")]
            budget = Budget()
            running = grade(grader, exercise, budget)
            try:
                while True:
                    match next(running):
                        case CheckBegan(_, check):
                            send(writer, _HelperMessage(exercise.id, began=check))
                        case CheckEnded(_, result):
                            send(writer, _HelperMessage(exercise.id, ended=result))
            except StopIteration as end:
                graded, examined = end.value
            used = (budget.cpu_s, budget.wall_s, budget.clock_s)
            send(writer, _HelperMessage(exercise.id, graded=HelperResult(graded, examined.limited, *used)))


def _pipe_with(data: bytes) -> int:
    """Return the reading end of a pipe with this data. Each of several processes that read from it gets other bytes."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return reading
