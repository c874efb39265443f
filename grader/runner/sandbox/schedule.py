"""Read from `/proc` how the system's scheduler treats a process: whether it sleeps, or has to wait for a core."""

import contextlib
import os
from pathlib import Path

_LARGEST = 1 << 10  # bytes of a file about one process
_RUNNABLE = b"R"
_OWN = "/proc/thread-self/schedstat"


class Schedule:
    """The scheduler's account of a process, from outside of it.

    Args:
        pid: The process's number in our own namespace. The process has not been reaped.

    Raises:
        OSError: the system has no such account.
    """

    def __init__(self, pid: int) -> None:
        with contextlib.ExitStack() as undo:
            self._times = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)
            undo.callback(os.close, self._times)
            self._state = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
            undo.pop_all()
        # they stay the files of this process, whoever gets its number later
        self._last = _times_of(os.pread(self._times, _LARGEST, 0))

    @property
    def awake_s(self) -> float:
        """Return the seconds in which the process ran, or was ready to run and had no core."""
        self._read()
        return sum(self._last)

    @property
    def ready_s(self) -> float:
        """Return the seconds in which the process was ready to run and had no core."""
        self._read()
        return self._last[1]

    @property
    def sleeps(self) -> bool:
        """Return whether the process is neither running nor ready to run at this moment."""
        try:
            # the name in parentheses may contain anything
            return os.pread(self._state, _LARGEST, 0).rpartition(b")")[2].split()[0] != _RUNNABLE
        except (OSError, IndexError):  # it has ended
            return True

    def close(self) -> None:
        """Close the files."""
        os.close(self._times)
        os.close(self._state)

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # it has ended: the last account counts
            self._last = _times_of(os.pread(self._times, _LARGEST, 0))


def own_ready_s() -> float:
    """Return the seconds in which this thread was ready to run and had no core; 0 if the system cannot tell."""
    try:
        # a path object and a file object would take twice as long, and every request asks several times
        descriptor = os.open(_OWN, os.O_RDONLY)
        try:
            return _times_of(os.read(descriptor, _LARGEST))[1]
        finally:
            os.close(descriptor)
    except OSError:
        return 0.0


def children_of(pid: int) -> list[int]:
    """Return the numbers of a process's children in our own namespace. Raises `OSError`."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def number_inside(pid: int) -> int:
    """Return the number of a process in the innermost namespace that it is in. Raises `OSError`."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[-1]) for line in lines if line.startswith("NSpid:")), pid)


def _times_of(text: bytes) -> tuple[float, float]:
    """Return the seconds on a core, and those without one. Raises `OSError` if the text has none."""
    fields = text.split()
    if len(fields) < 2:
        raise OSError("the scheduler gives no account")
    return int(fields[0]) / 1e9, int(fields[1]) / 1e9
