"""Limit learner code: CPU time, time without progress, memory, files and descriptors; or the steps of its loops."""

import _thread
import contextlib
import math
import signal
import sys
import time

# the C functions, because `signal.signal` converts each handler to an enum and back
from _signal import SIG_IGN  # type: ignore[import-not-found]
from _signal import signal as set_handler
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

_TIMED = resource is not None and hasattr(signal, "setitimer")
# without a timer of the system, a thread acts as if one of these signals had arrived (`look`, `wake`)
_OUT_OF_TIME: Any = getattr(signal, "SIGPROF", signal.SIGTERM)
STALLED: Any = getattr(signal, "SIGUSR2", signal.SIGABRT)
STALLED_S = 5  # seconds without CPU time after which code counts as making no progress
_AGAIN_S = 0.1  # learner code may catch the exception, so it is raised again after so much CPU time
_until_s = math.inf  # when the CPU clock of this process shows that the time is over; without a timer of the system
_TOOL = 4  # the tool id in `sys.monitoring`, which no debugger, coverage or profiler uses
_MOST_UNSEEN = 64  # the clock is read at least once in so many steps of loops
_BETWEEN_LOOKS_S = 0.005  # the clock is read more often if this takes longer, and else less often
DESCRIPTORS = 64  # the number that an engine process may have open


class OutOfTime(BaseException):
    """The run used up its CPU time."""


class Stalled(BaseException):
    """The run made no progress: it used no CPU time for several seconds."""


def start_clocks(cpu_s: float, is_theirs: Callable[[FrameType | None], bool] = lambda frame: True) -> None:
    """Limit the running code to `cpu_s` seconds of CPU time, and let the trusted side stop it.

    After that time, `OutOfTime` is raised in the running code, and again every tenth of a second. `Stalled` is raised
    when the trusted side signals that the process makes no progress. Neither is raised unless `is_theirs` returns
    true for the running frame, so that processing a finished answer is not interrupted.
    """

    def raise_in(kind: type[BaseException]) -> Callable[[int, FrameType | None], None]:
        def handler(signum: int, frame: FrameType | None) -> None:
            if is_theirs(frame):
                raise kind

        return handler

    set_handler(_OUT_OF_TIME, raise_in(OutOfTime))
    set_handler(STALLED, raise_in(Stalled))
    _set_timer(cpu_s)


def restart_clock(cpu_s: float) -> None:
    """Give the running code another `cpu_s` seconds of CPU time, if its time is limited."""
    # the interval of a timer is 0 unless `start_clocks` has set it
    if signal.getitimer(signal.ITIMER_PROF)[1] if _TIMED else _until_s < math.inf:
        _set_timer(cpu_s)


def stop_clocks() -> None:
    """Stop raising `OutOfTime` and `Stalled`."""
    _set_timer(0)
    set_handler(STALLED, SIG_IGN)


def _set_timer(cpu_s: float) -> None:
    """Set the time after which `OutOfTime` is raised again and again; 0 for never."""
    global _until_s
    if _TIMED:
        signal.setitimer(signal.ITIMER_PROF, cpu_s, _AGAIN_S if cpu_s else 0)
    else:
        _until_s = time.process_time() + cpu_s if cpu_s else math.inf


def look() -> None:
    """Stop the running code if its time is over. Another thread calls this where the system has no timer."""
    if time.process_time() > _until_s:
        _set_timer(_AGAIN_S)
        _thread.interrupt_main(_OUT_OF_TIME)


def wake() -> None:
    """Let another thread say that the running code makes no progress, as the trusted side does with a signal."""
    _thread.interrupt_main(STALLED)


def apply(memory_mb: int, cpu_backstop_s: float | None = None) -> None:
    """Lower the resource limits permanently: memory, core dumps, written files, descriptors.

    Args:
        memory_mb: the size of the address space, in MB.
        cpu_backstop_s: the CPU seconds, rounded down but at least 1, after which the kernel ends the process.
    """
    _lower("RLIMIT_AS", memory_mb << 20)
    _lower("RLIMIT_CORE", 0)
    _lower("RLIMIT_FSIZE", 0)  # of regular files; pipes and sockets have no such limit
    _lower("RLIMIT_NOFILE", DESCRIPTORS)
    if cpu_backstop_s is not None:
        _lower("RLIMIT_CPU", max(1, int(cpu_backstop_s)))


def _lower(name: str, wanted: int) -> None:
    which = getattr(resource, name, None)
    if which is not None:
        # a lower limit may be set already, or the system refuses (macOS: RLIMIT_AS)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (wanted, wanted))


class LoopSteps:
    """Count the steps of loops in learners' files, because a browser has no signal that ends an endless loop.

    Python counts them from version 3.12 on (`sys.monitoring`). Before, nothing is counted.

    Attributes:
        ran_out: Whether a loop was ended in the last block.
    """

    def __init__(self) -> None:
        self.ran_out = False
        self._filename = ""
        self._left = sys.maxsize
        self._deadline = 0.0
        # The clock is not read at each step: `_seen` is its last time, `_unseen` the number of steps until it is read
        # again, and `_look` the number of steps that are left (`_left`) at that moment.
        self._seen, self._unseen, self._look = 0.0, 1, 0
        self._more: Callable[[], float] = lambda: 0.0
        self._monitoring: Any = getattr(sys, "monitoring", None)
        if self._monitoring is not None:
            self._monitoring.use_tool_id(_TOOL, "loops")
            self._monitoring.register_callback(_TOOL, self._monitoring.events.JUMP, self._jumped)
            # always on, because each change makes Python prepare all code again
            self._monitoring.set_events(_TOOL, self._monitoring.events.JUMP)

    @contextlib.contextmanager
    def counted(
        self, filename: str, most: int, seconds: float, more: Callable[[], float] = lambda: 0.0
    ) -> Iterator[None]:
        """Inside of the block, raise `OutOfTime` in a loop of this file when its loops took `most` steps or `seconds`.

        The number of steps is the same on every machine. The time is for loops whose steps take long.

        Args:
            more: Called when the time is over. Returns the seconds that are added, for instance because the machine was
                busy with something else; 0 or less for none.
        """
        self._filename, self._left, self._seen = filename, most, time.perf_counter()
        self._deadline, self._unseen, self._look = self._seen + seconds, 1, most
        self._more = more
        self.ran_out = False
        try:
            yield
        finally:
            self._left = sys.maxsize

    def _jumped(self, code: CodeType, start: int, end: int) -> Any:
        """Count a jump backwards in the file, which is a step of a loop. `sys.monitoring` calls this."""
        if code.co_filename != self._filename or end > start:
            return self._monitoring.DISABLE  # this jump is not reported again
        self._left -= 1
        if self._left < self._look and (self._left < 0 or self._is_over()):
            self.ran_out = True
            raise OutOfTime
        return None

    def _is_over(self) -> bool:
        """Read the clock. Return whether the time is over, and decide when the clock is read again."""
        while (now := time.perf_counter()) > self._deadline:
            if (more := self._more()) <= 0:
                return True
            self._deadline += more
        # reading the clock takes as long as a short step, so it is read less and less often while steps are short
        self._unseen = min(self._unseen + 1, _MOST_UNSEEN) if now - self._seen < _BETWEEN_LOOKS_S else 1
        self._seen, self._look = now, max(self._left - self._unseen + 1, 0)
        return False

    def close(self) -> None:
        """Stop counting."""
        if self._monitoring is not None:
            self._monitoring.free_tool_id(_TOOL)
