"""A process that reads one submission after another, within limits that the kernel keeps.

Started by `Reader`. A setup, then orders, come on standard input; a reply goes to standard output for each. A
submission that hits a limit ends the process, and another is started.
"""

import os
import signal
from pathlib import Path
from typing import IO

from ...worker.confine import limits
from .channel import Limits, Order, Ready, Reply, Setup, Stopped, receive, send
from .files import Intake, read_files

_MAX_ORDER = 64 << 20  # from the run itself: the files of one person
_CLOCKS = (("ITIMER_PROF", "SIGPROF"), ("ITIMER_REAL", "SIGALRM"))


def main() -> None:
    orders, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)  # what anything prints by mistake is no reply
    serve(orders, replies)


def serve(orders: IO[bytes], replies: IO[bytes]) -> None:
    """Read each submission that is ordered, and reply; returns at the end of the orders, or where memory ran out."""
    setup: Setup | None = receive(orders, Setup, _MAX_ORDER)
    if setup is None:
        return
    limits.apply(setup.limits.memory_mb)
    _let_clocks_end_this_process()
    send(replies, Ready())
    reply: Reply
    while (order := receive(orders, Order, _MAX_ORDER)) is not None:
        try:
            reply = _read(order, setup)
        except MemoryError:
            reply = Stopped("memory_limit", setup.limits.memory_mb)
        send(replies, reply)
        if isinstance(reply, Stopped):  # the next submission gets a heap that nobody has filled
            return


def _read(order: Order, setup: Setup) -> Intake:
    places = ((Path(os.fsdecode(place)), os.fsdecode(name)) for place, name in order.places)
    _set_clocks(setup.limits)
    try:
        return read_files(places, setup.exercises)
    finally:
        _set_clocks(Limits(0, 0))


def _let_clocks_end_this_process() -> None:
    """Take the signals of both clocks as the kernel does by itself, whatever whoever started this process has set."""
    for _, name in _CLOCKS:
        if hasattr(signal, name):  # Windows has neither
            signal.signal(getattr(signal, name), signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [getattr(signal, name)])


def _set_clocks(limits: Limits) -> None:
    """End this process after so many more seconds of its CPU time, or of anybody's; 0 is never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, limits.cpu_s)
        signal.setitimer(signal.ITIMER_REAL, limits.wall_s)


if __name__ == "__main__":
    main()
