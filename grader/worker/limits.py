"""What a run may use: calls of the learner's functions, then CPU time, then memory."""

import contextlib
import signal
import sys
from types import FrameType
from typing import Any

try:
    import resource
except ImportError:  # Windows has no rlimits: calls and the wall clock are all there is
    resource = None  # type: ignore[assignment]


class OutOfCalls(BaseException):
    """The learner's functions were called more often than the run allows."""


class OutOfTime(BaseException):
    """The run used up its CPU time."""


class CallBudget:
    """Counts calls of functions defined in the learner's file; raises `OutOfCalls` past the limit.

    A context manager; with `calls` None it does nothing. Built on `sys.settrace` with no line events, so that it
    costs a callback for each call and leaves the learner's code as it is.
    """

    def __init__(self, filename: str, calls: int | None) -> None:
        self.filename = filename
        self.calls = calls
        self.left = calls or 0

    def __enter__(self) -> "CallBudget":
        if self.calls is not None:
            sys.settrace(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _count(self, frame: FrameType, event: str, arg: object) -> None:
        if frame.f_code.co_filename == self.filename:
            self.left -= 1
            if self.left < 0:
                raise OutOfCalls


def _out_of_time(signum: int, frame: FrameType | None) -> None:
    raise OutOfTime


def start_cpu_clock(seconds: float) -> None:
    """Raise `OutOfTime` in the running code after `seconds` more of CPU time, and again every tenth of a second."""
    if resource is not None:
        signal.signal(signal.SIGPROF, _out_of_time)
        signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)


def stop_cpu_clock() -> None:
    if resource is not None:
        signal.setitimer(signal.ITIMER_PROF, 0)


def apply(limits: dict[str, Any]) -> None:
    """Give up for good what a submission does not need: memory, core dumps, files to write, many descriptors."""
    _lower("RLIMIT_AS", limits["memory_mb"] << 20)
    _lower("RLIMIT_CORE", 0)
    _lower("RLIMIT_FSIZE", 0)
    _lower("RLIMIT_NOFILE", 64)


def forbid_more(limits: dict[str, Any], batch_cpu_s: float) -> None:
    """Let the kernel end this process once loading the file and running its batch took seconds more than they may."""
    # first SIGXCPU, which says why; a second later what cannot be ignored
    _lower("RLIMIT_CPU", int(limits["cpu_s"] + batch_cpu_s) + 1, grace=1)


def _lower(name: str, wanted: int, grace: int = 0) -> None:
    which = getattr(resource, name, None)
    if which is not None:
        # a lower limit may be in force already, or the system refuses (macOS: RLIMIT_AS)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (wanted, wanted + grace))
