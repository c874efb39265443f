"""Limit an engine process: CPU time, then time without progress, then memory, files and descriptors."""

import contextlib
import signal

# what is below `signal.signal`, which would translate each handler to an enum and back
from _signal import SIG_IGN  # type: ignore[import-not-found]
from _signal import signal as set_handler
from collections.abc import Callable
from types import FrameType

try:
    import resource
except ImportError:  # Windows has no rlimits: calls and the wall clock are all there is
    resource = None  # type: ignore[assignment]

STALLED: int = getattr(signal, "SIGUSR2", 0)
DESCRIPTORS = 64  # how many an engine process may have open


class OutOfTime(BaseException):
    """The run used up its CPU time."""


class Stalled(BaseException):
    """The run made no progress: it used no CPU time for several seconds."""


def start_clocks(cpu_s: float, is_theirs: Callable[[FrameType | None], bool] = lambda frame: True) -> None:
    """Raise in the running code: `OutOfTime` after `cpu_s` more seconds of CPU time, and again every tenth of a
    second; `Stalled` when the trusted side finds that the process makes no progress.

    Only where `is_theirs` says of the running frame that it runs for the learner: what this process does with an answer
    that has been found is not interrupted.
    """

    def raise_in(kind: type[BaseException]) -> Callable[[int, FrameType | None], None]:
        def handler(signum: int, frame: FrameType | None) -> None:
            if is_theirs(frame):
                raise kind

        return handler

    if resource is not None:
        set_handler(signal.SIGPROF, raise_in(OutOfTime))
        set_handler(STALLED, raise_in(Stalled))
        signal.setitimer(signal.ITIMER_PROF, cpu_s, 0.1)


def stop_clocks() -> None:
    """Let the running code take its time again."""
    if resource is not None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        set_handler(STALLED, SIG_IGN)


def apply(memory_mb: int, cpu_backstop_s: float | None = None) -> None:
    """Give up for good what reading or running a submission does not need: memory, core dumps, files to write, many
    descriptors.

    The kernel ends the process once it has used `cpu_backstop_s` seconds of CPU time in all (whole ones, at least one).
    """
    _lower("RLIMIT_AS", memory_mb << 20)
    _lower("RLIMIT_CORE", 0)
    _lower("RLIMIT_FSIZE", 0)
    _lower("RLIMIT_NOFILE", DESCRIPTORS)
    if cpu_backstop_s is not None:
        _lower("RLIMIT_CPU", max(1, int(cpu_backstop_s)))


def _lower(name: str, wanted: int) -> None:
    which = getattr(resource, name, None)
    if which is not None:
        # a lower limit may be in force already, or the system refuses (macOS: RLIMIT_AS)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (wanted, wanted))
