"""Limit an engine process: CPU time, time without progress, memory, files and descriptors."""

import contextlib
import signal

# the C functions, because `signal.signal` converts each handler to an enum and back
from _signal import SIG_IGN  # type: ignore[import-not-found]
from _signal import signal as set_handler
from collections.abc import Callable
from types import FrameType

try:
    import resource
except ImportError:  # Windows has no rlimits; calls and wall time are still limited
    resource = None  # type: ignore[assignment]

STALLED: int = getattr(signal, "SIGUSR2", 0)
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

    if resource is not None:
        set_handler(signal.SIGPROF, raise_in(OutOfTime))
        set_handler(STALLED, raise_in(Stalled))
        signal.setitimer(signal.ITIMER_PROF, cpu_s, 0.1)


def stop_clocks() -> None:
    """Stop raising `OutOfTime` and `Stalled`."""
    if resource is not None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        set_handler(STALLED, SIG_IGN)


def apply(memory_mb: int, cpu_backstop_s: float | None = None) -> None:
    """Lower the resource limits permanently: memory, core dumps, written files, descriptors.

    Args:
        memory_mb: the size of the address space, in MB.
        cpu_backstop_s: the CPU seconds, rounded down but at least 1, after which the kernel ends the process.
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
        # a lower limit may be set already, or the system refuses (macOS: RLIMIT_AS)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (wanted, wanted))
