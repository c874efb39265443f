"""The engine process of a system without forks: a program that runs one learner file after another.

It has no rights to drop and no limits of the system: a tier for practice. Two pipes connect it with the trusted side.
`framing` has what goes through them.

A thread stands in for the timers of the system. It cannot interrupt a long step of the interpreter, such as a huge
power: then nothing is sent, and the trusted side ends the process.
"""

import _thread
import gc
import io
import os
import sys
import time
from collections.abc import Callable
from os import _exit
from os import write as _write
from types import FrameType
from typing import Any

from . import framing, limits, process
from .leftovers import Snapshot

_REQUESTS, _CHANNEL = 4, 3  # descriptors
_HIGH = 32
_PIECE = 1 << 16  # bytes of printed text that are sent at once
_LOOK_S = 0.05  # between two looks at the clock, while a request is answered
_SIGN_S = 0.5
_NOTHING_NS = 2_000_000
_STILL = round(limits.STALLED_S / _SIGN_S)
_RESTORED = ("numpy",)  # modules beyond the standard library whose state `leftovers` restores
_SHALLOWER = 3  # frames of functions that a fork has above a learner's, and this process has not


def main(loader: process.Loader, leaves_traces: Callable[[str, dict[str, str]], bool]) -> None:
    """Answer the requests on standard input until it is closed.

    Args:
        loader: makes the learner's file from an order.
        leaves_traces: returns whether a text, when it runs, can leave something behind in this interpreter. Its second
            argument has the modules whose state is restored, besides those of the standard library.
    """
    streams = _Pipes()
    watch = _ClockThread(streams)
    # what a file finds in a fork of the server process
    process.preimport()
    setattr(time, "sleep", watch.sleep)  # noqa: B010  (mypy knows no other way)
    limits.stop_clocks()
    gc.disable()
    sys.setrecursionlimit(sys.getrecursionlimit() - _SHALLOWER)
    streams.open()
    finders, snapshot = list(sys.meta_path), Snapshot()
    streams.post(framing.READY)
    # one order after another, of the same file or of others
    order = streams.receive()
    while order is not None:
        file = loader(order)
        restored = {name: name for name in _RESTORED if name in sys.modules}  # the file's modules were just imported
        if leaves_traces(order["source"], restored):
            streams.post(framing.TRACES)
        snapshot = snapshot.after_imports()
        streams.keep()
        order = process.serve(_Watched(file, streams), order["limits"]["cpu_s"], snapshot, streams) or streams.receive()
        if order is not None:
            process.renew(file, snapshot, streams)
            sys.meta_path[:] = finders  # a file adds one
    _exit(0)


class _Pipes(io.RawIOBase):
    """The streams of this process, and the raw file to which a learner's file prints.

    Attributes:
        busy: Whether a request is being answered.
        rest: A lock that is released when one comes.
        sending: Whether the main thread sends something, which must not be interrupted.
    """

    def __init__(self) -> None:
        # both move out of the way first, because either may have the number that the other one gets
        os.dup2(0, _HIGH)
        os.dup2(1, _HIGH + 1)
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3):  # what a program prints that the file starts is of no interest
            os.dup2(null, number)
        os.dup2(_HIGH, _REQUESTS)
        os.dup2(_HIGH + 1, _CHANNEL)
        os.closerange(process.FIRST_FREE, limits.DESCRIPTORS)
        self.busy = self.sending = False
        self._muted = True
        self._lock = _thread.allocate_lock()  # two threads send
        self.rest = _thread.allocate_lock()
        self.rest.acquire()

    def receive(self) -> Any:
        """Return the next request."""
        self.busy = False
        message = framing.read_frame(_REQUESTS)
        self.busy = True
        if self.rest.locked():
            self.rest.release()
        return message

    def send(self, answer: Any) -> None:
        """Send an answer, and before it the CPU time."""
        self.post_cpu()
        self.post(framing.ANSWER, framing.encode(answer))

    def post_cpu(self) -> None:
        """Send the CPU time of this process."""
        self.post(framing.CPU, framing.NUMBER.pack(time.process_time_ns()))

    def post(self, kind: bytes, data: bytes = b"") -> None:
        """Send something. The process ends if nobody reads it."""
        view = memoryview(framing.KIND.pack(kind, len(data)) + data)
        try:
            with self._lock:
                while view:
                    view = view[_write(_CHANNEL, view) :]
        except OSError:
            _exit(0)

    def discard(self) -> None:
        self._muted = True

    def keep(self) -> None:
        self._muted = False

    def open(self) -> None:
        for name in ("stdout", "stderr"):
            stream = io.TextIOWrapper(io.BufferedWriter(self), "utf-8", "backslashreplace")
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)

    # -- the raw file

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        """Do nothing: a file may close the stream on top of this one."""

    def write(self, data: Any) -> int:
        """Send the beginning of a printed text, and return how much that is."""
        piece = bytes(data[:_PIECE])
        if not self._muted:
            self.sending = True
            self.post(framing.PRINTED, piece)
            self.sending = False
        return len(piece)


class _Watched:
    """A learner's file that is not interrupted while something is sent."""

    def __init__(self, file: process.EngineFile, streams: _Pipes) -> None:
        self._file, self._streams = file, streams
        self.load, self.forget, self.reload, self.run = file.load, file.forget, file.reload, file.run

    @property
    def loaded(self) -> bool:
        return self._file.loaded

    def is_theirs(self, frame: FrameType | None) -> bool:
        """Return whether a clock may stop the code of a frame."""
        return not self._streams.sending and self._file.is_theirs(frame)


class _ClockThread:
    """A thread that acts as the clocks of the system, and gives signs of life."""

    def __init__(self, streams: _Pipes) -> None:
        self._streams = streams
        self._woken = _thread.allocate_lock()
        self._woken.acquire()
        self._sleeps = 0
        _thread.start_new_thread(self._look, ())

    def sleep(self, seconds: float, /) -> None:
        """Sleep like `time.sleep`, but end when the thread says that the code makes no progress."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._woken.acquire(timeout=min(left, 3600))
        self._sleeps += 1

    def _look(self, sleep: Callable[[float], None] = time.sleep) -> None:
        due, computed, sleeps, still = 0.0, 0, 0, 0
        while True:
            if not self._streams.busy:
                self._streams.rest.acquire()
                due, still = time.monotonic() + _SIGN_S, 0
            sleep(_LOOK_S)
            limits.look()
            if time.monotonic() < due:
                continue
            due = time.monotonic() + _SIGN_S
            self._streams.post_cpu()
            # code that waits uses no CPU time; this thread uses some, and reads two clocks one after the other
            now = time.process_time_ns() - time.thread_time_ns()
            progress = now - computed > _NOTHING_NS or self._sleeps != sleeps
            computed, sleeps, still = now, self._sleeps, 0 if progress else still + 1
            if still >= _STILL:
                limits.wake()
                if self._woken.locked():
                    self._woken.release()
