"""A process that reads submissions one after another, within limits that the kernel enforces.

`Reader` starts this process as a service, and sends it a setup and then orders. A submission that reaches a
limit ends the process, and `Reader` starts another one.
"""

import os
import signal
from pathlib import Path
from typing import IO

from ...base.processes import own_streams, receive, send
from ...runner.sandbox import limit_this_process
from .files import Intake, read_files
from .reader import LimitReached, ReaderReady, ReaderReply, ReadingLimits, ReadingTask, Setup

_MAX_ORDER = 64 << 20  # bytes; the run itself sends orders, and each names the files of one person


def main() -> None:
    serve(*own_streams())


def serve(orders: IO[bytes], replies: IO[bytes]) -> None:
    """Read each ordered submission, and reply. Return after the last order, or after memory ran out."""
    setup: Setup | None = receive(orders, Setup, _MAX_ORDER)
    if setup is None:
        return
    limit_this_process(setup.limits.memory_mb)
    _let_clocks_end_this_process()
    send(replies, ReaderReady())
    reply: ReaderReply
    while (order := receive(orders, ReadingTask, _MAX_ORDER)) is not None:
        try:
            reply = _read(order, setup)
        except MemoryError:
            reply = LimitReached("memory_limit", setup.limits.memory_mb)
        send(replies, reply)
        if isinstance(reply, LimitReached):  # the next submission needs a process with free memory
            return


def _read(order: ReadingTask, setup: Setup) -> Intake:
    places = ((Path(os.fsdecode(place)), os.fsdecode(name)) for place, name in order.places)
    _set_clocks(setup.limits)
    try:
        return read_files(places, setup.exercises, order.choices)
    finally:
        _set_clocks(ReadingLimits(0, 0))


def _let_clocks_end_this_process() -> None:
    """Restore the default action of both clocks' signals, because the parent process may have changed it."""
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])


def _set_clocks(limits: ReadingLimits) -> None:
    """Make the kernel end this process after the CPU time or wall time in `limits`; 0 means never."""
    signal.setitimer(signal.ITIMER_PROF, limits.cpu_s)
    signal.setitimer(signal.ITIMER_REAL, limits.wall_s)


if __name__ == "__main__":
    main()
